"""Random numbers: uniform, normal, truncated normal.

A node with seeds draws TensorFlow's own numbers (`tinytf.ops.philox`), from the beginning in
every session. A node without takes numpy's generator, which is faster and never the same.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes, random_seed
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, brackets
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, dimension_value
from tinytf.ops import philox
from tinytf.ops.arithmetic import add, multiply, subtract
from tinytf.ops.op_scope import op_scope
from tinytf.ops.philox import PhiloxSequence
from tinytf.ops.shape_rules import invalid, shape_from_input, shown
from tinytf.resources.manager import ResourceManager

_FLOAT_ATTRS = [
    "seed: int = 0", "seed2: int = 0", "dtype: {half, bfloat16, float, double}",
    "T: {int32, int64}",
]  # fmt: skip
_WHY_NOT = "random numbers do not depend on the shape"


class _FreshNumbers:
    """numpy's generator for the nodes without seeds of one session; seeded by the system."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng()
        self.lock = threading.Lock()


def _sequence(resources: ResourceManager, node: Operation, seed: int, seed2: int) -> PhiloxSequence:
    return resources.lookup_or_create(
        "", node.name, PhiloxSequence, lambda: PhiloxSequence(seed, seed2)
    )


def _fresh(resources: ResourceManager) -> _FreshNumbers:
    return resources.lookup_or_create("", "numpy", _FreshNumbers, _FreshNumbers)


def _sizes(shape: Any) -> list[int]:
    """The wanted shape as a list of numbers."""
    if shape.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {shown(shape)}")
    sizes: list[int] = shape.tolist()
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    return sizes


def _shape_of_input(c: InferenceContext) -> TensorShape:
    return shape_from_input(c, 0)


def _draw(
    resources: ResourceManager, node: Operation, shape: Any,
    seeded: Callable[[PhiloxSequence, int, dtypes.DType], np.ndarray],
    fresh: Callable[[np.random.Generator, int, Any], np.ndarray],
) -> np.ndarray:  # fmt: skip
    """Numbers of the node's dtype and the given shape, from the right one of two sources."""
    sizes = _sizes(shape)
    count, dtype = math.prod(sizes), node.attrs["dtype"]
    seed, seed2 = node.attrs["seed"], node.attrs["seed2"]
    if seed or seed2:
        numbers = seeded(_sequence(resources, node, seed, seed2), count, dtype)
    else:
        source = _fresh(resources)
        # 16-bit types are drawn as float32.
        wide = np.float64 if dtype is dtypes.float64 else np.float32
        with source.lock:
            numbers = fresh(source.generator, count, wide)
    return numbers.astype(dtype.as_numpy_dtype, copy=False).reshape(sizes)


