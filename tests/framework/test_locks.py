"""Who finds a lock taken lets its holder go on before asking for it: no thread queues up asleep."""

import threading

import numpy as np
import pytest

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import string
from tinytf.framework.locks import let_pass
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.queues.kinds import FIFOQueue
from tinytf.resources.reader_kinds import IdentityReader


class Taken:
    """A lock that is taken when looked at so many times; who asks for it earlier would sleep."""

    def __init__(self, times):
        self.times = times

    def locked(self):
        self.times -= 1
        return self.times >= 0

    def __enter__(self):
        assert self.times < 0, "asked for while it is taken"

    def __exit__(self, *_):
        pass


def test_it_comes_back_when_the_lock_is_free():
    lock = Taken(5)
    let_pass(lock)
    assert lock.times == -1


def test_a_lock_that_is_held_for_long_is_not_looked_at_for_ever():
    lock = threading.Lock()
    with lock:
        let_pass(lock)


def two_filenames():
    queue = FIFOQueue("q", [string], [TensorShape.of(())])
    for name in (b"a", b"b"):
        queue._put_one((np.array(name, object),))
    return queue


@pytest.mark.parametrize(
    "use",
    [
        lambda queue, step: queue.enqueue([np.array(b"c", object)], step),
        lambda queue, step: queue.dequeue(step),
        lambda queue, step: queue.dequeue_many(2, step),
    ],
)
def test_a_queue_lets_others_pass(use):
    queue = two_filenames()
    queue._lock = Taken(3)
    use(queue, CancellationManager())
    assert queue._lock.times < 0


def test_a_reader_lets_others_pass():
    reader = IdentityReader("r")
    reader._lock = Taken(3)
    key, _ = reader.read(two_filenames(), CancellationManager())
    assert key == b"a"
    assert reader._lock.times < 0
