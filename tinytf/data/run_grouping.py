"""Datasets that put elements together by a key, or into sparse tensors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from tinytf.data.batch import check_batch_size, elements_of, number_of_batches
from tinytf.data.stages import Next, Stage
from tinytf.data.value import Captured, Context, Dataset
from tinytf.framework.errors import DataLossError, InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.resources.queues.elements import shown


class GroupByReducerDataset(Dataset):
    """For each key what a state of it has become at the end.

    Args:
      functions: (function, captured): of an element its key; of a key its first state; of a state
        and an element the next state; of the last state the element that comes out.
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
        advance = self.inputs[0].iterate(context, stage).next
        key_of, first, following, last = (
            Captured(context, *one, self.use) for one in self._functions
        )
        states: dict[int, tuple] = {}
        finished: Iterator[int] | None = None

        def gather() -> Iterator[int]:
            while True:
                try:
                    element = advance()
                except StopIteration:
                    return iter(sorted(states))
                key = int(key_of(element)[0])
                if key not in states:
                    states[key] = tuple(first((np.int64(key),)))
                states[key] = tuple(following(states[key] + element))

        def grouped() -> tuple:
            nonlocal finished
            if finished is None:
                finished = gather()
            return tuple(last(states.pop(next(finished))))

        return grouped


class DenseToSparseBatchDataset(Dataset):
    """Several elements as one sparse tensor, large enough for each of them.

    Args:
      size: how many. row_shape: of the elements; -1: as large as the largest of a batch.

    Raises:
      InvalidArgumentError: for a size that is not positive, or a shape that cannot be.
    """

    __slots__ = ("_row_shape", "_size")

    def __init__(self, node: Operation, source: Dataset, size: int, row_shape: Sequence[int]):
        super().__init__(node, [source])
        self._size, self._row_shape = check_batch_size(size), tuple(row_shape)
        for place, length in enumerate(self._row_shape):
            if length < -1:
                raise InvalidArgumentError(
                    f"Dimension {place} must be >= -1: row_shape is {row_shape}"
                )

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        elements = elements_of(self.inputs[0].iterate(context, stage).next)

        def batch() -> tuple:
            gathered = [value for (value,) in islice(elements, self._size)]
            if not gathered:
                raise StopIteration
            return (self._together(gathered),)

        return batch

    def _together(self, values: list[np.ndarray]) -> np.ndarray:
        sizes = list(self._row_shape)
        for value in values:
            if value.ndim != len(sizes):
                raise InvalidArgumentError(
                    f"Input element had shape ({shown(value.shape)}) that is incompatible with "
                    f"the row shape ({shown(self._row_shape)}).",
                )
            for place, length in enumerate(value.shape):
                if self._row_shape[place] == -1:
                    sizes[place] = max(sizes[place], length, 0)
                elif length > sizes[place]:
                    raise DataLossError(
                        f"Input element had shape ({shown(value.shape)}) that is larger than the "
                        f"row shape ({shown(self._row_shape)}).",
                    )
        rows = [
            np.concatenate([np.full((value.size, 1), row), _places(value)], axis=1)
            for row, value in enumerate(values)
        ]
        parts = np.empty(3, object)
        parts[:] = [
            np.concatenate(rows).astype(np.int64),
            np.concatenate([value.reshape(-1) for value in values]),
            np.array([len(values), *sizes], np.int64),
        ]
        return parts

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return number_of_batches(self.inputs[0], self._size, False)


def _places(value: np.ndarray) -> np.ndarray:
    """The indices of all elements of an array, a row each."""
    return np.indices(value.shape).reshape(value.ndim, value.size).T


class ComputedDataset(Dataset):
    """What a function of Python makes of each element: of the tensors' values, as a kernel.

    Args:
      function: gets and returns the components of an element.
    """

    __slots__ = ("_function",)

    def __init__(self, node: Operation, source: Dataset, function: Callable[[tuple], tuple]):
        super().__init__(node, [source])
        self._function = function

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        advance, function = self.inputs[0].iterate(context, stage).next, self._function

        def computed() -> tuple:
            context.check()
            return function(advance())

        return computed

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return self.inputs[0].cardinality()
