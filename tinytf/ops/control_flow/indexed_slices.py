"""Dense gradients written as `IndexedSlices`, where the other branch has those."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.ops.array.range import range
from tinytf.ops.array.shape import shape_op
from tinytf.ops.array.slice import getitem
from tinytf.ops.math.cast import cast


def as_indexed_slices_list(values: list[Any]) -> list[IndexedSlices]:
    """`IndexedSlices` of one index type; a dense tensor becomes all of its rows.

    TensorFlow: `math_ops._as_indexed_slices_list`.
    """
    slices = [as_indexed_slices(value) for value in values]
    kinds = {part.indices.dtype for part in slices}
    if len(kinds) == 1:
        return slices
    return [
        IndexedSlices(part.values, cast(part.indices, dtypes.int64), part.dense_shape)
        if part.indices.dtype == dtypes.int32
        else part
        for part in slices
    ]


def as_indexed_slices(value: Any) -> IndexedSlices:
    """A dense tensor as `IndexedSlices` of all its rows; slices as they are."""
    if isinstance(value, IndexedSlices):
        return value
    dense_shape = shape_op(value)
    return IndexedSlices(value, range(0, getitem(dense_shape, 0)), dense_shape)
