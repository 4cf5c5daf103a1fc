"""Batches through queues: `tf.train.batch`, `tf.train.shuffle_batch`, and their forms.

    batch          one set of tensors, enqueued by several threads
    batch_join     several sets, one for each thread
    shuffle_...    the batches are drawn at random from what is in the queue
    maybe_...      a condition says what is enqueued at all

A `QueueRunner` with the threads is added to the graph: `tf.train.start_queue_runners()` starts
them. Mirrors the second half of tensorflow/python/training/input.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.ops.base.arguments import explains_arguments
from tinytf.training.batching_queue import Batching


@explains_arguments
def batch(
    tensors: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of what some tensors are, run after run (TensorFlow: `tf.train.batch`).

    Args:
      tensors: a list or dictionary of tensors, sparse ones, too: the components of an element.
      batch_size: how many elements make a batch.
      num_threads: how many enqueue; with more than one, the order of the elements is open.
      capacity: of the queue.
      enqueue_many: whether each row of the tensors is an element, rather than the whole of them.
      shapes: the shape of each component of an element; by default those of the tensors, which
        must be known then (with `dynamic_pad` only their ranks).
      dynamic_pad: whether elements of different sizes are filled up with zeros to the largest.
      allow_smaller_final_batch: whether the last batch may be smaller; by default, elements that do
        not fill one are dropped.
      shared_name: by which sessions share the queue.
      name: of the batches, and a name scope.

    Returns:
      the batches, in the form of `tensors`; one tensor for a list of one.

    Raises:
      ValueError: without tensors, or if a shape is not known. When it runs: OutOfRangeError when
        the queue is closed and has too few elements.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.batch([x], batch_size=4)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> batch  # [0, 1, 2, 3]
    """
    return Batching(
        "batch",
        batch_size,
        True,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        dynamic_pad,
    ).build([tensors], num_threads)


def maybe_batch(
    tensors: Any,
    keep_input: Any,
    batch_size: Any,
    num_threads: int = 1,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.train.batch` of some elements only (TensorFlow: `tf.train.maybe_batch`).

    Args:
      keep_input: a bool scalar: whether to enqueue; with `enqueue_many`, also one for each row.
      The others: as for `tf.train.batch`.

    Returns:
      the batches.

    Raises:
      ValueError: also if `keep_input` has another shape.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> large = tf.train.maybe_batch([x], keep_input=x > 2, batch_size=3)
      >>> threads = tf.train.start_queue_runners(sess)
      >>> large  # [3, 4, 5]
    """
    return Batching(
        "batch",
        batch_size,
        keep_input,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        dynamic_pad,
    ).build([tensors], num_threads)


def batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of several sets of tensors, each in a thread (TensorFlow: `tf.train.batch_join`).

    So several files are read at a time: one reader for each set.

    Args:
      tensors_list: lists or dictionaries of tensors, alike in types and shapes.
      The others: as for `tf.train.batch`.

    Returns:
      the batches, in the form of one set.

    Raises:
      ValueError: without sets, or if they do not go together. TypeError: if their types differ.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.batch_join([[x], [-x]], batch_size=4)  # two threads
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "batch_join",
        batch_size,
        True,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        dynamic_pad,
    ).build(_checked(tensors_list), None)


def maybe_batch_join(
    tensors_list: Sequence[Any],
    keep_input: Any,
    batch_size: Any,
    capacity: int = 32,
    enqueue_many: bool = False,
    shapes: Any = None,
    dynamic_pad: bool = False,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.train.batch_join` of some elements only (TensorFlow: `tf.train.maybe_batch_join`).

    Args:
      keep_input: a bool scalar: whether to enqueue; with `enqueue_many`, also one for each row.
      The others: as for `tf.train.batch_join`.

    Returns:
      the batches.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.maybe_batch_join([[x], [-x]], keep_input=x > 2, batch_size=8)
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "batch_join",
        batch_size,
        keep_input,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        dynamic_pad,
    ).build(_checked(tensors_list), None)


