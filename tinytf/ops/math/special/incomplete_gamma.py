"""The incomplete gamma and beta functions.

Methods: the power series where x is the smaller argument, continued fractions elsewhere
(Abramowitz and Stegun, 6.5.29, 6.5.31 and 26.5.8). Their common factors, x**a exp(-x) / gamma(a)
and x**a (1-x)**b / beta(a, b), are written with what Stirling's formula leaves where a and b are
large, so that no digits cancel in the exponents.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.elementwise import after
from tinytf.ops.math.exp_log import exp, log
from tinytf.ops.math.no_nan import xlog1py, xlogy
from tinytf.ops.math.special.error_functions import REAL
from tinytf.ops.math.special.gamma_functions import (
    DOUBLE,
    digamma_values,
    lgamma,
    lgamma_values,
    shifted_down,
    stirling_rest,
    summed,
)
from tinytf.ops.math.special.series import in_double, until_small

_EPSILON = float(np.finfo(np.float64).eps)
_LIMIT = 100_000

# Values -----------------------------------------------------------------------------------------


def _common_factor(a: Any, x: Any) -> Any:
    """The value of x**a exp(-x) / gamma(a + 1)."""
    large = a >= 10.0
    product, y = shifted_down(np.where(large, 2.0, a) + 2.0)
    # gamma(a + 2) = (a + 1) gamma(a + 1), and gamma(y) is near 1 for y in [2, 3].
    small = x**a * np.exp(-x) * (a + 1.0) / (product * np.exp(lgamma_values(y)))
    b = np.where(large, a, 10.0)
    exponent = -b * _minus_log1p((x - b) / b) - stirling_rest(b)
    return np.where(large, np.exp(exponent) / np.sqrt(2 * np.pi * b), small)


def _minus_log1p(m: Any) -> Any:
    """What m has over log(1 + m) = 2 artanh(m / (2 + m)), without cancellation near 0."""
    v = m / (2.0 + m)
    square = v * v
    odd = np.zeros_like(v)
    for k in range(16, 0, -1):
        odd = (odd + 1.0 / (2 * k + 1)) * square
    return np.where(np.abs(m) < 0.5, m * v - 2.0 * v * odd, m - np.log1p(m))


def power_series(a: Any, x: Any) -> tuple[Any, Any]:
    """The sum of x**n / ((a+1) ... (a+n)) over n >= 0, and its derivative by a."""
    term, total = np.ones_like(x), np.ones_like(x)
    slope, total_slope = np.zeros_like(x), np.zeros_like(x)

    def step(n: int) -> bool:
        nonlocal term, total, slope, total_slope
        below = a + n
        slope = (slope - term / below) * x / below
        term = term * x / below
        total, total_slope = total + term, total_slope + slope
        small = (term <= _EPSILON * total) & (np.abs(slope) <= _EPSILON * np.abs(total_slope))
        return bool(np.all(small | (term == 0.0)))

    until_small(step, _LIMIT)
    return total, total_slope


def continued_fraction(a: Any, x: Any) -> tuple[Any, Any]:
    """gamma(a, x) / (x**a exp(-x)), the upper function's fraction, and its derivative by a.

    From the bottom up, where rounding errors die out; the depth was found by trying.
    """
    depth = min(_LIMIT, int(np.max(100.0 / x + 3.0 * np.sqrt(a)) + 20.0))
    level, slope = x + (2 * depth + 1) - a, -np.ones_like(x)
    for n in range(depth, 0, -1):
        part = n * (n - a)
        slope = -1.0 + (n + part * slope / level) / level
        level = x + (2 * n - 1) - a - part / level
    return 1.0 / level, -slope / level**2


def in_parts(a: Any, x: Any, series: Any, fraction: Any, limits: tuple[float, float]) -> Any:
    """NaN outside the domain, `limits` for a infinite and x infinite, else one of two formulas."""
    result = np.full_like(x, np.nan)
    inside = (a > 0.0) & (x >= 0.0) & np.isfinite(a) & np.isfinite(x)
    by_series = inside & ((x <= 1.0) | (x <= a))
    by_fraction = inside & ~by_series
    for where, formula in ((by_series, series), (by_fraction, fraction)):
        if where.any():
            result[where] = formula(a[where], x[where])
    result[(a > 0.0) & (x == np.inf)] = limits[1]
    result[(a == np.inf) & (x >= 0.0)] = limits[0]
    return result


def _lower(a: Any, x: Any) -> Any:
    return _common_factor(a, x) * power_series(a, x)[0]


def _upper(a: Any, x: Any) -> Any:
    return _common_factor(a, x) * a * continued_fraction(a, x)[0]


def igamma_values(a: Any, x: Any) -> Any:
    """The lower regularised incomplete gamma function of two float64 vectors."""
    result = in_parts(a, x, _lower, lambda a, x: 1.0 - _upper(a, x), (0.0, 1.0))
    result[x == 0.0] = 0.0
    return result


def igammac_values(a: Any, x: Any) -> Any:
    """The upper regularised incomplete gamma function of two float64 vectors."""
    result = in_parts(a, x, lambda a, x: 1.0 - _lower(a, x), _upper, (1.0, 0.0))
    result[(a == np.inf) & (x == np.inf)] = 0.0
    return result


def _lower_slope(a: Any, x: Any) -> Any:
    total, slope = power_series(a, x)
    by_a = total * (np.log(x) - digamma_values(a + 1.0)) + slope
    return np.where(x == 0.0, 0.0, _common_factor(a, x) * by_a)


def _upper_slope(a: Any, x: Any) -> Any:
    value, slope = continued_fraction(a, x)
    return -_common_factor(a, x) * a * (value * (np.log(x) - digamma_values(a)) + slope)


def igamma_grad_a_values(a: Any, x: Any) -> Any:
    """The derivative of `igamma_values` by a."""
    result = in_parts(a, x, _lower_slope, _upper_slope, (0.0, 0.0))
    result[x == 0.0] = 0.0
    return result


def _beta_fraction(a: Any, b: Any, x: Any) -> Any:
    """The continued fraction of the incomplete beta function, for x below its mean."""
    depth = min(_LIMIT, int(np.max(5.0 * np.sqrt(np.minimum(a, b))) + 100.0))
    level = np.ones_like(x)
    for m in range(depth, 0, -1):
        level = 1.0 - (a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0)) / level
        level = 1.0 + m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m)) / level
    return 1.0 / (1.0 - (a + b) * x / (a + 1.0) / level)


def _beta_density(a: Any, b: Any, x: Any, y: Any) -> Any:
    """x**a y**b / beta(a, b), where y is 1 - x."""
    total, large, small = a + b, np.maximum(a, b), np.minimum(a, b)
    both = small >= 10.0
    p, q = np.where(both, a, 10.0), np.where(both, b, 10.0)
    away = q * x - p * y  # from the maximum
    near = -p * _minus_log1p(away / p) - q * _minus_log1p(-away / q) + stirling_rest(p + q)
    near = np.exp(near - stirling_rest(p) - stirling_rest(q)) * np.sqrt(
        p / (p + q) * q / (2 * np.pi)
    )
    big = np.maximum(large, 10.0)
    ratio = (big - 0.5) * np.log1p(small / big) + small * (np.log(big + small) - 1.0)
    ratio += stirling_rest(big + small) - stirling_rest(big)  # log(gamma(total) / gamma(large))
    ratio = np.where(large >= 10.0, ratio, lgamma_values(total) - lgamma_values(large))
    far = np.exp(a * np.log(x) + b * np.log(y) + ratio - lgamma_values(small))
    return np.where(both, near, far)


def betainc_values(a: Any, b: Any, x: Any) -> Any:
    """The regularised incomplete beta function of three float64 vectors."""
    result = np.full_like(x, np.nan)
    allowed = ~(a <= 0.0) & ~(b <= 0.0)
    inside = (a > 0.0) & (b > 0.0) & (x > 0.0) & (x < 1.0) & np.isfinite(a) & np.isfinite(b)
    if inside.any():
        p, q, u = a[inside], b[inside], x[inside]
        turned = u > (p + 1.0) / (p + q + 2.0)
        p, q = np.where(turned, q, p), np.where(turned, p, q)
        u, v = np.where(turned, 1.0 - u, u), np.where(turned, u, 1.0 - u)
        part = _beta_density(p, q, u, v) / p * _beta_fraction(p, q, u)
        result[inside] = np.where(turned, 1.0 - part, part)
    result[allowed & (x == 0.0)] = 0.0
    result[allowed & (x == 1.0)] = 1.0
    return result


# Igamma, Igammac, IgammaGradA -------------------------------------------------------------------

_igamma = define_op("Igamma", "a: T, x: T -> z: T", REAL, kernel=in_double(igamma_values))
_igammac = define_op("Igammac", "a: T, x: T -> z: T", REAL, kernel=in_double(igammac_values))
_igamma_grad_a = define_op(
    "IgammaGradA", "a: T, x: T -> z: T", DOUBLE, kernel=in_double(igamma_grad_a_values)
)
for _card in (_igamma, _igammac, _igamma_grad_a):
    _card.shape(shape_inference.broadcast)


@_igamma.gradient
def _igamma_gradient(op: Operation, gradient: Any) -> Any:
    a: Any
    x: Any
    a, x = op.inputs
    shape_a, shape_x = ops.shape(a), ops.shape(x)
    axes_a, axes_x = broadcast_gradient_args(shape_a, shape_x)
    with after(gradient):
        by_a = _igamma_grad_a(a, x)
        by_x: Any = exp(-x + (a - 1) * log(x) - lgamma(a))  # in logarithms: gamma(a) is large
        return summed(by_a * gradient, shape_a, axes_a), summed(by_x * gradient, shape_x, axes_x)


@_igammac.gradient
def _igammac_gradient(op: Operation, gradient: Any) -> Any:
    by_a, by_x = _igamma_gradient(op, gradient)
    return -by_a, -by_x


def igamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The lower regularised incomplete gamma function P(a, x) (TensorFlow: `tf.igamma`).

    The share of the integral of `t**(a-1) exp(-t)` that lies between 0 and x.

    Args:
      a: positive; x: not negative. Float tensors of one type, broadcast.
      name: of the operation.

    Example:
      >>> tf.igamma(1.0, [0.0, 1.0, np.inf])  # [0., 0.63212056, 1.]
    """
    return _igamma(a, x, name=name)


