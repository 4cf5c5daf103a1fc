"""Initial values of variables: objects called with a shape, which build the tensor.

Mirrors tensorflow/python/ops/init_ops.py; `tf.zeros_initializer` and `tf.initializers.zeros` are
one class. Example:

    >>> w = tf.get_variable("w", [784, 10], initializer=tf.random_normal_initializer(stddev=0.1))
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import ones, zeros
from tinytf.ops.random.basic import random_normal, random_uniform, truncated_normal


class Initializer:
    """What all initializers have in common: they can be described and made again.

    Example:
      >>> config = tf.constant_initializer(2.0).get_config()
      >>> tf.constant_initializer.from_config(config)([2])  # [2., 2.]
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """The initial value.

        Args:
          shape: fully known. dtype: by default the initializer's own.
          partition_info: which part of a partitioned variable is wanted, with its `full_shape`
            and `var_offset`; None for a whole variable.
        """
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        config = {key: value for key, value in vars(self).items() if not key.startswith("_")}
        if "dtype" in config:
            config["dtype"] = config["dtype"].name
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Initializer:
        """The initializer that `get_config` described."""
        return cls(**config)

    def _kind(self, dtype: Any) -> dtypes.DType:
        return self.dtype if dtype is None else dtypes.as_dtype(dtype)  # type: ignore[attr-defined]


