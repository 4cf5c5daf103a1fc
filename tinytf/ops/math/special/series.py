"""How the special functions are computed: in float64, region by region, whole arrays at a time.

numpy has no error or gamma functions. The modules that have them divide the real line into
regions with a formula each; what they share is here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

Vector = Callable[..., Any]


def in_double(function: Vector) -> Vector:
    """A kernel out of a function of float64 vectors of one length.

    The kernel broadcasts its inputs, flattens them, and gives the result their shape and dtype:
    narrower floats are computed in float64 and rounded once.
    """

    def kernel(*inputs: Any) -> Any:
        if len(inputs) > 1:
            inputs = np.broadcast_arrays(*inputs) if _broadcast(inputs) else inputs
        shape, dtype = np.shape(inputs[0]), inputs[0].dtype
        flat = [np.asarray(x, np.float64).reshape(-1) for x in inputs]
        return function(*flat).reshape(shape).astype(dtype)

    return kernel


def _broadcast(inputs: Sequence[Any]) -> bool:
    """Whether shapes differ; the ufunc raises what the executor translates if they do not fit."""
    if len({np.shape(x) for x in inputs}) == 1:
        return False
    total = inputs[0]
    for x in inputs[1:]:
        total = np.add(total, x)
    return True


def polynomial(coefficients: Sequence[float], t: Any) -> Any:
    """The polynomial with these coefficients, that of t**0 first, by Horner's rule."""
    result = np.full_like(t, coefficients[-1])
    for coefficient in coefficients[-2::-1]:
        result *= t
        result += coefficient
    return result


def scaled(x: Any, low: float, high: float) -> Any:
    """`x` in [low, high] brought to [-1, 1], which the tables are made for."""
    return (2.0 * x - (high + low)) / (high - low)


def piecewise(x: Any, *regions: tuple[Any, Vector], otherwise: Any = np.nan) -> Any:
    """A function put together from (where, function) pairs, later ones first in precedence.

    Each function gets the elements of its region only. Elements of no region, NaN for example,
    become `otherwise`.
    """
    result = np.full_like(x, otherwise)
    for where, function in regions:
        if where.any():
            result[where] = function(x[where])
    return result


def until_small(step: Callable[[int], Any], limit: int) -> None:
    """Call `step(1), step(2) ...` until it says that nothing changes any more, or the limit."""
    for index in range(1, limit):
        if step(index):
            return
