"""Datasets with a memory: scan, take_while, windows, and the ends of pipelines that sum them up."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from tinytf.data.batch import elements_of, gather
from tinytf.data.run_functions import FunctionDataset
from tinytf.data.run_sources import rows
from tinytf.data.stages import Next, Stage
from tinytf.data.value import UNKNOWN, Captured, Context, Dataset
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation


class TakeWhileDataset(FunctionDataset):
    """The elements up to the first for which a function says False."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        is_over = False

        def taken() -> tuple:
            nonlocal is_over
            if is_over:
                raise StopIteration
            element = advance()
            if not function(element)[0]:
                is_over = True
                raise StopIteration
            return element

        return taken


class ScanDataset(FunctionDataset):
    """What a function makes of a state and each element; the new state it returns goes first.

    Args:
      initial: the values of the first state.
    """

    __slots__ = ("_initial",)

    def __init__(
        self, node: Operation, source: Dataset, function: Any, initial: Sequence[Any],
        captured: Sequence[Any],
    ):  # fmt: skip
        super().__init__(node, source, function, captured)
        self._initial = tuple(initial)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        state, size = self._initial, len(self._initial)

        def scanned() -> tuple:
            nonlocal state
            results = tuple(function(state + advance()))
            state = results[:size]
            return results[size:]

        return scanned

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        kept = self.node.attrs.get("preserve_cardinality")
        return self.inputs[0].cardinality() if kept else UNKNOWN


class UnbatchDataset(Dataset):
    """The rows of each element, one after the other."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        current: Any = iter(())

        def unbatched() -> tuple:
            nonlocal current
            while True:
                row = next(current, None)
                if row is not None:
                    return row
                context.check()  # those without rows may never end
                current = _rows_of(advance())

        return unbatched


def _rows_of(element: tuple) -> Any:
    for index, value in enumerate(element):
        if np.ndim(value) == 0:
            raise InvalidArgumentError(
                f"Input element must have a non-scalar value in each component: component "
                f"{index} is a scalar.",
            )
        if len(value) != len(element[0]):
            raise InvalidArgumentError(
                f"Input element must have the same batch size in each component. Component 0 had "
                f"size {len(element[0])} but component {index} had size {len(value)}.",
            )
    return zip(*map(rows, element), strict=True)


class WindowDataset(Dataset):
    """Datasets of several elements each: for each component of the elements one.

    Args:
      size: how many elements a window has. shift: how far the next one begins after it.
      stride: which elements of the input it has: every, every second ...
      whole_only: leave out windows with fewer elements.

    Raises:
      InvalidArgumentError: if one of the numbers is not positive.
    """

    __slots__ = ("_shift", "_size", "_stride", "_whole_only")

    def __init__(
        self, node: Operation, source: Dataset, size: int, shift: int, stride: int,
        whole_only: bool,
    ):  # fmt: skip
        super().__init__(node, [source])
        for name, value in (("size", size), ("shift", shift), ("stride", stride)):
            if value <= 0:
                raise InvalidArgumentError(
                    f"Window {name} must be greater than zero. It is {value}."
                )
        self._size, self._shift, self._stride = size, shift, stride
        self._whole_only = whole_only

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        elements = elements_of(advance)
        span = (self._size - 1) * self._stride + 1
        held: deque[tuple] = deque()
        to_skip, is_over = 0, False

        def fill() -> None:
            nonlocal to_skip, is_over
            try:
                while to_skip:
                    if not to_skip & 255:  # it may last
                        context.check()
                    advance()
                    to_skip -= 1
            except StopIteration:
                is_over = True
                return
            is_over = len(gather(elements, span, context, held)) < span

        def window() -> tuple:
            nonlocal to_skip
            if not is_over:
                fill()
            if not held or (len(held) < span and self._whole_only):
                held.clear()
                raise StopIteration
            chosen = list(islice(held, 0, None, self._stride))
            to_skip = max(self._shift - len(held), 0)
            for _ in range(min(self._shift, len(held))):
                held.popleft()
            columns = zip(*chosen, strict=True)
            return tuple(
                _WindowPart(self.node, self.inputs[0], index, column)
                for index, column in enumerate(columns)
            )

        stage.buffer = lambda: (len(held), span)
        return window

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        beginnings = size - (self._size - 1) * self._stride if self._whole_only else size
        return max(-(-beginnings // self._shift), 0)


class _WindowPart(Dataset):
    """One component of the elements of a window."""

    __slots__ = ("_values",)

    def __init__(self, node: Operation, source: Dataset, index: int, values: Sequence[Any]):
        super().__init__(node)
        self.types, self.shapes = source.types[index : index + 1], source.shapes[index : index + 1]
        self._values = tuple(values)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return zip(self._values).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return len(self._values)


# Ends of pipelines ------------------------------------------------------------------------------


def reduced(
    dataset: Dataset, context: Context, function: Any, initial: Sequence[Any],
    captured: Sequence[Any],
) -> tuple[Any, ...]:  # fmt: skip
    """The last state of a function over all elements."""
    stage = dataset.finalised().iterate(context)
    try:
        call, state = Captured(context, function, captured), tuple(initial)
        while True:
            try:
                element = stage.next()
            except StopIteration:
                return state
            state = tuple(call(state + element))
    finally:
        stage.close()


def single_element(dataset: Dataset, context: Context) -> tuple[Any, ...]:
    """The only element; InvalidArgumentError if there is none, or another one."""
    stage = dataset.finalised().iterate(context)
    try:
        try:
            element = stage.next()
        except StopIteration:
            raise InvalidArgumentError("Dataset was empty.") from None
        try:
            stage.next()
        except StopIteration:
            return element
        raise InvalidArgumentError("Dataset had more than one element.")
    finally:
        stage.close()
