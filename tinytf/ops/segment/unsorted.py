"""Rows combined by the segment they belong to, in any order: the unsorted segment ops."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.shape import shape_of_any
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater, greater_equal
from tinytf.ops.math.division import divide
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.power import sqrt_op
from tinytf.ops.segment.rows import accumulate

REAL_NUMBERS = "T: realnumbertype"

# UnsortedSegmentSum, Prod, Max, Min -------------------------------------------------------------


def _unsorted(op_type: str, types: str, ufunc: np.ufunc, neutral: Any, more: str = "") -> OpCard:
    """A card; `neutral(dtype)` is the value of a segment without rows."""
    card = define_op(
        op_type,
        "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T",
        types,
        f"Tindices: {{{more}int32, int64}}",
        "Tnumsegments: {int32, int64} = DT_INT32",
        shape=_unsorted_shape,
    )

    @card.kernel
    def kernel(data: Array, segment_ids: Array, num_segments: Array) -> np.ndarray:
        rows, ids, sizes = _checked(data, segment_ids, num_segments)
        result = np.full(sizes, neutral(data.dtype), data.dtype)
        accumulate(ufunc, result, ids, rows)
        return result

    return card


def _unsorted_shape(c: InferenceContext) -> TensorShape:
    data, ids = c.input(0).sizes, c.input(1).sizes
    with_rank(c.input(2), 0)
    if ids is None or data is None:
        return unknown_shape()
    if len(data) < len(ids):
        raise ValueError(f"Shape must be at least rank {len(ids)} but is rank {len(data)}")
    for size, count in zip(data, ids):
        merge_dimension(size, count)
    value = c.constant(2)
    count = None if value is None else int(value)
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 2, must be non-negative but is {count}"
        )
    return TensorShape.of((count, *data[len(ids) :]))


def _checked(data: Any, segment_ids: Any, num_segments: Any) -> tuple[Any, Any, tuple[int, ...]]:
    """The rows that have a segment, their segments, and the shape of the result."""
    if np.ndim(num_segments):
        raise invalid(f"num_segments should be a scalar, not shape {shown(num_segments)}")
    ids, count = np.asarray(segment_ids), int(num_segments)
    if data.shape[: ids.ndim] != ids.shape:
        raise invalid(
            f"data.shape = {shown(data)} does not start with segment_ids.shape = {shown(ids)}"
        )
    if count < 0:
        raise invalid(f"Input num_segments == {count} must not be negative.")
    flat = ids.reshape(-1)
    too_large = np.flatnonzero(flat >= count)
    if too_large.size:
        first = int(too_large[0])
        raise invalid(f"segment_ids[{first}] = {flat[first]} is out of range [0, {count})")
    rest = data.shape[ids.ndim :]
    rows = data.reshape(flat.size, *rest)
    chosen = flat >= 0  # rows of a negative segment are dropped
    if not chosen.all():
        rows, flat = rows[chosen], flat[chosen]
    return rows, flat, (count, *rest)


def _largest(dtype: Any) -> Any:
    return dtypes.as_dtype(dtype).max


def _smallest(dtype: Any) -> Any:
    return dtypes.as_dtype(dtype).min


_sum = _unsorted("UnsortedSegmentSum", "T: numbertype", np.add, lambda _: 0, "int16, ")
_prod = _unsorted("UnsortedSegmentProd", "T: numbertype", np.multiply, lambda _: 1)
_max = _unsorted("UnsortedSegmentMax", REAL_NUMBERS, np.maximum, _smallest)
_min = _unsorted("UnsortedSegmentMin", REAL_NUMBERS, np.minimum, _largest)

# Gradients --------------------------------------------------------------------------------------


def _rows_of(values: Any, ids: Tensor, places: Any = None, kept: Any = None) -> tuple[Any, ...]:
    """For each row the value of its segment, 0 for those that have none.

    Returns:
      the rows; where they were gathered from; and which of them have a segment.
    """
    if places is None:
        places = maximum(ids, ops.zeros_like(ids))
    gathered = ops.gather(values, places)
    if kept is None:
        # The condition gets as many dimensions as the rows have, and spreads over them.
        kept = greater_equal(ids, 0)
        sizes = ops.shape(kept)
        rank: Any = ops.rank(gathered)
        more = ops.ones([rank - ops.rank(kept)], dtype=sizes.dtype)
        kept = ops.reshape(kept, ops.concat([sizes, more], axis=0))
        kept = logical_and(kept, ops.ones_like(gathered, dtype=dtypes.bool_), name="and")
    return where_v2(kept, gathered, ops.zeros_like(gathered)), places, kept


@_sum.gradient
def _sum_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [_rows_of(gradient, op.inputs[1])[0], None, None]


def _extremum_gradient(op: Operation, gradient: Any) -> list[Any]:
    # Rows that are equally extreme share the gradient.

    data, ids, count = op.inputs
    extreme, places, kept = _rows_of(op.outputs[0], ids)
    chosen = logical_and(equal(data, extreme), kept)
    winners = unsorted_segment_sum(cast(chosen, gradient.dtype), ids, count)
    shares, _, _ = _rows_of(divide(gradient, winners), ids, places, kept)
    return [where_v2(chosen, shares, ops.zeros_like(shares)), None, None]


_max.gradient(_extremum_gradient)
_min.gradient(_extremum_gradient)


@_prod.gradient
def _prod_gradient(op: Operation, gradient: Any) -> list[Any]:
    # The product of the other rows: the whole divided by the row, but where that is 0.

    data, ids, count = op.inputs
    is_zero = equal(data, 0)
    zeros = unsorted_segment_sum(cast(is_zero, dtypes.int32), ids, count)
    gradient = where_v2(greater(zeros, 1), ops.zeros_like(gradient), gradient)
    others = where_v2(is_zero, ops.ones_like(data), data)
    product = unsorted_segment_prod(others, ids, count)
    places = maximum(ids, ops.zeros_like(ids))
    whole: Any = ops.gather(op.outputs[0], places)
    rest = ops.gather(product, places)
    partial = where_v2(is_zero, rest, whole / data)
    return [_rows_of(gradient, ids, places)[0] * partial, None, None]


# Public -----------------------------------------------------------------------------------------


def unsorted_segment_sum(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Rows added up by their segment, in any order (TensorFlow: `tf.unsorted_segment_sum`).

    Args:
      data: a numeric tensor.
      segment_ids: the segment of each row, integers in a shape that `data`'s begins with; rows of
        a negative segment are left out.
      num_segments: how many segments there are, a scalar.
      name: of the operation.

    Returns:
      a tensor [num_segments, ...]; zeros for a segment without rows.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for a segment out of range.

    Example:
      >>> tf.unsorted_segment_sum([1, 2, 3], [0, 2, 0], 3)  # [4, 0, 2]
    """
    return _sum(data, segment_ids, num_segments, name=name)


