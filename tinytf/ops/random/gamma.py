"""Gamma and Poisson distributed random numbers.

Both draw until they accept, each output from a stream of its own (`distributions.Streams`), so
that an output does not depend on how many numbers its neighbours needed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes, random_seed, shape_inference
from tinytf.framework.cancellation import look
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.broadcast_to import broadcast_to
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape as shape_of
from tinytf.ops.base.broadcast_gradients import broadcast_dynamic_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.division import divide
from tinytf.ops.math.special.gamma_functions import digamma_values
from tinytf.ops.math.special.incomplete_gamma import continued_fraction, in_parts, power_series
from tinytf.ops.random.distributions import Streams
from tinytf.ops.random.sources import fresh_numbers, sequence_of, sizes_of
from tinytf.ops.reduce.reduction import reduce_sum


def _shape_before_parameters(c: InferenceContext) -> TensorShape:
    return shape_from_input(c, 0).concatenate(c.input(1))


def _draw_each(
    resources: Any,
    node: Operation,
    shape: Any,
    parameters: Any,
    seeded: Callable[[Streams, np.ndarray], np.ndarray],
    fresh: Callable[[np.random.Generator, list[int]], Any],
) -> np.ndarray:
    """Numbers of shape `shape + parameters.shape`: the outputs of one parameter are neighbours.

    Args:
      seeded: gets the streams of all outputs and the parameter of each.
      fresh: draws an array of the given shape.
    """
    sizes = sizes_of(shape)
    full = [*sizes, *parameters.shape]
    numbers = sequence_of(resources, node)
    if numbers is None:
        with fresh_numbers(resources) as generator:
            return np.asarray(fresh(generator, full))
    samples = math.prod(sizes)
    count = samples * parameters.size
    streams = Streams(numbers.reserve(count), count)
    drawn = seeded(streams, np.repeat(parameters.reshape(-1), samples))
    return drawn.reshape(parameters.size, samples).T.reshape(full)


# RandomGamma --------------------------------------------------------------------------------------

_random_gamma = define_op(
    "RandomGamma",
    "shape: S, alpha: T -> output: T",
    "seed: int = 0, seed2: int = 0, S: {int32, int64}, T: {half, float, double}",
    stateful=True,
    shape=_shape_before_parameters,
)


def _gammas(streams: Streams, alpha: np.ndarray) -> np.ndarray:
    """Marsaglia and Tsang (2000): a cubed normal number, accepted with the right chance."""
    alpha = alpha.astype(np.float64)
    result = np.full(len(alpha), np.nan)
    simple = np.flatnonzero(alpha == 1)
    # Python's functions are the C library's; numpy's differ in the last place here and there.
    result[simple] = [-math.log1p(-u) for u in streams.uniform(simple).tolist()]
    small = alpha < 1
    d = alpha + np.where(small, 2.0 / 3, -1.0 / 3)
    c = 1.0 / 3 / np.sqrt(d)
    waiting = np.flatnonzero((alpha != 1) & (alpha > 0) & np.isfinite(alpha))
    while len(waiting):
        look()
        x = streams.normal(waiting)
        v = 1 + c[waiting] * x
        positive = v > 0
        tried, x, v = waiting[positive], x[positive], v[positive]
        v = v * v * v
        u = streams.uniform(tried)
        squared = x * x
        accepted = u < 1 - 0.0331 * squared * squared
        accepted |= np.log(u) < 0.5 * squared + d[tried] * (1 - v + np.log(v))
        done = tried[accepted]
        result[done] = d[done] * v[accepted]
        waiting = np.setdiff1d(waiting, done, assume_unique=True)
    below = np.flatnonzero(small & (alpha > 0))
    powers = zip(streams.uniform(below).tolist(), (1 / alpha[below]).tolist(), strict=True)
    result[below] *= [math.pow(u, exponent) for u, exponent in powers]
    return result


@_random_gamma.kernel
def _random_gamma_kernel(shape: Any, alpha: Any, *, node: Operation, resources: Any) -> np.ndarray:
    possible = (alpha > 0) & np.isfinite(alpha)

    def fresh(generator: np.random.Generator, full: list[int]) -> np.ndarray:
        drawn = generator.standard_gamma(np.where(possible, alpha, 1), full)
        return np.where(possible, drawn, np.nan)

    numbers = _draw_each(resources, node, shape, alpha, _gammas, fresh)
    return numbers.astype(alpha.dtype)


@_random_gamma.gradient
def _random_gamma_gradient(op: Operation, gradient: Any) -> Any:
    """How a number would move with its parameter, its chance of being smaller held fast."""
    shape, alpha = op.inputs
    with op.graph.control_dependencies([gradient]):
        dimensions: Any = shape_of(shape)[0]  # type: ignore[index]
        leading = concat([ones([dimensions], dtypes.int32), shape_of(alpha)], 0)
        slopes = _random_gamma_grad(reshape(alpha, leading), op.outputs[0])
        return None, reduce_sum(gradient * slopes, range_of(dimensions))


# RandomGammaGrad ----------------------------------------------------------------------------------

_random_gamma_grad = define_op(
    "RandomGammaGrad",
    "alpha: T, sample: T -> output: T",
    "T: {float, double}",
    shape=shape_inference.broadcast,
)


@_random_gamma_grad.kernel
def _random_gamma_grad_kernel(alpha: Any, sample: Any) -> np.ndarray:
    """The derivative of a gamma number by alpha: that of P(alpha, x) by alpha over -density(x)."""

    # The factor that slope and density share, x^alpha e^-x / gamma(alpha + 1), is left out.
    def small(a: np.ndarray, x: np.ndarray) -> np.ndarray:
        total, slope = power_series(a, x)
        by_a = total * (np.log(x) - digamma_values(a + 1.0)) + slope
        return np.where(x == 0.0, 0.0, -x / a * by_a)

    def large(a: np.ndarray, x: np.ndarray) -> np.ndarray:
        value, slope = continued_fraction(a, x)
        return x * (value * (np.log(x) - digamma_values(a)) + slope)

    a, x = (v.astype(np.float64) for v in np.broadcast_arrays(alpha, sample))
    flat = in_parts(a.reshape(-1), x.reshape(-1), small, large, (0.0, 0.0))
    return flat.reshape(a.shape).astype(alpha.dtype)


def random_gamma(
    shape: Any,
    alpha: Any,
    beta: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Gamma distributed random numbers (TensorFlow: `tf.random_gamma`).

    Args:
      shape: how many for each pair of parameters: a list of sizes or an int32 vector.
      alpha: the shape parameter, positive; a number or tensor.
      beta: the inverse scale, 1 by default; broadcast with `alpha`.
      dtype: float16, float32 or float64.
      seed: see `tf.set_random_seed`.

    Returns:
      of shape `shape + tf.broadcast_static_shape(alpha.shape, beta.shape)`.

    Example:
      >>> tf.random_gamma([3], [0.5, 1.5]).shape
      TensorShape([Dimension(3), Dimension(2)])
    """
    with op_scope(name, "random_gamma", (shape, alpha, beta)):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        alpha = convert_to_tensor(alpha, name="alpha", dtype=dtype)
        beta = convert_to_tensor(1 if beta is None else beta, name="beta", dtype=dtype)
        both = broadcast_dynamic_shape(shape_of(alpha), shape_of(beta))
        wide = broadcast_to(alpha, both)
        seed1, seed2 = random_seed.get_seed(seed)
        numbers = _random_gamma(shape, wide, seed=seed1, seed2=seed2)
        smallest = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        return maximum(smallest, divide(numbers, beta))


