"""Datasets that call a function for each element: map, filter, flat_map, interleave."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from tinytf.data.stages import Next, Stage, in_stage
from tinytf.data.value import Captured, Context, Dataset
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation


class FunctionDataset(Dataset):
    """What these datasets have in common.

    Args:
      function: the function of the graph. captured: its arguments after those of the element.
    """

    __slots__ = ("_captured", "_function")
    keeps_state = True

    def __init__(self, node: Operation, source: Dataset, function: Any, captured: Sequence[Any]):
        super().__init__(node, [source])
        self._function, self._captured = function, tuple(captured)

    def prepared(self, context: Context) -> Captured:
        """The function, to be called with elements."""
        return Captured(context, self._function, self._captured, self.use)

    def copied(self, numbers: Iterator[int]) -> Dataset:
        """See `Dataset.copied`: datasets that the function captured are copied too."""
        twin = super().copied(numbers)
        assert isinstance(twin, FunctionDataset)
        twin._captured = tuple(
            value.copied(numbers) if isinstance(value, Dataset) else value
            for value in self._captured
        )
        return twin


class MapDataset(FunctionDataset):
    """The results of a function for each element."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)

        def mapped() -> tuple:
            return tuple(function(advance()))

        return mapped

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        from tinytf.data.value import UNKNOWN

        kept = self.node.attrs.get("preserve_cardinality")
        return self.inputs[0].cardinality() if kept else UNKNOWN


class FilterDataset(FunctionDataset):
    """The elements for which a function says True."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)

        def filtered() -> tuple:
            while True:
                element = advance()
                result = function(element)
                if len(result) != 1 or result[0].shape != () or result[0].dtype != bool:
                    raise InvalidArgumentError(
                        "Filter predicate `predicate` must return a scalar bool.",
                    )
                if result[0]:
                    return element

        return filtered


def dataset_of(results: Sequence[Any], what: str) -> Dataset:
    """The dataset that a function returned; InvalidArgumentError for anything else."""
    if len(results) != 1 or not isinstance(results[0], Dataset):
        raise InvalidArgumentError(
            f"The function of {what} must return one dataset; it returned {results!r}"
        )
    return results[0]


class FlatMapDataset(FunctionDataset):
    """The elements of the datasets that a function makes, one dataset after the other."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        inner: Stage | None = None
        before = 0  # elements of inner stages that are at their end

        def begin() -> Stage:
            try:
                return dataset_of(function(advance()), "flat_map").iterate(context, stage)
            except StopIteration:
                raise
            except Exception as error:
                raise in_stage(error, stage) from None

        def flat() -> tuple:
            nonlocal inner, before
            while True:
                if inner is None:
                    inner = begin()
                try:
                    return inner.next()
                except StopIteration:
                    before += inner.produced
                    stage.drop(inner)
                    inner = None

        stage.count = lambda: before + (0 if inner is None else inner.produced)
        return flat


class InterleaveDataset(FunctionDataset):
    """The elements of several such datasets at once, in turns.

    Args:
      cycle: how many are open at once. block: how many elements each gives in its turn.

    Raises:
      InvalidArgumentError: if one of them is not positive.
    """

    __slots__ = ("_block", "_cycle")

    def __init__(
        self, node: Operation, source: Dataset, function: Any, captured: Sequence[Any],
        cycle: int, block: int,
    ):  # fmt: skip
        super().__init__(node, source, function, captured)
        if cycle == -1:  # AUTOTUNE
            cycle = os.cpu_count() or 1
        for name, value in (("cycle_length", cycle), ("block_length", block)):
            if value <= 0:
                raise InvalidArgumentError(f"{name} must be greater than zero.")
        self._cycle, self._block = cycle, block

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        open_ones: list[Stage | None] = [None] * self._cycle
        place = given = are_open = 0
        no_more = False

        def next_place() -> None:
            nonlocal place, given
            place, given = (place + 1) % len(open_ones), 0

        def interleaved() -> tuple:
            nonlocal given, no_more, are_open
            while are_open or not no_more:
                inner = open_ones[place]
                if inner is None:
                    if no_more:
                        context.check()  # it may be far to the next one
                        next_place()
                        continue
                    try:
                        element = advance()
                    except StopIteration:
                        no_more = True
                        continue
                    inner = dataset_of(function(element), "interleave").iterate(context, stage)
                    open_ones[place] = inner
                    are_open += 1
                try:
                    result = inner.next()
                except StopIteration:
                    stage.drop(inner)
                    open_ones[place] = None
                    are_open -= 1
                    next_place()
                    continue
                given += 1
                if given == self._block:
                    next_place()
                return result
            raise StopIteration

        return interleaved
