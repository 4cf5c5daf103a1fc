"""A barrier: elements whose components arrive one by one, and leave when all of them are there.

An element is known by its key. Those that lack a component are here; complete ones are in a queue
by priority, the number of the insertion that brought their first component: so they leave in the
order in which they began. TensorFlow: core/kernels/barrier_ops.cc.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType, int64, string
from tinytf.framework.errors import CancelledError, InvalidArgumentError, OpError, OutOfRangeError
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.framework.waiting import is_handle_of
from tinytf.resources.queues.attempts import Attempt
from tinytf.resources.queues.elements import Element, Signature, shown
from tinytf.resources.queues.kinds import PriorityQueue

#: The number of the first insertion, as in TensorFlow.
_FIRST = -(2**63)
_MISSING = object()


class _Incomplete:
    """An element that lacks components; `index` is that of its first insertion."""

    __slots__ = ("components", "index", "missing")

    def __init__(self, index: int, count: int):
        self.index = index
        self.components: list[Any] = [_MISSING] * count
        self.missing = count


class Barrier:
    """Elements by key, complete and incomplete. Thread-safe; its methods never block.

    Args:
      name: of the resource.
      dtypes: of the components. shapes: of each; an unknown one means a scalar, as in TensorFlow.
    """

    #: TensorFlow's name of the kind, as in messages.
    kind = "Barrier"
    served_by: Mapping[str, frozenset[str]] = {
        "elements": frozenset(["BarrierInsertMany", "BarrierClose"])
    }

    def __init__(self, name: str, dtypes: Sequence[DType], shapes: Sequence[TensorShape]):
        self.name = name
        self.dtypes = tuple(dtypes)
        known = [shape if shape.sizes is not None else scalar() for shape in shapes]
        self.shapes = tuple(known or [scalar()] * len(self.dtypes))
        self._rows = [Signature([d], [s]) for d, s in zip(self.dtypes, self.shapes, strict=True)]
        self._ready = _ReadyQueue(self)
        self._lock = threading.Lock()  # taken before the queue's
        # All below guarded by self._lock.
        self._incomplete: dict[bytes, _Incomplete] = {}
        self._next = _FIRST
        self._closed = self._cancelled = False

    # Putting in -----------------------------------------------------------------------------------

    def insert_many(self, component: int, keys: Any, values: Any) -> None:
        """Give the elements with these keys a component; new keys begin new elements.

        Args:
          keys: a vector of strings. values: a row for each of them.

        Raises:
          InvalidArgumentError: for other shapes, or a component that an element has already.
          CancelledError: for a new key if the barrier is closed; if it was cancelled, for any, and
            for no key as well.
          The keys in front of such a one have been served.
        """
        rows = self._checked(component, keys, values)
        with self._lock:
            if self._closed and (self._cancelled or (rows and not self._incomplete)):
                raise CancelledError(
                    f"Barrier {self.name} is closed.  Pending enqueues cancelled: "
                    f"{int(self._cancelled)}.  Number of new insertions: {len(rows)}.  Number of "
                    f"incomplete keys: {len(self._incomplete)}."
                )
            before = len(self._incomplete)
            is_new, complete = False, list[Element]()
            try:
                for place, (key, row) in enumerate(zip(keys.tolist(), rows)):
                    is_new |= self._insert(component, key, row, place, complete)
                self._next += is_new
            finally:
                if complete:
                    self._ready.add(complete)
                if self._closed and before and not self._incomplete:
                    self._ready.close(True)  # nothing more can become complete

    def _insert(
        self, component: int, key: bytes, value: Any, place: int, complete: list[Element]
    ) -> bool:
        """One key; whether it was new. The lock is held. What is complete goes to `complete`."""
        element = self._incomplete.get(key)
        is_new = element is None
        if element is None:
            if self._closed:
                raise CancelledError(
                    f"Barrier {self.name} is closed, but attempted to insert a brand new key: "
                    f"{key.decode(errors='replace')}.  Pending enqueues cancelled: "
                    f"{int(self._cancelled)}.  Insertion index: {place}.  Number of incomplete "
                    f"keys: {len(self._incomplete)}."
                )
            element = self._incomplete[key] = _Incomplete(self._next, len(self.dtypes))
        if element.components[component] is not _MISSING:
            raise InvalidArgumentError(
                f"Key {key.decode(errors='replace')} already has a value for component "
                f"{component} in barrier {self.name}"
            )
        element.components[component] = value
        element.missing -= 1
        if not element.missing:
            del self._incomplete[key]
            complete.append((np.int64(element.index), key, *element.components))
        return is_new

    def _checked(self, component: int, keys: Any, values: Any) -> list[Any]:
        if not 0 <= component < len(self.dtypes):
            raise InvalidArgumentError(
                f"The component ID is out of range {component} > num_components (= "
                f"{len(self.dtypes)})"
            )
        sizes = np.shape(values)
        if np.ndim(keys) != 1 or not sizes or sizes[0] != len(keys):
            raise InvalidArgumentError(
                f"Barrier {self.name} takes a vector of keys and a row of values for each: the "
                f"keys are {shown(np.shape(keys))}, the values {shown(sizes)}."
            )
        if len(keys) and not np.size(values):
            raise InvalidArgumentError(
                f"Tensors with no elements are not supported {self.name}: received shape "
                f"{shown(sizes)}"
            )
        if len(keys) and not self.shapes[component].is_compatible_with(sizes[1:]):
            raise InvalidArgumentError(
                f"Shape mismatch in tuple component {component + 2}. Expected "
                f"{shown(self.shapes[component].sizes or ())}, got {shown(sizes[1:])} (component "
                f"{component} of barrier {self.name}; without shapes= all components are scalars)"
            )
        return [row for (row,) in self._rows[component].rows([values])] if len(keys) else []

    # Taking out -----------------------------------------------------------------------------------

    def take_many(self, count: int, cancellation: CancellationManager, few: bool = False) -> Any:
        """So many complete elements; of a closed barrier fewer if they are `few`.

        Returns:
          (indices, keys, *components), each with a row for each element; or a `Pending` for it.

        Raises:
          OutOfRangeError: if it is closed, and there will never be so many.
        """
        if count < 0:
            raise InvalidArgumentError(f"TakeMany requested {count} < 0 elements")
        with self._lock:
            if self._closed:
                there = self._ready.size()
                if few:
                    count = min(count, there)
                else:
                    there += len(self._incomplete)
                if there < max(count, 1):
                    raise OutOfRangeError(
                        f"Barrier '{self.name}' is closed and has insufficient elements "
                        f"(requested {count}, total size {there})"
                    )
        return self._ready.dequeue_many(count, cancellation, few)

    # The barrier itself ---------------------------------------------------------------------------

    def close(self, cancel_pending_enqueues: bool | None = None) -> None:
        """Take no new keys; elements that have begun may still become complete.

        Args:
          cancel_pending_enqueues: whether these are dropped. None: it is cleared away, no error.

        Raises:
          CancelledError: if it is closed already, and just so.
        """
        with self._lock:
            cancels = cancel_pending_enqueues is not False
            if self._closed and (self._cancelled or not cancels):
                if cancel_pending_enqueues is None:
                    return
                raise self._already_closed()
            self._closed, self._cancelled = True, cancels
            if cancels or not self._incomplete:
                self._incomplete.clear()
                self._ready.close(True)

    def _already_closed(self) -> OpError:
        return CancelledError(f"Barrier '{self.name}' is already closed.")

    def ready_size(self) -> int:
        """How many elements are complete."""
        return self._ready.size()

    def incomplete_size(self) -> int:
        """How many lack a component."""
        with self._lock:
            return len(self._incomplete)

    def describe(self) -> str:
        """See `waiting.Waitable`."""
        with self._lock:
            waiting, state = len(self._incomplete), "closed" if self._closed else "open"
        return (
            f"the barrier '{self.name}' ({self.kind}), {self._ready.size()} complete and {waiting} "
            f"incomplete elements, {state}"
        )


class _ReadyQueue(PriorityQueue):
    """The complete elements of a barrier."""

    served_by = {
        "elements": frozenset(["BarrierInsertMany", "BarrierClose"]),
        "room": frozenset(),
        "close": frozenset(),
    }

    def __init__(self, barrier: Barrier):
        dtypes = (int64, string, *barrier.dtypes)
        shapes = (scalar(), scalar(), *barrier.shapes)
        super().__init__(f"{barrier.name}_queue", dtypes, shapes)
        self._barrier = barrier

    def add(self, elements: list[Element]) -> None:
        """Put in elements that were checked; there is always room."""
        attempt = Attempt(self._try_enqueue, self._prepared(elements))
        self._attempt(attempt, self._enqueues, CancellationManager())

    def is_served_by(self, op: Any) -> bool:
        """See `waiting.Waitable`."""
        return op.type in self.served_by["elements"] and is_handle_of(op.inputs[0], self._barrier)

    def describe(self) -> str:
        return self._barrier.describe()
