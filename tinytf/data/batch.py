"""Datasets that put several elements together into one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import numpy as np

from tinytf.data.run_functions import MapDataset
from tinytf.data.stages import Next, Stage
from tinytf.data.value import Context, Dataset
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import brackets
from tinytf.framework.tensor_shape import TensorShape

#: Stands for nothing that an iterator gives.
_NEVER = object()
#: So many elements are taken at once; then it looks whether anybody still wants them.
_AT_ONCE = 1024


def elements_of(advance: Next) -> Iterator[tuple[Any, ...]]:
    """What gives elements as an iterator; unlike a generator's, an error does not end it."""
    return iter(advance, _NEVER)


def gather(
    elements: Iterator[tuple[Any, ...]], count: int, context: Context, held: Any = None
) -> Any:
    """Take elements until there are `count`; fewer are there at the end.

    Args:
      held: a list or a deque that gets them; those that it has count, and it keeps what it has got
        when an element fails. By default a new list.

    Returns:
      `held`.
    """
    held = [] if held is None else held
    while (wanted := count - len(held)) > _AT_ONCE:
        before = len(held)
        held.extend(islice(elements, _AT_ONCE))
        if len(held) - before < _AT_ONCE:
            return held
        context.check()
    held.extend(islice(elements, wanted))
    return held


def number_of_batches(elements: Dataset, size: int, whole_only: bool) -> int:
    """How many batches elements make; where that is not known, the `cardinality` that says so."""
    count = elements.cardinality()
    if count < 0:
        return count
    return count // size if whole_only else -(-count // size)


def check_batch_size(size: int) -> int:
    """`size`; InvalidArgumentError if it is not positive."""
    if size <= 0:
        raise InvalidArgumentError("Batch size must be greater than zero.")
    return size


class BatchDataset(Dataset):
    """Several elements as one, with a new first dimension.

    Args:
      size: how many. whole_only: leave out the last batch if it is smaller.

    Raises:
      InvalidArgumentError: if `size` is not positive.
    """

    __slots__ = ("_size", "_whole_only")

    def __init__(self, node: Operation, source: Dataset, size: int, whole_only: bool):
        super().__init__(node, [source])
        self._size, self._whole_only = check_batch_size(size), whole_only

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        elements = elements_of(self.inputs[0].iterate(context, stage).next)
        least = self._size if self._whole_only else 1
        stacked = stacker(self.types)

        def batch() -> tuple:
            gathered: list[tuple] = []
            try:
                gather(elements, self._size, context, gathered)
            except Exception:
                if isinstance(self.inputs[0], MapDataset):
                    _leave_out(elements, self._size - len(gathered) - 1, context)
                raise
            if len(gathered) < least:
                raise StopIteration
            return stacked(gathered)

        return batch

    def cardinality(self) -> int:
        """See `Dataset.cardinality`."""
        return number_of_batches(self.inputs[0], self._size, self._whole_only)


def _leave_out(elements: Iterator[Any], count: int, context: Context) -> None:
    """Take the rest of a batch of which an element has failed.

    TensorFlow runs a map and the batch after it as one: with an element it loses all of its batch.
    """
    while count > 0:
        count -= 1
        context.check()
        with suppress(Exception):  # of this batch the first error is told, and only that
            if next(elements, None) is None:
                return


def stacker(types: Sequence[DType]) -> Callable[[list[tuple]], tuple]:
    """A function from elements to one with a new first dimension, for components of these types."""
    kinds = [np.dtype(kind.as_numpy_dtype) for kind in types]

    def stacked(elements: list[tuple]) -> tuple:
        columns = zip(*elements, strict=True)
        return tuple(
            _stack(column, kind, index)
            for index, (column, kind) in enumerate(zip(columns, kinds, strict=True))
        )

    return stacked


def _stack(column: tuple, kind: np.dtype, index: int) -> np.ndarray:
    shape = column[0].shape
    if kind.kind != "O":
        try:
            result = np.array(column, kind)
        except ValueError:  # they have not one shape
            raise _unequal(column, index) from None
        if result.shape != (len(column), *shape):
            raise _unequal(column, index)
        return result
    if any(value.shape != shape for value in column):
        raise _unequal(column, index)
    result = np.empty((len(column), *shape), object)
    if shape == ():
        result[:] = [value[()] for value in column]
    else:
        for row, value in zip(result, column, strict=True):
            row[...] = value
    return result


def _unequal(column: tuple, index: int) -> InvalidArgumentError:
    """The error of elements that have not one shape."""
    first = column[0].shape
    number, other = next((n, v) for n, v in enumerate(column) if v.shape != first)
    return InvalidArgumentError(
        f"Cannot add tensor to the batch: number of elements does not match. Shapes are: [tensor]: "
        f"{_shown(other.shape)}, [batch]: {_shown(first)}. (Component {index}: element 0 of the "
        f"batch has shape {_shown(first)}, element {number} has shape {_shown(other.shape)}. "
        f"Elements of several shapes take padded_batch, or a map that makes them equal.)",
    )


def _shown(shape: tuple) -> str:
    return brackets(TensorShape.of(shape))
