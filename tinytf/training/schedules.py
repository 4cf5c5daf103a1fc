"""Learning rates that fall with the steps: tf.train.exponential_decay and its kind.

Each is a tensor computed from the step counter. Mirrors
tensorflow/python/keras/optimizer_v2/legacy_learning_rate_decay.py.
"""

from __future__ import annotations

import math
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.where import where_v2
from tinytf.ops.control_flow.case import case
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.math.arithmetic import add, minimum, multiply
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, greater, less_equal
from tinytf.ops.math.division import divide
from tinytf.ops.math.exp_log import exp, log
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.power import pow as power_of
from tinytf.ops.math.power import sqrt
from tinytf.ops.math.rounding import ceil, floor
from tinytf.ops.math.sign import negative
from tinytf.ops.math.trigonometry import cos
from tinytf.ops.random.basic import random_normal


def _rate_and(learning_rate: Any, *values: Any) -> list[Any]:
    """The learning rate as a tensor, and the other values in its type."""
    rate: Any = convert_to_tensor(learning_rate, name="initial_learning_rate")
    return [rate, *(cast(value, rate.dtype) for value in values)]


def exponential_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`.

    TensorFlow: `tf.train.exponential_decay`.

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter, a number, tensor or variable.
      decay_steps: after how many steps it has fallen by `decay_rate`.
      decay_rate: see there.
      staircase: whether it falls at once every `decay_steps` instead of a little each step.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.exponential_decay(0.5, 10, 10, 0.5)  # 0.25
    """
    with get_default_graph().name_scope("ExponentialDecay" if name is None else name) as scope:
        rate, length, base, step = _rate_and(learning_rate, decay_steps, decay_rate, global_step)
        done = step / length
        if staircase:
            done = floor(done)
        return multiply(rate, power_of(base, done), name=scope)


def natural_exp_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`.

    TensorFlow: `tf.train.natural_exp_decay`. Arguments as of `tf.train.exponential_decay`.

    Example:
      >>> tf.train.natural_exp_decay(0.5, 10, 10, 0.0)  # 0.5
    """
    base = exp(negative(decay_rate))
    return exponential_decay(learning_rate, global_step, decay_steps, base, staircase, name)


def inverse_time_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    decay_rate: Any,
    staircase: bool = False,
    name: str | None = None,
) -> Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`.

    TensorFlow: `tf.train.inverse_time_decay`. Arguments as of `tf.train.exponential_decay`.

    Example:
      >>> tf.train.inverse_time_decay(1.0, 10, 10, 3.0)  # 0.25
    """
    with get_default_graph().name_scope("InverseTimeDecay" if name is None else name) as scope:
        rate, length, slope, step = _rate_and(learning_rate, decay_steps, decay_rate, global_step)
        done = step / length
        if staircase:
            done = floor(done)
        one = cast(constant(1), rate.dtype)
        return divide(rate, add(one, multiply(slope, done)), name=scope)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """A rate for each range of steps (TensorFlow: `tf.train.piecewise_constant`).

    Args:
      x: the step counter, a scalar.
      boundaries: numbers of the type of `x`, increasing: where ranges end.
      values: one more than boundaries: `values[0]` up to and with `boundaries[0]`, and so on.
      name: of the scope.

    Returns:
      a scalar of the type of the values.

    Raises:
      ValueError: if types do not agree, or there are not as many values.

    Example:
      >>> tf.train.piecewise_constant(150, [100, 200], [0.1, 0.05, 0.01])  # 0.05
    """
    limits = [convert_to_tensor(boundary) for boundary in boundaries]
    rates = [convert_to_tensor(value) for value in values]
    limits = _in_type_of(limits, convert_to_tensor(x))
    for rate in rates[1:]:
        if rate.dtype.base_dtype != rates[0].dtype.base_dtype:
            raise ValueError(
                f"Values must have elements all with the same dtype "
                f"({rates[0].dtype.base_dtype} vs {rate.dtype.base_dtype})."
            )
    if len(limits) != len(rates) - 1:
        raise ValueError("The length of boundaries should be 1 less than the length of values")
    with get_default_graph().name_scope("PiecewiseConstant" if name is None else name):
        step = convert_to_tensor(x)
        first, last = rates[0], rates[-1]
        choices: list[Any] = [
            (less_equal(step, limits[0], name="LessEqual"), lambda: first),
            (greater(step, limits[-1], name="Greater"), lambda: last),
        ]
        for low, high, rate in zip(limits[:-1], limits[1:], rates[1:-1], strict=True):
            above, below = greater(step, low, name="Greater"), less_equal(step, high)
            choices.append((logical_and(above, below, name="and"), lambda rate=rate: rate))
        return case(choices, lambda: first, exclusive=True)


def _in_type_of(limits: list[Tensor], step: Tensor) -> list[Tensor]:
    kind = step.dtype.base_dtype
    result = []
    for limit in limits:
        if limit.dtype.base_dtype != kind:
            if limit.dtype.base_dtype != dtypes.int32 or kind != dtypes.int64:
                raise ValueError(
                    f"Boundaries ({limit.dtype.base_dtype}) must have the same dtype as x ({kind})."
                )
            limit = cast(limit, kind)
        result.append(limit)
    return result