def _words(sequence: PhiloxSequence, outputs: int, per_block: int) -> np.ndarray:
    """The blocks for that many outputs, (blocks, 4), when a block gives `per_block` of them."""
    return sequence.reserve(outputs)(np.arange(-(-outputs // per_block), dtype=np.uint64))


# RandomUniform ------------------------------------------------------------------------------------

_random_uniform = define_op(
    "RandomUniform", ["shape: T"], ["output: dtype"], _FLOAT_ATTRS, stateful=True
)
_random_uniform.shape(_shape_of_input)


def _seeded_uniform(sequence: PhiloxSequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    if dtype is dtypes.float64:
        words = _words(sequence, count, 2).reshape(-1, 2)
        return philox.to_float64(words[:, 0], words[:, 1])[:count]
    words = _words(sequence, count, 4).reshape(-1)[:count]
    if dtype is dtypes.float32:
        return philox.to_float32(words)
    return philox.to_float16(words) if dtype is dtypes.float16 else philox.to_bfloat16(words)


@_random_uniform.kernel
def _random_uniform_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    dtype = node.attrs["dtype"]

    def fresh(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
        if dtype.size == 2:  # rounding a float32 just below 1 would give 1
            levels = 1024 if dtype is dtypes.float16 else 128
            return generator.integers(levels, size=count).astype(np.float32) / np.float32(levels)
        return generator.random(count, wide)

    return _draw(resources, node, shape, _seeded_uniform, fresh)


_random_uniform.not_differentiable(_WHY_NOT)


def random_uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32,
    seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
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
        sizes = _shape_tensor(shape)
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


_ACCEPTED = (
    dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64,
)  # fmt: skip


def _shape_tensor(shape: Any) -> Tensor:
    if isinstance(shape, list | tuple):
        if not shape:
            return convert_to_tensor(shape, dtype=dtypes.int32, name="shape")
        shape = [dimension_value(size) for size in shape]
    return convert_to_tensor(shape, name="shape")


# RandomUniformInt ---------------------------------------------------------------------------------

_random_uniform_int = define_op(
    "RandomUniformInt", ["shape: T", "minval: Tout", "maxval: Tout"], ["output: Tout"],
    ["seed: int = 0", "seed2: int = 0", "Tout: {int32, int64}", "T: {int32, int64}"],
    stateful=True,
)  # fmt: skip


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
    sizes = _sizes(shape)
    for what, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{what} must be 0-D, got shape {shown(value)}")
    count, kind = math.prod(sizes), minval.dtype
    if count == 0:
        return np.empty(sizes, kind)
    low, high = int(minval), int(maxval)
    if low >= high:
        raise invalid(f"Need minval < maxval, got {low} >= {high}")
    seed, seed2 = node.attrs["seed"], node.attrs["seed2"]
    if not (seed or seed2):
        source = _fresh(resources)
        with source.lock:
            return source.generator.integers(low, high, size=sizes, dtype=kind)
    sequence = _sequence(resources, node, seed, seed2)
    if kind.itemsize == 4:
        words: np.ndarray = _words(sequence, count, 4).reshape(-1)[:count]
    else:
        words = _words(sequence, count, 2).reshape(-1).view("<u8")[:count]
    # In unsigned arithmetic, so that the widest ranges wrap around to the right number.
    offsets = words % words.dtype.type(high - low)
    return (offsets + words.dtype.type(low % 2 ** (8 * kind.itemsize))).view(kind).reshape(sizes)


_random_uniform_int.not_differentiable("whole numbers")

# RandomStandardNormal -----------------------------------------------------------------------------

_random_standard_normal = define_op(
    "RandomStandardNormal", ["shape: T"], ["output: dtype"], _FLOAT_ATTRS, stateful=True
)
_random_standard_normal.shape(_shape_of_input)


def _normals(words: np.ndarray, double: bool) -> np.ndarray:
    """Normal numbers out of words, along the last dimension: one for each, or each two."""
    if double:
        pairs = words.reshape(*words.shape[:-1], -1, 4)
        u1 = philox.to_float64(pairs[..., 0], pairs[..., 1])
        u2 = philox.to_float64(pairs[..., 2], pairs[..., 3])
    else:
        pairs = words.reshape(*words.shape[:-1], -1, 2)
        u1, u2 = philox.to_float32(pairs[..., 0]), philox.to_float32(pairs[..., 1])
    both = np.stack(philox.box_muller(u1, u2), -1)
    return both.reshape(*words.shape[:-1], -1)


def _seeded_normal(sequence: PhiloxSequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    double = dtype is dtypes.float64
    words = _words(sequence, count, 2 if double else 4)
    return _normals(words.reshape(-1), double)[:count]


def _fresh_normal(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
    return generator.standard_normal(count, wide)


@_random_standard_normal.kernel
def _random_standard_normal_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    return _draw(resources, node, shape, _seeded_normal, _fresh_normal)


_random_standard_normal.not_differentiable(_WHY_NOT)


def random_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
    seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
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
    card: Any, default: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: int | None,
    name: str | None,
) -> Tensor:  # fmt: skip

    with op_scope(name, default, (shape, mean, stddev)) as scope:
        sizes = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        seed1, seed2 = random_seed.get_seed(seed)
        numbers = card(sizes, dtype=dtypes.as_dtype(dtype), seed=seed1, seed2=seed2)
        return add(multiply(numbers, stddev, name="mul"), mean, name=scope)


# TruncatedNormal ----------------------------------------------------------------------------------

_truncated_normal = define_op(
    "TruncatedNormal", ["shape: T"], ["output: dtype"], _FLOAT_ATTRS, stateful=True
)
_truncated_normal.shape(_shape_of_input)
_CUT = 2.0


def _seeded_truncated(sequence: PhiloxSequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    """Each group of four (float64: two) has its own 256 blocks an output to look for numbers."""
    double = dtype is dtypes.float64
    size = 2 if double else 4
    blocks = sequence.reserve(count)
    starts = np.arange(-(-count // size), dtype=np.uint64) * np.uint64(size * 256 // 4)
    result = np.empty((len(starts), size), np.float64 if double else np.float32)
    waiting, number = np.arange(len(starts)), 2
    while len(waiting):
        offsets = starts[waiting, None] + np.arange(number, dtype=np.uint64)
        normals = _normals(blocks(offsets).reshape(len(waiting), -1), double)
        inside = np.abs(normals) < _CUT
        # The first `size` numbers inside, in their order; groups with fewer look further.
        found = inside & (np.cumsum(inside, 1) <= size)
        full = found.sum(1) == size
        result[waiting[full]] = normals[full][found[full]].reshape(-1, size)
        waiting, number = waiting[~full], number * 2
    return result.reshape(-1)[:count]


def _fresh_truncated(generator: np.random.Generator, count: int, wide: Any) -> np.ndarray:
    result = generator.standard_normal(count, wide)
    outside = np.flatnonzero(np.abs(result) >= _CUT)
    while len(outside):
        result[outside] = generator.standard_normal(len(outside), wide)
        outside = outside[np.abs(result[outside]) >= _CUT]
    return result


@_truncated_normal.kernel
def _truncated_normal_kernel(shape: Any, *, node: Operation, resources: Any) -> np.ndarray:
    return _draw(resources, node, shape, _seeded_truncated, _fresh_truncated)


_truncated_normal.not_differentiable(_WHY_NOT)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32,
    seed: int | None = None, name: str | None = None,
) -> Tensor:  # fmt: skip
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
