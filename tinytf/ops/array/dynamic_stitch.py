"""Lists put together from pieces by index, and what is left of a list without another."""

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
from tinytf.framework.shape_inference import InferenceContext, merge, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.segment.unsorted import unsorted_segment_sum

# DynamicStitch, ParallelDynamicStitch ------------------------------------------------------------


def _stitch(op_type: str) -> OpCard:
    return define_op(
        op_type, "indices: N * int32, data: N * T -> merged: T", "N: int >= 1, T: type"
    )


_dynamic_stitch = _stitch("DynamicStitch")
_parallel_dynamic_stitch = _stitch("ParallelDynamicStitch")


@_dynamic_stitch.shape
@_parallel_dynamic_stitch.shape
def _dynamic_stitch_shape(c: InferenceContext) -> TensorShape:
    count, rest, largest = c.attrs["N"], unknown_shape(), -1
    all_known = True
    for position in range(count):
        index, data = c.input(position), c.input(count + position)
        if index.sizes is not None and data.sizes is not None:
            for known, given in zip(index.sizes, data.sizes):
                merge_dimension(given, known)
            rest = merge(rest, TensorShape.of(data.sizes[len(index.sizes) :]))
        value = c.constant(position)
        if value is None:
            all_known = False
        elif value.size:
            largest = max(largest, int(value.max()))
    first = TensorShape.of((largest + 1 if all_known else None,))
    return first.concatenate(rest)


@_dynamic_stitch.kernel
@_parallel_dynamic_stitch.kernel
def _dynamic_stitch_kernel(*inputs: Array) -> np.ndarray:
    count = len(inputs) // 2
    indices, data = inputs[:count], inputs[count:]
    size = max((int(index.max()) + 1 for index in indices if index.size), default=0)
    rest = data[0].shape[indices[0].ndim :]
    for position, (index, value) in enumerate(zip(indices, data)):
        if value.shape != index.shape + rest:
            raise invalid(
                f"Need data[{position}].shape to start with indices[{position}].shape and to end "
                f"with the same {list(rest)} for all, got data[{position}].shape = {shown(value)}, "
                f"indices[{position}].shape = {shown(index)}"
            )
        if index.size and index.min() < 0:
            raise invalid(f"indices[{position}] is out of range")
    result = np.zeros((size, *rest), data[0].dtype)
    for index, value in zip(indices, data):
        result[index] = value
    return result


@_dynamic_stitch.gradient
@_parallel_dynamic_stitch.gradient
def _dynamic_stitch_gradient(op: Operation, gradient: Any) -> list[Any]:
    indices = op.inputs[: op.attrs["N"]]
    if isinstance(gradient, IndexedSlices):
        rows = ops.shape(op.outputs[0])[0]  # type: ignore[index]
        gradient = unsorted_segment_sum(gradient.values, gradient.indices, rows)
    return [None] * len(indices) + [ops.gather(gradient, index) for index in indices]


def dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """`merged[indices[m][i]] = data[m][i]` (TensorFlow: `tf.dynamic_stitch`).

    Args:
      indices: a list of int32 tensors. data: a list of tensors of one dtype, each of the shape of
        its indices, followed by a shape that all share.
      name: of the operation.

    Returns:
      a tensor of `max(indices) + 1` rows; of rows with one index, the last one.

    Raises:
      ValueError, InvalidArgumentError: if shapes do not fit or an index is negative.

    Example:
      >>> tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]])  # [10, 20, 30]
    """
    return _dynamic_stitch(indices, data, name=name)


def parallel_dynamic_stitch(indices: Any, data: Any, name: str | None = None) -> Tensor:
    """As `dynamic_stitch`, where each index comes once, so that the order does not matter."""
    return _parallel_dynamic_stitch(indices, data, name=name)


# ListDiff ---------------------------------------------------------------------------------------

list_diff_op = define_op(
    "ListDiff",
    "x: T, y: T -> out: T, idx: out_idx",
    "T: type, out_idx: {int32, int64} = DT_INT32",
    no_gradient="TensorFlow has no gradient for it",
)


@list_diff_op.shape
def _list_diff_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [unknown_shape(1), unknown_shape(1)]


@list_diff_op.kernel
def _list_diff_kernel(
    x: Array, y: Array, *, out_idx: dtypes.DType
) -> tuple[np.ndarray, np.ndarray]:
    for what, value in (("x", x), ("y", y)):
        if value.ndim != 1:
            raise invalid(f"{what} should be a 1D vector.")
    taken = set(y.tolist())
    kept = [index for index, value in enumerate(x.tolist()) if value not in taken]
    places = np.array(kept, out_idx.as_numpy_dtype)
    return x[places], places


def setdiff1d(
    x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The elements of x that are not in y, in order, and where they are.

    TensorFlow: `tf.setdiff1d`.

    Args:
      x, y: vectors of one dtype.
      index_dtype: int32 or int64, of the second result.
      name: of the operation.

    Returns:
      the elements, and their indices in x.

    Example:
      >>> tf.setdiff1d([1, 2, 3, 4], [2, 4])  # [1, 3], [0, 2]
    """
    return list_diff_op(x, y, name=name, out_idx=index_dtype)