def polynomial_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    end_learning_rate: Any = 0.0001,
    power: Any = 1.0,
    cycle: bool = False,
    name: str | None = None,
) -> Tensor:
    """From `learning_rate` to `end_learning_rate` along a power of the steps left.

    TensorFlow: `tf.train.polynomial_decay`.

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter.
      decay_steps: after how many steps the end is reached.
      end_learning_rate: see there.
      power: 1.0 is a straight line.
      cycle: whether it goes up again after `decay_steps`, for twice as many steps, and so on.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.polynomial_decay(1.0, 5, 10, end_learning_rate=0.0)  # 0.5
    """
    with get_default_graph().name_scope("PolynomialDecay" if name is None else name) as scope:
        rate, end, exponent, step, length = _rate_and(
            learning_rate, end_learning_rate, power, global_step, decay_steps
        )
        if cycle:
            cycles = where_v2(equal(step, 0), 1.0, ceil(step / decay_steps))
            length = multiply(length, cycles)
        else:
            step = minimum(step, length)
        done: Any = divide(step, length)
        return add(multiply(rate - end, power_of(1 - done, exponent)), end, name=scope)


def _half_cosine(fraction: Any) -> Any:
    """From 1 to 0 as `fraction` goes from 0 to 1."""
    wave: Any = cos(constant(math.pi) * fraction)
    return 0.5 * (1.0 + wave)


def cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """From `learning_rate` along half a cosine (TensorFlow: `tf.train.cosine_decay`).

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter.
      decay_steps: after how many steps it stops falling.
      alpha: which fraction of `learning_rate` remains then.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.cosine_decay(1.0, 10, 10, alpha=0.25)  # 0.25
    """
    with get_default_graph().name_scope("CosineDecay" if name is None else name):
        rate, length, step = _rate_and(learning_rate, decay_steps, global_step)
        fraction: Any = minimum(step, length) / length
        return multiply(rate, (1 - alpha) * _half_cosine(fraction) + alpha)


def cosine_decay_restarts(
    learning_rate: Any,
    global_step: Any,
    first_decay_steps: Any,
    t_mul: Any = 2.0,
    m_mul: Any = 1.0,
    alpha: Any = 0.0,
    name: str | None = None,
) -> Tensor:
    """Half a cosine again and again (TensorFlow: `tf.train.cosine_decay_restarts`).

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter.
      first_decay_steps: the length of the first fall.
      t_mul: how much longer each is than the one before.
      m_mul: how much higher each begins than the one before.
      alpha: which fraction of `learning_rate` remains at the end of each.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.cosine_decay_restarts(1.0, 10, 10)  # 1.0
    """
    with get_default_graph().name_scope("SGDRDecay" if name is None else name) as scope:
        rate, length, rest, longer, higher, step = _rate_and(
            learning_rate, first_decay_steps, alpha, t_mul, m_mul, global_step
        )
        whole = step / length

        def equally_long() -> tuple[Any, Any]:
            restarts: Any = floor(whole)
            return restarts, whole - restarts

        def growing() -> tuple[Any, Any]:
            top: Any = log(1.0 - whole * (1.0 - longer))
            ratio = top / log(longer)
            restarts: Any = floor(ratio)
            before = (1.0 - longer**restarts) / (1.0 - longer)
            return restarts, (whole - before) / longer**restarts

        restarts, fraction = cond(equal(longer, 1.0), equally_long, growing)
        height = higher**restarts
        half = 0.5 * height
        wave: Any = cos(constant(math.pi) * fraction)
        decayed = (1 - rest) * (half * (1.0 + wave)) + rest
        return multiply(rate, decayed, name=scope)


def linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """A cosine within a straight line (TensorFlow: `tf.train.linear_cosine_decay`).

    `learning_rate * ((alpha + rest) * cosine + beta)`, where `rest` falls from 1 to 0.

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter.
      decay_steps: after how many steps it stops.
      num_periods: how many periods of the cosine there are.
      alpha, beta: see the formula.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.linear_cosine_decay(1.0, 10, 10, beta=0.25)  # 0.25
    """
    with get_default_graph().name_scope("LinearCosineDecay" if name is None else name) as scope:
        rate, length, periods, more, rest, step = _rate_and(
            learning_rate, decay_steps, num_periods, alpha, beta, global_step
        )
        step = minimum(step, length)
        line = (length - step) / length
        wave = _half_cosine(2.0 * periods * (step / length))
        decayed = (more + line) * wave + rest
        return multiply(rate, decayed, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any,
    global_step: Any,
    decay_steps: Any,
    initial_variance: Any = 1.0,
    variance_decay: Any = 0.55,
    num_periods: Any = 0.5,
    alpha: Any = 0.0,
    beta: Any = 0.001,
    name: str | None = None,
) -> Tensor:
    """`linear_cosine_decay` with noise on the line (`tf.train.noisy_linear_cosine_decay`).

    Args:
      learning_rate: the rate at step 0, a float or tensor.
      global_step: the step counter.
      decay_steps: after how many steps it stops.
      initial_variance: of the noise, at step 0.
      variance_decay: the variance falls with this power of 1 + global_step.
      num_periods, alpha, beta: as of `tf.train.linear_cosine_decay`.
      name: of the scope.

    Returns:
      a scalar of the type of `learning_rate`.

    Example:
      >>> tf.train.noisy_linear_cosine_decay(1.0, 10, 10, initial_variance=0.0, beta=0.25)  # 0.25
    """
    with get_default_graph().name_scope(
        "NoisyLinearCosineDecay" if name is None else name
    ) as scope:
        step: Any
        rate, length, variance, slowly, periods, more, rest, step = _rate_and(
            learning_rate,
            decay_steps,
            initial_variance,
            variance_decay,
            num_periods,
            alpha,
            beta,
            global_step,
        )
        step = minimum(step, length)
        line = (length - step) / length
        deviation = sqrt(variance / power_of(1.0 + step, slowly))
        noisy = line + random_normal(line.shape, stddev=deviation)
        wave = _half_cosine(2.0 * periods * (step / length))
        decayed = (more + noisy) * wave + rest
        return multiply(rate, decayed, name=scope)
