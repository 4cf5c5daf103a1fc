"""A queue that threads fill from arrays, batch after batch, epoch after epoch.

Mirrors tensorflow_estimator/python/estimator/inputs/queues/.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Mapping
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.errors import CancelledError, OutOfRangeError
from tinytf.framework.scope_functions import name_scope
from tinytf.ops.array.placeholder import placeholder
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.queues.queue_classes import FIFOQueue, RandomShuffleQueue
from tinytf.ops.summary.summaries import scalar
from tinytf.training.queue_runner import QueueRunner, add_queue_runner

_logger = logging.getLogger("tinytf")


class Rows:
    """The numbers of the rows that a thread enqueues next.

    Args:
      length: of the data. batch_size: so many at once.
      shuffle: whether to begin somewhere in the middle.
      num_epochs: so many times all rows; None: for ever.
    """

    def __init__(self, length: int, batch_size: int, shuffle: bool, num_epochs: int | None):
        self._length, self._batch_size = length, batch_size
        self._next = random.randrange(length) if shuffle else 0
        self._left = None if num_epochs is None else num_epochs * length

    def next(self) -> list[int]:
        """The next ones; OutOfRangeError when there are no more."""
        size = self._batch_size
        if self._left is not None:
            if self._left <= 0:
                raise OutOfRangeError(None, None, "Already emitted all epochs.")
            size = min(size, self._left)
            self._left -= size
        rows = [(self._next + i) % self._length for i in range(size)]
        self._next = (rows[-1] + 1) % self._length
        return rows


class FeedingQueueRunner(QueueRunner):
    """A queue runner whose enqueue operations are fed.

    Args:
      queue, enqueue_ops: as of `tf.train.QueueRunner`.
      feeds: of each operation, its placeholders and a function that gives their values.
    """

    def __init__(self, queue: Any, enqueue_ops: list[Any], feeds: list[tuple[list[Any], Any]]):
        super().__init__(
            queue, enqueue_ops, queue_closed_exception_types=(OutOfRangeError, CancelledError)
        )
        self._feeds = dict(zip(enqueue_ops, feeds, strict=True))

    def _repeated(self, sess: Any, op: Any) -> Any:
        return _Fed(sess, op, *self._feeds[op])

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Raises TypeError: what it feeds is in this program, not in the graph."""
        raise TypeError(f"{type(self).__name__} does not support serialization to proto.")


class _Fed:
    """Enqueues again and again, with what a function gives."""

    def __init__(self, sess: Any, op: Any, placeholders: list[Any], values: Callable[[], Any]):
        self._run, self._values = sess.make_callable(op, feed_list=placeholders), values

    def __call__(self) -> None:
        self._run(*self._values())

    def close(self) -> None:
        """There are no more of them."""


def enqueue_data(
    columns: Mapping[Any, Any],
    index: Any,
    capacity: int,
    shuffle: bool,
    num_threads: int,
    batch_size: int,
    num_epochs: int | None,
    min_after_dequeue: int | None = None,
) -> list[Any]:
    """Batches of the columns' rows, from a queue.

    Args:
      columns: arrays of one length. index: what the rows are called; None: their numbers.
      capacity, min_after_dequeue: of the queue. shuffle: whether it shuffles.
      num_threads: so many fill it. batch_size: so many rows at once.
      num_epochs: all rows so many times, for each thread.

    Returns:
      a batch of the index, and one of each column.
    """
    if num_threads > 1 and (num_epochs is not None or not shuffle):
        _logger.warning(
            "enqueue_data was called with num_threads=%d: each of them enqueues all rows in order, "
            "so num_epochs=%s is for each thread. Use one thread, or shuffle without num_epochs.",
            num_threads,
            num_epochs,
        )
    arrays = list(columns.values())
    names = dtypes.int64 if index is None else dtypes.as_dtype(index.dtype)
    types = [names, *(dtypes.as_dtype(array.dtype) for array in arrays)]
    shapes = [(), *(array.shape[1:] for array in arrays)]
    with name_scope("enqueue_input"):
        least = 0
        queue: Any
        if shuffle:
            least = int(capacity / 4 if min_after_dequeue is None else min_after_dequeue)
            queue = RandomShuffleQueue(capacity, least, dtypes=types, shapes=shapes)
        else:
            queue = FIFOQueue(capacity, dtypes=types, shapes=shapes)
        ops, feeds = [], []
        for _ in range(num_threads):
            placeholders = [placeholder(dtype) for dtype in types]
            ops.append(queue.enqueue_many(placeholders))
            rows = Rows(len(arrays[0]), batch_size, shuffle, num_epochs)
            feeds.append((placeholders, _values_of(rows, index, arrays)))
        add_queue_runner(FeedingQueueRunner(queue, ops, feeds))
        room = capacity - least
        full = cast(maximum(0, queue.size() - least), dtypes.float32) * (1.0 / room)
        scalar(f"queue/{queue.name}fraction_over_{least}_of_{room}_full", full)
    take = queue.dequeue_many if num_epochs is None else queue.dequeue_up_to
    batch: list[Any] = take(batch_size)
    return batch


def _values_of(rows: Rows, index: Any, arrays: list[Any]) -> Callable[[], list[Any]]:
    lock = threading.Lock()  # a thread of a session that is lost may not have ended

    def values() -> list[Any]:
        with lock:
            numbers = rows.next()
        named = numbers if index is None else index[numbers]
        return [named, *(array[numbers] for array in arrays)]

    return values
