"""UnsortedSegmentSum: rows added up by the segment they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops import arrays
from tinytf.ops.shape_rules import invalid, shown

# UnsortedSegmentSum -----------------------------------------------------------------------------

_unsorted_segment_sum = define_op(
    "UnsortedSegmentSum",
    ["data: T", "segment_ids: Tindices", "num_segments: Tnumsegments"], ["output: T"],
    ["T: numbertype", "Tindices: {int16, int32, int64}",
     "Tnumsegments: {int32, int64} = DT_INT32"],
)  # fmt: skip


@_unsorted_segment_sum.shape
def _unsorted_segment_sum_shape(c: InferenceContext) -> TensorShape:
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


@_unsorted_segment_sum.kernel
def _unsorted_segment_sum_kernel(data: Any, segment_ids: Any, num_segments: Any) -> np.ndarray:
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
    result = np.zeros((count, *rest), data.dtype)
    np.add.at(result, flat[chosen], rows[chosen])
    return result


@_unsorted_segment_sum.gradient
def _unsorted_segment_sum_gradient(op: Operation, gradient: Any) -> list[Any]:
    from tinytf.ops.arithmetic import maximum
    from tinytf.ops.comparison import greater_equal, logical_and
    from tinytf.ops.selection import where_v2

    ids = op.inputs[1]
    gathered = arrays.gather(gradient, maximum(ids, arrays.zeros_like(ids)))
    # The condition gets as many dimensions as the rows have, and spreads over them.
    kept = greater_equal(ids, 0)
    sizes = arrays.shape(kept)
    rank: Any = arrays.rank(gathered)
    more = arrays.ones([rank - arrays.rank(kept)], dtype=sizes.dtype)
    kept = arrays.reshape(kept, arrays.concat([sizes, more], axis=0))
    kept = logical_and(kept, arrays.ones_like(gathered, dtype=dtypes.bool_), name="and")
    return [where_v2(kept, gathered, arrays.zeros_like(gathered)), None, None]


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
    return _unsorted_segment_sum(data, segment_ids, num_segments, name=name)
