"""Datasets out of values in memory: tensors, their slices, ranges of numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from tinytf.data.stages import Next, Stage
from tinytf.data.value import INFINITE, Context, Dataset
from tinytf.framework.dtypes import int64
from tinytf.framework.errors import InvalidArgumentError, UnimplementedError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor_shape import TensorShape

#: How many numbers of a range are made at once.
_AT_ONCE = 512


class TensorDataset(Dataset):
    """One element."""

    __slots__ = ("_element",)

    def __init__(self, node: Operation, components: Sequence[Any]):
        super().__init__(node)
        self._element = tuple(components)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return iter([self._element]).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return 1


class TensorSliceDataset(Dataset):
    """The rows of tensors, one after the other.

    Raises:
      InvalidArgumentError: if they have not the same number of rows.
    """

    __slots__ = ("_components",)

    def __init__(self, node: Operation, components: Sequence[Any]):
        super().__init__(node)
        for index, value in enumerate(components):
            if np.ndim(value) == 0:
                raise InvalidArgumentError(
                    "All components must be at least 1-dimensional, but component "
                    f"{index} is a scalar",
                )
            if len(value) != len(components[0]):
                raise InvalidArgumentError(
                    f"All components must have the same size in the 0th dimension, but "
                    f"component 0 has {len(components[0])}, component {index} has {len(value)}",
                )
        self._components = tuple(components)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        columns: list[Any] = [iter(rows(value)) for value in self._components]
        total, left = len(self._components[0]), columns[0].__length_hint__
        stage.count = lambda: total - left()
        return zip(*columns).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return len(self._components[0])


class SparseTensorSliceDataset(Dataset):
    """The rows of a sparse tensor: indices, values and dense shape of each.

    Raises:
      InvalidArgumentError: if the three do not fit together.
      UnimplementedError: if the rows are not in order.
    """

    __slots__ = ("_indices", "_sizes", "_values")

    def __init__(self, node: Operation, indices: Any, values: Any, dense_shape: Any):
        super().__init__(node)
        if np.shape(indices) != (len(values), len(dense_shape)) or not len(dense_shape):
            raise InvalidArgumentError(
                f"Input indices should be a matrix with a row for each of the {len(values)} values "
                f"and a column for each of the {len(dense_shape)} dimensions (at least one), but "
                f"received shape: {list(np.shape(indices))}",
            )
        if np.any(np.diff(indices[:, 0]) < 0):
            raise UnimplementedError(
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily "
                "ordered input is not currently supported: tf.sparse_reorder puts it in order.",
            )
        self._indices, self._values, self._sizes = indices, values, dense_shape
        width = len(dense_shape) - 1
        self.types = (int64, node.attrs["Tvalues"], int64)
        self.shapes = (TensorShape([None, width]), TensorShape([None]), TensorShape([width]))

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        return map(self._row, range(self.cardinality())).__next__

    def _row(self, row: int) -> tuple[Any, ...]:
        first, end = np.searchsorted(self._indices[:, 0], [row, row + 1])
        return self._indices[first:end, 1:], self._values[first:end], self._sizes[1:]

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return int(self._sizes[0])


def rows(value: np.ndarray) -> Any:
    """The rows of an array as edges carry them: of a string vector 0-d arrays, not bytes.

    What it returns can be iterated over, and its iterator knows how many rows are left.
    """
    if value.dtype == object and value.ndim == 1:
        return [value[i, ...] for i in range(len(value))]
    return value


class RangeDataset(Dataset):
    """Whole numbers from `start` to `stop`.

    Raises:
      InvalidArgumentError: for a step of zero.
    """

    __slots__ = ("_kind", "_numbers")

    def __init__(self, node: Operation, start: int, stop: int, step: int):
        super().__init__(node)
        if step == 0:
            raise InvalidArgumentError("step must be a non-zero integer.")
        self._numbers = range(start, stop, step)
        self._kind = self.types[0].as_numpy_dtype

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        numbers, kind = self._numbers, self._kind
        given, left = 0, lambda: 0

        def some(start: int) -> Any:
            """Numbers are made many at a time."""
            nonlocal given, left
            part = numbers[start : start + _AT_ONCE]
            made: Any = iter(np.arange(part.start, part.stop, part.step).astype(kind))
            given, left = start + len(part), made.__length_hint__
            return made

        stage.count = lambda: given - left()
        starts = range(0, self.cardinality(), _AT_ONCE)
        return zip(chain.from_iterable(map(some, starts))).__next__

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        numbers = self._numbers  # which may be more than `len` can tell
        towards = 1 if numbers.step > 0 else -1
        return max((numbers.stop - numbers.start + numbers.step - towards) // numbers.step, 0)


def times(size: int, count: int) -> int:
    """A cardinality, so many times; `count` below 0 stands for ever."""
    if count < 0:
        return 0 if size == 0 else INFINITE
    return size * count if size >= 0 else (0 if count == 0 else size)
