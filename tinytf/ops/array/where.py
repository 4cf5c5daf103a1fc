"""Choosing: from two tensors, element by element; and the places where a tensor is not zero."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, broadcast_shapes, merge
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.broadcast_gradients import reduce_to_inputs
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown

# Select -----------------------------------------------------------------------------------------

_select = define_op("Select", "condition: bool, t: T, e: T -> output: T", "T: type")


@_select.shape
def _select_shape(c: InferenceContext) -> TensorShape:
    result = merge(c.input(1), c.input(2))
    condition, sizes = c.input(0).sizes, result.sizes
    if condition is None or sizes is None or len(condition) == 0:
        return result
    if len(condition) == 1 and len(sizes) > 0:  # a vector chooses whole rows
        merge(TensorShape.of(condition), TensorShape.of(sizes[:1]))
        return result
    return merge(result, c.input(0))


@_select.kernel
def _select_kernel(condition: Array, t: Array, e: Array) -> Array:
    if t.shape != e.shape:
        raise _sizes_differ(t, 2, e)
    if condition.shape == t.shape:
        return np.where(condition, t, e)
    if condition.ndim == 0:
        return t if condition else e
    if condition.ndim == 1 and t.ndim > 1:
        if condition.size != t.shape[0]:
            raise invalid(
                f"Number of batches of 'then' must match size of 'cond', but saw: {t.shape[0]} "
                f"vs. {condition.size}"
            )
        return np.where(condition.reshape(-1, *[1] * (t.ndim - 1)), t, e)
    raise _sizes_differ(condition, 1, t)


def _sizes_differ(first: Any, index: int, other: Any) -> Exception:
    return invalid(
        f"Inputs to operation Select of type Select must have the same size and shape.  "
        f"Input 0: {shown(first)} != input {index}: {shown(other)}"
    )


@_select.gradient
def _select_gradient(op: Operation, gradient: Any) -> tuple[None, Tensor, Tensor]:
    condition, zeros = op.inputs[0], ops.zeros_like(op.inputs[1])
    return None, where(condition, gradient, zeros), where(condition, zeros, gradient)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Elements of x where a condition holds, of y elsewhere (TensorFlow 1.x: `tf.where`).

    Args:
      condition: a bool tensor: of the shape of x, or a scalar, or a vector that chooses rows.
        Without x and y: a tensor of any dtype, of which the places of non-zeros are wanted.
      x, y: tensors of one shape and dtype. Both are computed.
      name: of the operation.

    Returns:
      a tensor like x; with one argument, int64 [number of non-zeros, rank of condition].

    Raises:
      ValueError: if only one of x and y is given, or the shapes do not fit.

    Example:
      >>> tf.where([True, False], [1, 2], [3, 4])  # [1, 4]
      >>> tf.where([[True, False]])                # [[0, 0]]
    """
    if x is None and y is None:
        return _where_nonzero(condition, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _select(condition, x, y, name=name)


# SelectV2 ---------------------------------------------------------------------------------------

_select_v2 = define_op("SelectV2", "condition: bool, t: T, e: T -> output: T", "T: type")


@_select_v2.shape
def _select_v2_shape(c: InferenceContext) -> TensorShape:
    return broadcast_shapes(c.input(0), broadcast_shapes(c.input(1), c.input(2)))


@_select_v2.kernel
def _select_v2_kernel(condition: Array, t: Array, e: Array) -> Array:
    try:
        return np.where(condition, t, e)
    except ValueError:
        raise invalid(
            f"condition {shown(condition)}, then {shown(t)}, and else {shown(e)} must be "
            f"broadcastable"
        ) from None


@_select_v2.gradient
def _select_v2_gradient(op: Operation, gradient: Any) -> tuple[None, Any, Any]:
    condition, x, y = op.inputs
    zeros = ops.zeros([], dtype=gradient.dtype.base_dtype)
    gx = where_v2(condition, gradient, zeros)
    gy = where_v2(condition, zeros, gradient)
    gx, _ = reduce_to_inputs(x, op.outputs[0], gx, None)
    gy, _ = reduce_to_inputs(y, op.outputs[0], gy, None)
    return None, gx, gy


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """`where`, but the three tensors broadcast (TensorFlow: `tf.where_v2`, 2.x's `tf.where`).

    Args, returns and errors as of `where`; condition, x and y have any shapes that broadcast.

    Example:
      >>> tf.where_v2([True, False], 1, [3, 4])  # [1, 4]
    """
    if x is None and y is None:
        return _where_nonzero(condition, name)
    if x is None or y is None:
        raise ValueError("x and y must both be non-None or both be None.")
    return _select_v2(condition, x, y, name=name)


# Where ------------------------------------------------------------------------------------------

_where = define_op(
    "Where",
    "input: T -> index: int64",
    "T: {numbertype, bool} = DT_BOOL",
    no_gradient="indices are integers",
    shape=lambda c: TensorShape.of((None, c.input(0).ndims)),
)


@_where.kernel
def _where_kernel(input: Array) -> np.ndarray:
    if input.ndim == 0:
        raise invalid("WhereOp : Unhandled input dimensions: 0")
    return np.argwhere(input)


def _where_nonzero(condition: Any, name: str | None) -> Tensor:
    with op_scope(name, "Where", (condition,)) as scope:
        condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool_, name="condition")
        return _where(condition, name=scope)
