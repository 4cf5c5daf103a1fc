"""The functions of `tf.math.special`: Bessel functions J, Y and K, and some integrals.

Method: polynomials of our own (`tables`) for what is smooth in each function, near 0 and
far from it. For large x, J and Y are sqrt(2 / (pi x)) times P cos(a) - 8/x Q sin(a) and
P sin(a) + 8/x Q cos(a) with a = x - pi/4, less pi/2 for order 1. Within 10 units in the last place
of float64, but for the neighbourhood of zeros.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.ops.array.fill import ones_like
from tinytf.ops.array.where import where
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.division import div
from tinytf.ops.math.elementwise import after, unary_card
from tinytf.ops.math.exp_log import exp, log
from tinytf.ops.math.power import reciprocal, square
from tinytf.ops.math.special import tables
from tinytf.ops.math.special.bessel import i0_values, i1_values, in_scope, unless_zero
from tinytf.ops.math.special.error_functions import REAL
from tinytf.ops.math.special.series import in_double, piecewise, polynomial, scaled
from tinytf.ops.math.trigonometry import cos, sin

# Bessel functions ---------------------------------------------------------------------------------


def _j(x: Any, order: int) -> Any:
    table = tables.BESSEL_J1 if order else tables.BESSEL_J0
    value = polynomial(table, x * x / 32.0 - 1.0)
    return x * value if order else value


def _y(x: Any, order: int) -> Any:
    rest = polynomial(tables.BESSEL_Y1 if order else tables.BESSEL_Y0, x * x / 32.0 - 1.0)
    by_log = 2.0 / np.pi * np.log(x) * _j(x, order)
    return x * rest + (by_log - 2.0 / (np.pi * x)) if order else rest + by_log


def _wave(x: Any, order: int, second: bool) -> Any:
    t = 128.0 / (x * x) - 1.0
    p = polynomial(tables.HANKEL_P1 if order else tables.HANKEL_P0, t)
    q = polynomial(tables.HANKEL_Q1 if order else tables.HANKEL_Q0, t) * 8.0 / x
    sine, cosine = np.sin(x), np.cos(x)
    # Of a, both times sqrt(2).
    first, other = (sine - cosine, -sine - cosine) if order else (cosine + sine, sine - cosine)
    wave = p * other + q * first if second else p * first - q * other
    return wave / np.sqrt(np.pi * x)


def _j_values(order: int) -> Callable[[Any], Any]:
    def values(x: Any) -> Any:
        size = piecewise(
            np.abs(x),
            (np.abs(x) <= 8.0, lambda x: _j(x, order)),
            ((np.abs(x) > 8.0) & np.isfinite(x), lambda x: _wave(x, order, False)),
        )
        return np.copysign(1.0, x) * size if order else size

    return values


def _y_values(order: int) -> Callable[[Any], Any]:
    return lambda x: piecewise(
        x,
        (x <= 0.0, lambda x: np.full_like(x, -np.inf)),
        ((x > 0.0) & (x <= 8.0), lambda x: _y(x, order)),
        ((x > 8.0) & (x < np.inf), lambda x: _wave(x, order, True)),
    )


def _k_near(x: Any, order: int) -> Any:
    rest = polynomial(tables.BESSEL_K1 if order else tables.BESSEL_K0, x * x / 2.0 - 1.0)
    if order:
        return rest / x + np.log(x / 2.0) * i1_values(x)
    return rest - np.log(x / 2.0) * i0_values(x)


def _k_values(order: int, grown: bool) -> Callable[[Any], Any]:
    tail = tables.BESSEL_K1_TAIL if order else tables.BESSEL_K0_TAIL

    def near(x: Any) -> Any:
        return _k_near(x, order) * (np.exp(x) if grown else 1.0)

    def far(x: Any) -> Any:
        value = polynomial(tail, 4.0 / x - 1.0) / np.sqrt(x)
        return value if grown else value * np.exp(-x)

    return lambda x: piecewise(
        x,
        (x <= 0.0, lambda x: np.full_like(x, np.inf)),
        ((x > 0.0) & (x <= 2.0), near),
        (x > 2.0, far),
    )


j0_values, j1_values = _j_values(0), _j_values(1)
y0_values, y1_values = _y_values(0), _y_values(1)
k0_values, k1_values = _k_values(0, False), _k_values(1, False)
k0e_values, k1e_values = _k_values(0, True), _k_values(1, True)

# Integrals ----------------------------------------------------------------------------------------


def dawsn_values(x: Any) -> Any:
    """exp(-x**2) times the integral of exp(t**2) from 0 to x, of a float64 vector."""
    return piecewise(
        x,
        (np.abs(x) <= 4.0, lambda x: x * polynomial(tables.DAWSON, x * x / 8.0 - 1.0)),
        (np.abs(x) > 4.0, lambda x: polynomial(tables.DAWSON_TAIL, 32.0 / x / x - 1.0) / (2.0 * x)),
    )


def expint_values(x: Any) -> Any:
    """The exponential integral Ei of a float64 vector; NaN below 0."""
    rest = np.euler_gamma
    return piecewise(
        x,
        (
            (x >= 0.0) & (x <= 6.0),
            lambda x: np.log(x) + (rest + x * polynomial(tables.EXPINT, x / 3.0 - 1.0)),
        ),
        (
            (x > 6.0) & (x <= 16.0),
            lambda x: (
                np.exp(x) / x * polynomial(tables.EXPINT_MIDDLE, scaled(1 / x, 1 / 16, 1 / 6))
            ),
        ),
        (
            (x > 16.0) & (x < np.inf),
            lambda x: np.exp(x) / x * polynomial(tables.EXPINT_TAIL, 32.0 / x - 1.0),
        ),
    )


def _fresnel(x: Any, sine: bool) -> Any:
    near, size = tables.FRESNEL_S if sine else tables.FRESNEL_C, np.abs(x)

    def small(x: Any) -> Any:
        return polynomial(near, x**4 / 8.0 - 1.0) * (x**3 if sine else x)

    def large(x: Any) -> Any:
        t = 32.0 / x**4 - 1.0
        f = polynomial(tables.FRESNEL_F, t) / (np.pi * x)
        g = polynomial(tables.FRESNEL_G, t) / (np.pi**2 * x**3)
        # Modulo 4, and from two parts, the first of which has an exact square: the sine and
        # cosine of a large rounded square would be off.
        high = np.minimum(x, 1e8).astype(np.float32).astype(np.float64)
        angle = np.pi / 2.0 * (np.fmod(high * high, 4.0) + (x - high) * (x + high))
        angle = np.where(x < 1e8, angle, 0.0)
        if sine:
            return 0.5 - f * np.cos(angle) - g * np.sin(angle)
        return 0.5 + f * np.sin(angle) - g * np.cos(angle)

    return np.copysign(piecewise(size, (size <= 2.0, small), (size > 2.0, large)), x)


def fresnel_cos_values(x: Any) -> Any:
    """The integral of cos(pi t**2 / 2) from 0 to x, of a float64 vector."""
    return _fresnel(x, False)


def fresnel_sin_values(x: Any) -> Any:
    """The integral of sin(pi t**2 / 2) from 0 to x, of a float64 vector."""
    return _fresnel(x, True)


def _dilogarithm(u: Any) -> Any:
    return u * polynomial(tables.DILOGARITHM, 2.0 * u)


def _dilogarithm_to_1(u: Any, rest: Any) -> Any:
    """Of u between 0 and 1, where `rest` is 1 - u: by reflection from 1/2 on."""
    products = np.where(rest == 0.0, 0.0, np.log(u) * np.log(rest))
    return np.where(
        u <= 0.5,
        _dilogarithm(np.minimum(u, 0.5)),
        np.pi**2 / 6.0 - products - _dilogarithm(np.minimum(rest, 0.5)),
    )


def spence_values(x: Any) -> Any:
    """The integral of log(t) / (1 - t) from 1 to x, of a float64 vector; NaN below 0."""
    return piecewise(
        x,
        ((x >= 0.0) & (x < 0.5), lambda x: _dilogarithm_to_1(1.0 - x, x)),
        ((x >= 0.5) & (x <= 1.5), lambda x: _dilogarithm(1.0 - x)),
        (
            (x > 1.5) & (x < np.inf),
            lambda x: -_dilogarithm_to_1((x - 1.0) / x, 1.0 / x) - 0.5 * np.log(x) ** 2,
        ),
    )


# Cards --------------------------------------------------------------------------------------------


def _card(op_type: str, values: Callable[[Any], Any], slope: Callable[[Any, Any], Any]) -> OpCard:
    """A card with the derivative `slope(x, y)`, y being the value at x."""
    card = unary_card(op_type, in_double(values), REAL)

    @card.gradient
    def gradient_of_one(op: Operation, gradient: Any) -> Any:
        with after(gradient):
            return gradient * slope(op.inputs[0], op.outputs[0])

    return card


def _any(value: Any) -> Any:
    """The value, for operators that a type checker does not know."""
    return value


def _negative(value: Any) -> Any:
    return -value


_j0 = _card("BesselJ0", j0_values, lambda x, y: _negative(bessel_j1(x)))
_j1 = _card(
    "BesselJ1", j1_values, lambda x, y: unless_zero(x, 0.5, lambda: bessel_j0(x) - div(y, x))
)
_y0 = _card("BesselY0", y0_values, lambda x, y: _negative(bessel_y1(x)))
_y1 = _card("BesselY1", y1_values, lambda x, y: bessel_y0(x) - div(y, x))
_k0 = _card("BesselK0", k0_values, lambda x, y: _negative(bessel_k1(x)))
_k0e = _card("BesselK0e", k0e_values, lambda x, y: y - bessel_k1e(x))
_k1 = _card("BesselK1", k1_values, lambda x, y: _negative(bessel_k0(x)) - div(y, x))
_k1e = _card("BesselK1e", k1e_values, lambda x, y: y * (1.0 - _any(reciprocal(x))) - bessel_k0e(x))
_dawsn = _card("Dawsn", dawsn_values, lambda x, y: 1.0 - 2 * x * y)
_fresnel_cos = _card(
    "FresnelCos", fresnel_cos_values, lambda x, y: cos(np.pi / 2.0 * _any(square(x)))
)
_fresnel_sin = _card(
    "FresnelSin", fresnel_sin_values, lambda x, y: sin(np.pi / 2.0 * _any(square(x)))
)
_expint = unary_card("Expint", in_double(expint_values), REAL)


@_expint.gradient
def _expint_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * exp(op.inputs[0]) / op.inputs[0]


def _spence_slope(x: Any, y: Any) -> Any:
    slope: Any = log(x) / (1 - x)
    return where(equal(x, 1.0), -ones_like(x), slope)  # type: ignore[operator]


_spence = _card("Spence", spence_values, _spence_slope)


def _public(card: OpCard, name: str, what: str, example: str) -> Callable[..., Any]:
    def function(x: Any, name: str | None = None) -> Any:
        return in_scope(card, function.__name__, x, name)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""{what} (TensorFlow: `tf.math.special.{name}`).

    Args:
      x: a float tensor of any shape.
      name: a name scope, "{name}" by default.

    Example:
      >>> tf.math.special.{name}({example}
    """
    return function


