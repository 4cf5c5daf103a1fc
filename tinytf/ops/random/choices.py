"""Random permutations, classes and crops: random_shuffle, multinomial, random_crop."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, random_seed, shape_inference
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.shape import shape as shape_of
from tinytf.ops.array.slice import slice
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.check.assert_op import Assert
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.comparison import greater_equal
from tinytf.ops.random import distributions
from tinytf.ops.random.basic import random_uniform
from tinytf.ops.random.distributions import Sequence
from tinytf.ops.random.sources import fresh_numbers, sequence_of
from tinytf.ops.reduce.reduction import reduce_all

# RandomShuffle ------------------------------------------------------------------------------------

_random_shuffle = define_op(
    "RandomShuffle",
    "value: T -> output: T",
    "seed: int = 0, seed2: int = 0, T: type",
    stateful=True,
    shape=shape_inference.unchanged,
    no_gradient="TensorFlow gives it none",
)


def permutation(sequence: Sequence, size: int) -> np.ndarray:
    """A permutation of `size` indices: Fisher's and Yates's, from the front, as TensorFlow's."""
    bits = distributions.words(sequence, size - 1).reshape(-1)[: size - 1]
    partners = np.arange(size - 1) + bits % np.arange(size, 1, -1, dtype=np.uint32)
    order = list(range(size))
    for i, j in enumerate(partners.tolist()):
        order[i], order[j] = order[j], order[i]
    return np.array(order)


