"""Tasks and clients of a small cluster, written once for tinytf and for a real TensorFlow.

`python benchmarks/in_cluster.py serve KIND CLUSTER JOB INDEX` answers once it serves, and goes on
until its input ends; CLUSTER is JSON. `... measure KIND CLUSTER` reads what to measure and how many
times, and answers with the seconds of a step. `... train KIND CLUSTER INDEX` is the client of one
worker: it reads how many seconds to train and answers with its steps; `... synchronous KIND CLUSTER
INDEX` does the same as one of those who take every step together. Lines are JSON. A real
TensorFlow's servers listen on all interfaces: they belong in a network of their own.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.programs import seconds
from benchmarks.side import library

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


def layers(
    tf: Any, cluster: dict[str, list[str]], index: int, is_synchronous: bool = False
) -> Callable[[], Any]:
    """A step of one worker that trains a 784-300-100-10 network on batches of 50, fed."""
    numbers = np.random.default_rng(index)
    with tf.Graph().as_default():
        here = tf.train.replica_device_setter(
            worker_device=f"/job:worker/task:{index}", cluster=tf.train.ClusterSpec(cluster)
        )
        with tf.device(here):
            images = tf.placeholder(tf.float32, [None, 784])
            labels = tf.placeholder(tf.int32, [None])
            layer, width = images, 784
            for number, units in enumerate((300, 100, 10)):
                start = numbers.normal(0, 2 / width**0.5, [width, units]).astype(np.float32)
                w = tf.get_variable(f"w{number}", initializer=start, use_resource=False)
                b = tf.get_variable(f"b{number}", [units], use_resource=False)
                layer, width = tf.matmul(layer, w) + b, units
                layer = layer if units == 10 else tf.nn.relu(layer)
            losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=layer)
            optimizer = tf.train.GradientDescentOptimizer(0.01)
            if is_synchronous:
                optimizer = tf.train.SyncReplicasOptimizer(optimizer, len(cluster["worker"]))
            step = tf.train.get_or_create_global_step() if is_synchronous else None
            train = optimizer.minimize(tf.reduce_mean(losses), step)
            tokens = optimizer.get_init_tokens_op() if is_synchronous else None
        session = tf.Session(address_of(cluster, "worker", index))
        if index == 0:  # the chief; the others begin after its first answer
            session.run(tf.global_variables_initializer())
        if is_synchronous:
            session.run(optimizer.chief_init_op if index == 0 else optimizer.local_step_init_op)
        if is_synchronous and index == 0:
            optimizer.get_chief_queue_runner().create_threads(session, daemon=True, start=True)
            session.run(tokens)
        feed = {
            images: numbers.random([50, 784], np.float32),
            labels: numbers.integers(0, 10, 50).astype(np.int32),
        }
        return lambda: session.run(train, feed)


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


def constant(tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step that does nothing."""
    with tf.Graph().as_default():
        c = tf.constant(3.0)
        session = tf.Session(address_of(cluster, "worker", 0))
        return lambda: session.run(c)


