"""Stateless random numbers: a function of the seed in the graph, the same in every run.

The seed, two numbers, is scrambled into a Philox key and counter by a node of its own
(`StatelessRandomGetKeyCounter`); the older ops do that themselves.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, brackets, merge_dimension, with_rank
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shape_from_input, shown
from tinytf.ops.random import choices, distributions
from tinytf.ops.random.distributions import Sequence
from tinytf.ops.random.philox import blocks_at
from tinytf.ops.random.sources import sizes_of

#: What seeds are encrypted with.
_SCRAMBLING_KEY = 0x02461E293EC8F720
_NOTHING_TO_DERIVE = "random numbers do not depend on the seed smoothly"
_INTS = "{int32, int64}"
_FLOATS = "dtype: {half, bfloat16, float, double} = DT_FLOAT"
_ALL_INTS = "dtype: {int32, int64, uint32, uint64}"


class Algorithm(enum.Enum):
    """How random numbers are made (TensorFlow: `tf.random.Algorithm`); here always Philox.

    Example:
      >>> tf.random.stateless_uniform([2], [1, 2], alg=tf.random.Algorithm.PHILOX)
    """

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


# Key and counter ----------------------------------------------------------------------------------

_COUNTER_SIZE = {1: 2, 2: 1, 3: 2}

_get_key_counter = define_op(
    "StatelessRandomGetKeyCounter",
    "seed: Tseed -> key: uint64, counter: uint64",
    f"Tseed: {_INTS} = DT_INT64",
    no_gradient=_NOTHING_TO_DERIVE,
)
_get_key_counter_alg = define_op(
    "StatelessRandomGetKeyCounterAlg",
    "seed: Tseed -> key: uint64, counter: uint64, alg: int32",
    f"Tseed: {_INTS} = DT_INT64",
    no_gradient=_NOTHING_TO_DERIVE,
)
_get_alg = define_op(
    "StatelessRandomGetAlg",
    "-> alg: int32",
    stateful=True,
    shape=lambda c: TensorShape.of(()),
    kernel=lambda: np.int32(Algorithm.PHILOX.value),
    no_gradient=_NOTHING_TO_DERIVE,
)


def _check_seed_shape(shape: TensorShape) -> None:
    size = with_rank(shape, 1).as_list()[0]
    if size not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {size}")


@_get_key_counter_alg.shape
@_get_key_counter.shape
def _key_and_counter_shapes(c: InferenceContext) -> list[TensorShape]:
    _check_seed_shape(c.input(0))
    return [TensorShape.of((1,)), TensorShape.of((2,)), TensorShape.of(())][: c.output_count]


def scrambled(seed: Any) -> tuple[int, int]:
    """(key, counter) for a seed of two numbers; InvalidArgumentError for another shape."""
    if seed.shape != (2,):
        raise invalid(f"seed must have shape [2], not {shown(seed)}")
    low, high = (int(number) % 2**64 for number in seed)
    mixed = blocks_at(_SCRAMBLING_KEY, high << 64 | low, np.zeros(1, np.uint64))[0].tolist()
    return mixed[1] << 32 | mixed[0], (mixed[3] << 32 | mixed[2]) << 64


@_get_key_counter.kernel
def _key_and_counter(seed: Any) -> Any:
    key, counter = scrambled(seed)
    return np.array([key], np.uint64), np.array([0, counter >> 64], np.uint64)


@_get_key_counter_alg.kernel
def _key_counter_and_algorithm(seed: Any) -> Any:
    return *_key_and_counter(seed), np.int32(Algorithm.PHILOX.value)


def _sequence(key: Any, counter: Any, alg: Any) -> Sequence:
    """The numbers of an op that has key, counter and algorithm as inputs."""
    if alg.ndim:
        raise invalid(f"input 3 (0-based) must have shape [], not {shown(alg)}")
    if key.shape != (1,):
        raise invalid(
            f"key must have shape [1], not {shown(key)}. (Note that batched keys are not "
            f"supported yet.)"
        )
    least = _COUNTER_SIZE.get(int(alg), int(alg))
    if counter.ndim != 1 or len(counter) < least:
        raise invalid(
            f"counter must be a vector with length at least {least}; got shape: "
            f"{shown(counter)}. (Note that batched counters are not supported yet.)"
        )
    if int(alg) not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        raise invalid(f"Unsupported algorithm id: {alg}. tinytf has Philox, which is 1.")
    start = int(counter[1]) << 64 | int(counter[0])
    return lambda offsets: blocks_at(int(key[0]), start, offsets)


def _old_sequence(seed: Any) -> Sequence:
    key, counter = scrambled(seed)
    return lambda offsets: blocks_at(key, counter, offsets)


# The distributions --------------------------------------------------------------------------------


def _check_new(c: InferenceContext) -> TensorShape:
    """The shape function of the ops with key, counter and algorithm."""
    for index, rank in ((1, 1), (2, 1), (3, 0)):
        with_rank(c.input(index), rank)
    key = c.input(1).as_list()[0] if c.input(1).ndims else None
    merge_dimension(key, 1)
    alg = c.constant(3)
    size = c.input(2).as_list()[0] if c.input(2).ndims else None
    if size is not None and alg is not None and size < (least := _COUNTER_SIZE.get(int(alg), 0)):
        raise ValueError(f"Dimension must be at least {least} but is {size}")
    return shape_from_input(c, 0)


def _check_old(c: InferenceContext) -> TensorShape:
    _check_seed_shape(c.input(1))
    return shape_from_input(c, 0)


def _check_ends(c: InferenceContext, first: int) -> None:
    for index, what in ((first, "minval"), (first + 1, "maxval")):
        if c.input(index).ndims not in (None, 0):
            raise ValueError(
                f"{what} must be a scalar; got a tensor of shape {brackets(c.input(index))}"
            )


def _filled(shape: Any, node: Operation, draw: Callable[..., np.ndarray]) -> np.ndarray:
    sizes = sizes_of(shape)
    dtype = node.attrs["dtype"]
    numbers = draw(math.prod(sizes), dtype)
    return numbers.astype(dtype.as_numpy_dtype, copy=False).reshape(sizes)


def _integers(
    sequence: Sequence, minval: Any, maxval: Any
) -> Callable[[int, dtypes.DType], np.ndarray]:
    for what, value in (("minval", minval), ("maxval", maxval)):
        if value.ndim:
            raise invalid(f"{what} must be 0-D, got shape {shown(value)}")

    def draw(count: int, dtype: dtypes.DType) -> np.ndarray:
        if count and minval >= maxval:
            raise invalid(f"Need minval < maxval, got {minval} >= {maxval}")
        if not count:
            return np.empty(0)
        return distributions.integers(sequence, count, int(minval), int(maxval), minval.dtype)

    return draw


def _all_integers(sequence: Sequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    return distributions.all_integers(sequence, count, dtype.as_numpy_dtype)


def _define_pair(
    name: str, kinds: str, old_kinds: str, old_seeds: str, distribution: Any
) -> tuple[OpCard, OpCard]:
    """The ops of a distribution without parameters: with key and counter, and with a seed."""
    new = define_op(
        f"{name}V2",
        "shape: Tshape, key: uint64, counter: uint64, alg: int32 -> output: dtype",
        kinds,
        f"Tshape: {_INTS} = DT_INT32",
        shape=_check_new,
        no_gradient=_NOTHING_TO_DERIVE,
    )
    old = define_op(
        name,
        "shape: T, seed: Tseed -> output: dtype",
        old_kinds,
        f"T: {_INTS} = DT_INT32, Tseed: {old_seeds} = DT_INT64",
        shape=_check_old,
        no_gradient=_NOTHING_TO_DERIVE,
    )

    @new.kernel
    def from_key(shape: Any, key: Any, counter: Any, alg: Any, *, node: Operation) -> np.ndarray:
        sequence = _sequence(key, counter, alg)
        return _filled(shape, node, lambda *a: distribution(sequence, *a))

    @old.kernel
    def from_seed(shape: Any, seed: Any, *, node: Operation) -> np.ndarray:
        sequence = _old_sequence(seed)
        return _filled(shape, node, lambda *a: distribution(sequence, *a))

    return new, old


_uniform_v2, _ = _define_pair(
    "StatelessRandomUniform", _FLOATS, _FLOATS, _INTS, distributions.uniform
)
_normal_v2, _ = _define_pair("StatelessRandomNormal", _FLOATS, _FLOATS, _INTS, distributions.normal)
_truncated_normal_v2, _ = _define_pair(
    "StatelessTruncatedNormal", _FLOATS, _FLOATS, _INTS, distributions.truncated_normal
)
_full_int_v2, _ = _define_pair(
    "StatelessRandomUniformFullInt",
    f"{_ALL_INTS} = DT_UINT64",
    f"{_ALL_INTS} = DT_UINT64",
    "{int32, int64, uint32, uint64}",
    _all_integers,
)

_uniform_int_v2 = define_op(
    "StatelessRandomUniformIntV2",
    "shape: Tshape, key: uint64, counter: uint64, alg: int32, minval: dtype, maxval: dtype -> "
    "output: dtype",
    _ALL_INTS,
    f"Tshape: {_INTS} = DT_INT32",
    no_gradient="whole numbers",
)
_uniform_int = define_op(
    "StatelessRandomUniformInt",
    "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype",
    f"dtype: {_INTS}",
    f"T: {_INTS}",
    f"Tseed: {_INTS} = DT_INT64",
    no_gradient="whole numbers",
)


@_uniform_int_v2.shape
def _uniform_int_v2_shape(c: InferenceContext) -> TensorShape:
    _check_ends(c, 4)
    return _check_new(c)


@_uniform_int.shape
def _uniform_int_shape(c: InferenceContext) -> TensorShape:
    _check_ends(c, 2)
    return _check_old(c)


@_uniform_int_v2.kernel
def _uniform_int_v2_kernel(
    shape: Any, key: Any, counter: Any, alg: Any, minval: Any, maxval: Any, *, node: Operation
) -> np.ndarray:
    return _filled(shape, node, _integers(_sequence(key, counter, alg), minval, maxval))


@_uniform_int.kernel
def _uniform_int_kernel(
    shape: Any, seed: Any, minval: Any, maxval: Any, *, node: Operation
) -> np.ndarray:
    return _filled(shape, node, _integers(_old_sequence(seed), minval, maxval))


# StatelessMultinomial, StatelessShuffle -----------------------------------------------------------

multinomial_op = define_op(
    "StatelessMultinomial",
    "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype",
    "T: realnumbertype",
    f"Tseed: {_INTS} = DT_INT64",
    "output_dtype: {int32, int64} = DT_INT64",
    no_gradient="classes are whole numbers",
)


@multinomial_op.shape
def _multinomial_shape(c: InferenceContext) -> TensorShape:
    result = choices.classes_shape(c)
    _check_seed_shape(c.input(2))
    return result


def _multinomial_kernel(logits: Any, num_samples: Any, seed: Any, *, node: Operation) -> np.ndarray:
    sequence = _old_sequence(seed)
    choices.check_classes(logits, num_samples)
    uniforms = choices.seeded_uniforms(sequence, len(logits), int(num_samples))
    return choices.choose_classes(logits, uniforms, node.attrs["output_dtype"].as_numpy_dtype)


multinomial_op.kernel(_multinomial_kernel, types={"T": ["floattype"]})

_shuffle = define_op(
    "StatelessShuffle",
    "value: T, key: uint64, counter: uint64, alg: int32 -> output: T",
    "T: type",
    no_gradient="TensorFlow gives it none",
)


@_shuffle.shape
def _shuffle_shape(c: InferenceContext) -> TensorShape:
    for index, rank in ((1, 1), (2, 1), (3, 0)):
        with_rank(c.input(index), rank)
    return c.input(0)


@_shuffle.kernel
def _shuffle_kernel(value: Any, key: Any, counter: Any, alg: Any) -> Any:
    sequence = _sequence(key, counter, alg)
    if value.size <= 1 or len(value) <= 1:
        return value
    return value[choices.permutation(sequence, len(value))]
