"""The gamma function's logarithm and its derivatives; the zeta function.

Methods: between 1 and 3 (for digamma, 2) polynomials of our own, which have the function's zeros
as factors; up to 10 the recurrence leads there; from 10 on the asymptotic series in Bernoulli
numbers (Abramowitz and Stegun, 6.1.40 and 6.3.18); below 0 the reflection formulas (6.1.17,
6.3.7). The Hurwitz zeta function is summed by Euler and Maclaurin's formula, at negative arguments
after two reflections. Within 10 units in the last place of float64, except beside zeros of the
functions at negative arguments, where the difference counts against the summands.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.elementwise import after, unary_card
from tinytf.ops.math.special import tables
from tinytf.ops.math.special.error_functions import REAL
from tinytf.ops.math.special.series import in_double, piecewise, polynomial
from tinytf.ops.reduce.reduction import reduce_sum

DOUBLE = "T: {float, double}"

# Values -----------------------------------------------------------------------------------------

#: B(2k) / (2k (2k - 1)): the series of lgamma in 1 / x.
_STIRLING = (
    1 / 12,
    -1 / 360,
    1 / 1260,
    -1 / 1680,
    1 / 1188,
    -691 / 360360,
    1 / 156,
    -3617 / 122400,
)
#: B(2k) / (2k): the series of digamma in 1 / x**2.
_DIGAMMA_TAIL = (1 / 12, -1 / 120, 1 / 252, -1 / 240, 1 / 132, -691 / 32760, 1 / 12, -3617 / 8160)
#: Where digamma is 0, and what a float64 leaves of it.
_ROOT, _ROOT_REST = 1.4616321449683622, 9.549995429965697e-17
_FACTORIALS = np.append(np.cumprod(np.maximum(np.arange(171.0), 1.0)), np.inf)


def stirling_rest(x: Any) -> Any:
    """What Stirling's formula for lgamma leaves out, for x of 10 and above."""
    return polynomial(_STIRLING, 1.0 / (x * x)) / x


def shifted_down(x: Any) -> tuple[Any, Any]:
    """(p, y) with gamma(x) = p gamma(y) and y in [2, 3], for x between 3 and 11."""
    product, y = np.ones_like(x), x.copy()
    while (high := y > 3.0).any():
        y = np.where(high, y - 1.0, y)
        product = np.where(high, product * y, product)
    return product, y


def _lgamma_1_to_3(x: Any) -> Any:
    # + 0.0: the zero at 1 is not a negative one
    return (x - 1.0) * (x - 2.0) * polynomial(tables.LGAMMA, x - 2.0) + 0.0


def _lgamma_0_to_1(x: Any) -> Any:
    return x * (x - 1.0) * polynomial(tables.LGAMMA, x - 1.0) - np.log(x)


def _lgamma_3_to_10(x: Any) -> Any:
    product, y = shifted_down(x)
    return np.log(product) + _lgamma_1_to_3(y)


def _lgamma_large(x: Any) -> Any:
    log_x = np.log(x)
    return x * (log_x - 1.0) - 0.5 * log_x + (0.5 * np.log(2 * np.pi) + stirling_rest(x))


def _lgamma_negative(x: Any) -> Any:
    sine = np.abs(np.sin(np.pi * (x - np.rint(x))))
    return np.log(np.pi / (-x * sine)) - lgamma_values(-x)


def lgamma_values(x: Any) -> Any:
    """The logarithm of the absolute value of the gamma function of a float64 vector."""
    return piecewise(
        x,
        (np.isinf(x) | (x == 0.0), lambda x: np.full_like(x, np.inf)),
        ((x > 0.0) & (x < 1.0), _lgamma_0_to_1),
        ((x >= 1.0) & (x <= 3.0), _lgamma_1_to_3),
        ((x > 3.0) & (x < 10.0), _lgamma_3_to_10),
        ((x >= 10.0) & (x < np.inf), _lgamma_large),
        ((x < 0.0) & (x > -np.inf), _lgamma_negative),
    )


def _digamma_1_to_2(x: Any) -> Any:
    return ((x - _ROOT) - _ROOT_REST) * polynomial(tables.DIGAMMA, 2.0 * x - 3.0)


