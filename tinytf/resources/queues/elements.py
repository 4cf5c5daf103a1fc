"""The elements of a queue: checked, owned, and put together to batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.variable import own

Element = tuple[Any, ...]
Sizes = tuple[int | None, ...]


class Signature:
    """The types and shapes of a queue's components.

    Args:
      dtypes: one for each component. shapes: likewise, or none at all: then any shape will do.
    """

    def __init__(self, dtypes: Sequence[DType], shapes: Sequence[TensorShape]):
        self.dtypes = tuple(dtypes)
        self.shapes = tuple(shapes)
        self._sizes: list[Sizes | None] = [shape.sizes for shape in shapes] or [None] * len(dtypes)
        self._scalars = tuple(np.dtype(dtype.as_numpy_dtype).type for dtype in self.dtypes)
        self._are_scalars = all(sizes == () or sizes is None for sizes in self._sizes)
        #: Of an element of scalars, of which only strings are arrays.
        self._types = tuple(np.ndarray if s is np.object_ else s for s in self._scalars)
        self._strings = [index for index, s in enumerate(self._scalars) if s is np.object_]

    def element(self, values: Sequence[Any]) -> Element:
        """The components of one element, owned by nobody else.

        Raises:
          InvalidArgumentError: for another shape, type or number of components.
        """
        if self._are_scalars and tuple(map(type, values)) == self._types:
            if not self._strings:
                return tuple(values)  # numpy's scalars: nothing to check, nothing to copy
            element = list(values)
            for index in self._strings:
                text = element[index]
                if text.ndim or text.dtype.kind != "O":
                    break
                element[index] = own(text)
            else:
                return tuple(element)
        self._check_types(values)
        for index, (value, sizes) in enumerate(zip(values, self._sizes)):
            if sizes is not None and not _fits(np.shape(value), sizes):
                raise _mismatch(index, sizes, np.shape(value))
        return tuple(map(_owned, values))

    def rows(self, batches: Sequence[Any]) -> list[Element]:
        """The elements of `enqueue_many`: one for each row of the components."""
        self._check_types(batches)
        rows: int | None = None
        for index, (batch, sizes) in enumerate(zip(batches, self._sizes)):
            shape = np.shape(batch)
            if not shape:
                raise InvalidArgumentError(
                    f"All components must be at least 1-d, for one element in each row; component "
                    f"{index} is a scalar. enqueue() puts in a single element."
                )
            rows = shape[0] if rows is None else rows
            wanted = (rows, *(shape[1:] if sizes is None else sizes))
            if not _fits(shape, wanted):
                raise _mismatch(index, wanted, shape)
        return list(zip(*[_rows_of(batch) for batch in batches]))

    def batch(self, elements: Sequence[Element]) -> tuple[np.ndarray, ...]:
        """The elements of `dequeue_many`, stacked; of no elements, empty arrays.

        Raises:
          InvalidArgumentError: if they have different shapes.
        """
        if elements:
            return tuple(
                _stack(column, dtype)
                for column, dtype in zip(zip(*elements), self.dtypes, strict=True)
            )
        return tuple(
            np.zeros((0, *(size or 0 for size in sizes or ())), dtype.as_numpy_dtype)
            for sizes, dtype in zip(self._sizes, self.dtypes)
        )

    def padded(self, elements: Sequence[Element]) -> tuple[np.ndarray, ...]:
        """As `batch`, but smaller components are filled up with zeros (empty strings)."""
        if not elements:
            return self.batch(elements)
        return tuple(
            _pad(column, dtype) for column, dtype in zip(zip(*elements), self.dtypes, strict=True)
        )

    def _check_types(self, values: Sequence[Any]) -> None:
        if len(values) != len(self.dtypes):
            raise InvalidArgumentError(
                f"Wrong number of components in tuple. Expected {len(self.dtypes)}, got "
                f"{len(values)}"
            )
        for index, (value, scalar) in enumerate(zip(values, self._scalars)):
            kind = value.dtype.type if hasattr(value, "dtype") else np.object_
            if kind is not scalar:
                raise InvalidArgumentError(
                    f"Type mismatch in tuple component {index}. Expected "
                    f"{self.dtypes[index].name}, got {np.dtype(kind).name}"
                )


def _mismatch(index: int, expected: Sizes, actual: Sequence[int]) -> InvalidArgumentError:
    return InvalidArgumentError(
        f"Shape mismatch in tuple component {index}. Expected {shown(expected)}, got "
        f"{shown(actual)}"
    )


def shown(sizes: Sequence[int | None]) -> str:
    """A shape as TensorFlow's kernels write it: "[2,?]"."""
    return "[" + ",".join("?" if size is None else str(size) for size in sizes) + "]"


def _fits(actual: Sequence[int], wanted: Sizes) -> bool:
    return len(actual) == len(wanted) and all(
        size is None or size == there for size, there in zip(wanted, actual)
    )


def _owned(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    # Of strings a single one is an array, too.
    return own(value) if value.ndim or value.dtype.kind == "O" else value[()]


def _rows_of(batch: np.ndarray) -> list[Any]:
    if batch.ndim == 1:
        if batch.dtype.kind == "O":
            return [np.array(value, object) for value in batch]
        return list(batch)  # numpy's scalars
    # Copies: a single row that stays behind would keep the whole batch.
    rows = [row.copy() for row in batch]
    for row in rows:
        row.flags.writeable = False
    return rows


def _stack(column: Sequence[Any], dtype: DType) -> np.ndarray:
    first = np.shape(column[0])
    if not first:
        batch = np.empty(len(column), dtype.as_numpy_dtype)
        batch[:] = [value if type(value) is not np.ndarray else value[()] for value in column]
        return batch
    for index, value in enumerate(column):
        if value.shape != first:
            raise InvalidArgumentError(
                f"Elements of different shapes cannot be one batch: the first is "
                f"{shown(first)}, number {index} is {shown(value.shape)}. A PaddingFIFOQueue fills "
                f"smaller ones up."
            )
    return np.stack(column)


def _pad(column: Sequence[Any], dtype: DType) -> np.ndarray:
    shapes = [np.shape(value) for value in column]
    if shapes.count(shapes[0]) == len(shapes):
        return _stack(column, dtype)
    largest = tuple(map(max, zip(*shapes)))
    kind = np.dtype(dtype.as_numpy_dtype)
    batch = np.full((len(column), *largest), b"" if kind.kind == "O" else kind.type(0), kind)
    for row, value, shape in zip(batch, column, shapes):
        row[tuple(map(slice, shape))] = value
    return batch
