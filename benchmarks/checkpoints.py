"""Saving and restoring, for both libraries: the seconds of `Saver.save` and `Saver.restore`.

tinytf syncs what it saves to the disk, TensorFlow does not: the rows beside TensorFlow leave the
sync out, and a row of their own says what it costs. What is read was written a moment ago, so that
it comes from memory and not from a disk, on both sides.
"""

import os
import shutil
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Any
from unittest import mock

import numpy as np

MEGABYTE, REPEATS = 1 << 20, 3
#: in words -> (megabytes of each variable, variables)
SIZES = {
    "16 MB in 4 variables": (4, 4),
    "400 MB in 4 variables": (100, 4),
    "400 MB in 20 variables": (20, 20),
}
SAVES = [f"save of {words}" for words in SIZES]
RESTORES = [f"restore of {words}" for words in SIZES]
#: What a restore takes in a process that never held so much memory, and then.
PARTS = {"first of a process": "s", "again": "s"}
SYNCS = [f"sync of {words}" for words in SIZES]
SYNC_SIDES = "with the sync", "without it"


@contextmanager
def saved(tf: Any, words: str) -> Iterator[tuple[Any, Any]]:
    """A session with variables of such a size, and their saver."""
    megabytes, count = SIZES[words]
    with tf.Graph().as_default():
        variables = [
            tf.get_variable(f"v{number}", [megabytes * MEGABYTE // 4], use_resource=False)
            for number in range(count)
        ]
        saver = tf.train.Saver(variables)
        value = tf.placeholder(tf.float32, [None])
        fills = [variable.assign(value).op for variable in variables]
        with tf.Session() as session:
            for number, fill in enumerate(fills):
                numbers = np.random.default_rng(number)
                session.run(fill, {value: numbers.random(megabytes * MEGABYTE // 4, np.float32)})
            yield session, saver


def without_sync() -> AbstractContextManager[Any]:
    """Nothing of this process waits for the disk."""
    return mock.patch.object(os, "fsync", return_value=None)


def seconds_of_save(saver: Any, session: Any, folder: str) -> float:
    """Save into a folder that is not there before, nor after."""
    os.mkdir(folder)
    start = time.perf_counter()
    saver.save(session, os.path.join(folder, "model"), write_meta_graph=False)
    taken = time.perf_counter() - start
    shutil.rmtree(folder)
    return taken


def save(tf: Any, folder: str, words: str) -> float:
    """What a save takes without the sync."""
    place = os.path.join(folder, f"saves {tf.__name__}")
    with saved(tf, words) as (session, saver), without_sync():
        return min(seconds_of_save(saver, session, place) for _ in range(REPEATS))


def sync(tf: Any, folder: str, words: str) -> dict[str, float]:
    """What a save takes with the sync and without, in turns."""
    place = os.path.join(folder, f"saves {tf.__name__}")
    found: dict[str, list[float]] = {side: [] for side in SYNC_SIDES}
    with saved(tf, words) as (session, saver):
        for _ in range(REPEATS):
            for side, block in zip(SYNC_SIDES, (nullcontext, without_sync), strict=True):
                with block():
                    found[side].append(seconds_of_save(saver, session, place))
    return {side: statistics.median(taken) for side, taken in found.items()}


def write(tf: Any, folder: str, words: str) -> float:
    """What `restore` reads; it is another process."""
    with saved(tf, words) as (session, saver), without_sync():
        saver.save(session, os.path.join(folder, "model"), write_meta_graph=False)
    return 0.0


def restore(tf: Any, folder: str, words: str) -> list[float]:
    """The first restore of this process, and the best of those after it."""
    megabytes, count = SIZES[words]
    for number in range(count):
        tf.get_variable(f"v{number}", [megabytes * MEGABYTE // 4], use_resource=False)
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(tf.constant(0.0))  # what a session starts is not what a restore takes
        taken = []
        for _ in range(1 + REPEATS):
            start = time.perf_counter()
            saver.restore(session, os.path.join(folder, "model"))
            taken.append(time.perf_counter() - start)
        return [taken[0], min(taken[1:])]


def _of(names: list[str], program: Callable[..., Any]) -> dict[str, Callable[[Any, str], Any]]:
    return {name: partial(program, words=words) for name, words in zip(names, SIZES, strict=True)}


PROGRAMS: dict[str, Callable[[Any, str], Any]] = {
    **_of(SAVES, save),
    **_of(RESTORES, restore),
    **_of(SYNCS, sync),
    **_of([f"write {name}" for name in RESTORES], write),
}