@_random_shuffle.kernel
def _random_shuffle_kernel(value: Any, *, node: Operation, resources: Any) -> Any:
    if value.size <= 1 or len(value) <= 1:
        return value
    numbers = sequence_of(resources, node)
    if numbers is None:
        with fresh_numbers(resources) as generator:
            return value[generator.permutation(len(value))]
    # One word for all but the last element, in whole blocks.
    blocks = -(-(len(value) - 1) // 4)
    return value[permutation(numbers.reserve_blocks(blocks), len(value))]


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """`value` with its first dimension in random order (TensorFlow: `tf.random_shuffle`).

    Args:
      value: a tensor.
      seed: see `tf.set_random_seed`.

    Example:
      >>> np.sort(tf.random_shuffle([5, 6, 7]).eval())  # [5, 6, 7]
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return _random_shuffle(value, seed=seed1, seed2=seed2, name=name)


# Multinomial --------------------------------------------------------------------------------------

_LOGITS = "T: realnumbertype"
_OUTPUT = "output_dtype: {int32, int64} = DT_INT64"
_multinomial = define_op(
    "Multinomial",
    "logits: T, num_samples: int32 -> output: output_dtype",
    "seed: int = 0, seed2: int = 0",
    _LOGITS,
    _OUTPUT,
    stateful=True,
    no_gradient="classes are whole numbers",
)
_FLOATS = {"T": ["floattype"]}


@_multinomial.shape
def classes_shape(c: InferenceContext) -> TensorShape:
    """(rows of the logits, samples): the shape function of both multinomial ops."""
    logits = with_rank(c.input(0), 2)
    with_rank(c.input(1), 0)
    count = c.constant(1)
    if count is not None and count < 0:
        raise ValueError(
            f"Dimension size, given by scalar input 1, must be non-negative but is {count}"
        )
    return TensorShape.of((logits.as_list()[0], None if count is None else int(count)))


def check_classes(logits: Any, num_samples: Any) -> None:
    """InvalidArgumentError unless these are what a multinomial op can draw from."""
    if logits.ndim != 2:
        raise invalid(f"logits should be a matrix, got shape {shown(logits)}")
    if num_samples.ndim:
        raise invalid(f"num_samples should be a scalar, got shape {shown(num_samples)}")
    if num_samples < 0:
        raise invalid(f"num_samples should be nonnegative, got {num_samples}")
    if not logits.shape[1]:
        raise invalid("num_classes should be positive, got 0")


def choose_classes(logits: Any, uniforms: np.ndarray, kind: Any) -> np.ndarray:
    """The class that each number in [0, 1) stands for, given a row's unnormalised log-chances.

    Args:
      logits: (rows, classes); a class whose number is not finite is never chosen.
      uniforms: float64, (rows, samples).
      kind: the numpy type of the result, (rows, samples).
    """
    finite = np.isfinite(logits)
    wide = logits.astype(np.float64)
    highest = np.max(wide, axis=1, keepdims=True, where=finite, initial=-np.finfo(np.float64).max)
    weights = np.where(finite, np.exp(wide - highest), 0.0)
    ends = np.cumsum(weights, axis=1)
    wanted = uniforms * ends[:, -1:]
    result = np.empty(uniforms.shape, kind)
    for row in range(len(ends)):
        result[row] = np.searchsorted(ends[row], wanted[row], side="right")
    return result


def seeded_uniforms(sequence: Sequence, rows: int, columns: int) -> np.ndarray:
    """The numbers of a multinomial op, row after row: what TensorFlow draws in one thread."""
    return distributions.uniform(sequence, rows * columns, dtypes.float64).reshape(rows, columns)


def reserved_outputs(rows: int, columns: int) -> int:
    """For how many outputs a multinomial op reserves blocks."""
    return rows * -(-columns // 4) * 4 * 2


def _multinomial_kernel(
    logits: Any, num_samples: Any, *, node: Operation, resources: Any
) -> np.ndarray:
    check_classes(logits, num_samples)
    rows, columns = len(logits), int(num_samples)
    numbers = sequence_of(resources, node)
    if numbers is None:
        with fresh_numbers(resources) as generator:
            uniforms = generator.random((rows, columns))
    elif rows * columns:
        uniforms = seeded_uniforms(numbers.reserve(reserved_outputs(rows, columns)), rows, columns)
    else:
        uniforms = np.empty((rows, columns))
    return choose_classes(logits, uniforms, node.attrs["output_dtype"].as_numpy_dtype)


_multinomial.kernel(_multinomial_kernel, types=_FLOATS)


def multinomial(
    logits: Any,
    num_samples: Any,
    seed: int | None = None,
    name: str | None = None,
    output_dtype: Any = None,
) -> Tensor:
    """Classes, drawn with given chances (TensorFlow: `tf.multinomial`).

    Args:
      logits: float, (rows, classes): logarithms of the chances, up to a constant in each row.
      num_samples: how many to draw for each row.
      seed: see `tf.set_random_seed`.
      output_dtype: int64 (the default) or int32.

    Returns:
      (rows, num_samples).

    Raises:
      ValueError: for another `output_dtype`.

    Example:
      >>> tf.multinomial(tf.log([[0.0, 1.0], [1.0, 0.0]]), 3)  # [[1, 1, 1], [0, 0, 0]]
    """
    with op_scope(name, "multinomial", (logits,)):
        return _drawn(logits, num_samples, output_dtype, seed)


def categorical(
    logits: Any,
    num_samples: Any,
    dtype: Any = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`tf.multinomial` under its newer name (TensorFlow: `tf.random.categorical`).

    Example:
      >>> tf.random.categorical(tf.log([[1.0, 0.0]]), 3)  # [[0, 0, 0]]
    """
    with op_scope(name, "categorical", (logits,)):
        return _drawn(logits, num_samples, dtype, seed)


def _drawn(logits: Any, num_samples: Any, dtype: Any, seed: int | None) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    kind = index_type(dtype)
    seed1, seed2 = random_seed.get_seed(seed)
    return _multinomial(logits, num_samples, seed=seed1, seed2=seed2, output_dtype=kind)


def index_type(dtype: Any) -> dtypes.DType:
    """int64 or int32 as the type of drawn classes; ValueError for another."""
    kind = dtypes.as_dtype(dtype) if dtype else dtypes.int64
    if kind not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are "
            f"{(dtypes.int32, dtypes.int64)}."
        )
    return kind


# random_crop --------------------------------------------------------------------------------------


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of `value` at a random place (TensorFlow: `tf.random_crop`).

    Args:
      value: a tensor.
      size: of the part, one number for each dimension of `value`.
      seed: see `tf.set_random_seed`.

    Raises (when it runs):
      InvalidArgumentError: if `size` is larger than `value` somewhere.

    Example:
      >>> tf.random_crop([[1, 2], [1, 2]], [1, 2])  # [[1, 2]]
    """
    with op_scope(name, "random_crop", (value, size)) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape = shape_of(value)
        fits = Assert(
            reduce_all(greater_equal(shape, size)),
            ["Need value.shape >= size, got ", shape, size],
            summarize=1000,
        )
        shape = with_dependencies([fits], shape)
        limit = shape - size + 1
        offset = random_uniform(shape_of(shape), maxval=size.dtype.max, dtype=size.dtype, seed=seed)
        return slice(value, offset % limit, size, name=scope)
