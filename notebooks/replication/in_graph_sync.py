"""In-graph replication, synchronous: one graph, with a tower on each worker.

One client builds one graph: the network once for each worker (a tower), all
with the same variables, those of the parameter server. Each tower computes
the gradients of its part of the batch; a step waits for all, and goes along
their mean. That is one step with the whole batch. The workers only serve.

    tinytf launch --ps 1 --worker 3 --client in_graph_sync.py

or one by one, each in a terminal of its own (a worker, and the client):

    python in_graph_sync.py --ps_hosts=localhost:2221 \
        --worker_hosts=localhost:2222,localhost:2223 \
        --job_name=worker --task_index=1
    python in_graph_sync.py --ps_hosts=localhost:2221 \
        --worker_hosts=localhost:2222,localhost:2223 --job_name=client
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
    if flags.job_name == "client":
        train(flags, jobs)
    else:
        tf.train.Server(jobs, flags.job_name, flags.task_index).join()


def build(jobs):
    """The graph of all workers; each tower has an equal part of the batch."""
    pixels = tf.placeholder(tf.float32, [None, 64])
    label = tf.placeholder(tf.int32, [None])
    towers = len(jobs["worker"])
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    parts = zip(tf.split(pixels, towers), tf.split(label, towers))
    gradients = []
    for number, part in enumerate(parts):
        worker = f"/job:worker/task:{number}"
        setter = tf.train.replica_device_setter(
            cluster=jobs, worker_device=worker
        )
        # From the second tower on, the variables are there already.
        again = tf.variable_scope(tf.get_variable_scope(), reuse=number > 0)
        with tf.device(setter), again:
            loss, _ = digits.network(*part)
            gradients.append(optimizer.compute_gradients(loss))
    with tf.device("/job:ps/task:0"):
        step = tf.train.get_or_create_global_step()
        means = []
        for pairs in zip(*gradients):  # of one variable, from all towers
            mean = tf.add_n([gradient for gradient, _ in pairs]) / towers
            means.append((mean, pairs[0][1]))
        train_op = optimizer.apply_gradients(means, global_step=step)
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        with tf.device("/job:worker/task:0"):
            _, accuracy = digits.network(pixels, label)
    return pixels, label, accuracy, step, train_op


def train(flags, jobs):
    images, labels = digits.load()
    pixels, label, accuracy, step, train_op = build(jobs)

    def feed(rows):
        return {pixels: images[rows], label: labels[rows]}

    new = tf.train.FinalOpsHook(accuracy, feed(slice(digits.TRAINING, None)))
    batches = np.random.RandomState(0)
    size = 50 * len(jobs["worker"])
    pace = 0
    with tf.train.MonitoredTrainingSession(
        f"grpc://{jobs['worker'][0]}",
        checkpoint_dir=flags.checkpoints,
        save_checkpoint_steps=100,
        hooks=[tf.train.StopAtStepHook(last_step=flags.steps), new],
    ) as sess:
        begun, first = time.perf_counter(), sess.run(step)
        print(f"from step {first}", flush=True)
        while not sess.should_stop():
            rows = batches.randint(0, digits.TRAINING, size)
            last, _ = sess.run([step, train_op], feed(rows))
            pace = (last - first) / (time.perf_counter() - begun)
    print(f"{pace:.0f} steps a second, of {size} images each")
    print(f"accuracy {new.final_ops_values:.3f}")


if __name__ == "__main__":
    main()
