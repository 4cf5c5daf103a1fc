"""Hand-offs beside a busy thread.

A thread that computes in pure Python keeps the interpreter's lock until another one has asked for
it for a *switch interval*: 5 ms, unless a program says otherwise. Each time a step gives the lock
away, in a long call of numpy or to wait for another thread, it may have to wait so long to get it
back. Measured: how long things take beside such a thread at the interval that tinytf's servers set
while they live (`tinytf.runtime.switch_interval`), without such a thread, and beside one at
Python's own interval. A plain local session leaves the interval as it is.
"""

import queue
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from tinytf.runtime import switch_interval

DEFAULT_SECONDS = 0.005
SIDES = "busy, servers' interval", "nobody busy", "busy, Python's interval"
PARTS = {"median": "s", "95th percentile": "s"}
#: How long each is timed again and again: beside a busy thread once may take many milliseconds.
MEASURED_SECONDS = 0.3
PAUSE_SECONDS = 1e-3
_never = threading.Event()


@contextmanager
def busy_thread() -> Iterator[None]:
    """A thread that computes in pure Python."""
    over = threading.Event()

    def compute() -> None:
        total = 0
        while not over.is_set():
            for number in range(1000):
                total += number * number

    thread = threading.Thread(target=compute, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def interval(seconds: float) -> Iterator[None]:
    """Python's switch interval, for a while."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(seconds)
    try:
        yield
    finally:
        sys.setswitchinterval(before)


def hand_off() -> Callable[[], Any]:
    """To another thread that waits, and back."""
    there: queue.SimpleQueue[Any] = queue.SimpleQueue()
    back: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def answer() -> None:
        for request in iter(there.get, None):
            back.put(request)

    threading.Thread(target=answer, daemon=True).start()

    def once() -> None:
        there.put(1)
        back.get()

    return once


def wake_up() -> float:
    """After a wait of 1 ms: how much too late, in seconds."""
    start = time.perf_counter()
    _never.wait(PAUSE_SECONDS)
    return time.perf_counter() - start - PAUSE_SECONDS


def small_step() -> Callable[[], Any]:
    """Three operations on single numbers, in straight-line code."""
    import tinytf as tf

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        return partial(tf.Session().make_callable((x + 1.0) * 2.0 - x, [x]), 3.0)


def step_of_one_thread() -> Callable[[], Any]:
    """Two branches of 1 ms, one after the other: numpy gives the lock away in each."""
    return _branches(1)


def step_of_two_threads() -> Callable[[], Any]:
    """The same on two inter-op threads."""
    return _branches(2)


def _branches(threads: int) -> Callable[[], Any]:
    import tinytf as tf

    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [1_000_000])
        with tf.device("/cpu:0"):
            one = tf.reduce_max(tf.exp(x))
        with tf.device("/cpu:1"):
            other = tf.reduce_max(tf.sin(x))
        with tf.device("/cpu:0"):
            total = one + other
        config = tf.ConfigProto(
            device_count={"CPU": 2},
            inter_op_parallelism_threads=threads,
            intra_op_parallelism_threads=1,
        )
        run = tf.Session(config=config).make_callable(total, [x])
    return partial(run, np.ones([1_000_000], np.float32))


def times_of(once: Callable[[], Any]) -> list[float]:
    """(the median, the 95th percentile) in seconds."""
    for _ in range(20):
        once()
    found = []
    end = time.perf_counter() + MEASURED_SECONDS
    while (start := time.perf_counter()) < end:
        late = once()
        taken = time.perf_counter() - start
        found.append(late if once is wake_up else taken)
    return [float(value) for value in np.percentile(found, [50, 95])]


def measure(make: Callable[[], Callable[[], Any]], tf: Any, folder: str) -> dict[str, list[float]]:
    """What it takes on each side."""
    once = make()
    found = {SIDES[1]: times_of(once)}
    with busy_thread():
        for side, seconds in ((SIDES[0], switch_interval.SECONDS), (SIDES[2], DEFAULT_SECONDS)):
            with interval(seconds):
                found[side] = times_of(once)
    return found


PROGRAMS = {
    "coming back after a wait": partial(measure, lambda: wake_up),
    "a hand-off and back, again and again": partial(measure, hand_off),
    "a step of three small operations": partial(measure, small_step),
    "a step of two branches, one thread": partial(measure, step_of_one_thread),
    "a step of two branches, two threads": partial(measure, step_of_two_threads),
}
