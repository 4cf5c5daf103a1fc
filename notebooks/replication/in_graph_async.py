"""In-graph replication, asynchronous: one graph, a thread for each worker.

One client builds one graph: the network once for each worker (a replica),
all with the same variables, those of the parameter server. Each replica has
a training operation of its own, and a thread of the client that runs it over
and over; no replica waits for another. The workers only serve.

    tinytf launch --ps 1 --worker 3 --client in_graph_async.py

or one by one, each in a terminal of its own (a worker, and the client):

    python in_graph_async.py --ps_hosts=localhost:2221 \
        --worker_hosts=localhost:2222,localhost:2223 \
        --job_name=worker --task_index=1
    python in_graph_async.py --ps_hosts=localhost:2221 \
        --worker_hosts=localhost:2222,localhost:2223 --job_name=client
"""

import argparse
import sys
import threading
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
    """The graph of all workers: what is fed, and an operation for each."""
    pixels = tf.placeholder(tf.float32, [None, 64])
    label = tf.placeholder(tf.int32, [None])
    optimizer = tf.train.GradientDescentOptimizer(0.5)
    with tf.device("/job:ps/task:0"):
        step = tf.train.get_or_create_global_step()
    train_ops = []
    for number in range(len(jobs["worker"])):
        worker = f"/job:worker/task:{number}"
        setter = tf.train.replica_device_setter(
            cluster=jobs, worker_device=worker
        )
        # From the second replica on, the variables are there already.
        again = tf.variable_scope(tf.get_variable_scope(), reuse=number > 0)
        with tf.device(setter), again:
            loss, accuracy = digits.network(pixels, label)
            train_ops.append(optimizer.minimize(loss, global_step=step))
    return pixels, label, accuracy, step, train_ops


def train(flags, jobs):
    images, labels = digits.load()
    pixels, label, accuracy, step, train_ops = build(jobs)
    saver, initialise = tf.train.Saver(), tf.global_variables_initializer()
    file = str(Path(flags.checkpoints, "model"))

    def feed(rows):
        return {pixels: images[rows], label: labels[rows]}

    def work(sess, coord, number):
        """What the thread of a replica does."""
        batches = np.random.RandomState(number)
        with coord.stop_on_exception():
            while not coord.should_stop():
                rows = batches.randint(0, digits.TRAINING, 50)
                last, _ = sess.run([step, train_ops[number]], feed(rows))
                if last >= flags.steps:
                    coord.request_stop()

    def work_together():
        """From the last checkpoint, or the beginning, to the last step."""
        with tf.train.SessionManager().prepare_session(
            f"grpc://{jobs['worker'][0]}",
            initialise,
            saver,
            flags.checkpoints,
        ) as sess:
            begun, first = time.perf_counter(), sess.run(step)
            print(f"from step {first}", flush=True)
            coord = tf.train.Coordinator()
            threads = [
                threading.Thread(target=work, args=[sess, coord, number])
                for number in range(len(train_ops))
            ]
            for thread in threads:
                thread.start()
            while not coord.wait_for_stop(timeout=0.5):
                saver.save(sess, file, step)
            coord.join(threads)  # it raises what a thread has failed with
            saver.save(sess, file, step)
            pace = (sess.run(step) - first) / (time.perf_counter() - begun)
            print(f"{pace:.0f} steps a second, by all replicas together")
            new = feed(slice(digits.TRAINING, None))
            print(f"accuracy {sess.run(accuracy, new):.3f}")

    while True:
        try:
            return work_together()
        except (tf.errors.AbortedError, tf.errors.UnavailableError) as error:
            print("A task was lost; once more:", error.message.split("\n")[0])
            time.sleep(1)  # it may take a while to come back


if __name__ == "__main__":
    main()
