"""Random numbers: uniform, normal, truncated normal.

A node with seeds draws TensorFlow's own numbers (`tinytf.ops.random.distributions`), from the
beginning in every session. A node without takes numpy's generator, which is faster and never the
same.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework import dtypes, random_seed
from tinytf.framework.cancellation import look
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, brackets
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown
from tinytf.ops.math.arithmetic import add, multiply, subtract
from tinytf.ops.random import distributions
from tinytf.ops.random.sources import draw, fresh_numbers, sequence_of, shape_tensor, sizes_of

_FLOAT_ATTRS = (
    "seed: int = 0, seed2: int = 0, dtype: {half, bfloat16, float, double}, T: {int32, int64}"
)
_WHY_NOT = "random numbers do not depend on the shape"


def _shape_of_input(c: InferenceContext) -> TensorShape:
    return shape_from_input(c, 0)


# RandomUniform ------------------------------------------------------------------------------------

_random_uniform = define_op(
    "RandomUniform",
    "shape: T -> output: dtype",
    _FLOAT_ATTRS,
    stateful=True,
    shape=_shape_of_input,
    no_gradient=_WHY_NOT,
)


@_random_uniform.kernel
def _random_uniform_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    dtype = node.attrs["dtype"]

    def fresh(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
        if dtype.size == 2:  # rounding a float32 just below 1 would give 1
            levels = 1024 if dtype is dtypes.float16 else 128
            return generator.integers(levels, size=count).astype(np.float32) / np.float32(levels)
        return generator.random(count, wide)

    return draw(resources, node, shape, distributions.uniform, fresh)


@explains_arguments
def random_uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Random numbers, all of [minval, maxval) equally likely (TensorFlow: `tf.random_uniform`).

    Args:
      shape: a list of sizes or an integer vector.
      minval, maxval: the range, numbers or scalar tensors; [0, 1) by default. Whole numbers need
        a `maxval`.
      dtype: float16, bfloat16, float32, float64, int32 or int64.
      seed: see `tf.set_random_seed`.
      name: of the operation.

    Raises:
      ValueError: for another dtype, or integers without `maxval`.

    Example:
      >>> dice = tf.random_uniform([2], 1, 7, tf.int32)
    """
    kind = dtypes.as_dtype(dtype)
    if kind not in _ACCEPTED:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind}. Accepted dtypes are {_ACCEPTED}."
        )
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"Must specify maxval for integer dtype {kind!r}")
        maxval = 1
    with op_scope(name, "random_uniform", (shape, minval, maxval)) as scope:
        sizes = shape_tensor(shape)
        from_zero = type(minval) is int and minval == 0
        to_one = type(maxval) is int and maxval == 1
        if not from_zero or not to_one or kind.is_integer:
            minval = convert_to_tensor(minval, dtype=kind, name="min")
            maxval = convert_to_tensor(maxval, dtype=kind, name="max")
        seed1, seed2 = random_seed.get_seed(seed)
        if kind.is_integer:
            return _random_uniform_int(sizes, minval, maxval, name=scope, seed=seed1, seed2=seed2)
        numbers = _random_uniform(sizes, dtype=kind, seed=seed1, seed2=seed2)
        if from_zero and to_one:
            return numbers

        if from_zero:
            return multiply(numbers, maxval)
        width = subtract(maxval, minval, name="sub")
        return add(multiply(numbers, width, name="mul"), minval, name=scope)


_ACCEPTED = tuple(map(dtypes.as_dtype, "half bfloat16 float double int32 int64".split()))

# RandomUniformInt ---------------------------------------------------------------------------------

_random_uniform_int = define_op(
    "RandomUniformInt",
    "shape: T, minval: Tout, maxval: Tout -> output: Tout",
    "seed: int = 0, seed2: int = 0, Tout: {int32, int64}, T: {int32, int64}",
    stateful=True,
    no_gradient="whole numbers",
)


