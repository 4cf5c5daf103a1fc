"""Numbers as vectors with a single one: one_hot."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown

_one_hot = define_op(
    "OneHot",
    "indices: TI, depth: int32, on_value: T, off_value: T -> output: T",
    "axis: int = -1, T: type, TI: {uint8, int8, int32, int64} = DT_INT64",
    no_gradient="indices are whole numbers; the values are usually constants",
)


@_one_hot.shape
def _one_hot_shape(c: InferenceContext) -> TensorShape:
    axis = c.attrs["axis"]
    if axis < -1:
        raise ValueError("axis must be >= -1")
    if c.input(1).ndims not in (None, 0):
        raise ValueError(f"Input must be scalar but has rank {c.input(1).ndims}")
    value = c.constant(1)
    depth = None if value is None else int(value)
    if depth is not None and depth < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {depth}"
        )
    sizes = c.input(0).sizes
    if sizes is None:
        return unknown_shape()
    with_rank(c.input(2), 0)
    with_rank(c.input(3), 0)
    if axis > len(sizes):
        raise ValueError(f"Shape must be at least rank {axis} but is rank {len(sizes)}")
    axis = len(sizes) if axis == -1 else axis
    return TensorShape.of((*sizes[:axis], depth, *sizes[axis:]))


@_one_hot.kernel
def _one_hot_kernel(
    indices: Array, depth: Array, on_value: Array, off_value: Array, *, axis: int
) -> np.ndarray:
    if not (axis == -1 or 0 <= axis <= indices.ndim):
        raise invalid(
            f"Expected axis to be -1 or between [0, {indices.ndim + 1}).  But received: {axis}"
        )
    for what, value in (("depth", depth), ("on_value", on_value), ("off_value", off_value)):
        if value.ndim:
            raise invalid(f"{what} must be a scalar, but got: {shown(value)}")
    if depth < 0:
        raise invalid(f"depth must be non-negative, got: {depth}")
    # An index outside of the range gives a row without a one.
    hot = np.expand_dims(indices, axis) == _along(np.arange(depth), axis, indices.ndim)
    result = np.full(hot.shape, off_value, off_value.dtype)
    result[hot] = on_value
    return result


def _along(values: np.ndarray, axis: int, rank: int) -> np.ndarray:
    sizes = [1] * (rank + 1)
    sizes[axis] = len(values)
    return values.reshape(sizes)


def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """A vector with one entry set for each index (TensorFlow: `tf.one_hot`).

    Args:
      indices: integers of any shape; one outside of 0 to depth - 1 gives a vector without a one.
      depth: the length of the vectors.
      on_value, off_value: the two values, by default 1 and 0.
      axis: where the new dimension goes; by default at the end.
      dtype: of the result; by default that of the values, or float32.
      name: of the operation.

    Raises:
      TypeError: if the values and `dtype` disagree.

    Example:
      >>> tf.one_hot([2, 0], 3)  # [[0., 0., 1.], [1., 0., 0.]]
    """
    with op_scope(name, "one_hot", (indices, depth, on_value, off_value)) as scope:
        kind = None if dtype is None else dtypes.as_dtype(dtype)
        if on_value is not None:
            on_value = convert_to_tensor(on_value, dtype_hint=kind)
        if off_value is not None:
            off_value = convert_to_tensor(off_value, dtype_hint=kind)
        kind = _common_dtype(on_value, off_value, kind)
        if on_value is None:
            on_value = constant(1, kind, name="on_value")
        if off_value is None:
            off_value = constant(0, kind, name="off_value")
        return _one_hot(indices, depth, on_value, off_value, name=scope, axis=axis)


def _common_dtype(on_value: Any, off_value: Any, wanted: Any) -> dtypes.DType:
    for what, value in (("on_value", on_value), ("off_value", off_value)):
        if value is not None and wanted is not None and value.dtype.base_dtype != wanted:
            raise TypeError(
                f"dtype {value.dtype.base_dtype} of {what} does not match dtype parameter {wanted}"
            )
    kinds = [v.dtype.base_dtype for v in (on_value, off_value) if v is not None]
    if len(kinds) == 2 and kinds[0] != kinds[1]:
        raise TypeError(
            f"dtype {kinds[0]} of on_value does not match dtype {kinds[1]} of off_value"
        )
    return wanted or (kinds[0] if kinds else dtypes.float32)