_Function = Callable[..., Any]
_BESSEL = "The Bessel function "
bessel_j0: _Function = _public(_j0, "bessel_j0", _BESSEL + "J0", "[0.0, 1.0])  # [1., 0.7651977]")
bessel_j1: _Function = _public(_j1, "bessel_j1", _BESSEL + "J1", "[0.0, 1.0])  # [0., 0.4400506]")
bessel_y0: _Function = _public(_y0, "bessel_y0", _BESSEL + "Y0", "1.0)  # 0.08825696")
bessel_y1: _Function = _public(_y1, "bessel_y1", _BESSEL + "Y1", "1.0)  # -0.7812128")
bessel_k0: _Function = _public(_k0, "bessel_k0", _BESSEL + "K0", "1.0)  # 0.42102444")
bessel_k0e: _Function = _public(
    _k0e, "bessel_k0e", _BESSEL + "K0 times exp(x)", "1.0)  # 1.1444631"
)
bessel_k1: _Function = _public(_k1, "bessel_k1", _BESSEL + "K1", "1.0)  # 0.6019072")
bessel_k1e: _Function = _public(
    _k1e, "bessel_k1e", _BESSEL + "K1 times exp(x)", "1.0)  # 1.6361535"
)
dawsn: _Function = _public(_dawsn, "dawsn", "Dawson's integral", "[0.0, 1.0])  # [0., 0.5380795]")
expint: _Function = _public(_expint, "expint", "The exponential integral Ei", "1.0)  # 1.8951178")
fresnel_cos: _Function = _public(
    _fresnel_cos, "fresnel_cos", "Fresnel's C", "[0.0, 1.0])  # [0., 0.7798934]"
)
fresnel_sin: _Function = _public(
    _fresnel_sin, "fresnel_sin", "Fresnel's S", "[0.0, 1.0])  # [0., 0.43825915]"
)
spence: _Function = _public(
    _spence, "spence", "Spence's integral", "[1.0, 2.0])  # [0., -0.82246703]"
)