@_random_uniform_int.shape
def _random_uniform_int_shape(c: InferenceContext) -> TensorShape:
    result = shape_from_input(c, 0)
    for index, what in ((1, "minval"), (2, "maxval")):
        if c.input(index).ndims not in (None, 0):
            raise ValueError(
                f"{what} must be a scalar; got a tensor of shape {brackets(c.input(index))}"
            )
    return result


@_random_uniform_int.kernel
def _random_uniform_int_kernel(
    shape: Any, minval: Any, maxval: Any, *, node: Operation, resources: Any
) -> np.ndarray:
    sizes = sizes_of(shape)
    for what, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{what} must be 0-D, got shape {shown(value)}")
    count, kind = math.prod(sizes), minval.dtype
    if count == 0:
        return np.empty(sizes, kind)
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    numbers = sequence_of(resources, node)
    if numbers is None:
        with fresh_numbers(resources) as generator:
            return generator.integers(low, high, size=sizes, dtype=kind)
    sequence = numbers.reserve(count)
    return distributions.integers(sequence, count, low, high, kind).reshape(sizes)


# RandomStandardNormal -----------------------------------------------------------------------------

_random_standard_normal = define_op(
    "RandomStandardNormal",
    "shape: T -> output: dtype",
    _FLOAT_ATTRS,
    stateful=True,
    shape=_shape_of_input,
    no_gradient=_WHY_NOT,
)


def _fresh_normal(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
    return generator.standard_normal(count, wide)


@_random_standard_normal.kernel
def _random_standard_normal_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    return draw(resources, node, shape, distributions.normal, _fresh_normal)


@explains_arguments
def random_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normally distributed random numbers (TensorFlow: `tf.random_normal`).

    Args:
      shape: a list of sizes or an integer vector.
      mean, stddev: of the distribution; they may be tensors that `shape` can be broadcast with.
      dtype: float16, bfloat16, float32 or float64.
      seed: see `tf.set_random_seed`.
      name: of the operation.

    Example:
      >>> weights = tf.random_normal([784, 10], stddev=0.1, seed=1)
    """
    return _scaled(_random_standard_normal, "random_normal", shape, mean, stddev, dtype, seed, name)


def _scaled(
    card: Any,
    default: str,
    shape: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    seed: int | None,
    name: str | None,
) -> Tensor:
    with op_scope(name, default, (shape, mean, stddev)) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        seed1, seed2 = random_seed.get_seed(seed)
        numbers = card(sizes, dtype=dtypes.as_dtype(dtype), seed=seed1, seed2=seed2)
        return add(multiply(numbers, stddev, name="mul"), mean, name=scope)


# TruncatedNormal ----------------------------------------------------------------------------------

_truncated_normal = define_op(
    "TruncatedNormal",
    "shape: T -> output: dtype",
    _FLOAT_ATTRS,
    stateful=True,
    shape=_shape_of_input,
    no_gradient=_WHY_NOT,
)
_CUT = 2.0


def _fresh_truncated(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
    result = generator.standard_normal(count, wide)
    outside = np.flatnonzero(np.abs(result) >= _CUT)
    while len(outside):
        look()
        result[outside] = generator.standard_normal(len(outside), wide)
        outside = outside[np.abs(result[outside]) >= _CUT]
    return result


@_truncated_normal.kernel
def _truncated_normal_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    return draw(resources, node, shape, distributions.truncated_normal, _fresh_truncated)


@explains_arguments
def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """Normal random numbers, drawn again when further than two `stddev` from the mean.

    TensorFlow: `tf.truncated_normal`. Large outliers would stop units of a network from learning.

    Args:
      shape: a list of sizes or an integer vector.
      mean, stddev: of the distribution before it is cut off.
      dtype: float16, bfloat16, float32 or float64.
      seed: see `tf.set_random_seed`.
      name: of the operation.

    Example:
      >>> np.abs(tf.truncated_normal([1000], stddev=0.1).eval()).max() <= 0.2  # True
    """
    return _scaled(_truncated_normal, "truncated_normal", shape, mean, stddev, dtype, seed, name)