@explains_arguments
def shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches drawn at random from a queue (TensorFlow: `tf.train.shuffle_batch`).

    Args:
      capacity: of the queue: more than `min_after_dequeue`, by some batches.
      min_after_dequeue: how many elements stay in the queue, so that there is something to choose
        from: the more, the better they are mixed, and the longer the first batch takes.
      seed: for the drawing.
      The others: as for `tf.train.batch`.

    Returns:
      the batches, in the form of `tensors`.

    Raises:
      ValueError: unless `capacity` is more than `min_after_dequeue`; and as `tf.train.batch`.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.shuffle_batch([x], 4, capacity=20, min_after_dequeue=10)
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "shuffle_batch",
        batch_size,
        True,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        False,
        min_after_dequeue,
        seed,
    ).build([tensors], num_threads)


def maybe_shuffle_batch(
    tensors: Any,
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    num_threads: int = 1,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.train.shuffle_batch` of some elements only (TensorFlow: `tf.train.maybe_shuffle_batch`).

    Args:
      keep_input: a bool scalar: whether to enqueue; with `enqueue_many`, also one for each row.
      The others: as for `tf.train.shuffle_batch`.

    Returns:
      the batches.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.maybe_shuffle_batch([x], 4, 20, 10, keep_input=x > 0)
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "shuffle_batch",
        batch_size,
        keep_input,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        False,
        min_after_dequeue,
        seed,
    ).build([tensors], num_threads)


def shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.train.shuffle_batch` of several sets of tensors, each in a thread.

    TensorFlow: `tf.train.shuffle_batch_join`.

    Args:
      tensors_list: lists or dictionaries of tensors, alike in types and shapes.
      The others: as for `tf.train.shuffle_batch`.

    Returns:
      the batches, in the form of one set.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.shuffle_batch_join([[x], [-x]], 4, 20, min_after_dequeue=10)
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "shuffle_batch_join",
        batch_size,
        True,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        False,
        min_after_dequeue,
        seed,
    ).build(_checked(tensors_list), None)


def maybe_shuffle_batch_join(
    tensors_list: Sequence[Any],
    batch_size: Any,
    capacity: int,
    min_after_dequeue: int,
    keep_input: Any,
    seed: int | None = None,
    enqueue_many: bool = False,
    shapes: Any = None,
    allow_smaller_final_batch: bool = False,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """`tf.train.shuffle_batch_join` of some elements only.

    TensorFlow: `tf.train.maybe_shuffle_batch_join`.

    Args:
      keep_input: a bool scalar: whether to enqueue; with `enqueue_many`, also one for each row.
      The others: as for `tf.train.shuffle_batch_join`.

    Returns:
      the batches.

    Example:
      >>> x = tf.train.range_input_producer(6, shuffle=False).dequeue()
      >>> batch = tf.train.maybe_shuffle_batch_join([[x], [-x]], 4, 20, 10, x > 0)
      >>> threads = tf.train.start_queue_runners(sess)
    """
    return Batching(
        "shuffle_batch_join",
        batch_size,
        keep_input,
        capacity,
        enqueue_many,
        shapes,
        allow_smaller_final_batch,
        shared_name,
        name,
        False,
        min_after_dequeue,
        seed,
    ).build(_checked(tensors_list), None)


def _checked(tensors_list: Any) -> Sequence[Any]:
    """Sets of tensors that may go into one queue."""
    if not tensors_list:
        raise ValueError("Expected at least one set of tensors")
    first = tensors_list[0]
    if isinstance(first, dict):
        for tensors in tensors_list[1:]:
            if set(tensors) != set(first):
                raise ValueError(
                    "All dictionaries in tensors_list must have the same keys, but there are "
                    f"{sorted(first, key=str)} and {sorted(tensors, key=str)}"
                )
    return tensors_list
