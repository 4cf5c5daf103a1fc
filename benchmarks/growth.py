"""What cost grows with what, for both libraries: each program is a series and a number in it."""

import time
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from benchmarks.programs import best


def chain(tf: Any, count: int) -> tuple[Any, Any]:
    """The first and the last tensor of a graph of so many small operations."""
    value = x = tf.placeholder(tf.float32, [])
    for number in range(count):
        value = (tf.add, tf.multiply, tf.subtract)[number % 3](value, x)
    return x, value


def building(count: int, tf: Any, folder: str) -> float:
    """The graph itself; in the process's own time, since it is pure computation."""
    start = time.process_time()
    chain(tf, count)
    return time.process_time() - start


def first_run(count: int, tf: Any, folder: str) -> float:
    """A run of all of them that nothing was prepared for."""
    x, value = chain(tf, count)
    with tf.Session() as session:
        session.run(tf.constant(0.0))
        start = time.perf_counter()
        session.run(value, {x: 1.0})
        return time.perf_counter() - start


@cache
def opened(tf: Any, count: int) -> tuple[Any, Any, Any]:
    """A session on a graph with so many operations, the first and the last tensor."""
    with tf.Graph().as_default() as graph:
        x, value = chain(tf, count)
    session = tf.Session(graph=graph)
    session.run(value, {x: 1.0})
    return session, x, value


def later_run(count: int, tf: Any, folder: str) -> float:
    """A run of all of them, again."""
    session, x, value = opened(tf, count)
    return best(lambda: session.run(value, {x: 1.0}), 10)


def run_beside(count: int, tf: Any, folder: str) -> float:
    """A run of three of them, again: the others are not needed."""
    session, x, _ = opened(tf, count)
    with session.graph.as_default():
        total = (x + 1.0) * 2.0 - x
    return best(lambda: session.run(total, {x: 1.0}), 500)


def one_more_fetch(is_on_top: bool, count: int, tf: Any, folder: str) -> float:
    """The first run of one more operation, beside so many or on top of them; the least of a few."""
    session, x, value = opened(tf, count)
    found = []
    for number in range(10 if count < 10_000 else 1):
        with session.graph.as_default():
            more = (value if is_on_top else x) + float(number)
        start = time.perf_counter()
        session.run(more, {x: 1.0})
        found.append(time.perf_counter() - start)
    return min(found)


def queue_of(count: int, tf: Any, folder: str) -> float:
    """An element into a queue that holds so many, and one out of it."""
    opened.cache_clear()
    queue = tf.FIFOQueue(2 * count, tf.float32, shapes=[[]])
    fill = queue.enqueue_many([tf.zeros([count])])
    put, get = queue.enqueue([1.0]), queue.dequeue()
    with tf.Session() as session:
        session.run(fill)

        def take() -> None:
            session.run(put)
            session.run(get)

        return best(take, 500)


#: series -> (what is measured, the numbers).
SERIES: dict[str, tuple[Callable[[int, Any, str], float], tuple[int, ...]]] = {
    "build a graph of N operations": (building, (1_000, 10_000, 100_000)),
    "first run of N operations": (first_run, (1_000, 10_000, 100_000)),
    "run of N operations": (later_run, (1_000, 10_000, 100_000)),
    "run of three operations beside N": (run_beside, (10, 1_000, 100_000)),
    "first run of one operation more, beside N": (
        partial(one_more_fetch, False),
        (10, 1_000, 100_000),
    ),
    "first run of one operation more, on top of N": (
        partial(one_more_fetch, True),
        (10, 1_000, 10_000),  # TensorFlow takes half a minute for 100,000
    ),
    "enqueue and dequeue, N elements in the queue": (queue_of, (10, 1_000, 100_000)),
}
PROGRAMS = {
    f"{series}: {number:,}": partial(program, number)
    for series, (program, numbers) in SERIES.items()
    for number in numbers
}
