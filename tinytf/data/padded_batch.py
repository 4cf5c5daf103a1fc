"""A dataset that puts elements of several shapes together into one, padded to one shape."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.data.batch import check_batch_size, elements_of, gather
from tinytf.data.stages import Next, Stage
from tinytf.data.value import Context, Dataset
from tinytf.framework.errors import DataLossError, InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape


class PaddedBatchDataset(Dataset):
    """Several elements as one, each component padded.

    Args:
      size: how many. shapes: of each component; -1: as the largest of the batch needs.
      values: what fills each component up. whole_only: leave out the last batch if it is smaller.

    Raises:
      InvalidArgumentError: for sizes that make no sense, or values that are no scalars.
    """

    __slots__ = ("_paddings", "_shapes", "_size", "_whole_only")

    def __init__(
        self, node: Operation, source: Dataset, size: int, shapes: Sequence[Any],
        values: Sequence[Any], whole_only: bool,
    ):  # fmt: skip
        super().__init__(node, [source])
        self._size, self._whole_only = check_batch_size(size), whole_only
        self._shapes, self._paddings = [tuple(map(int, shape)) for shape in shapes], tuple(values)
        for shape in self._shapes:
            for number in shape:
                if number < -1:
                    raise InvalidArgumentError(f"Dimension {number} must be >= -1")
        for value in values:
            if np.ndim(value):
                raise InvalidArgumentError("All padding values must be scalars")

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        elements = elements_of(self.inputs[0].iterate(context, stage).next)
        least = self._size if self._whole_only else 1

        def batch() -> tuple:
            gathered = gather(elements, self._size, context)
            if len(gathered) < least:
                raise StopIteration
            columns = zip(*gathered, strict=True)
            return tuple(self._stacked(index, column) for index, column in enumerate(columns))

        return batch

    def _stacked(self, index: int, column: tuple) -> np.ndarray:
        wanted, padding = self._shapes[index], self._paddings[index]
        sizes = list(wanted)
        for number, value in enumerate(column):
            if value.ndim != len(wanted):
                raise InvalidArgumentError(
                    f"All elements in a batch must have the same rank as the padded shape for "
                    f"component{index}: expected rank {len(wanted)} but got element with rank "
                    f"{value.ndim} (element {number} of the batch, shape {_shown(value.shape)})",
                )
            for axis, (size, most) in enumerate(zip(value.shape, wanted, strict=True)):
                if most < 0:
                    sizes[axis] = max(sizes[axis], size)
                elif size > most:
                    raise DataLossError(
                        f"Attempted to pad to a smaller size than the input element: component "
                        f"{index} of element {number} of the batch has shape "
                        f"{_shown(value.shape)}, the padded shape is "
                        f"{_shown(wanted)}",
                    )
        sizes = [max(size, 0) for size in sizes]
        result = np.empty((len(column), *sizes), self.types[index].as_numpy_dtype)
        result[...] = padding
        for row, value in zip(result if sizes else (), column, strict=bool(sizes)):
            row[tuple(map(slice, value.shape))] = value
        if not sizes:
            for number, value in enumerate(column):
                result[number] = value[()]
        return result

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        return size // self._size if self._whole_only else -(-size // self._size)


def _shown(shape: Any) -> str:
    return brackets(TensorShape.of(tuple(None if size < 0 else size for size in shape)))
