"""`tf.QueueBase`: what is done with any queue. Mirrors tensorflow/python/ops/data_flow_ops.py."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

from tinytf.framework import dtypes as dtypes_module
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, as_shape, unknown_shape
from tinytf.ops.array.gather import gather
from tinytf.ops.array.stack import stack
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.no_value import refuse, say_instead
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.queues import queue_ops


class QueueBase:
    """A queue in the graph (TensorFlow: `tf.QueueBase`, `tf.queue.QueueBase`).

    Elements are tuples of tensors. Make one of the subclasses, `tf.FIFOQueue` for example.

    Args:
      dtypes: the types of the components. shapes: their shapes, or None.
      names: a name for each component, or None: elements are dictionaries then.
      queue_ref: the handle, a resource.

    Example:
      >>> isinstance(tf.FIFOQueue(10, tf.float32), tf.QueueBase)
      True
    """

    def __init_subclass__(cls) -> None:
        """Calls of its constructors that do not fit are explained."""
        if "__init__" in vars(cls):
            cls.__init__ = explains_arguments(cls.__init__)  # type: ignore[method-assign]

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor):
        self._dtypes = [dtypes_module.as_dtype(dtype) for dtype in dtypes]
        for what, given in (("shapes", shapes), ("names", names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(
                    f"Queue {what} must have the same length as dtypes, received "
                    f"len({what})={len(given)}, len(dtypes)={len(self._dtypes)}"
                )
        if shapes is None:
            self._shapes = [unknown_shape() for _ in self._dtypes]
        else:
            self._shapes = [as_shape(shape) for shape in shapes]
        self._names = None if names is None else list(names)
        self._queue_ref = queue_ref
        self._name = queue_ref.op.name.split("/")[-1]

    @staticmethod
    def from_list(index: Any, queues: Any) -> QueueBase:
        """The queue of a list that `index`, a tensor, says when the graph runs.

        Raises:
          TypeError: if they are not queues, or have other types or names of components.

        Example:
          >>> train, test = tf.FIFOQueue(9, tf.int32), tf.FIFOQueue(9, tf.int32)
          >>> sess.run([train.enqueue(1), test.enqueue(2)])
          >>> which = tf.placeholder_with_default(0, [])
          >>> element = tf.QueueBase.from_list(which, [train, test]).dequeue()
          >>> sess.run(element, {which: 1})  # 2
        """
        if (
            not isinstance(queues, list)
            or not queues
            or not all(isinstance(queue, QueueBase) for queue in queues)
        ):
            raise TypeError(f"A list of queues expected, not {queues!r}")
        first = queues[0]
        for queue in queues[1:]:
            if queue.dtypes != first.dtypes:
                raise TypeError(
                    f"Queues do not have matching component dtypes: {first.name!r} has "
                    f"{first.dtypes}, {queue.name!r} has {queue.dtypes}."
                )
            if queue.names != first.names:
                raise TypeError(
                    f"Queues do not have matching component names: {first.name!r} has "
                    f"{first.names}, {queue.name!r} has {queue.names}."
                )
        shapes = [functools.reduce(_common, each) for each in zip(*[q.shapes for q in queues])]
        chosen = gather(stack([queue.queue_ref for queue in queues]), index)
        return QueueBase(first.dtypes, shapes, first.names, chosen)

    @property
    def queue_ref(self) -> Tensor:
        """The handle, as operations take it."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the operation that makes it."""
        return self._queue_ref.op.name

    @property
    def dtypes(self) -> list[DType]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components; unknown ones if none were given."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, if they have names."""
        return self._names

    # Putting in -----------------------------------------------------------------------------------

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """Put one element in; waits while the queue is full.

        Args:
          vals: a tensor, a list or tuple of one for each component, or a dictionary by name.

        Raises:
          ValueError: for other components or shapes. When it runs: CancelledError if the queue is
            closed, InvalidArgumentError for shapes that could not be checked before.

        Example:
          >>> queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []])
          >>> sess.run(queue.enqueue([[0.5, 1.5], 3]))
          >>> queue.size()  # 1
        """
        with op_scope(name, f"{self._name}_enqueue", self._listed(vals)) as scope:
            values = self._components(vals)
            for value, shape in zip(values, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return queue_ops.queue_enqueue(self._queue_ref, values, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """Put in one element for each row of the components; waits while the queue is full.

        Args:
          vals: as for `enqueue`, each with one more dimension in front, of the same size.

        Raises:
          ValueError: for other components, shapes, or numbers of rows. When it runs: as `enqueue`.
        """
        with op_scope(name, f"{self._name}_EnqueueMany", self._listed(vals)) as scope:
            values = self._components(vals)
            rows = Dimension(None)
            try:
                for value, shape in zip(values, self._shapes):
                    sizes = value.shape.with_rank_at_least(1)
                    rows = rows.merge_with(sizes[0])
                    sizes[1:].assert_is_compatible_with(shape)
            except ValueError as error:
                given = ", ".join(str(value.shape) for value in values)
                raise ValueError(
                    f"{error}. enqueue_many takes as many rows of each component, which have the "
                    f"shapes {', '.join(map(str, self._shapes))} here; given were {given}."
                ) from None
            return queue_ops.queue_enqueue_many(self._queue_ref, values, name=scope)

    def _listed(self, vals: Any) -> list[Any]:
        if isinstance(vals, list | tuple):
            return list(vals)
        if isinstance(vals, Mapping):
            return list(vals.values())
        return [vals]

    def _components(self, vals: Any) -> list[Tensor]:
        """The components of an element as tensors, in the queue's order."""
        if isinstance(vals, Mapping):
            if not self._names:
                raise ValueError("Queue must have names to enqueue a dictionary")
            if sorted(self._names, key=str) != sorted(vals.keys(), key=str):
                raise ValueError(
                    f"Keys in dictionary to enqueue do not match names of Queue. Dictionary: "
                    f"{sorted(vals.keys(), key=str)}, Queue: {sorted(self._names, key=str)}"
                )
            values = [vals[key] for key in self._names]
        else:
            if self._names:
                raise ValueError(
                    f"You must enqueue a dictionary in a Queue with names: {self._names}"
                )
            values = list(vals) if isinstance(vals, list | tuple) else [vals]
        if len(values) != len(self._dtypes):
            raise ValueError(
                f"An element of the queue '{self.name}' has {len(self._dtypes)} "
                f"component{'' if len(self._dtypes) == 1 else 's'} "
                f"({', '.join(dtype.name for dtype in self._dtypes)}), but {len(values)} "
                f"{'was' if len(values) == 1 else 'were'} given. {self._how_to_give(vals)}"
            )
        return [
            convert_to_tensor(value, dtype, name=f"component_{index}")
            for index, (value, dtype) in enumerate(zip(values, self._dtypes))
        ]

    def _how_to_give(self, vals: Any) -> str:
        """What to do about a wrong number of components."""
        if len(self._dtypes) == 1:
            return "The list is one of components: one that is a list itself goes in as [[1, 2]]."
        return "Several components go in as a list: enqueue([a, b])."

    # Taking out -----------------------------------------------------------------------------------

    def dequeue(self, name: str | None = None) -> Any:
        """Take one element; waits while the queue is empty.

        Running any of its components takes a whole element.

        Returns:
          a tensor; a list of one for each component; or a dictionary, if they have names.

        Raises:
          When it runs: OutOfRangeError if the queue is closed and empty.

        Example:
          >>> queue = tf.FIFOQueue(10, [tf.float32, tf.int32], shapes=[[2], []])
          >>> sess.run(queue.enqueue_many([[[0.5, 1.5], [2.5, 3.5]], [3, 4]]))
          >>> image, label = queue.dequeue()  # of the same element, if one step runs both
          >>> sess.run(label)  # 3
          >>> sess.run(queue.enqueue([[4.5, 5.5], 5]))
        """
        taken = queue_ops.queue_dequeue(
            self._queue_ref, component_types=self._dtypes, name=name or f"{self._name}_Dequeue"
        )
        return self._returned(taken, self._shapes)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """Take `n` elements as a batch; waits until there are so many.

        Args:
          n: a scalar, int32.

        Returns:
          as `dequeue`, with one more dimension in front.

        Raises:
          When it runs: OutOfRangeError if the queue is closed and has fewer;
          InvalidArgumentError if the queue has no shapes.
        """
        taken = queue_ops.queue_dequeue_many(
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueMany",
        )
        count = constant_value(taken[0].op.inputs[1])
        batch = TensorShape([None if count is None else int(count)])
        return self._returned(taken, [batch.concatenate(shape) for shape in self._shapes])

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """As `dequeue_many`, but a closed queue gives what it has, if that is anything."""
        taken = queue_ops.queue_dequeue_up_to(
            self._queue_ref,
            n,
            component_types=self._dtypes,
            name=name or f"{self._name}_DequeueUpTo",
        )
        batch = TensorShape([None])
        return self._returned(taken, [batch.concatenate(shape) for shape in self._shapes])

    def _returned(self, tensors: Sequence[Tensor], shapes: Sequence[TensorShape]) -> Any:
        for tensor, shape in zip(tensors, shapes):
            tensor.set_shape(shape)
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    # The queue itself -----------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """Let no more elements in; those inside can still be taken.

        Args:
          cancel_pending_enqueues: whether enqueues that wait fail; otherwise this waits for them.
        """
        return queue_ops.queue_close(
            self._queue_ref,
            cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_Close",
        )

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether it is closed: a scalar, bool."""
        return queue_ops.queue_is_closed(self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in it: a scalar, int32."""
        return queue_ops.queue_size(self._queue_ref, name=name or f"{self._name}_Size")


def _common(one: TensorShape, other: TensorShape) -> TensorShape:
    """The most that can be said of both shapes."""
    if one.ndims is None or one.ndims != other.ndims:
        return unknown_shape()
    pairs = zip(one.as_list(), other.as_list())
    return TensorShape([a if a == b else None for a, b in pairs])


# What Python's own queues have.
say_instead(
    QueueBase,
    {
        "put": "use queue.enqueue(x), an operation: sess.run(queue.enqueue(x))",
        "get": "use queue.dequeue(), a tensor: sess.run(queue.dequeue())",
        "qsize": "use queue.size(), a tensor: sess.run(queue.size())",
        "empty": "use tf.equal(queue.size(), 0)",
        "full": "use sess.run(queue.size()), and compare it with the capacity",
        "append": "use queue.enqueue(x), an operation: sess.run(queue.enqueue(x))",
        "push": "use queue.enqueue(x), an operation: sess.run(queue.enqueue(x))",
        "pop": "use queue.dequeue(), a tensor: sess.run(queue.dequeue())",
        "peek": "nothing looks into a queue without taking: queue.size() says how many there are",
        "task_done": "a queue does not count what is done; queue.close() says that no more comes",
    },
)
refuse(
    QueueBase,
    {
        "__iter__": (
            "{kind!r} object is not iterable",
            "take = queue.dequeue(), and then sess.run(take) until tf.errors.OutOfRangeError says "
            "that the queue is closed and empty.",
        )
    },
)
