"""Datasets that choose: which dataset gives the next element, and which elements stay."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from tinytf.data.run_functions import dataset_of
from tinytf.data.stages import Next, Stage
from tinytf.data.value import INFINITE, UNKNOWN, Captured, Context, Dataset
from tinytf.framework.errors import FailedPreconditionError, InvalidArgumentError
from tinytf.framework.operation import Operation


class UniqueDataset(Dataset):
    """Each element once: where it comes first. Elements of one component."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next
        seen: set[Any] = set()

        def unique() -> tuple:
            while True:
                element = advance()
                value = np.asarray(element[0])
                content = tuple(value.flat) if value.dtype == object else value.tobytes()
                key = (value.shape, content)
                if key not in seen:
                    seen.add(key)
                    return element
                context.check()  # there may be no other any more

        return unique


class IgnoreErrorsDataset(Dataset):
    """The elements that could be made. An error that comes again at once is told."""

    __slots__ = ()

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance = self.inputs[0].iterate(context, stage).next

        def ignoring() -> tuple:
            before = ""
            while True:
                try:
                    return advance()
                except StopIteration:
                    raise
                except Exception as error:
                    cancellation = context.cancellation
                    is_cancelled = cancellation is not None and cancellation.is_cancelled
                    # It has the number of the element: nothing goes on, for ever.
                    if is_cancelled or str(error) == before:
                        raise
                    before = str(error)

        return ignoring


class DirectedInterleaveDataset(Dataset):
    """The next element of the dataset whose number another dataset gives.

    Args:
      selector: gives int64 scalars. sources: the datasets.
      stops: whether it ends when one of them is empty; else that one is passed over.
    """

    __slots__ = ("_stops",)

    def __init__(self, node: Operation, selector: Dataset, sources: Sequence[Dataset], stops: bool):
        super().__init__(node, [selector, *sources])
        self._stops = stops

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        select, *advances = [source.iterate(context, stage).next for source in self.inputs]
        running: list[Next | None] = list(advances)

        def chosen() -> tuple:
            while any(running):
                number = int(select()[0])
                if not 0 <= number < len(running):
                    raise InvalidArgumentError(
                        f"Selector index out of range: {number} >= {len(running)}",
                    )
                advance = running[number]
                if advance is None:
                    context.check()  # it may be chosen for ever
                    continue
                try:
                    return advance()
                except StopIteration:
                    if self._stops:
                        raise
                    running[number] = None
            raise StopIteration

        return chosen


class RandomDataset(Dataset):
    """Endless random numbers from 0 to 2**32 - 1.

    Args:
      seeds: for `numbers`, which gives the sequence of a pair of seeds.
    """

    __slots__ = ("_numbers", "_seeds")

    def __init__(
        self, node: Operation, seeds: tuple[int, int],
        numbers: Callable[[int, int], Iterator[int]],
    ):  # fmt: skip
        super().__init__(node)
        self._seeds, self._numbers = seeds, numbers

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return zip(map(np.int64, self._numbers(*self._seeds))).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return INFINITE


class AssertCardinalityDataset(Dataset):
    """The same elements; an error if there are not as many as expected."""

    __slots__ = ("_expected",)

    def __init__(self, node: Operation, source: Dataset, expected: int):
        super().__init__(node, [source])
        self._expected = expected

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance, expected, given = self.inputs[0].iterate(context, stage).next, self._expected, 0

        def checked() -> tuple:
            nonlocal given
            try:
                element = advance()
            except StopIteration:
                if given != expected and expected != UNKNOWN:
                    raise _unexpected(expected, f"only {_elements(given)}") from None
                raise
            given += 1
            if 0 <= expected < given:
                raise _unexpected(expected, f"at least {_elements(given)}")
            return element

        return checked

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return self._expected


def _elements(count: int) -> str:
    known = {INFINITE: "an infinite number of elements", UNKNOWN: "an unknown number of elements"}
    return known.get(count, f"{count} element{'' if count == 1 else 's'}")


def _unexpected(expected: int, found: str) -> FailedPreconditionError:
    return FailedPreconditionError(
        f"Input dataset was expected to contain {_elements(expected)} but contained {found}.",
    )


class HeldDataset(Dataset):
    """Elements that are there already: a group."""

    __slots__ = ("_elements",)

    def __init__(self, node: Operation, like: Dataset, elements: Iterable[tuple]):
        super().__init__(node)
        self.types, self.shapes = like.types, like.shapes
        self._elements = list(elements)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return iter(self._elements).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return len(self._elements)


class GroupByWindowDataset(Dataset):
    """Elements with one key together, in groups of a size, out of each of which comes a dataset.

    Args:
      functions: (function, captured): of an element its key; of a key and a group the dataset; of
        a key the size of its groups.
    """

    __slots__ = ("_functions",)
    keeps_state = True

    def __init__(
        self, node: Operation, source: Dataset, functions: Sequence[tuple[Any, Sequence[Any]]]
    ):
        super().__init__(node, [source])
        self._functions = tuple(functions)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        source = self.inputs[0]
        advance = source.iterate(context, stage).next
        key_of, reduced, size_of = (Captured(context, *one, self.use) for one in self._functions)
        groups: dict[int, list[tuple]] = {}
        sizes: dict[int, int] = {}
        inner: Stage | None = None
        is_over = False

        def begin(key: int) -> Stage:
            group = HeldDataset(self.node, source, groups.pop(key))
            made = dataset_of(reduced((np.int64(key), group)), "group_by_window")
            return made.iterate(context, stage)

        def gather() -> Stage:
            """Take elements until a group is full; at the end the groups by their keys."""
            nonlocal is_over
            while not is_over:
                try:
                    element = advance()
                except StopIteration:
                    is_over = True
                    break
                key = int(key_of(element)[0])
                if key not in sizes:
                    sizes[key] = int(size_of((np.int64(key),))[0])
                    if sizes[key] <= 0:
                        raise InvalidArgumentError(
                            f"Window size must be greater than zero, but got {sizes[key]}.",
                        )
                groups.setdefault(key, []).append(element)
                if len(groups[key]) == sizes[key]:
                    del sizes[key]
                    return begin(key)
            if not groups:
                raise StopIteration
            return begin(min(groups))

        def grouped() -> tuple:
            nonlocal inner
            while True:
                if inner is None:
                    inner = gather()
                try:
                    return inner.next()
                except StopIteration:
                    stage.drop(inner)
                    inner = None

        return grouped
