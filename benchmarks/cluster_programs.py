"""Tasks and clients of a small cluster, written once for tinytf and for a real TensorFlow.

`python benchmarks/cluster_programs.py serve KIND CLUSTER JOB INDEX` says "serving" and goes on
until its input ends; CLUSTER is JSON. `... measure KIND CLUSTER` reads "WHAT TIMES" and answers
with the seconds of a step, the shortest of TIMES; of "train" with those of a step of two
workers together. A real TensorFlow's servers listen on all interfaces: `benchmarks.cluster` starts
them in a network of its own.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from wire_programs import library

MEGABYTE = 1 << 20


def address_of(cluster: dict[str, list[str]], job: str, index: int) -> str:
    """The target of a session."""
    return f"grpc://{cluster[job][index]}"


def three_tasks(tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step that reads on ps:0, adds on worker:1 and sums on worker:0, which is the master's."""
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("small", initializer=[1.0, 2.0], use_resource=False)
        with tf.device("/job:worker/task:1"):
            y = v + 1.0
        with tf.device("/job:worker/task:0"):
            total = tf.reduce_sum(y)
        session = tf.Session(address_of(cluster, "worker", 0))
        session.run(v.initializer)
        return lambda: session.run(total)


def moving(megabytes: int) -> Callable[[Any, dict[str, list[str]]], Callable[[], Any]]:
    """A step that moves a tensor from ps:0 to worker:0 and looks at its size only."""

    def make(tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
        with tf.Graph().as_default():
            with tf.device("/job:ps/task:0"):
                count = megabytes * MEGABYTE // 4
                ones = tf.ones([count])
                v = tf.get_variable(f"large{megabytes}", initializer=ones, use_resource=False)
            with tf.device("/job:worker/task:0"):
                last = tf.identity(v._ref())[-1]
            session = tf.Session(address_of(cluster, "worker", 0))
            session.run(v.initializer)
            return lambda: session.run(last)

    return make


def training(tf: Any, cluster: dict[str, list[str]], index: int) -> Callable[[], Any]:
    """A step of one of several workers that train one model, each in its own time."""
    rows = np.random.RandomState(index).rand(32, 784).astype(np.float32)
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            w = tf.get_variable("w", initializer=np.zeros([784, 10], np.float32))
            b = tf.get_variable("b", initializer=np.zeros([10], np.float32))
        with tf.device(f"/job:worker/task:{index}"):
            logits = tf.matmul(tf.constant(rows), w) + b
            labels = tf.constant(np.arange(32) % 10)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        train = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
        session = tf.Session(address_of(cluster, "worker", index))
        session.run(tf.global_variables_initializer())
        return lambda: session.run(train)


def seconds_together(steps: list[Callable[[], Any]], times: int) -> float:
    """How long one step takes when several clients take their steps at the same time."""
    threads = [
        threading.Thread(target=lambda step=step: [step() for _ in range(times)]) for step in steps
    ]
    start = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return (time.perf_counter() - start) / (times * len(steps))


def seconds(step: Callable[[], Any]) -> float:
    """How long a step takes."""
    start = time.perf_counter()
    step()
    return time.perf_counter() - start


STEPS = {"three": three_tasks, "move4": moving(4), "move64": moving(64)}


def serve(kind: str, cluster: dict[str, list[str]], job: str, index: int) -> None:
    """Serve until the input ends."""
    tf = library(kind)
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    print("serving", flush=True)
    sys.stdin.read()
    del server
    os._exit(0)  # TensorFlow's servers cannot be stopped


def measure(kind: str, cluster: dict[str, list[str]]) -> None:
    """Time what the input asks for."""
    tf = library(kind)
    made: dict[str, Any] = {}
    for line in sys.stdin:
        what, times = line.split()
        if what not in made:
            if what == "train":
                made[what] = [training(tf, cluster, index) for index in (0, 1)]
                seconds_together(made[what], 5)
            else:
                made[what] = STEPS[what](tf, cluster)
                made[what]()
        if what == "train":
            print(seconds_together(made[what], int(times)), flush=True)
        else:
            print(min(seconds(made[what]) for _ in range(int(times))), flush=True)


if __name__ == "__main__":
    role, kind, cluster = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    if role == "serve":
        serve(kind, cluster, sys.argv[4], int(sys.argv[5]))
    else:
        measure(kind, cluster)