# RandomPoissonV2 ---------------------------------------------------------------------------------

_SEEDS = "seed: int = 0, seed2: int = 0, S: {int32, int64}"
_random_poisson = define_op(
    "RandomPoissonV2",
    "shape: S, rate: R -> output: dtype",
    _SEEDS,
    "R: {half, float, double, int32, int64} = DT_DOUBLE",
    "dtype: {half, float, double, int32, int64} = DT_INT64",
    stateful=True,
    shape=_shape_before_parameters,
)


def _poissons(streams: Streams, rate: np.ndarray) -> np.ndarray:
    result = np.zeros(len(rate))
    few = rate < 10
    _count_events(streams, rate, np.flatnonzero(few), result)
    _reject(streams, rate, np.flatnonzero(~few), result)
    return result


def _count_events(
    streams: Streams, rate: np.ndarray, waiting: np.ndarray, result: np.ndarray
) -> None:
    """Knuth's way: how many uniform numbers can be multiplied before e^-rate is reached."""
    product, limit = np.ones(len(rate)), np.exp(-rate)
    while len(waiting):
        look()
        product[waiting] *= streams.uniform(waiting)
        waiting = waiting[product[waiting] > limit[waiting]]
        result[waiting] += 1


def _reject(streams: Streams, rate: np.ndarray, waiting: np.ndarray, result: np.ndarray) -> None:
    """Hormann's transformed rejection (1993), for the larger rates."""
    b_all = 0.931 + 2.53 * np.sqrt(rate)
    while len(waiting):
        look()
        mean, b = rate[waiting], b_all[waiting]
        a = -0.059 + 0.02483 * b
        u = streams.uniform(waiting) - 0.5
        v = streams.uniform(waiting)
        shifted = 0.5 - np.abs(u)
        k = np.floor((2 * a / shifted + b) * u + mean + 0.43)
        accepted = (shifted >= 0.07) & (v <= 0.9277 - 3.6224 / (b - 2))
        hopeless = (k < 0) | ((shifted < 0.013) & (v > shifted))
        unsure = np.flatnonzero(~accepted & ~hopeless)
        mean, a, b, near, s = (x[unsure] for x in (mean, a, b, k, shifted))
        scale = 1.1239 + 1.1328 / (b - 3.4)
        left = np.log(v[unsure] * scale / (a / (s * s) + b))
        log_factorial = np.array([math.lgamma(x + 1) for x in near.tolist()])
        accepted[unsure] = left <= -mean + near * np.log(mean) - log_factorial
        result[waiting[accepted]] = k[accepted]
        waiting = waiting[~accepted]