def _digamma_2_to_10(x: Any) -> Any:
    total, y = np.zeros_like(x), x.copy()
    while (high := y > 2.0).any():
        y = np.where(high, y - 1.0, y)
        total = np.where(high, total + 1.0 / y, total)
    return total + _digamma_1_to_2(y)


def _digamma_large(x: Any) -> Any:
    square = 1.0 / (x * x)
    return np.log(x) - 0.5 / x - square * polynomial(_DIGAMMA_TAIL, square)


def _digamma_negative(x: Any) -> Any:
    rest = x - np.rint(x)
    rest[rest == 0.0] = np.nan  # poles from both sides
    return digamma_values(-x) - 1.0 / x - np.pi / np.tan(np.pi * rest)


def digamma_values(x: Any) -> Any:
    """The logarithmic derivative of the gamma function of a float64 vector."""
    return piecewise(
        x,
        ((x > 0.0) & (x < 1.0), lambda x: _digamma_1_to_2(x + 1.0) - 1.0 / x),
        ((x >= 1.0) & (x <= 2.0), _digamma_1_to_2),
        ((x > 2.0) & (x < 10.0), _digamma_2_to_10),
        (x >= 10.0, _digamma_large),
        (x < 0.0, _digamma_negative),
    )


def _zeta_positive(s: Any, q: Any) -> Any:
    """Hurwitz' zeta function for s > 1, q > 0: nine terms, and the formula for the rest."""
    total = np.zeros_like(q)
    for k in range(9):
        total += (q + k) ** -s
    w = q + 9.0
    power = w**-s
    factor, square = s / w, 1.0 / (w * w)
    rest = power * (w / (s - 1.0) + 0.5)
    for k, coefficient in enumerate(tables.MACLAURIN):
        rest += coefficient * power * factor
        factor = factor * (s + (2 * k + 1)) * (s + (2 * k + 2)) * square
    return total + np.where(power == 0.0, 0.0, rest)


def zeta_values(s: Any, q: Any) -> Any:
    """The sum of (q + k)**-s over k = 0, 1 ..., of two float64 vectors of one length."""
    result = np.full_like(q, np.nan)
    whole = np.floor(s) == s
    right = (s > 1.0) & (q > 0.0)
    result[right] = _zeta_positive(s[right], q[right])
    left = (s > 1.0) & (s < np.inf) & (q < 0.0) & (np.floor(q) != q) & whole
    if left.any():
        t, u = s[left], q[left]
        part = u - np.floor(u)
        even = np.where(t % 2.0 == 0.0, 1.0, -1.0)
        around_0 = _zeta_positive(t, part) + even * _zeta_positive(t, 1.0 - part)
        result[left] = around_0 - even * _zeta_positive(t, 1.0 - u)
    # At the poles of odd exponents the signs differ from both sides: NaN.
    result[(s > 1.0) & (s % 2.0 == 0.0) & (q <= 0.0) & (np.floor(q) == q)] = np.inf
    result[np.isposinf(s) & (q < 1.0)] = np.inf
    result[s == 1.0] = np.inf
    return result


def polygamma_values(n: Any, x: Any) -> Any:
    """The n-th derivative of digamma, of two float64 vectors; NaN unless n is 0, 1, 2 ..."""
    result = np.full_like(x, np.nan)
    zero = n == 0.0
    result[zero] = digamma_values(x[zero])
    whole = (n > 0.0) & (np.floor(n) == n)
    order = n[whole]
    factorial = _FACTORIALS[np.minimum(order, 171.0).astype(int)]
    sign = np.where(order % 2.0 == 0.0, -1.0, 1.0)
    result[whole] = sign * factorial * zeta_values(order + 1.0, x[whole])
    return result


# Lgamma, Digamma --------------------------------------------------------------------------------

_lgamma = unary_card("Lgamma", in_double(lgamma_values), REAL)
_digamma = unary_card("Digamma", in_double(digamma_values), REAL)


@_lgamma.gradient
def _lgamma_gradient(op: Operation, gradient: Any) -> Any:
    with after(gradient):
        return gradient * digamma(op.inputs[0])


