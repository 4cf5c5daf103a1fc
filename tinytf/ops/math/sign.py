"""Negative, absolute value, sign."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.complex_numbers import complex_abs
from tinytf.ops.math.elementwise import SIGNED

# Neg ----------------------------------------------------------------------------------------------

_neg = define_op(
    "Neg", "x: T -> y: T", SIGNED, shape=shape_inference.unchanged, kernel=operator.neg
)


@_neg.gradient
def _neg_gradient(op: Operation, gradient: Any) -> Any:
    return -gradient


@of_sparse_values("Neg")
def negative(x: Any, name: str | None = None) -> Tensor:
    """`-x` (TensorFlow: `tf.negative`).

    Args:
      x: a float, complex or signed integer tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.negative([1, -2])  # [-1, 2]
    """
    return _neg(x, name=name)


# Abs ----------------------------------------------------------------------------------------------

_abs = define_op(
    "Abs",
    "x: T -> y: T",
    "T: {floattype, int8, int16, int32, int64}",
    shape=shape_inference.unchanged,
    kernel=np.absolute,
)


@_abs.gradient
def _abs_gradient(op: Operation, gradient: Any) -> Any:
    return gradient * sign(op.inputs[0])


@of_sparse_values("Abs")
def absolute(x: Any, name: str | None = None) -> Tensor:
    """The absolute value (TensorFlow: `tf.abs`).

    Args:
      x: a numeric tensor of any shape; of a complex one, the result is real.
      name: of the operation.

    Example:
      >>> tf.abs([-2, 3])  # [2, 3]
    """
    if isinstance(x, Tensor) and not x.dtype.is_complex:
        return _abs(x, name=name)
    with op_scope(name, "Abs", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        return complex_abs(x, name=scope) if x.dtype.is_complex else _abs(x, name=scope)


# Sign ---------------------------------------------------------------------------------------------

_sign = define_op("Sign", "x: T -> y: T", SIGNED, shape=shape_inference.unchanged)


@_sign.kernel
def _sign_kernel(x: Array) -> Array:
    if x.dtype.kind != "c":
        return np.sign(x)
    length = np.absolute(x)
    result: Array = np.where(np.equal(length, 0), x, np.divide(x, length))
    return result.astype(x.dtype, copy=False)


@_sign.gradient
def _sign_gradient(op: Operation, gradient: Any) -> Any:
    return ops.zeros_like(op.inputs[0])


@of_sparse_values(None)
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; of a complex number z, z / |z| (TensorFlow: `tf.sign`).

    Args:
      x: a numeric tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.sign([-2.5, 0.0, 3.0])  # [-1., 0., 1.]
    """
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return ops.div_no_nan_op(x, cast(complex_abs(x), x.dtype.base_dtype), name=name)
    return _sign(x, name=name)
