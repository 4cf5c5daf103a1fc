"""The modified Bessel functions I0 and I1, and the same divided by exp(|x|).

Method: polynomials of our own (`tables`) for exp(-x) I(x) up to 8, and from there on for
exp(-x) sqrt(x) I(x) in 1 / x. Within 5 units in the last place of float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.division import div
from tinytf.ops.math.elementwise import after, unary_card
from tinytf.ops.math.power import reciprocal
from tinytf.ops.math.sign import sign
from tinytf.ops.math.special import tables
from tinytf.ops.math.special.error_functions import REAL
from tinytf.ops.math.special.series import in_double, piecewise, polynomial

# Values -----------------------------------------------------------------------------------------


def _scaled(x: Any, near: Any, tail: Any) -> Any:
    """exp(-|x|) I0(x), or exp(-|x|) I1(x) / x below 8 and of |x| above."""
    return piecewise(
        np.abs(x),
        (np.abs(x) <= 8.0, lambda x: polynomial(near, x / 4.0 - 1.0)),
        (np.abs(x) > 8.0, lambda x: polynomial(tail, 16.0 / x - 1.0) / np.sqrt(x)),
    )


def i0e_values(x: Any) -> Any:
    """exp(-|x|) I0(x) of a float64 vector."""
    return _scaled(x, tables.BESSEL_I0, tables.BESSEL_I0_TAIL)


def i1e_values(x: Any) -> Any:
    """exp(-|x|) I1(x) of a float64 vector."""
    size = _scaled(x, tables.BESSEL_I1, tables.BESSEL_I1_TAIL)
    return np.where(np.abs(x) <= 8.0, x * size, np.copysign(size, x))


def _grown(function: Any) -> Any:
    """Times exp(|x|), in two steps: the product may be finite where exp(|x|) is not."""

    def values(x: Any) -> Any:
        half = np.exp(0.5 * np.abs(x))
        return np.where(np.isinf(x), np.nan, function(x) * half * half)

    return values


i0_values, i1_values = _grown(i0e_values), _grown(i1e_values)

# BesselI0, BesselI0e, BesselI1, BesselI1e -------------------------------------------------------

_i0 = unary_card("BesselI0", in_double(i0_values), REAL)
_i0e = unary_card("BesselI0e", in_double(i0e_values), REAL)
_i1 = unary_card("BesselI1", in_double(i1_values), REAL)
_i1e = unary_card("BesselI1e", in_double(i1e_values), REAL)


@_i0.gradient
def _i0_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * bessel_i1(op.inputs[0])


@_i0e.gradient
def _i0e_gradient(op: Operation, gradient: Any) -> Any:
    x: Any = op.inputs[0]
    with after(gradient):
        turned: Any = bessel_i1e(x)
        return gradient * (turned - sign(x) * op.outputs[0])  # type: ignore[operator]


def unless_zero(x: Any, at_zero: float, slope: Any) -> Any:
    """The slope where x is not 0; the formula divides by x."""
    condition = equal(x, 0.0)
    value = cast(at_zero, x.dtype.base_dtype)
    return where_v2(condition, value, slope())


@_i1.gradient
def _i1_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs[0], op.outputs[0]
    with after(gradient):
        return gradient * unless_zero(x, 1.0, lambda: bessel_i0(x) - div(y, x))


@_i1e.gradient
def _i1e_gradient(op: Operation, gradient: Any) -> Any:
    x: Any = op.inputs[0]
    y: Any = op.outputs[0]

    def slope() -> Any:
        first: Any = bessel_i0e(x)
        direction: Any = sign(x)
        return first - y * (direction + reciprocal(x))

    with after(gradient):
        return gradient * unless_zero(x, 0.5, slope)


def in_scope(card: OpCard, scope: str, x: Any, name: str | None) -> Any:
    """The node of this card under the name scope that TensorFlow puts around it."""
    with op_scope(name, scope, (x,)):
        return card(x)


def bessel_i0(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function I0 (TensorFlow: `tf.math.bessel_i0`).

    Args:
      x: a float tensor of any shape.
      name: a name scope, "bessel_i0" by default.

    Example:
      >>> tf.math.bessel_i0([0.0, 1.0])  # [1., 1.2660658]
    """
    return in_scope(_i0, "bessel_i0", x, name)


@of_sparse_values("bessel_i0e")
def bessel_i0e(x: Any, name: str | None = None) -> Any:
    """`exp(-|x|) * bessel_i0(x)`, which does not overflow (TensorFlow: `tf.math.bessel_i0e`).

    Example:
      >>> tf.math.bessel_i0e([0.0, 1000.0])  # [1., 0.01261724]
    """
    return in_scope(_i0e, "bessel_i0e", x, name)


def bessel_i1(x: Any, name: str | None = None) -> Any:
    """The modified Bessel function I1 (TensorFlow: `tf.math.bessel_i1`).

    Args:
      x: a float tensor of any shape.
      name: a name scope, "bessel_i1" by default.

    Example:
      >>> tf.math.bessel_i1([0.0, 1.0])  # [0., 0.5651591]
    """
    return in_scope(_i1, "bessel_i1", x, name)


@of_sparse_values("bessel_i1e")
def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """`exp(-|x|) * bessel_i1(x)`, which does not overflow (TensorFlow: `tf.math.bessel_i1e`).

    Example:
      >>> tf.math.bessel_i1e([0.0, 1000.0])  # [0., 0.01261093]
    """
    return in_scope(_i1e, "bessel_i1e", x, name)