@_digamma.gradient
def _digamma_gradient(op: Operation, gradient: Any) -> Any:
    x = op.inputs[0]
    with after(gradient):
        return gradient * polygamma(constant(1, dtype=x.dtype.base_dtype), x)


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the absolute value of the gamma function (TensorFlow: `tf.lgamma`).

    Args:
      x: a float tensor of any shape; infinite at 0, -1, -2 ...
      name: of the operation.

    Example:
      >>> tf.lgamma([0.5, 1.0, 5.0])  # [0.5723649, 0., 3.1780539]
    """
    return _lgamma(x, name=name)


def digamma(x: Any, name: str | None = None) -> Tensor:
    """The derivative of `lgamma` (TensorFlow: `tf.digamma`).

    Args:
      x: a float tensor of any shape; NaN at 0, -1, -2 ...
      name: of the operation.

    Example:
      >>> tf.digamma([1.0, 2.0])  # [-0.5772157, 0.4227843]
    """
    return _digamma(x, name=name)


def lbeta(x: Any, name: str | None = None) -> Any:
    """The logarithm of the beta function, along the last dimension (TensorFlow: `tf.lbeta`).

    `sum(lgamma(x)) - lgamma(sum(x))`: of two numbers, Euler's beta function.

    Args:
      x: a float tensor of rank 1 or more.
      name: a name scope, "lbeta" by default.

    Example:
      >>> tf.lbeta([[1.0, 1.0], [1.0, 2.0]])  # [0., -0.6931472]
    """
    with op_scope(name, "lbeta", (x,)):
        x = convert_to_tensor(x, name="x")
        of_each: Any = reduce_sum(lgamma(x), [-1])
        return of_each - lgamma(reduce_sum(x, [-1]))


# Polygamma, Zeta --------------------------------------------------------------------------------

_polygamma = define_op(
    "Polygamma",
    "a: T, x: T -> z: T",
    DOUBLE,
    shape=shape_inference.broadcast,
    kernel=in_double(polygamma_values),
)
_zeta = define_op(
    "Zeta",
    "x: T, q: T -> z: T",
    DOUBLE,
    shape=shape_inference.broadcast,
    kernel=in_double(zeta_values),
)


def summed(gradient: Any, shape: Any, axes: Any) -> Any:
    """A gradient summed over the axes that were broadcast, in the input's shape."""
    return ops.reshape(reduce_sum(gradient, axes), shape)


@_polygamma.gradient
def _polygamma_gradient(op: Operation, gradient: Any) -> Any:
    n: Any
    n, x = op.inputs
    shape_n, shape = ops.shape(n), ops.shape(x)
    axes = broadcast_gradient_args(shape_n, shape)[1]
    with after(gradient):
        return None, summed(polygamma(n + 1, x) * gradient, shape, axes)


@_zeta.gradient
def _zeta_gradient(op: Operation, gradient: Any) -> Any:
    x: Any
    x, q = op.inputs
    shape_x, shape = ops.shape(x), ops.shape(q)
    axes = broadcast_gradient_args(shape_x, shape)[1]
    with after(gradient):
        return None, summed(-x * zeta(x + 1, q) * gradient, shape, axes)


def polygamma(a: Any, x: Any, name: str | None = None) -> Any:
    """The a-th derivative of `digamma`, broadcast (TensorFlow: `tf.polygamma`).

    Args:
      a: how often to differentiate: 0, 1, 2 ... as floats; anything else gives NaN.
      x: a tensor of the same type, float32 or float64.
      name: of the operation.

    Example:
      >>> tf.polygamma([0.0, 1.0], 1.0)  # [-0.5772157, 1.6449341]
    """
    return _polygamma(a, x, name=name)


def zeta(x: Any, q: Any, name: str | None = None) -> Any:
    """Hurwitz' zeta function, the sum of `(q + k)**-x` over all k >= 0 (TensorFlow: `tf.zeta`).

    Args:
      x: the exponent, above 1; infinite at 1, NaN below.
      q: the start; at 1, this is Riemann's zeta function.
      name: of the operation.

    Example:
      >>> tf.zeta([2.0, 4.0], 1.0)  # [1.6449341, 1.0823232]
    """
    return _zeta(x, q, name=name)