def igammac(a: Any, x: Any, name: str | None = None) -> Any:
    """The upper regularised incomplete gamma function, `1 - igamma(a, x)` (`tf.igammac`).

    Example:
      >>> tf.igammac(1.0, [0.0, 1.0, np.inf])  # [1., 0.36787944, 0.]
    """
    return _igammac(a, x, name=name)


# Betainc ----------------------------------------------------------------------------------------

_betainc = define_op("Betainc", "a: T, b: T, x: T -> z: T", DOUBLE)


@_betainc.shape
def _betainc_shape(c: InferenceContext) -> TensorShape:
    sizes = [shape for shape in c.shapes() if shape.sizes is None or shape.sizes]
    if not sizes:
        return TensorShape.of(())
    known = TensorShape(None) if len(sizes) < 3 and None in [s.sizes for s in sizes] else sizes[0]
    for shape in sizes[1:]:
        known = merge(known, shape)
    return known


@_betainc.kernel
def _betainc_kernel(a: Array, b: Array, x: Array) -> Array:
    for (name, value), (other, against) in (
        (("a", a), ("b", b)),
        (("a", a), ("x", x)),
        (("b", b), ("x", x)),
    ):
        if value.ndim and against.ndim and value.shape != against.shape:
            raise invalid(
                f"Shapes of {name} and {other} are inconsistent: {shown(value)} vs. "
                f"{shown(against)}"
            )
    return _BETAINC(a, b, x)


_BETAINC = in_double(betainc_values)


@_betainc.gradient
def _betainc_gradient(op: Operation, gradient: Any) -> Any:
    a: Any
    b: Any
    x: Any
    a, b, x = op.inputs
    shape_a, shape = ops.shape(a), ops.shape(x)
    axes = broadcast_gradient_args(shape_a, shape)[1]
    log_beta: Any = lgamma(a) + lgamma(b) - lgamma(a + b)  # type: ignore[operator]
    by_x = exp(xlog1py(b - 1, -x) + xlogy(a - 1, x) - log_beta)
    return None, None, summed(by_x * gradient, shape, axes)


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Any:
    """The regularised incomplete beta function I_x(a, b) (TensorFlow: `tf.betainc`).

    Args:
      a, b: positive; x: between 0 and 1. float32 or float64 tensors of one shape, or numbers.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, if shapes other than that of a number differ.

    Example:
      >>> tf.betainc(2.0, 2.0, [0.0, 0.3, 1.0])  # [0., 0.216, 1.]
    """
    return _betainc(a, b, x, name=name)
