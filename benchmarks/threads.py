"""What a second inter-op thread gains, with BLAS and the intra-op pool held to one thread.

Two or eight independent branches of expensive kernels; and what two plain threads of Python gain:
where they gain nothing, no second processor was free.
"""

import statistics
import threading
import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from benchmarks.programs import seconds

SIDES = "two threads", "one thread"
#: How often the two take turns, and how many steps a turn has.
TURNS, STEPS = 5, 10
#: By then all forms of the plan were tried three times: once may have been a bad moment.
WARM = 150


def ufuncs(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Two branches of six element-wise kernels on a million numbers."""
    x = tf.placeholder(tf.float32, [1_000_000])
    one, other = tf.tanh(x), tf.sin(x)
    for _ in range(5):
        one, other = tf.tanh(one), tf.tanh(other)
    return tf.reduce_max(one) + tf.reduce_max(other), {x: np.linspace(0, 1, 1_000_000)}


def products(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Two branches of three products of 400 by 400 matrices."""
    x = tf.placeholder(tf.float32, [400, 400])
    one, other = x, tf.transpose(x)
    for _ in range(3):
        one, other = tf.matmul(one, x), tf.matmul(other, x)
    value = np.random.default_rng(0).random([400, 400]) / 400
    return tf.reduce_max(one) + tf.reduce_max(other), {x: value}


def many_products(tf: Any) -> tuple[Any, dict[Any, Any]]:
    """Eight independent branches, of one product each."""
    x = tf.placeholder(tf.float32, [400, 400])
    branches = [tf.reduce_max(tf.matmul(x + float(n), x)) for n in range(8)]
    return tf.add_n(branches), {x: np.random.default_rng(0).random([400, 400])}


@cache
def step_of(build: Callable[[Any], Any], threads: int, tf: Any) -> Callable[[], Any]:
    """A step of the program in a session with so many inter-op threads, learned and warm."""
    with tf.Graph().as_default():
        fetch, feeds = build(tf)
        config = tf.ConfigProto(
            inter_op_parallelism_threads=threads, intra_op_parallelism_threads=1
        )
        session = tf.Session(config=config)
    feeds = {key: np.asarray(value, np.float32) for key, value in feeds.items()}
    step = partial(session.run, fetch, feeds)
    for _ in range(WARM):
        step()
    return step


def branches(build: Callable[[Any], Any], tf: Any, folder: str) -> dict[str, float]:
    """Seconds of a step on two threads and on one."""
    from tinytf.runtime import blas

    with blas.limit(1):
        steps = {side: step_of(build, count, tf) for side, count in zip(SIDES, (2, 1))}
        found: dict[str, list[float]] = {side: [] for side in SIDES}
        for _ in range(TURNS):
            for side, step in steps.items():
                found[side].append(statistics.median(seconds(step) for _ in range(STEPS)))
    return {side: statistics.median(values) for side, values in found.items()}


def plain(tf: Any, folder: str) -> dict[str, float]:
    """The same kernels without any runtime."""
    value = np.linspace(0, 1, 1_000_000, dtype=np.float32)

    def work(times: int) -> None:
        for _ in range(times):
            np.tanh(value)

    start = time.perf_counter()
    work(2 * STEPS)
    middle = time.perf_counter()
    threads = [threading.Thread(target=work, args=[STEPS]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return {SIDES[0]: time.perf_counter() - middle, SIDES[1]: middle - start}


PROGRAMS: dict[str, Callable[[Any, str], dict[str, float]]] = {
    "two branches of ufuncs": partial(branches, ufuncs),
    "two branches of products": partial(branches, products),
    "eight branches of a product": partial(branches, many_products),
    "numpy without a runtime": plain,
}
