"""Powers, roots, reciprocals, exponentials and logarithms; sine and cosine.

Where a gradient is written inside `control_dependencies([gradient])`, it is not to be computed
before that gradient is there: otherwise the derivative of every layer would be worked out, and
kept, while the forward pass still runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.scopes import ControlDependencies
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.arithmetic import multiply
from tinytf.ops.broadcasting import reduce_to_inputs
from tinytf.ops.complex_numbers import conj
from tinytf.ops.composites import of_sparse_values
from tinytf.ops.constants import constant
from tinytf.ops.filling import ones_like, zeros_like

_FLOAT = "T: {bfloat16, half, float, double, complex64, complex128}"
_SIGNED = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
_INTEGER = ["int8", "int16", "int32", "int64"]
_NO_INTEGER = ["bfloat16", "half", "float", "double", "complex64", "complex128"]


def unary_card(op_type: str, kernel: Any, types: str = _FLOAT) -> OpCard:
    """A card for a function of single elements, computed by a numpy function."""
    card = define_op(op_type, "x: T -> y: T", types)
    card.shape(shape_inference.unchanged)
    card.kernel(kernel)
    return card


def _gradient_card(op_type: str, kernel: Any) -> OpCard:
    """A card for a derivative given by the forward result y and the gradient dy."""
    card = define_op(op_type, "y: T, dy: T -> z: T", _FLOAT)
    card.shape(_shape_of_both)
    card.kernel(kernel)
    return card


def _shape_of_both(c: InferenceContext) -> TensorShape:
    return merge(c.input(0), c.input(1))


def after(gradient: Any) -> ControlDependencies:
    """A scope in which the nodes of a gradient wait for the gradient that came in."""
    return get_default_graph().control_dependencies([gradient.op])


# Square -----------------------------------------------------------------------------------------

_square = unary_card(
    "Square",
    np.square,
    "T: {bfloat16, half, float, double, int8, int16, int32, int64, uint8, uint16, uint32, uint64, "
    "complex64, complex128}",
)


@_square.gradient
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
    return _square(x, name=name)


# Sqrt -------------------------------------------------------------------------------------------

_sqrt = unary_card("Sqrt", np.sqrt)


@_sqrt.gradient
def _sqrt_gradient(op: Operation, gradient: Any) -> Any:
    return _sqrt_grad(op.outputs[0], gradient)


def _sqrt_grad_kernel(y: Any, dy: Any) -> Any:
    # y = √x has the derivative 1 / (2 y).
    return np.divide(np.multiply(dy, dy.dtype.type(0.5)), np.conjugate(y))


_sqrt_grad = _gradient_card("SqrtGrad", _sqrt_grad_kernel)


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
    return _sqrt(x, name=name)


# Rsqrt ------------------------------------------------------------------------------------------


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


_rsqrt_grad = _gradient_card("RsqrtGrad", _rsqrt_grad_kernel)


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


# Reciprocal, Inv --------------------------------------------------------------------------------

_reciprocal = define_op("Reciprocal", "x: T -> y: T", _SIGNED)
_inv = define_op("Inv", "x: T -> y: T", _SIGNED)  # the name it had at first


def _reciprocal_grad_kernel(y: Any, dy: Any) -> Any:
    # y = 1 / x has the derivative -y².
    return np.multiply(np.negative(dy), np.square(np.conjugate(y)))


_reciprocal_grad = _gradient_card("ReciprocalGrad", _reciprocal_grad_kernel)
_inv_grad = _gradient_card("InvGrad", _reciprocal_grad_kernel)


def _reciprocal_gradient(op: Operation, gradient: Any) -> Any:
    return _reciprocal_grad(op.outputs[0], gradient)


def _reciprocal_grad_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        ca: Any = conj(op.inputs[0])
        cg: Any = conj(gradient)
        return cg * -2.0 * op.inputs[1] * ca, _reciprocal_grad(ca, gradient)


for _card in (_reciprocal, _inv):
    _card.shape(shape_inference.unchanged)
    _card.kernel(np.reciprocal, types={"T": _NO_INTEGER})
    _card.gradient(_reciprocal_gradient)
for _card in (_reciprocal_grad, _inv_grad):
    _card.gradient(_reciprocal_grad_gradient)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """`1 / x` (TensorFlow: `tf.reciprocal`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.reciprocal([4.0, 0.5])  # [0.25, 2.]
    """
    return _reciprocal(x, name=name)


# Pow --------------------------------------------------------------------------------------------

_pow = define_op(
    "Pow",
    "x: T, y: T -> z: T",
    "T: {bfloat16, float, half, double, int8, int16, int32, int64, complex64, complex128}",
    shape=shape_inference.broadcast,
)
_pow.kernel(np.power)


@_pow.kernel(types={"T": _INTEGER})
def _integer_power(x: Any, y: Any) -> Any:
    if np.any(np.less(y, 0)):
        raise invalid("Integers to negative integer powers are not allowed")
    return np.power(x, y)


@_pow.gradient
def _pow_gradient(op: Operation, gradient: Any) -> Any:
    from tinytf.ops.comparison import not_equal
    from tinytf.ops.selection import where

    x, y = op.inputs
    cx: Any = conj(x)
    cy: Any = conj(y)
    gx = gradient * cy * pow(cx, cy - 1)
    # log(x) only where it has a value: a NaN there would spoil the sum over what was broadcast.
    mask = not_equal(cx, 0) if x.dtype.is_complex else cx > 0
    safe_x = where(mask, cx, ones_like(x))
    log_x = where(mask, log(safe_x), zeros_like(x))
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


# Exp --------------------------------------------------------------------------------------------

_exp = unary_card("Exp", np.exp)


@_exp.gradient
def _exp_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * conj(op.outputs[0])


def exp(x: Any, name: str | None = None) -> Tensor:
    """The exponential function, e to the power of x (TensorFlow: `tf.exp`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.exp([0.0, 1.0])  # [1., 2.7182817]
    """
    return _exp(x, name=name)


# Expm1 ------------------------------------------------------------------------------------------

_expm1 = unary_card("Expm1", np.expm1)


@_expm1.gradient
def _expm1_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * exp(conj(op.inputs[0]))


def expm1(x: Any, name: str | None = None) -> Tensor:
    """`exp(x) - 1`, exact near 0 as well (TensorFlow: `tf.expm1`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.expm1([0.0, 1e-10])  # [0., 1e-10]
    """
    return _expm1(x, name=name)


# Log --------------------------------------------------------------------------------------------

_log = unary_card("Log", np.log)


@_log.gradient
def _log_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * reciprocal(conj(op.inputs[0]))


def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithm; -inf for 0, NaN for negative numbers (TensorFlow: `tf.log`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.log([1.0, 0.5])  # [0., -0.6931472]
    """
    return _log(x, name=name)


# Log1p ------------------------------------------------------------------------------------------

_log1p = unary_card("Log1p", np.log1p)


@_log1p.gradient
def _log1p_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        x: Any = conj(op.inputs[0])
        return gradient * reciprocal(1 + x)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """`log(1 + x)`, exact near 0 as well (TensorFlow: `tf.log1p`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.log1p([0.0, 1e-10])  # [0., 1e-10]
    """
    return _log1p(x, name=name)


# Sin, Cos ---------------------------------------------------------------------------------------

_sin = unary_card("Sin", np.sin)
_cos = unary_card("Cos", np.cos)


@_sin.gradient
def _sin_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * cos(conj(op.inputs[0]))


@_cos.gradient
def _cos_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        x = conj(op.inputs[0])
        return -gradient * sin(x)


def sin(x: Any, name: str | None = None) -> Tensor:
    """The sine of an angle in radians (TensorFlow: `tf.sin`).

    Example:
      >>> tf.sin([0.0, np.pi / 2])  # [0., 1.]
    """
    return _sin(x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """The cosine of an angle in radians (TensorFlow: `tf.cos`).

    Example:
      >>> tf.cos([0.0, np.pi])  # [1., -1.]
    """
    return _cos(x, name=name)