def _poisson_kernel(shape: Any, rate: Any, *, node: Operation, resources: Any) -> np.ndarray:
    if not (np.isfinite(rate) & (rate >= 0)).all():
        raise invalid(f"Input rate should be finite and not negative, got: {rate}")
    wide = rate.astype(np.float64)
    numbers = _draw_each(
        resources,
        node,
        shape,
        wide,
        _poissons,
        lambda generator, full: generator.poisson(wide, full),
    )
    return numbers.astype(node.attrs["dtype"].as_numpy_dtype)


_random_poisson.kernel(_poisson_kernel)


def random_poisson(
    lam: Any,
    shape: Any,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Poisson distributed random numbers (TensorFlow: `tf.random_poisson`).

    Args:
      lam: the rates: numbers or a tensor, finite and not negative.
      shape: how many for each rate: a list of sizes or an int32 vector.
      dtype: float16, float32, float64, int32 or int64.
      seed: see `tf.set_random_seed`.

    Returns:
      of shape `shape + lam.shape`.

    Example:
      >>> tf.random_poisson([0.5, 100.0], [3]).shape
      TensorShape([Dimension(3), Dimension(2)])
    """
    with op_scope(name, "random_poisson", (lam, shape)):
        shape = convert_to_tensor(shape, name="shape", dtype=dtypes.int32)
        seed1, seed2 = random_seed.get_seed(seed)
        kind = dtypes.as_dtype(dtype)
        return _random_poisson(shape, lam, dtype=kind, seed=seed1, seed2=seed2)
