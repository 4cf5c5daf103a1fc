"""Powers and roots: square, sqrt, rsqrt, reciprocal, pow."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.where import where
from tinytf.ops.base.broadcast_gradients import reduce_to_inputs
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.elementwise import SIGNED, after, binary_card, gradient_card, unary_card
from tinytf.ops.math.exp_log import log

# Square -------------------------------------------------------------------------------------------

square_op = unary_card("Square", np.square, "T: {floattype, integertype, complextype}")


@square_op.gradient
def _square_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        x = conj(op.inputs[0])
        two = constant(2.0, dtype=x.dtype.base_dtype)
        return multiply(gradient, multiply(x, two))


@of_sparse_values("Square")
def square(x: Any, name: str | None = None) -> Tensor:
    """`x * x` (TensorFlow: `tf.square`).

    Example:
      >>> tf.square([3, -4])  # [9, 16]
    """
    return square_op(x, name=name)


# Sqrt ---------------------------------------------------------------------------------------------

sqrt_op = unary_card("Sqrt", np.sqrt)


@sqrt_op.gradient
def _sqrt_gradient(op: Operation, gradient: Any) -> Any:
    return _sqrt_grad(op.outputs[0], gradient)


def _sqrt_grad_kernel(y: Any, dy: Any) -> Any:
    # y = √x has the derivative 1 / (2 y).
    return np.divide(np.multiply(dy, dy.dtype.type(0.5)), np.conjugate(y))


_sqrt_grad = gradient_card("SqrtGrad", _sqrt_grad_kernel)


@_sqrt_grad.gradient
def _sqrt_grad_gradient(op: Operation, gradient: Any) -> Any:
    a: Any = op.inputs[0]
    with after(gradient):
        ratio = gradient / a
        turned: Any = conj(ratio)
        return -turned * op.outputs[0], 0.5 * ratio


@of_sparse_values("Sqrt")
def sqrt(x: Any, name: str | None = None) -> Tensor:
    """The square root; NaN for negative numbers (TensorFlow: `tf.sqrt`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.sqrt([4.0, 9.0])  # [2., 3.]
    """
    return sqrt_op(x, name=name)


# Rsqrt --------------------------------------------------------------------------------------------


def _rsqrt_kernel(x: Any) -> Any:
    return np.reciprocal(np.sqrt(x))


_rsqrt = unary_card("Rsqrt", _rsqrt_kernel)


@_rsqrt.gradient
def _rsqrt_gradient(op: Operation, gradient: Any) -> Any:
    return _rsqrt_grad(op.outputs[0], gradient)


def _rsqrt_grad_kernel(y: Any, dy: Any) -> Any:
    # y = x^(-1/2) has the derivative -y³ / 2.
    y = np.conjugate(y)
    return np.multiply(np.multiply(dy, dy.dtype.type(-0.5)), np.multiply(y, np.square(y)))


_rsqrt_grad = gradient_card("RsqrtGrad", _rsqrt_grad_kernel)


@_rsqrt_grad.gradient
def _rsqrt_grad_gradient(op: Operation, gradient: Any) -> Any:
    a, b = op.inputs
    with after(gradient):
        ca = conj(a)
        cg: Any = conj(gradient)
        return -1.5 * cg * b * square(ca), _rsqrt_grad(ca, gradient)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """One divided by the square root (TensorFlow: `tf.rsqrt`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.rsqrt([4.0, 0.25])  # [0.5, 2.]
    """
    return _rsqrt(x, name=name)


# Reciprocal, Inv ----------------------------------------------------------------------------------


def _reciprocal_grad_kernel(y: Any, dy: Any) -> Any:
    # y = 1 / x has the derivative -y².
    return np.multiply(np.negative(dy), np.square(np.conjugate(y)))


_reciprocal_grad = gradient_card("ReciprocalGrad", _reciprocal_grad_kernel)
_inv_grad = gradient_card("InvGrad", _reciprocal_grad_kernel)  # the name it had at first


def _reciprocal_card(op_type: str) -> OpCard:
    card = define_op(op_type, "x: T -> y: T", SIGNED, shape=shape_inference.unchanged)
    card.kernel(np.reciprocal, types={"T": ["inexacttype"]})
    card.gradient(_reciprocal_gradient)
    return card


def _reciprocal_gradient(op: Operation, gradient: Any) -> Any:
    return _reciprocal_grad(op.outputs[0], gradient)


@_reciprocal_grad.gradient
@_inv_grad.gradient
def _reciprocal_grad_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        ca: Any = conj(op.inputs[0])
        cg: Any = conj(gradient)
        return cg * -2.0 * op.inputs[1] * ca, _reciprocal_grad(ca, gradient)


_reciprocal = _reciprocal_card("Reciprocal")
_reciprocal_card("Inv")


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """`1 / x` (TensorFlow: `tf.reciprocal`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.reciprocal([4.0, 0.5])  # [0.25, 2.]
    """
    return _reciprocal(x, name=name)


# Pow ----------------------------------------------------------------------------------------------

_pow = binary_card(
    "Pow", "T: {bfloat16, float, half, double, int8, int16, int32, int64, complextype}", np.power
)


@_pow.kernel(types={"T": ["int8", "int16", "int32", "int64"]})
def _integer_power(x: Array, y: Array) -> Array:
    if np.any(np.less(y, 0)):
        raise invalid("Integers to negative integer powers are not allowed")
    return np.power(x, y)


@_pow.gradient
def _pow_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs
    cx: Any = conj(x)
    cy: Any = conj(y)
    gx = gradient * cy * pow(cx, cy - 1)
    # log(x) only where it has a value: a NaN there would spoil the sum over what was broadcast.
    mask = not_equal(cx, 0) if x.dtype.is_complex else cx > 0
    safe_x = where(mask, cx, ops.ones_like(x))
    log_x = where(mask, log(safe_x), ops.zeros_like(x))
    return reduce_to_inputs(x, y, gx, gradient * conj(op.outputs[0]) * log_x)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x` to the power of `y`, broadcast (TensorFlow: `tf.pow`).

    Args:
      x, y: tensors of one dtype, float, complex or signed integer.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, for a negative power of integers.

    Example:
      >>> tf.pow([2, 3], 2)  # [4, 9]
    """
    return _pow(x, y, name=name)
