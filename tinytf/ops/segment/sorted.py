"""Rows that lie side by side, combined: the sorted segment ops, dense and of chosen rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.where import where_v2
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater
from tinytf.ops.math.division import divide
from tinytf.ops.segment.unsorted import REAL_NUMBERS

# What they share --------------------------------------------------------------------------------


def _combined(ufunc: np.ufunc, data: Any, ids: Any, count: int, neutral: int) -> np.ndarray:
    """The rows of each segment combined by a ufunc; `neutral` for segments without rows."""
    _check_order(ids, count)
    result = np.full((count, *data.shape[1:]), neutral, data.dtype)
    if len(ids) and data.size:
        starts = np.flatnonzero(np.diff(ids, prepend=ids[0] - 1))
        result[ids[starts]] = ufunc.reduceat(data, starts, axis=0, dtype=data.dtype)
    return result


def _check_order(ids: Any, count: int) -> None:
    if not len(ids):
        return
    if (np.diff(ids) < 0).any():
        raise invalid("segment ids are not increasing")
    if ids[0] < 0:
        raise invalid(
            f"Segment id {ids[0]} out of range [0, {count}), possibly because 'segment_ids' input "
            f"is not sorted."
        )


def _segment_count(ids: Any) -> int:
    """The number of segments, by the last one."""
    count = int(ids[-1]) + 1 if len(ids) else 0
    if count < 0:
        raise invalid("segment ids must be >= 0")
    return count


def _row_counts(ids: Any, count: int, data: Any) -> np.ndarray:
    """How many rows each segment has, but 1 at least, to divide `data` by."""
    counts = np.maximum(np.bincount(ids, minlength=count), 1)
    return counts.reshape(-1, *[1] * (data.ndim - 1)).astype(data.dtype)


def _means(total: np.ndarray, counts: np.ndarray) -> np.ndarray:
    if total.dtype.kind in "iu":  # rounded towards zero, as C divides
        return np.sign(total) * (np.absolute(total) // counts)
    return total / counts


# SegmentSum, Mean, Prod, Min, Max ---------------------------------------------------------------


def _sorted(op_type: str, types: str, ufunc: np.ufunc, neutral: int = 0) -> OpCard:
    card = define_op(
        op_type, "data: T, segment_ids: Tindices -> output: T", types, "Tindices: {int32, int64}"
    )

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        sizes = with_rank_at_least(c.input(0), 1).sizes
        with_rank(c.input(1), 1)
        return unknown_shape() if sizes is None else TensorShape.of((None, *sizes[1:]))

    @card.kernel
    def kernel(data: Array, segment_ids: Array) -> np.ndarray:
        if data.ndim < 1:
            raise invalid("input must be at least rank 1")
        if segment_ids.ndim != 1:
            raise invalid("segment_ids should be a vector.")
        if len(segment_ids) != len(data):
            raise invalid("segment_ids should be the same size as dimension 0 of input.")
        count = _segment_count(segment_ids)
        total = _combined(ufunc, data, segment_ids, count, neutral)
        if op_type == "SegmentMean":
            return _means(total, _row_counts(segment_ids, count, data))
        return total

    return card


_sum = _sorted("SegmentSum", "T: numbertype", np.add)
_mean = _sorted("SegmentMean", "T: numbertype", np.add)
_prod = _sorted("SegmentProd", "T: numbertype", np.multiply, 1)
_min = _sorted("SegmentMin", REAL_NUMBERS, np.minimum)
_max = _sorted("SegmentMax", REAL_NUMBERS, np.maximum)


@_sum.gradient
def _sum_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [ops.gather(gradient, op.inputs[1]), None]


@_mean.gradient
def _mean_gradient(op: Operation, gradient: Any) -> list[Any]:
    data, ids = op.inputs
    rank: Any = ops.rank(data)
    ones = ops.ones(ops.expand_dims(rank - 1, 0), dtype=dtypes.int32)
    sizes = ops.concat([ops.shape(ids), ones], 0)
    counts = segment_sum(ops.ones(sizes, dtype=gradient.dtype), ids)
    return [ops.gather(divide(gradient, counts), ids), None]


@_prod.gradient
def _prod_gradient(op: Operation, gradient: Any) -> list[Any]:
    # The product of the other rows: the whole divided by the row, but where that is 0.
    data, ids = op.inputs
    is_zero = equal(data, 0)
    zeros = segment_sum(cast(is_zero, dtypes.int32), ids)
    gradient = where_v2(greater(zeros, 1), ops.zeros_like(gradient), gradient)
    others = where_v2(is_zero, ops.ones_like(data), data)
    product = segment_prod(others, ids)
    whole: Any = ops.gather(op.outputs[0], ids)
    rest = ops.gather(product, ids)
    partial = where_v2(is_zero, rest, whole / others)
    rows: Any = ops.gather(gradient, ids)
    return [rows * partial, None]


def _extremum_gradient(op: Operation, gradient: Any) -> list[Any]:
    # Rows that are equally extreme share the gradient.
    data, ids = op.inputs
    zeros = ops.zeros_like(data, dtype=data.dtype)
    chosen = equal(data, ops.gather(op.outputs[0], ids))
    winners = segment_sum(cast(chosen, gradient.dtype), ids)
    shares = ops.gather(divide(gradient, winners), ids)
    return [where_v2(chosen, shares, zeros), None]


_min.gradient(_extremum_gradient)
_max.gradient(_extremum_gradient)


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """Rows side by side added up by segment (TensorFlow: `tf.segment_sum`).

    Args:
      data: a numeric tensor of rank 1 or more.
      segment_ids: the segment of each row, a vector of integers that never decrease.
      name: of the operation.

    Returns:
      a tensor [last segment + 1, ...]; zeros for a segment without rows.

    Raises:
      ValueError, InvalidArgumentError: if shapes do not fit, or segments are not in order.

    Example:
      >>> tf.segment_sum([1, 2, 3], [0, 0, 2])  # [3, 0, 3]
    """
    return _sum(data, segment_ids, name=name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The mean of each segment's rows (TensorFlow: `tf.segment_mean`); see `segment_sum`.

    Example:
      >>> tf.segment_mean([1.0, 2.0, 3.0], [0, 0, 1])  # [1.5, 3.]
    """
    return _mean(data, segment_ids, name=name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The product of each segment's rows (TensorFlow: `tf.segment_prod`); see `segment_sum`.

    A segment without rows has ones.

    Example:
      >>> tf.segment_prod([2, 3, 4], [0, 0, 2])  # [6, 1, 4]
    """
    return _prod(data, segment_ids, name=name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of each segment's rows (TensorFlow: `tf.segment_min`); see `segment_sum`.

    Example:
      >>> tf.segment_min([2, 3, 4], [0, 0, 1])  # [2, 4]
    """
    return _min(data, segment_ids, name=name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of each segment's rows (TensorFlow: `tf.segment_max`); see `segment_sum`.

    Example:
      >>> tf.segment_max([2, 3, 4], [0, 0, 1])  # [3, 4]
    """
    return _max(data, segment_ids, name=name)


# SparseSegmentSum, Mean, SqrtN ------------------------------------------------------------------

_TIDX = "Tidx: {int32, int64} = DT_INT32"
_TNUMSEGMENTS = "Tnumsegments: {int32, int64} = DT_INT32"
_TSEGMENTIDS = "Tsegmentids: {int32, int64} = DT_INT32"


def _scaled(kind: str, values: Any, counts: Any) -> Any:
    """Sums as they are, means, or sums over the root of the count."""
    return values if kind == "Sum" else values / (counts if kind == "Mean" else np.sqrt(counts))


def _sparse(kind: str, counted: bool) -> OpCard:
    """The card of a kind, with or without the input that gives the number of segments."""
    name, inputs = f"SparseSegment{kind}", "data: T, indices: Tidx, segment_ids: Tsegmentids"
    attrs = ["T: realnumbertype" if kind == "Sum" else "T: floattype", _TIDX]
    if counted:
        name, inputs = f"{name}WithNumSegments", f"{inputs}, num_segments: Tnumsegments"
        attrs.append(_TNUMSEGMENTS)
    attrs += [_TSEGMENTIDS, "sparse_gradient: bool = false"]
    card = define_op(name, f"{inputs} -> output: T", *attrs, shape=_sparse_shape)

    @card.kernel
    def kernel(
        data: Array, indices: Array, segment_ids: Array, num_segments: Array = None
    ) -> np.ndarray:
        if data.ndim < 1:
            raise invalid("Shape must be at least rank 1")
        _check_vectors(indices, segment_ids)
        count = last = _segment_count(segment_ids)
        if num_segments is not None:
            count = int(num_segments)
            if count < 0:
                raise invalid("segment ids must be >= 0")
            if count < last:
                raise invalid("segment ids must be < num_segments")
        wrong = np.flatnonzero((indices < 0) | (indices >= len(data)))
        if wrong.size:
            raise invalid(
                f"Bad: indices[{wrong[0]}] == {indices[wrong[0]]} out of range [0, {len(data)})"
            )
        total = _combined(np.add, data[indices], segment_ids, count, 0)
        return _scaled(kind, total, _row_counts(segment_ids, count, total))

    @card.gradient
    def gradient(op: Operation, gradient: Any) -> list[Any]:
        data, indices, ids = op.inputs[:3]
        sizes: Any = ops.shape(data)
        rows = sizes[0]
        if op.attrs.get("sparse_gradient"):
            values, places = _SPARSE_GRADIENTS[kind](gradient, indices, ids, rows)
            result: Any = IndexedSlices(values, places, sizes)
        else:
            result = _GRADIENTS[kind](gradient, indices, ids, rows)
        return [result] + [None] * (len(op.inputs) - 1)

    return card


def _check_vectors(indices: Any, segment_ids: Any) -> None:
    for what, value in (("indices", indices), ("segment_ids", segment_ids)):
        if value.ndim != 1:
            raise invalid(f"{what} should be a vector.")
    if len(indices) != len(segment_ids):
        raise invalid("segment_ids and indices should have same size.")


def _sparse_shape(c: InferenceContext) -> Any:
    """For the ops and for their gradients, whose last inputs say how many rows there are."""
    sizes = with_rank_at_least(c.input(0), 1).sizes
    merge(with_rank(c.input(1), 1), with_rank(c.input(2), 1))
    count = None
    if len(c.inputs) > 3:
        with_rank(c.input(3), 0)
        value = c.constant(3)
        if value is not None and value < 0:
            what = c.op_def.inputs[3].name
            raise ValueError(f"Cannot specify a negative value for {what}")
        count = None if value is None else int(value)
    if c.output_count > 1:
        first = unknown_shape() if sizes is None else TensorShape.of((None, *sizes[1:]))
        return [first, unknown_shape(1)]
    return unknown_shape() if sizes is None else TensorShape.of((count, *sizes[1:]))


_KINDS = ("Sum", "Mean", "SqrtN")
_SPARSE = {(kind, counted): _sparse(kind, counted) for kind in _KINDS for counted in (False, True)}

# SparseSegmentSumGrad and so on -----------------------------------------------------------------


def _sparse_gradient(kind: str, compact: bool) -> OpCard:
    """The card of a gradient: of all rows or, more compact, of those with an index only."""
    name, rows, outputs = f"SparseSegment{kind}Grad", "output_dim0", "output: T"
    if compact:
        name, rows = f"{name}V2", "dense_output_dim0"
        outputs += ", sorted_unique_indices: Tidx"
    inputs = f"grad: T, indices: Tidx, segment_ids: Tsegmentids, {rows}: int32"
    attrs = ("T: floattype", _TIDX, _TSEGMENTIDS)
    card = define_op(name, f"{inputs} -> {outputs}", *attrs, shape=_sparse_shape)

    @card.kernel
    def kernel(grad: Array, indices: Array, segment_ids: Array, rows: Array) -> Array:
        _check_vectors(indices, segment_ids)
        count = int(rows)
        if count < 0:
            raise invalid(f"Expected a non-negative size, got {count}")
        if _segment_count(segment_ids) > len(grad):
            raise invalid("Invalid number of segments")
        for what, value, limit in (
            ("Segment id", segment_ids, len(grad)),
            ("Index", indices, count),
        ):
            wrong = value[(value < 0) | (value >= limit)]
            if wrong.size:
                raise invalid(f"{what} {wrong[0]} out of range [0, {limit}).")
        shares = _scaled(kind, grad, _row_counts(segment_ids, len(grad), grad))
        places, found = indices, None
        if compact:
            found, places = np.unique(indices, return_inverse=True)
            count = len(found)
        result = np.zeros((count, *grad.shape[1:]), grad.dtype)
        np.add.at(result, places, shares[segment_ids])
        return (result, found) if compact else result

    return card


_GRADIENTS = {kind: _sparse_gradient(kind, False) for kind in _KINDS}
_SPARSE_GRADIENTS = {kind: _sparse_gradient(kind, True) for kind in _KINDS}


def _sparse_segment(
    kind: str,
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None,
    num_segments: Any,
    sparse_gradient: bool,
) -> Tensor:
    counted = num_segments is not None
    more = [num_segments] if counted else []
    return _SPARSE[kind, counted](
        data, indices, segment_ids, *more, name=name, sparse_gradient=sparse_gradient
    )


def sparse_segment_sum(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Chosen rows added up by segment (TensorFlow: `tf.sparse_segment_sum`).

    Args:
      data: a real tensor of rank 1 or more.
      indices: which rows, a vector of integers.
      segment_ids: the segment of each of them, a vector of integers that never decrease.
      name: of the operation.
      num_segments: how many segments there are; by default up to the last one.
      sparse_gradient: whether the gradient is of the chosen rows only, `IndexedSlices`.

    Returns:
      a tensor [number of segments, ...]; zeros for a segment without rows.

    Raises:
      ValueError, InvalidArgumentError: if shapes do not fit, segments are not in order, or an
        index is out of range.

    Example:
      >>> tf.sparse_segment_sum([[1, 2], [3, 4], [5, 6]], [0, 2], [0, 0])  # [[6, 8]]
    """
    return _sparse_segment("Sum", data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_mean(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """The mean of chosen rows, by segment (TensorFlow: `tf.sparse_segment_mean`).

    As `sparse_segment_sum`, for floating-point numbers.

    Example:
      >>> tf.sparse_segment_mean([1.0, 2.0, 5.0], [0, 2], [0, 0])  # [3.]
    """
    return _sparse_segment("Mean", data, indices, segment_ids, name, num_segments, sparse_gradient)


def sparse_segment_sqrt_n(
    data: Any,
    indices: Any,
    segment_ids: Any,
    name: str | None = None,
    num_segments: Any = None,
    sparse_gradient: bool = False,
) -> Tensor:
    """Sums of chosen rows over the root of their number (TensorFlow: `tf.sparse_segment_sqrt_n`).

    As `sparse_segment_sum`, for floating-point numbers.

    Example:
      >>> tf.sparse_segment_sqrt_n([1.0, 2.0, 5.0], [0, 2], [0, 0])  # [4.2426405]
    """
    return _sparse_segment("SqrtN", data, indices, segment_ids, name, num_segments, sparse_gradient)