def unsorted_segment_prod(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Rows multiplied by segment, in any order (TensorFlow: `tf.unsorted_segment_prod`).

    As `unsorted_segment_sum`, with ones for a segment without rows.

    Example:
      >>> tf.unsorted_segment_prod([2, 3, 4], [0, 2, 0], 3)  # [8, 1, 3]
    """
    return _prod(data, segment_ids, num_segments, name=name)


def unsorted_segment_max(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The largest row of each segment, in any order (TensorFlow: `tf.unsorted_segment_max`).

    As `unsorted_segment_sum`, with the smallest finite number for a segment without rows.

    Example:
      >>> tf.unsorted_segment_max([2, 3, 4], [0, 1, 0], 2)  # [4, 3]
    """
    return _max(data, segment_ids, num_segments, name=name)


def unsorted_segment_min(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The smallest row of each segment, in any order (TensorFlow: `tf.unsorted_segment_min`).

    As `unsorted_segment_sum`, with the largest finite number for a segment without rows.

    Example:
      >>> tf.unsorted_segment_min([2, 3, 4], [0, 1, 0], 2)  # [2, 3]
    """
    return _min(data, segment_ids, num_segments, name=name)


def _row_counts(data: Any, segment_ids: Any, num_segments: Any) -> Tensor:
    """How many rows each segment has, but 1 at least, in as many dimensions as `data`."""
    segments: Any = convert_to_tensor(num_segments)
    ones = ops.ones(shape_of_any(segment_ids), dtype=data.dtype)
    counts = _sum(ones, segment_ids, segments)
    rank: Any = ops.rank(data)
    more = ops.ones([rank - ops.rank(segment_ids)], dtype=segments.dtype)
    counts = ops.reshape(counts, ops.concat([segments[ops.newaxis], more], axis=0))
    return maximum(counts, 1)


def unsorted_segment_mean(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """The mean row of each segment, in any order (TensorFlow: `tf.unsorted_segment_mean`).

    As `unsorted_segment_sum`; the mean of integers is of float64.

    Example:
      >>> tf.unsorted_segment_mean([2.0, 3.0, 4.0], [0, 1, 0], 2)  # [3., 3.]
    """
    with op_scope(name, "UnsortedSegmentMean"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _row_counts(data, segment_ids, num_segments)
        total: Any = _sum(data, segment_ids, num_segments)
        return total / counts


def unsorted_segment_sqrt_n(
    data: Any, segment_ids: Any, num_segments: Any, name: str | None = None
) -> Tensor:
    """Sums of segments over the root of their counts (TensorFlow: `tf.unsorted_segment_sqrt_n`).

    As `unsorted_segment_sum`, for floating and complex numbers.

    Example:
      >>> tf.unsorted_segment_sqrt_n([2.0, 3.0, 4.0], [0, 1, 0], 2)  # [4.2426405, 3.]
    """
    with op_scope(name, "UnsortedSegmentSqrtN"):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _row_counts(data, segment_ids, num_segments)
        total: Any = _sum(data, segment_ids, num_segments)
        return total / sqrt_op(counts)
