"""Between-graph replication, asynchronous: each worker for itself.

Every worker is a client with a graph of its own, which holds the network
once. All of them read and change the same variables, those of the parameter
server, and nobody waits for anybody: a gradient may have been computed with
values that others have changed meanwhile (it is stale). Start all tasks with

    tinytf launch --ps 1 --worker 3 between_graph_async.py

or one by one, each in a terminal of its own:

    python between_graph_async.py --ps_hosts=localhost:2221 \
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
from digits import tf


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
        optimizer = tf.train.GradientDescentOptimizer(0.5)
        train_op = optimizer.minimize(loss, global_step=step)
    return pixels, label, accuracy, step, train_op


def train(flags, jobs, target):
    images, labels = digits.load()
    pixels, label, accuracy, step, train_op = build(jobs, flags.task_index)

    def feed(rows):
        return {pixels: images[rows], label: labels[rows]}

    new = tf.train.FinalOpsHook(accuracy, feed(slice(digits.TRAINING, None)))
    here = f"/job:worker/task:{flags.task_index}"
    batches = np.random.RandomState(flags.task_index)
    pace = 0
    with tf.train.MonitoredTrainingSession(
        target,
        # The chief initialises the variables, or restores them, and saves
        # them from time to time. The others wait until it has.
        is_chief=flags.task_index == 0,
        checkpoint_dir=flags.checkpoints,
        save_checkpoint_steps=100,
        hooks=[tf.train.StopAtStepHook(last_step=flags.steps), new],
        # It needs no other worker, so it shall not wait for them either.
        config=tf.ConfigProto(device_filters=["/job:ps", here]),
    ) as sess:
        begun, first = time.perf_counter(), sess.run(step)
        print(f"from step {first}", flush=True)
        while not sess.should_stop():
            rows = batches.randint(0, digits.TRAINING, 50)
            last, _ = sess.run([step, train_op], feed(rows))
            pace = (last - first) / (time.perf_counter() - begun)
    print(f"{pace:.0f} steps a second, by all workers together")
    print(f"accuracy {new.final_ops_values:.3f}")


if __name__ == "__main__":
    main()
