"""Between-graph replication, synchronous: each worker for itself, in step.

Every worker is a client with a graph of its own, as in asynchronous training.
But it hands its gradients in and waits for a token. A thread of the chief
takes the gradients of all workers, goes one step along their mean, and puts
in a token for each worker. That is one step with all their batches at once.

    tinytf launch --ps 1 --worker 3 between_graph_sync.py

or one by one, each in a terminal of its own:

    python between_graph_sync.py --ps_hosts=localhost:2221 \
        --worker_hosts=localhost:2222,localhost:2223 \
        --job_name=worker --task_index=1
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import digits
from digits import tf  # tinytf, or else TensorFlow


def main(arguments=None):
    parser = argparse.ArgumentParser(allow_abbrev=False)
    for flag in ("--ps_hosts", "--worker_hosts", "--job_name"):
        parser.add_argument(flag, required=True)
    parser.add_argument("--task_index", type=int, default=0)
    parser.add_argument("--checkpoints", default="checkpoints")
    parser.add_argument("--steps", type=int, default=600)
    flags = parser.parse_args(arguments)
    jobs = {
        "ps": flags.ps_hosts.split(","),
        "worker": flags.worker_hosts.split(","),
    }
    server = tf.train.Server(jobs, flags.job_name, flags.task_index)
    if flags.job_name == "ps":
        server.join()  # it serves until it is ended
    else:
        train(flags, jobs, server.target)


def build(jobs, index):
    """The graph of one worker; its variables are on the parameter servers."""
    worker = f"/job:worker/task:{index}"
    setter = tf.train.replica_device_setter(cluster=jobs, worker_device=worker)
    with tf.device(setter):
        pixels = tf.placeholder(tf.float32, [None, 64])
        label = tf.placeholder(tf.int32, [None])
        loss, accuracy = digits.network(pixels, label)
        step = tf.train.get_or_create_global_step()
        optimizer = tf.train.SyncReplicasOptimizer(
            tf.train.GradientDescentOptimizer(0.5),
            replicas_to_aggregate=len(jobs["worker"]),
        )
        train_op = optimizer.minimize(loss, global_step=step)
    return pixels, label, accuracy, step, train_op, optimizer


def hooks_of(flags, optimizer, workers):
    """What the session of a worker does beside training."""
    if flags.task_index > 0:
        # It ends when the chief closes the queue of tokens: not before the
        # chief has saved the last step, or nobody would help it to repeat
        # what is lost if it dies meanwhile.
        return [optimizer.make_session_run_hook(is_chief=False)]
    saved = tf.train.latest_checkpoint(flags.checkpoints)
    if saved and int(saved.rpartition("-")[2]) >= flags.steps:
        return []  # the chief died when all was done
    # Everybody gives one gradient to the first step, so no tokens are needed
    # at first. But a chief that died may have left workers without theirs.
    tokens = optimizer.make_session_run_hook(
        is_chief=True, num_tokens=workers if saved else 0
    )
    return [tokens, tf.train.StopAtStepHook(last_step=flags.steps)]


def train(flags, jobs, target):
    images, labels = digits.load()
    *inputs, accuracy, step, train_op, optimizer = build(jobs, flags.task_index)
    pixels, label = inputs

    def feed(rows):
        return {pixels: images[rows], label: labels[rows]}

    new = tf.train.FinalOpsHook(accuracy, feed(slice(digits.TRAINING, None)))
    hooks = hooks_of(flags, optimizer, len(jobs["worker"]))
    here = f"/job:worker/task:{flags.task_index}"
    batches = np.random.RandomState(flags.task_index)
    pace = 0
    with tf.train.MonitoredTrainingSession(
        target,
        is_chief=flags.task_index == 0,
        checkpoint_dir=flags.checkpoints,
        save_checkpoint_steps=100,
        hooks=[*hooks, new],
        config=tf.ConfigProto(device_filters=["/job:ps", here]),
        # The chief's thread waits for gradients that nobody will give.
        stop_grace_period_secs=10,
    ) as sess:
        begun, first = time.perf_counter(), sess.run(step)
        print(f"from step {first}", flush=True)
        while hooks and not sess.should_stop():
            rows = batches.randint(0, digits.TRAINING, 50)
            last = sess.run(train_op, feed(rows))
            pace = (last - first) / (time.perf_counter() - begun)
    print(f"{pace:.0f} steps a second, of {len(jobs['worker'])} batches each")
    print(f"accuracy {new.final_ops_values:.3f}")


if __name__ == "__main__":
    main()
