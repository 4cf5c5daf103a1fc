"""The error function and its relatives: erf, erfc, and their inverses.

Methods: polynomials of our own (`tables`) for erf(x) / x near 0 and for
exp(x**2) erfc(x) in (x - 2) / (x + 2) elsewhere; exp(-x**2) is computed in two factors, since
rounding x**2 alone would cost all but the first digits where x is large. The quantile of the
normal distribution is a polynomial in the middle, and in the tails one in the logarithm of
sqrt(-2 log p). All agree with exact values within 4 units in the last place of float64.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.elementwise import after, unary_card
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.power import square
from tinytf.ops.math.sign import negative
from tinytf.ops.math.special import tables
from tinytf.ops.math.special.series import in_double, piecewise, polynomial, scaled

REAL = "T: floattype"

# Values -----------------------------------------------------------------------------------------


def _erf_near_0(x: Any) -> Any:
    return x * polynomial(tables.ERF, 2.0 * x * x - 1.0)


def _erfc_tail(x: Any) -> Any:
    """The values of erfc from 0.5 on; beyond 28 it is below the smallest number."""
    x = np.minimum(x, 28.0)
    s = scaled((x - 2.0) / (x + 2.0), -0.6, 26.0 / 30.0)
    high = x.astype(np.float32).astype(np.float64)  # its square is exact
    power = np.exp(-high * high) * np.exp(-(x - high) * (x + high))
    return power * polynomial(tables.ERFC_TAIL, s) / (x + 0.5)


def erf_values(x: Any) -> Any:
    """The error function of a float64 vector."""
    return piecewise(
        x,
        (np.abs(x) <= 1.0, _erf_near_0),
        (np.abs(x) > 1.0, lambda x: np.copysign(1.0 - _erfc_tail(np.abs(x)), x)),
    )


def erfc_values(x: Any) -> Any:
    """One minus the error function, accurate where that is tiny, of a float64 vector."""
    return piecewise(
        x,
        (np.abs(x) <= 0.5, lambda x: 1.0 - _erf_near_0(x)),
        (x > 0.5, _erfc_tail),
        (x < -0.5, lambda x: 2.0 - _erfc_tail(-x)),
    )


def _quantile(q: Any, tail: Any) -> Any:
    """Where the normal distribution function is 1/2 + q; `tail` is 1/2 - |q|, exactly."""
    result = q * polynomial(tables.QUANTILE, np.clip(12.5 * q * q, 0.0, 2.0) - 1.0)
    outside = np.abs(q) > 0.4
    r = np.sqrt(-2.0 * np.log(tail[outside]))
    t = scaled(np.log(r), _LOW, _HIGH)
    far = np.where(np.isinf(r), np.inf, r * polynomial(tables.QUANTILE_TAIL, np.minimum(t, 1.0)))
    result[outside] = np.copysign(far, q[outside])
    return result


_LOW, _HIGH = float(np.log(np.sqrt(-2.0 * np.log(0.1)))), float(np.log(38.7))


def ndtri_values(p: Any) -> Any:
    """The quantile of the normal distribution of a float64 vector; NaN outside [0, 1]."""
    return _quantile(p - 0.5, np.minimum(p, 1.0 - p))


def erfinv_values(y: Any) -> Any:
    """The inverse of the error function of a float64 vector; NaN outside [-1, 1]."""
    return _quantile(0.5 * y, 0.5 - 0.5 * np.abs(y)) * np.sqrt(0.5)


# Erf, Erfc --------------------------------------------------------------------------------------

_erf = unary_card("Erf", in_double(erf_values), REAL)
_erfc = unary_card("Erfc", in_double(erfc_values), REAL)


def _bell(op: Operation, gradient: Any, factor: float) -> Any:
    """The gradient times factor * exp(-x**2)."""
    x, scale = op.inputs[0], constant(factor, dtype=gradient.dtype.base_dtype)
    with after(gradient):
        return gradient * scale * exp(negative(square(x)))


@_erf.gradient
def _erf_gradient(op: Operation, gradient: Any) -> Any:
    return _bell(op, gradient, 2 / np.sqrt(np.pi))


@_erfc.gradient
def _erfc_gradient(op: Operation, gradient: Any) -> Any:
    return _bell(op, gradient, -2 / np.sqrt(np.pi))


@of_sparse_values("Erf")
def erf(x: Any, name: str | None = None) -> Tensor:
    """The error function, 2 / sqrt(pi) times the integral of exp(-t**2) (TensorFlow: `tf.erf`).

    Args:
      x: a float tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.erf([0.0, 1.0, np.inf])  # [0., 0.8427008, 1.]
    """
    return _erf(x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """`1 - erf(x)`, accurate for large x as well (TensorFlow: `tf.erfc`).

    Args:
      x: a float tensor of any shape.
      name: of the operation.

    Example:
      >>> tf.erfc([0.0, 5.0])  # [1., 1.5374597e-12]
    """
    return _erfc(x, name=name)


# Erfinv, Ndtri ----------------------------------------------------------------------------------

_erfinv = unary_card("Erfinv", in_double(erfinv_values), REAL)
_ndtri = unary_card("Ndtri", in_double(ndtri_values), REAL)


@_erfinv.gradient
def _erfinv_gradient(op: Operation, gradient: Any) -> Any:
    scale = constant(np.sqrt(np.pi) / 2, dtype=gradient.dtype.base_dtype)
    with after(gradient):
        return gradient * scale * exp(square(op.outputs[0]))


@_ndtri.gradient
def _ndtri_gradient(op: Operation, gradient: Any) -> Any:
    scale = constant(np.sqrt(2 * np.pi), dtype=gradient.dtype.base_dtype)
    with after(gradient):
        half: Any = square(op.outputs[0])
        return gradient * scale * exp(half / 2.0)


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the error function (TensorFlow: `tf.math.erfinv`).

    Args:
      x: a float tensor; infinite at -1 and 1, NaN beyond.
      name: a name scope, "erfinv" by default.

    Example:
      >>> tf.math.erfinv([0.0, 0.5])  # [0., 0.4769363]
    """
    with op_scope(name, "erfinv", (x,)):
        return _erfinv(x)


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The quantile of the standard normal distribution (TensorFlow: `tf.math.ndtri`).

    Args:
      x: a float tensor of probabilities; infinite at 0 and 1, NaN beyond.
      name: a name scope, "ndtri" by default.

    Example:
      >>> tf.math.ndtri([0.5, 0.975])  # [0., 1.959964]
    """
    with op_scope(name, "ndtri", (x,)):
        return _ndtri(x)


def erfcinv(x: Any, name: str | None = None) -> Any:
    """The inverse of `erfc`, made of `ndtri` (TensorFlow: `tf.math.erfcinv`).

    Args:
      x: a float tensor; infinite at 0 and 2, NaN beyond.
      name: a name scope, "erfcinv" by default.

    Example:
      >>> tf.math.erfcinv([1.0, 0.5])  # [0., 0.4769363]
    """
    with op_scope(name, "erfcinv", (x,)):
        start: Any = convert_to_tensor(x, name="start")
        below: Any = ndtri(0.5 * start)
        return -below * np.sqrt(0.5)
