"""Staging areas: where tensors wait for the next step, in order or by key.

A put waits while there are too many elements, or bytes; a get waits for an element. Puts are served
in their order, and so are gets (of one key, in an area with keys).
TensorFlow (where these waits cannot be cancelled): core/kernels/stage_op.cc, map_stage_op.cc.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any

import numpy as np

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import (
    InternalError,
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
)
from tinytf.framework.waiting import is_in_container_of
from tinytf.resources.queues.attempts import Attempt
from tinytf.resources.queues.lines import Request, Served
from tinytf.resources.variable import own

PUTS = frozenset(["Stage", "MapStage", "OrderedMapStage"])
GETS = frozenset(
    """
    Unstage StageClear MapUnstage MapUnstageNoKey MapClear OrderedMapUnstage OrderedMapUnstageNoKey
    OrderedMapClear
    """.split()
)


class Staging(Served):
    """What both kinds share: room, and waiting for it.

    Args:
      capacity: how many elements fit; 0 for any number. memory_limit: likewise, how many bytes.
    """

    served_by = {"elements": PUTS, "room": GETS}

    def __init__(self, name: str, capacity: int, memory_limit: int):
        super().__init__(name)
        self.capacity = capacity
        self.memory_limit = memory_limit
        self._bytes = 0  # guarded by self._lock

    def _count(self) -> int:
        """How many elements there are; the lock is held."""
        raise NotImplementedError

    def _has_room(self, size: int, of_elements: bool = True) -> bool:
        """Whether so many bytes fit, and one element more (if `of_elements`)."""
        if of_elements and self.capacity and self._count() >= self.capacity:
            return False
        return not (self.memory_limit and self._bytes + size > self.memory_limit)

    def _await_room(
        self, serve: Callable[[Attempt], bool], cancellation: CancellationManager
    ) -> Any:
        request = Request(
            serve, "room", "room for 1 element", "put", "Stage operation was cancelled"
        )
        return self._ask(request, cancellation)

    def _check_size(self, size: int) -> None:
        if self.memory_limit and size > self.memory_limit:
            raise ResourceExhaustedError(
                f"Attempted to insert tensors with combined size of '{size}' bytes into Staging "
                f"Area with a memory limit of '{self.memory_limit}'. It would wait for ever: raise "
                f"memory_limit."
            )

    def _await(
        self,
        what: str,
        line: Hashable,
        serve: Callable[[Attempt], bool],
        cancellation: CancellationManager,
    ) -> Any:
        request = Request(serve, "elements", what, line, "Unstage operation was cancelled")
        return self._ask(request, cancellation)

    def size(self) -> int:
        """How many elements are in it."""
        with self._lock:
            return self._count()

    def is_served_by(self, op: Any) -> bool:
        """See `waiting.Waitable`: there is no handle, only the name."""
        is_of_kind = op.type in PUTS or op.type in GETS
        is_here = is_of_kind and is_in_container_of(op, self)
        return is_here and (op.attrs["shared_name"].decode() or op.name) == self.name

    def describe(self) -> str:
        with self._lock:
            count, size = self._count(), self._bytes
        elements = f"{count} of {self.capacity} elements" if self.capacity else f"{count} elements"
        if self.memory_limit:
            elements += f", {size} of {self.memory_limit} bytes"
        return f"the staging area '{self.name}' ({self.kind}), {elements}"


class StagingArea(Staging):
    """Elements in their order."""

    kind = "StagingArea"

    def __init__(self, name: str, capacity: int, memory_limit: int):
        super().__init__(name, capacity, memory_limit)
        self._elements: deque[tuple[Any, ...]] = deque()

    def _count(self) -> int:
        return len(self._elements)

    def put(self, values: Sequence[Any], cancellation: CancellationManager) -> Any:
        """Put an element behind the others: (), or a `Pending` for it.

        Raises:
          ResourceExhaustedError: if it has more bytes than ever fit.
        """
        element = tuple(map(_owned, values))
        size = _bytes_of(element)
        self._check_size(size)

        def serve(attempt: Attempt) -> bool:
            if not self._has_room(size):
                return False
            self._bytes += size
            self._elements.append(element)
            return attempt.end()

        return self._await_room(serve, cancellation)

    def get(self, dtypes: Sequence[DType], cancellation: CancellationManager) -> Any:
        """Take the first element, or a `Pending` for it.

        Raises:
          InvalidArgumentError, InternalError: if it has other components; it stays.
        """

        def serve(attempt: Attempt) -> bool:
            if not self._elements:
                return False
            element = self._elements[0]
            error = _mismatch(element, dtypes)
            if error is not None:
                return attempt.end(error=error)
            self._elements.popleft()
            self._bytes -= _bytes_of(element)
            return attempt.end(element)

        return self._await("1 element", "get", serve, cancellation)

    def peek(self, index: int, dtypes: Sequence[DType], cancellation: CancellationManager) -> Any:
        """The element at a place, which stays there; or a `Pending` for it."""

        def serve(attempt: Attempt) -> bool:
            if not 0 <= index < len(self._elements):
                return False
            element = self._elements[index]
            return attempt.end(element, _mismatch(element, dtypes))

        return self._await(f"element {index}", ("peek", index), serve, cancellation)

    def clear(self) -> None:
        """Drop all elements."""

        def clear(ended: list[Attempt]) -> None:
            self._elements.clear()
            self._bytes = 0

        self._change(clear)


class MapStagingArea(Staging):
    """Elements by key, whose components may come and go one by one; the oldest leaves first."""

    kind = "MapStagingArea"

    def __init__(self, name: str, capacity: int, memory_limit: int):
        super().__init__(name, capacity, memory_limit)
        #: How many components an element has: what puts say; 0 before the first.
        self._width = 0
        self._elements: dict[int, dict[int, Any]] = {}
        self._incomplete: dict[int, dict[int, Any]] = {}

    def _count(self) -> int:
        return len(self._elements)

    def incomplete_size(self) -> int:
        """How many elements lack components."""
        with self._lock:
            return len(self._incomplete)

    def put(
        self,
        key: int,
        indices: Sequence[int],
        values: Sequence[Any],
        dtypes: Sequence[DType],
        cancellation: CancellationManager,
    ) -> Any:
        """Give an element components; `dtypes` are those of a whole one.

        Incomplete elements need room by their bytes only. Of a key that is there already the
        element stays as it was, as in TensorFlow.

        Raises:
          InvalidArgumentError: for indices out of range or order, and for components that are there
            already. ResourceExhaustedError: for more bytes than ever fit.
        """
        self._width = len(dtypes)
        self._check_indices(key, indices)
        if len(values) != len(indices):
            raise InvalidArgumentError(
                f"{len(indices)} indices are for {len(values)} values of key '{key}'."
            )
        given = dict(zip(indices, map(_owned, values)))
        is_whole = len(given) == self._width
        size = _bytes_of(given.values())
        self._check_size(size)

        def serve(attempt: Attempt) -> bool:
            begun = {} if is_whole else self._incomplete.get(key, {})
            for index in given:
                if index in begun:
                    return attempt.end(error=self._is_there(index, key))
            if not self._has_room(size, of_elements=is_whole):
                return False
            self._store(key, {**begun, **given}, size)
            return attempt.end()

        return self._await_room(serve, cancellation)

    def _store(self, key: int, element: dict[int, Any], size: int) -> None:
        self._bytes += size
        if len(element) < self._width:
            self._incomplete[key] = element
            return
        self._incomplete.pop(key, None)
        if key in self._elements:
            self._bytes -= _bytes_of(element.values())
        else:
            self._elements[key] = element

    def _is_there(self, index: int, key: int) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"The tensor for index '{index}' for key '{key}' was already initialized "
            f"'{self._width}'."
        )

    def get(
        self,
        key: int | None,
        indices: Sequence[int],
        dtypes: Sequence[DType],
        cancellation: CancellationManager,
        stays: bool = False,
    ) -> Any:
        """Components of an element, when it is there; an element is gone with the last of them.

        Args:
          key: None for any element: its key goes in front of the result.
          dtypes: of the components asked for. stays: whether they are only looked at.

        Returns:
          a list of the components, or a `Pending` for it.

        Raises:
          InvalidArgumentError: for indices out of range or order, and components that are gone.
        """
        self._check_indices(0 if key is None else key, indices)

        def serve(attempt: Attempt) -> bool:
            found = key if key is not None else self._first()
            if found is None or found not in self._elements:
                return False
            element = self._elements[found]
            for index in indices:
                if index not in element:
                    return attempt.end(error=self._is_missing(index, found))
            values = [element[index] for index in indices]
            error = _mismatch(values, dtypes)
            if error is not None:
                return attempt.end(error=error)
            if not stays:
                for index in indices:
                    self._bytes -= _bytes_of([element.pop(index)])
                if not element:
                    del self._elements[found]
            return attempt.end([np.int64(found), *values] if key is None else values)

        what = "1 element" if key is None else f"the element of key {key}"
        return self._await(what, ("get", key, stays), serve, cancellation)

    def _first(self) -> int | None:
        return next(iter(self._elements), None)

    def _is_missing(self, index: int, key: int) -> InvalidArgumentError:
        if not 0 <= index < self._width:
            return self._out_of_bounds(index, key)
        return InvalidArgumentError(
            f"Tensor at index '{index}' for key '{key}' has already been removed."
        )

    def clear(self) -> None:
        """Drop all elements, incomplete ones, too."""

        def clear(ended: list[Attempt]) -> None:
            self._elements.clear()
            self._incomplete.clear()
            self._bytes = 0

        self._change(clear)

    def _check_indices(self, key: int, indices: Sequence[int]) -> None:
        if list(indices) != sorted(set(indices)):
            raise InvalidArgumentError("Indices are not strictly ordered")
        for index in indices:
            if index < 0 or (self._width and index >= self._width):
                raise self._out_of_bounds(index, key)

    def _out_of_bounds(self, index: int, key: int) -> InvalidArgumentError:
        return InvalidArgumentError(
            f"Index '{index}' for key '{key}' was out of bounds '{self._width}'."
        )


class OrderedMapStagingArea(MapStagingArea):
    """The same, but the smallest key leaves first."""

    kind = "OrderedMapStagingArea"

    def _first(self) -> int | None:
        return min(self._elements, default=None)


def _mismatch(values: Sequence[Any], dtypes: Sequence[DType]) -> OpError | None:
    """What is wrong with an element for somebody who wants these types."""
    if len(values) != len(dtypes):
        return InvalidArgumentError(f"Mismatch stage/unstage: {len(values)} vs. {len(dtypes)}")
    for place, (value, dtype) in enumerate(zip(values, dtypes)):
        kind = _as_array(value).dtype
        if kind != np.dtype(dtype.as_numpy_dtype):
            return InternalError(
                f"Output {place} of type {kind.name} does not match declared output type "
                f"{dtype.name}: the staging area has other components"
            )
    return None


def _owned(value: Any) -> Any:
    return own(value) if isinstance(value, np.ndarray) else value


def _bytes_of(values: Iterable[Any]) -> int:
    """As TensorFlow counts them: 24 bytes for each string besides its own."""
    total = 0
    for value in values:
        array = _as_array(value)
        total += array.nbytes
        if array.dtype.kind == "O":
            total += sum(16 + len(text) for text in array.flat)
    return total


def _as_array(value: Any) -> Any:
    """A value with a dtype; it stays on its device."""
    return value if hasattr(value, "dtype") else np.array(value, object)
