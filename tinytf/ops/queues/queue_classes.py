"""The kinds of queues. Mirrors tensorflow/python/ops/data_flow_ops.py."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework import dtypes as dtypes_module
from tinytf.framework.random_seed import get_seed
from tinytf.framework.scope_functions import control_dependencies, device
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.queues import queue_ops
from tinytf.ops.queues.queue_base import QueueBase
from tinytf.ops.random.sources import salted_seed


def type_list(dtypes: Any) -> list[Any]:
    """One type or several as a list."""
    return list(dtypes) if isinstance(dtypes, list | tuple) else [dtypes]


def shape_list(shapes: Any, partial: bool = False) -> list[TensorShape] | None:
    """One shape or several as a list; None for none.

    Args:
      partial: whether dimensions may be unknown (their number must be known always).
    """
    if partial and (
        not isinstance(shapes, Sequence)
        or not shapes
        or any(shape is None or isinstance(shape, int) for shape in shapes)
    ):
        raise ValueError(
            f"When providing partial shapes, a list of shapes must be provided, not {shapes!r}."
        )
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape):
        shapes = [shapes]
    if not isinstance(shapes, list | tuple):
        raise TypeError(
            f"Shapes must be a TensorShape or a list or tuple of TensorShapes, got {type(shapes)} "
            f"instead."
        )
    if all(shape is None or isinstance(shape, int) for shape in shapes):
        shapes = [shapes]  # a single one
    found = [as_shape(shape) for shape in shapes]
    if not partial and any(not shape.is_fully_defined() for shape in found):
        raise ValueError(
            f"All shapes must be fully defined: {found}. Say what is known only to you, before: "
            f"tensor.set_shape([28, 28]). Only a PaddingFIFOQueue takes sizes that differ: "
            f"tf.train.batch(..., dynamic_pad=True)."
        )
    if any(shape.ndims is None for shape in found):
        raise ValueError(f"All shapes must have a defined rank: {found}")
    return found


def name_list(names: Any, dtypes: Sequence[Any]) -> list[Any] | None:
    """One name or several as a list; None for none."""
    if names is None:
        return None
    names = list(names) if isinstance(names, list | tuple) else [names]
    if len(names) != len(dtypes):
        raise ValueError(
            f"List of names must have the same length as the list of dtypes, received "
            f"len(names)={len(names)}, len(dtypes)={len(dtypes)}"
        )
    return names


class FIFOQueue(QueueBase):
    """First in, first out (TensorFlow: `tf.FIFOQueue`, `tf.queue.FIFOQueue`).

    Args:
      capacity: how many elements it holds at most; -1 for no limit.
      dtypes: the types of an element's components, or the only one's.
      shapes: their shapes, all fully known, or the only one's. None: elements may have any shapes,
        and cannot be taken as a batch.
      names: of the components: elements go in and come out as dictionaries.
      shared_name: one queue for all sessions of a server, and all graphs, that use the name.

    Raises:
      ValueError: if the lists have different lengths, or shapes are not fully known.

    Example:
      >>> queue = tf.FIFOQueue(10, [tf.float32], shapes=[[]])
      >>> put, take = queue.enqueue([1.0]), queue.dequeue()
      >>> with tf.Session() as sess:
      ...     sess.run(put)
      ...     print(sess.run(take))
      1.0
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "fifo_queue",
    ):
        kinds = type_list(dtypes)
        sizes, labels = shape_list(shapes), name_list(names, kinds)
        _check_lengths(kinds, sizes)
        with control_dependencies(None), device("CPU"):  # as TensorFlow does for this kind only
            handle = queue_ops.fifo_queue(
                component_types=kinds,
                shapes=sizes or [],
                capacity=capacity,
                shared_name=_shared(shared_name),
                name=name,
            )
        super().__init__(kinds, sizes, labels, handle)


class PaddingFIFOQueue(QueueBase):
    """First in, first out; batches are filled up to their largest element with zeros.

    TensorFlow: `tf.PaddingFIFOQueue`, `tf.queue.PaddingFIFOQueue`.

    Args:
      shapes: one for each component; None stands for a size that differs from element to element.
      capacity, dtypes, names, shared_name: as for `FIFOQueue`.

    Raises:
      ValueError: if a component has no shape, or one of unknown rank.

    Example:
      >>> queue = tf.PaddingFIFOQueue(10, [tf.int32], shapes=[[None]])
      >>> sess.run(queue.enqueue([[1]]))
      >>> sess.run(queue.enqueue([[1, 2]]))
      >>> queue.dequeue_many(2)  # [[1, 0], [1, 2]]
    """

    def __init__(
        self,
        capacity: int,
        dtypes: Any,
        shapes: Any,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ):
        kinds = type_list(dtypes)
        sizes, labels = shape_list(shapes, partial=True), name_list(names, kinds)
        if sizes is None or len(sizes) != len(kinds):
            raise ValueError(
                f"Shapes must be provided for all components, but received {len(kinds)} dtypes "
                f"and {len(sizes or ())} shapes."
            )
        handle = queue_ops.padding_fifo_queue(
            component_types=kinds,
            shapes=sizes,
            capacity=capacity,
            shared_name=_shared(shared_name),
            name=name,
        )
        super().__init__(kinds, sizes, labels, handle)


