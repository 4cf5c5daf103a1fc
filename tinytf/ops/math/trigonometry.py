"""Tangent, the inverse functions of the circle, and the hyperbolic functions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.broadcast_gradients import reduce_to_inputs
from tinytf.ops.math.arithmetic import add, subtract
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.elementwise import after, unary_card
from tinytf.ops.math.power import reciprocal, sqrt, square

# Tan --------------------------------------------------------------------------------------------

_tan = unary_card("Tan", np.tan)


@_tan.gradient
def _tan_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        secant = reciprocal(cos(conj(op.inputs[0])))
        return square(secant) * gradient


def tan(x: Any, name: str | None = None) -> Tensor:
    """The tangent of an angle in radians (TensorFlow: `tf.tan`).

    Args:
      x: a float or complex tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.tan([0.0, np.pi / 4])  # [0., 1.]
    """
    return _tan(x, name=name)


# Asin, Acos, Atan, Atanh ------------------------------------------------------------------------

_asin = unary_card("Asin", np.arcsin)
_acos = unary_card("Acos", np.arccos)
_atan = unary_card("Atan", np.arctan)
_atanh = unary_card("Atanh", np.arctanh)


def _inverse(op: Operation, gradient: Any, below: Any) -> Any:
    """The derivative 1 / below(1, x**2)."""
    squared = square(conj(op.inputs[0]))
    one = constant(1, dtype=gradient.dtype.base_dtype)
    return reciprocal(below(one, squared))


def _root_of_difference(one: Any, squared: Any) -> Tensor:
    return sqrt(subtract(one, squared))


@_asin.gradient
def _asin_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * _inverse(op, gradient, _root_of_difference)


@_acos.gradient
def _acos_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        slope = _inverse(op, gradient, _root_of_difference)
        return -gradient * slope


@_atan.gradient
def _atan_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * _inverse(op, gradient, add)


@_atanh.gradient
def _atanh_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * _inverse(op, gradient, subtract)


def asin(x: Any, name: str | None = None) -> Tensor:
    """The angle with the sine x, between -pi / 2 and pi / 2 (TensorFlow: `tf.asin`).

    Args:
      x: a float or complex tensor; real numbers beyond -1 and 1 give NaN.
      name: of the operation.

    Example:
      >>> tf.asin([0.0, 1.0])  # [0., 1.5707963]
    """
    return _asin(x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """The angle with the cosine x, between 0 and pi (TensorFlow: `tf.acos`).

    Args:
      x: a float or complex tensor; real numbers beyond -1 and 1 give NaN.
      name: of the operation.

    Example:
      >>> tf.acos([1.0, -1.0])  # [0., 3.1415927]
    """
    return _acos(x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """The angle with the tangent x, between -pi / 2 and pi / 2 (TensorFlow: `tf.atan`).

    Example:
      >>> tf.atan([0.0, 1.0])  # [0., 0.7853982]
    """
    return _atan(x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of `tanh`; infinite at -1 and 1, NaN beyond (TensorFlow: `tf.atanh`).

    Example:
      >>> tf.atanh([0.0, 0.5])  # [0., 0.54930615]
    """
    return _atanh(x, name=name)


# Atan2 ------------------------------------------------------------------------------------------

_atan2 = define_op(
    "Atan2",
    "y: T, x: T -> z: T",
    "T: floattype",
    shape=shape_inference.broadcast,
    kernel=np.arctan2,
)


@_atan2.gradient
def _atan2_gradient(op: Operation, gradient: Any) -> Any:
    y: Any
    x: Any
    y, x = op.inputs
    with after(gradient):
        scaled = gradient / (square(y) + square(x))  # type: ignore[operator]
        gy = x * scaled
        return reduce_to_inputs(y, x, gy, -y * scaled)


def atan2(y: Any, x: Any, name: str | None = None) -> Tensor:
    """The angle of the point (x, y), between -pi and pi, broadcast (TensorFlow: `tf.atan2`).

    Args:
      y, x: float tensors of one type.
      name: of the operation.

    Example:
      >>> tf.atan2([1.0, -1.0], -1.0)  # [2.3561945, -2.3561945]
    """
    return _atan2(y, x, name=name)


# Sinh, Cosh, Asinh, Acosh -----------------------------------------------------------------------

_sinh = unary_card("Sinh", np.sinh)
_cosh = unary_card("Cosh", np.cosh)
_asinh = unary_card("Asinh", np.arcsinh)
_acosh = unary_card("Acosh", np.arccosh)


@_sinh.gradient
def _sinh_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * cosh(conj(op.inputs[0]))


@_cosh.gradient
def _cosh_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * sinh(conj(op.inputs[0]))


@_asinh.gradient
def _asinh_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient / cosh(conj(op.outputs[0]))


@_acosh.gradient
def _acosh_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient / sinh(conj(op.outputs[0]))


def sinh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic sine, (exp(x) - exp(-x)) / 2 (TensorFlow: `tf.sinh`).

    Example:
      >>> tf.sinh([0.0, 1.0])  # [0., 1.1752012]
    """
    return _sinh(x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic cosine, (exp(x) + exp(-x)) / 2 (TensorFlow: `tf.cosh`).

    Example:
      >>> tf.cosh([0.0, 1.0])  # [1., 1.5430807]
    """
    return _cosh(x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of `sinh` (TensorFlow: `tf.asinh`).

    Example:
      >>> tf.asinh([0.0, 1.0])  # [0., 0.8813736]
    """
    return _asinh(x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """The inverse of `cosh`; NaN below 1 (TensorFlow: `tf.acosh`).

    Example:
      >>> tf.acosh([1.0, 2.0])  # [0., 1.316958]
    """
    return _acosh(x, name=name)


# Sin, Cos -----------------------------------------------------------------------------------------

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