def feed(megabytes: int, tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step that feeds a tensor and looks at its size only."""
    with tf.Graph().as_default(), tf.device("/job:worker/task:0"):
        x = tf.placeholder(tf.float32, [megabytes * MEGABYTE // 4])
        count, value = tf.size(x), np.ones(megabytes * MEGABYTE // 4, np.float32)
        session = tf.Session(address_of(cluster, "worker", 0))
        return lambda: session.run(count, {x: value})


def fetch(megabytes: int, tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step that fetches a tensor from the task of its master."""
    with tf.Graph().as_default(), tf.device("/job:worker/task:0"):
        ones = tf.ones([megabytes * MEGABYTE // 4])
        v = tf.get_variable(f"v{megabytes}", initializer=ones, use_resource=True)
        read = v.read_value()
        session = tf.Session(address_of(cluster, "worker", 0))
        session.run(v.initializer)
        return lambda: session.run(read)


def over_tasks(count: int, tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step that adds up a number of each of the first tasks."""
    tasks = [(job, index) for job in sorted(cluster) for index in range(len(cluster[job]))]
    tasks.sort(key=lambda task: task != ("worker", 0))  # the master's own is the first
    with tf.Graph().as_default():
        x, numbers = tf.placeholder(tf.float32, []), []
        for job, index in tasks[:count]:
            with tf.device(f"/job:{job}/task:{index}"):
                numbers.append(x + float(index))
        with tf.device("/job:worker/task:0"):
            total = tf.add_n(numbers)
        session = tf.Session(address_of(cluster, "worker", 0))
        return lambda: session.run(total, {x: 1.0})


IDLE: list[Any] = []


def beside_sessions(count: int, tf: Any, cluster: dict[str, list[str]]) -> Callable[[], Any]:
    """A step of one session while so many are open on the server."""
    while len(IDLE) < count - 1:
        IDLE.append(constant(tf, cluster))
        IDLE[-1]()
    return constant(tf, cluster)


def crowd(tf: Any, cluster: dict[str, list[str]], window: float) -> list[float]:
    """Four busy sessions: seconds of a step of all together, of any, of the slowest hundredth."""
    steps = [constant(tf, cluster) for _ in range(4)]
    taken: list[float] = []

    def work(step: Callable[[], Any]) -> None:
        step()
        end = time.monotonic() + window
        while time.monotonic() < end:
            taken.append(seconds(step))

    threads = [threading.Thread(target=work, args=[step]) for step in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    taken.sort()
    return [window / len(taken), taken[len(taken) // 2], taken[len(taken) * 99 // 100]]


STEPS: dict[str, Callable[..., Callable[[], Any]]] = {
    "step": constant,
    "three": three_tasks,
    **{f"move{size}": moving(size) for size in (4, 64)},
    **{f"feed{size}": partial(feed, size) for size in (4, 64)},
    **{f"fetch{size}": partial(fetch, size) for size in (4, 64)},
    **{f"tasks{count}": partial(over_tasks, count) for count in (1, 2, 4, 8)},
    **{f"sessions{count}": partial(beside_sessions, count) for count in (1, 10, 100)},
}


def serve(kind: str, cluster: dict[str, list[str]], job: str, index: int) -> None:
    """Serve until the input ends."""
    tf = library(kind)
    server = tf.train.Server(cluster, job_name=job, task_index=index)
    print("0", flush=True)
    sys.stdin.read()
    del server
    os._exit(0)  # TensorFlow's servers cannot be stopped


def measure(kind: str, cluster: dict[str, list[str]]) -> None:
    """Time what the input asks for."""
    tf = library(kind)
    made: dict[str, Any] = {}
    for line in sys.stdin:
        what, times = json.loads(line)
        if what == "crowd":
            print(json.dumps(crowd(tf, cluster, times)), flush=True)
            continue
        if what not in made:
            if what == "train":
                made[what] = [training(tf, cluster, index) for index in (0, 1)]
                seconds_together(made[what], 5)
            else:
                made[what] = STEPS[what](tf, cluster)
                made[what]()
        if what == "train":
            print(seconds_together(made[what], times), flush=True)
        else:
            print(min(seconds(made[what]) for _ in range(times)), flush=True)


def synchronous(kind: str, cluster: dict[str, list[str]], index: int) -> None:
    """Train with the others for as long as each line says; answer how many steps that were.

    A thread takes the steps: whoever stops leaves others waiting in theirs, who must answer, too.
    """
    step = layers(library(kind), cluster, index, is_synchronous=True)
    step()  # there is a token for it
    may_go_on, has_failed, count = threading.Event(), threading.Event(), 0

    def work() -> None:
        nonlocal count
        try:
            while may_go_on.wait():
                step()
                count += 1
        finally:
            has_failed.set()

    threading.Thread(target=work, daemon=True).start()
    print("0", flush=True)
    for line in sys.stdin:
        (window,) = json.loads(line)
        before = count
        may_go_on.set()
        if has_failed.wait(window):
            break
        may_go_on.clear()
        print(count - before, flush=True)
    os._exit(0)  # the last step may never end


def train(kind: str, cluster: dict[str, list[str]], index: int) -> None:
    """Train for as long as each line of the input says; answer how many steps that were."""
    step = layers(library(kind), cluster, index)
    step()
    print("0", flush=True)
    for line in sys.stdin:
        (window,) = json.loads(line)
        count, end = 0, time.perf_counter() + window
        while time.perf_counter() < end:
            step()
            count += 1
        print(count, flush=True)


if __name__ == "__main__":
    role, kind, cluster = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    if role == "serve":
        serve(kind, cluster, sys.argv[4], int(sys.argv[5]))
    elif role in ("train", "synchronous"):
        program = train if role == "train" else synchronous
        program(kind, cluster, int(sys.argv[4]))
    else:
        measure(kind, cluster)