class RandomShuffleQueue(QueueBase):
    """Elements leave in random order (TensorFlow: `tf.RandomShuffleQueue`).

    Args:
      min_after_dequeue: how many elements stay in the queue, until it is closed, so that there is
        something to choose from; taking one waits for more than these.
      seed: with it, or with `tf.set_random_seed`, the order is TensorFlow's.
      capacity, dtypes, shapes, names, shared_name: as for `FIFOQueue`.

    Example:
      >>> queue = tf.RandomShuffleQueue(100, 10, tf.int32, shapes=[[]], seed=1)
      >>> sess.run(queue.enqueue_many([list(range(30))]))
      >>> batch = sess.run(queue.dequeue_many(20))  # in a random order; 10 stay
    """

    def __init__(
        self,
        capacity: int,
        min_after_dequeue: int,
        dtypes: Any,
        shapes: Any = None,
        names: Any = None,
        seed: int | None = None,
        shared_name: str | None = None,
        name: str = "random_shuffle_queue",
    ):
        kinds = type_list(dtypes)
        sizes, labels = shape_list(shapes), name_list(names, kinds)
        _check_lengths(kinds, sizes)
        seed1, seed2 = get_seed(seed)
        if seed1 is not None and seed is None and shared_name is not None:
            # All who share it have to ask for the same seeds, whatever else their graphs hold.
            seed2 = salted_seed(seed1, shared_name)
        handle = queue_ops.random_shuffle_queue(
            component_types=kinds,
            shapes=sizes or [],
            capacity=capacity,
            min_after_dequeue=min_after_dequeue,
            seed=seed1 or 0,
            seed2=seed2 or 0,
            shared_name=_shared(shared_name),
            name=name,
        )
        super().__init__(kinds, sizes, labels, handle)


class PriorityQueue(QueueBase):
    """The element of the smallest priority leaves first (TensorFlow: `tf.PriorityQueue`).

    Args:
      types: the types of the components, without the priority. An element has one more component
        in front: its priority, an int64 scalar.
      shapes: of these components; they must be given.
      names: of all components, the priority first. capacity, shared_name: as for `FIFOQueue`.

    Raises:
      TypeError: without shapes.

    Example:
      >>> queue = tf.PriorityQueue(10, tf.string, shapes=[[]])
      >>> sess.run(queue.enqueue_many([[2, 1], ["later", "first"]]))
      >>> priority, text = sess.run(queue.dequeue())
      >>> print(priority, text)
      1 b'first'
    """

    def __init__(
        self,
        capacity: int,
        types: Any,
        shapes: Any = None,
        names: Any = None,
        shared_name: str | None = None,
        name: str = "priority_queue",
    ):
        kinds, sizes = type_list(types), shape_list(shapes)
        if sizes is None:
            raise TypeError(
                "A PriorityQueue needs shapes, one for each component ([] for a scalar), not None; "
                "without that of the priority."
            )
        handle = queue_ops.priority_queue(
            component_types=kinds,
            shapes=sizes,
            capacity=capacity,
            shared_name=_shared(shared_name),
            name=name,
        )
        with_priority = [TensorShape(()), *sizes]
        super().__init__([dtypes_module.int64, *kinds], with_priority, names, handle)

    def _how_to_give(self, vals: Any) -> str:
        return "The priority is the first: enqueue([priority, value])."


def _shared(shared_name: str | bytes | None) -> str | bytes:
    if shared_name is None:
        return ""
    if not isinstance(shared_name, str | bytes):
        raise TypeError(f"shared_name must be a string, got {shared_name!r}")
    return shared_name


def _check_lengths(kinds: Sequence[Any], sizes: Sequence[Any] | None) -> None:
    if sizes is not None and len(sizes) != len(kinds):
        raise ValueError(
            f"Queue shapes must have the same length as dtypes, received len(shapes)="
            f"{len(sizes)}, len(dtypes)={len(kinds)}: one for each component, [] for a scalar."
        )