class Zeros(Initializer):
    """All zeros (TensorFlow: `tf.zeros_initializer`).

    Example:
      >>> tf.get_variable("b", [2], initializer=tf.zeros_initializer())  # [0., 0.]
    """

    def __init__(self, dtype: Any = dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Zeros of this shape."""
        return zeros(shape, self._kind(dtype))


class Ones(Initializer):
    """All ones (TensorFlow: `tf.ones_initializer`).

    Example:
      >>> tf.get_variable("scale", [2], initializer=tf.ones_initializer())  # [1., 1.]
    """

    def __init__(self, dtype: Any = dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Ones of this shape."""
        return ones(shape, self._kind(dtype))


class Constant(Initializer):
    """A given value (TensorFlow: `tf.constant_initializer`).

    Args:
      value: a number, or a list or array with as many elements as the shape has; a shorter one
        is filled up with its last element.
      verify_shape: whether it must have exactly the variable's shape.

    Example:
      >>> tf.get_variable("b", [2], initializer=tf.constant_initializer(0.5))  # [0.5, 0.5]
    """

    def __init__(self, value: Any = 0, dtype: Any = dtypes.float32, verify_shape: bool = False):
        if not np.isscalar(value) and not isinstance(value, list | tuple | np.ndarray):
            raise TypeError(
                f"Invalid type for initial value={value} of type: {type(value).__name__}. Expected "
                f"Python scalar, list or tuple of values, or numpy.ndarray."
            )
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: Any = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> Tensor:
        """The value in this shape; TypeError if it does not fit."""
        verify = self._verify_shape if verify_shape is None else verify_shape
        return constant(self.value, self._kind(dtype), shape, verify_shape=verify)


class RandomUniform(Initializer):
    """Uniform in [minval, maxval) (TensorFlow: `tf.random_uniform_initializer`).

    Args:
      minval, maxval: the bounds; maxval is 1 by default for floating types.
      seed: see `tf.set_random_seed`.

    Example:
      >>> w = tf.get_variable("w", [3, 2], initializer=tf.random_uniform_initializer(-0.1, 0.1))
      >>> np.abs(w.eval()).max() <= 0.1  # True
    """

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        self.minval = minval
        self.maxval = maxval
        self.seed = seed
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Random values of this shape."""
        return random_uniform(shape, self.minval, self.maxval, self._kind(dtype), seed=self.seed)


class RandomNormal(Initializer):
    """Normally distributed (TensorFlow: `tf.random_normal_initializer`).

    Example:
      >>> tf.get_variable("w", [3, 2], initializer=tf.random_normal_initializer(stddev=0.1)).shape
      TensorShape([Dimension(3), Dimension(2)])
    """

    def __init__(
        self,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        self.mean = mean
        self.stddev = stddev
        self.seed = seed
        self.dtype = floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Random values of this shape."""
        return random_normal(shape, self.mean, self.stddev, self._kind(dtype), seed=self.seed)


class TruncatedNormal(RandomNormal):
    """Normal, without values beyond two stddevs (TensorFlow: `tf.truncated_normal_initializer`).

    Example:
      >>> w = tf.get_variable("w", [9], initializer=tf.truncated_normal_initializer(stddev=0.1))
      >>> np.abs(w.eval()).max() <= 0.2  # True
    """

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Random values of this shape."""
        return truncated_normal(shape, self.mean, self.stddev, self._kind(dtype), seed=self.seed)


class UniformUnitScaling(Initializer):
    """Uniform, so that the scale of inputs is kept (TensorFlow: the same name, deprecated there).

    Args:
      factor: what the range sqrt(3 / inputs) is multiplied with.

    Example:
      >>> w = tf.get_variable("w", [3, 9], initializer=tf.uniform_unit_scaling_initializer())
      >>> np.abs(w.eval()).max() <= 1.0  # True
    """

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: Any = dtypes.float32):
        self.factor = factor
        self.seed = seed
        self.dtype = floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Random values of this shape."""
        inputs = max(float(math.prod(known_sizes(shape, partition_info)[:-1])), 1.0)
        limit = math.sqrt(3.0 / inputs) * self.factor
        return random_uniform(shape, -limit, limit, self._kind(dtype), seed=self.seed)


#: The standard deviation of a normal distribution cut at two standard deviations.
_TRUNCATED_STDDEV = 0.87962566103423978
_MODES = {"fan_in", "fan_out", "fan_avg"}
_DISTRIBUTIONS = {"normal", "uniform", "truncated_normal", "untruncated_normal"}


class VarianceScaling(Initializer):
    """Random with a variance that fits the shape (TensorFlow: `tf.variance_scaling_initializer`).

    Args:
      scale: the variance is scale / n.
      mode: n is the number of inputs ("fan_in"), outputs ("fan_out") or their mean ("fan_avg").
      distribution: "truncated_normal" (or "normal", the same), "untruncated_normal", "uniform".
      seed: see `tf.set_random_seed`.

    Raises:
      ValueError: for anything else.

    Example:
      >>> initializer = tf.variance_scaling_initializer(scale=3.0, distribution="uniform")
      >>> np.abs(initializer([9, 100]).eval()).max() <= 1.0  # True
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: Any = dtypes.float32,
    ):
        if scale <= 0.0:
            raise ValueError(f"Argument `scale` must be a positive float. Received: {scale}")
        if mode not in _MODES:
            raise ValueError(f"Argument `mode` should be one of {sorted(_MODES)}. Received: {mode}")
        if distribution.lower() not in _DISTRIBUTIONS:
            raise ValueError(
                f"Argument `distribution` should be one of {sorted(_DISTRIBUTIONS)}. Received: "
                f"{distribution}"
            )
        self.scale = scale
        self.mode = mode
        self.distribution = distribution.lower()
        self.seed = seed
        self.dtype = floating(dtype)

    def __call__(self, shape: Any, dtype: Any = None, partition_info: Any = None) -> Tensor:
        """Random values of this shape."""
        kind = self._kind(dtype)
        fan_in, fan_out = fans(known_sizes(shape, partition_info))
        count = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[self.mode]
        variance = self.scale / max(1.0, count)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * variance)
            return random_uniform(shape, -limit, limit, kind, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return random_normal(shape, 0.0, math.sqrt(variance), kind, seed=self.seed)
        stddev = math.sqrt(variance) / _TRUNCATED_STDDEV
        return truncated_normal(shape, 0.0, stddev, kind, seed=self.seed)


class GlorotUniform(VarianceScaling):
    """Uniform in +-sqrt(6 / (inputs + outputs)): the default of `tf.get_variable`.

    TensorFlow: `tf.glorot_uniform_initializer`.

    Example:
      >>> np.abs(tf.glorot_uniform_initializer()([2, 4]).eval()).max() <= 1.0  # True
    """

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32):
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotNormal(VarianceScaling):
    """Truncated normal of variance 2 / (inputs + outputs).

    TensorFlow: `tf.glorot_normal_initializer`.

    Example:
      >>> tf.get_variable("w", [3, 2], initializer=tf.glorot_normal_initializer()).shape  # (3, 2)
    """

    def __init__(self, seed: int | None = None, dtype: Any = dtypes.float32):
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)

    def get_config(self) -> dict[str, Any]:
        """The arguments it was made with."""
        return {"seed": self.seed, "dtype": self.dtype.name}


def he_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal of variance 2 / inputs (TensorFlow: `tf.initializers.he_normal`).

    Example:
      >>> tf.get_variable("w", [3, 2], initializer=tf.initializers.he_normal()).shape  # (3, 2)
    """
    return VarianceScaling(2.0, "fan_in", "truncated_normal", seed)


def he_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform of variance 2 / inputs (TensorFlow: `tf.initializers.he_uniform`).

    Example:
      >>> np.abs(tf.initializers.he_uniform()([6, 4]).eval()).max() <= 1.0  # True
    """
    return VarianceScaling(2.0, "fan_in", "uniform", seed)


def lecun_normal(seed: int | None = None) -> VarianceScaling:
    """Truncated normal of variance 1 / inputs (TensorFlow: `tf.initializers.lecun_normal`).

    Example:
      >>> tf.get_variable("w", [3, 2], initializer=tf.initializers.lecun_normal()).shape  # (3, 2)
    """
    return VarianceScaling(1.0, "fan_in", "truncated_normal", seed)


def lecun_uniform(seed: int | None = None) -> VarianceScaling:
    """Uniform of variance 1 / inputs (TensorFlow: `tf.initializers.lecun_uniform`).

    Example:
      >>> np.abs(tf.initializers.lecun_uniform()([3, 4]).eval()).max() <= 1.0  # True
    """
    return VarianceScaling(1.0, "fan_in", "uniform", seed)


def fans(sizes: Sequence[int]) -> tuple[int, int]:
    """The numbers of inputs and outputs of a unit whose weights have this shape."""
    if not sizes:
        return 1, 1
    if len(sizes) == 1:
        return sizes[0], sizes[0]
    field = math.prod(sizes[:-2])  # of a convolution; 1 for a matrix
    return sizes[-2] * field, sizes[-1] * field


def known_sizes(shape: Any, partition_info: Any = None) -> list[int]:
    """The whole variable's shape, as numbers."""
    if partition_info is not None:
        shape = partition_info.full_shape
    sizes = as_shape(shape).as_list()
    if None in sizes:
        raise ValueError(f"An initial value needs a fully known shape, not {as_shape(shape)}.")
    return [int(size) for size in sizes if size is not None]


def floating(dtype: Any) -> dtypes.DType:
    """This dtype; ValueError unless it is a floating-point type."""
    kind = dtypes.as_dtype(dtype)
    if not kind.is_floating:
        raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {kind!r}.")
    return kind


zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
