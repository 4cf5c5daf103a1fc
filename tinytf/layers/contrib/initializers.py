"""Initial weights as large as they may be (TensorFlow: contrib/layers' initializers.py)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tinytf.framework import dtypes
from tinytf.ops.random.basic import random_uniform, truncated_normal
from tinytf.ops.variables.initializers import fans, known_sizes


def variance_scaling_initializer(
    factor: float = 2.0,
    mode: str = "FAN_IN",
    uniform: bool = False,
    seed: int | None = None,
    dtype: Any = dtypes.float32,
) -> Callable[..., Any]:
    """Random weights of the variance factor / n, where n is the number of inputs or outputs.

    By default as in K. He et al., *Delving Deep into Rectifiers*, 2015, equation 10.

    Args:
      factor: see above. mode: n is "FAN_IN", "FAN_OUT", or the mean of both, "FAN_AVG".
      uniform: whether they are uniform, or normal and truncated at two deviations.
      seed: see `tf.set_random_seed`. dtype: a float type.

    Raises:
      TypeError: for another type or mode.

    Example:
      >>> he = tf.contrib.layers.variance_scaling_initializer()
      >>> w = tf.get_variable("w", [100, 10], initializer=he)
    """
    if not dtypes.as_dtype(dtype).is_floating:
        raise TypeError(f"Cannot create initializer for non-floating point type {dtype}.")
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"Unknown mode {mode} [FAN_IN, FAN_OUT, FAN_AVG]")

    def initializer(shape: Any, dtype: Any = dtype, partition_info: Any = None) -> Any:
        fan_in, fan_out = fans(known_sizes(shape))  # of a part, where it is one: as in TensorFlow
        count = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / count)
            return random_uniform(shape, -limit, limit, dtype, seed=seed)
        # What is left of a normal distribution within two deviations has 1 / 1.3 of its variance.
        return truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / count), dtype, seed=seed)

    return initializer


def xavier_initializer(
    uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32
) -> Callable[..., Any]:
    """Random weights with which values and gradients stay as large from layer to layer.

    X. Glorot and Y. Bengio, *Understanding the difficulty of training deep feedforward neural
    networks*, 2010, equation 16. TensorFlow: `tf.contrib.layers.xavier_initializer`.

    Args:
      uniform, seed, dtype: as of `variance_scaling_initializer`.

    Raises:
      TypeError: for what is no float type.

    Example:
      >>> xavier = tf.contrib.layers.xavier_initializer(seed=1)
      >>> w = tf.get_variable("w", [100, 10], initializer=xavier)
    """
    return variance_scaling_initializer(1.0, "FAN_AVG", uniform, seed, dtype)
