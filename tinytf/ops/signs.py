"""Signs, rounding, and what kind of number a float is: one tensor in, one out."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.complex_numbers import complex_abs
from tinytf.ops.composites import of_sparse_values
from tinytf.ops.filling import zeros_like
from tinytf.ops.op_scope import op_scope

_SIGNED = "T: {bfloat16, half, float, double, int8, int16, int32, int64, complex64, complex128}"
_REAL = "T: {bfloat16, half, float, double}"

# Neg --------------------------------------------------------------------------------------------

_neg = define_op(
    "Neg", "x: T -> y: T", _SIGNED, shape=shape_inference.unchanged, kernel=operator.neg
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


# Abs --------------------------------------------------------------------------------------------

_abs = define_op(
    "Abs",
    "x: T -> y: T",
    "T: {bfloat16, half, float, double, int8, int16, int32, int64}",
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


# Sign -------------------------------------------------------------------------------------------

_sign = define_op("Sign", "x: T -> y: T", _SIGNED, shape=shape_inference.unchanged)


@_sign.kernel
def _sign_kernel(x: Any) -> Any:
    if x.dtype.kind != "c":
        return np.sign(x)
    length = np.absolute(x)
    return np.where(np.equal(length, 0), x, np.divide(x, length)).astype(x.dtype, copy=False)


@_sign.gradient
def _sign_gradient(op: Operation, gradient: Any) -> Any:
    return zeros_like(op.inputs[0])


@of_sparse_values(None)
def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1; of a complex number z, z / |z| (TensorFlow: `tf.sign`).

    Args:
      x: a numeric tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.sign([-2.5, 0.0, 3.0])  # [-1., 0., 1.]
    """
    from tinytf.ops.casting import cast
    from tinytf.ops.division import _div_no_nan

    if not isinstance(x, Tensor):
        x = convert_to_tensor(x)
    if x.dtype.is_complex:
        return _div_no_nan(x, cast(complex_abs(x), x.dtype.base_dtype), name=name)
    return _sign(x, name=name)


# Floor, Ceil, Rint ------------------------------------------------------------------------------

_floor = define_op("Floor", "x: T -> y: T", _REAL, kernel=np.floor)
_ceil = define_op("Ceil", "x: T -> y: T", _REAL, kernel=np.ceil)
_rint = define_op("Rint", "x: T -> y: T", _REAL, kernel=np.rint)
for _card in (_floor, _ceil, _rint):
    _card.shape(shape_inference.unchanged)
    _card.not_differentiable("rounding is a step function: its derivative is 0 wherever it has one")


def floor(x: Any, name: str | None = None) -> Tensor:
    """The largest whole number not above x, as a float (TensorFlow: `tf.floor`).

    Example:
      >>> tf.floor([1.7, -1.2])  # [1., -2.]
    """
    return _floor(x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """The smallest whole number not below x, as a float (TensorFlow: `tf.ceil`).

    Example:
      >>> tf.ceil([1.2, -1.7])  # [2., -1.]
    """
    return _ceil(x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two (TensorFlow: `tf.rint`).

    Example:
      >>> tf.rint([0.5, 1.5, -2.3])  # [0., 2., -2.]
    """
    return _rint(x, name=name)


# Round ------------------------------------------------------------------------------------------

_round = define_op(
    "Round",
    "x: T -> y: T",
    _SIGNED,
    shape=shape_inference.unchanged,
    no_gradient="rounding is a step function: its derivative is 0 wherever it has one",
)
_round.kernel(np.rint, types={"T": ["bfloat16", "half", "float", "double"]})


@_round.kernel(types={"T": ["int32", "int64"]})
def _round_integer(x: Any) -> Any:
    return x


def round(x: Any, name: str | None = None) -> Tensor:
    """The nearest whole number, the even one of two (TensorFlow: `tf.round`).

    Args:
      x: a real tensor of any shape; one of integers is returned as it is.
      name: of the operation.

    Example:
      >>> tf.round([0.5, 1.5, -2.3])  # [0, 2, -2]
    """
    x = convert_to_tensor(x, name="x")
    return x if x.dtype.is_integer else _round(x, name=name)


# IsNan, IsInf, IsFinite -------------------------------------------------------------------------

_is_nan = define_op("IsNan", "x: T -> y: bool", _REAL, kernel=np.isnan)
_is_inf = define_op("IsInf", "x: T -> y: bool", _REAL, kernel=np.isinf)
_is_finite = define_op("IsFinite", "x: T -> y: bool", _REAL, kernel=np.isfinite)
for _card in (_is_nan, _is_inf, _is_finite):
    _card.shape(shape_inference.unchanged)
    _card.not_differentiable("the result is no number")


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Which elements are "not a number" (TensorFlow: `tf.is_nan`).

    Example:
      >>> tf.is_nan([1.0, np.nan, np.inf])  # [False, True, False]
    """
    return _is_nan(x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Which elements are infinite (TensorFlow: `tf.is_inf`).

    Example:
      >>> tf.is_inf([1.0, np.nan, np.inf])  # [False, False, True]
    """
    return _is_inf(x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Which elements are neither infinite nor "not a number" (TensorFlow: `tf.is_finite`).

    Example:
      >>> tf.is_finite([1.0, np.nan, np.inf])  # [True, False, False]
    """
    return _is_finite(x, name=name)
