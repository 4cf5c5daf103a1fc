"""The functions of `tf.random` that take a seed of two numbers and keep no state.

Mirrors tensorflow/python/ops/stateless_random_ops.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.stack import stack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import add, multiply, subtract
from tinytf.ops.random import stateless as cards
from tinytf.ops.random.choices import index_type
from tinytf.ops.random.sources import shape_tensor
from tinytf.ops.random.stateless import Algorithm

_NAMES = {"philox": 1, "threefry": 2, "autoselect": 3}


def _algorithm(alg: Any) -> int:
    """The number of an algorithm: 1, 2 or 3."""
    if isinstance(alg, Algorithm):
        return alg.value
    if isinstance(alg, str):
        number = _NAMES.get(alg.strip().lower().replace("-", "").replace("_", ""))
        known: tuple[Any, ...] = ("philox", "threefry", "auto_select")
    elif isinstance(alg, int):
        number, known = (alg if alg in _NAMES.values() else None), (1, 2, 3)
    else:
        raise TypeError(
            f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to int."
        )
    if number is None:
        raise ValueError(
            f"Argument `alg` got unsupported value {alg}. Supported values are {known[0]} for the "
            f"Philox algorithm, {known[1]} for the ThreeFry algorithm, and {known[2]} for "
            f"auto-selection."
        )
    return number


def _key_counter_and_algorithm(seed: Any, alg: Any) -> tuple[Tensor, Tensor, int]:
    number = Algorithm.AUTO_SELECT.value if alg is None else _algorithm(alg)
    if number == Algorithm.THREEFRY.value:
        raise NotImplementedError("tinytf has no ThreeFry: alg must be 'philox' or 'auto_select'.")
    return *cards._get_key_counter(seed), number


def _scaled(
    card: Any,
    default: str,
    shape: Any,
    seed: Any,
    mean: Any,
    stddev: Any,
    dtype: Any,
    name: str | None,
    alg: Any,
) -> Tensor:
    with op_scope(name, default, (shape, seed, mean, stddev)) as scope:
        sizes = shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        key, counter, number = _key_counter_and_algorithm(seed, alg)
        numbers = card(sizes, key, counter, number, dtype=dtypes.as_dtype(dtype))
        return add(multiply(numbers, stddev, name="mul"), mean, name=scope)


def stateless_random_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Normal random numbers that the seed decides (TensorFlow: `tf.random.stateless_normal`).

    Args:
      shape: a list of sizes or an integer vector.
      seed: two whole numbers, or an integer vector of two.
      mean, stddev: of the distribution; they may be tensors that `shape` can be broadcast with.
      dtype: float16, bfloat16, float32 or float64.
      alg: "auto_select" or "philox".

    Example:
      >>> x = tf.random.stateless_normal([2], seed=[1, 2])
      >>> (x.eval() == x.eval()).all()  # True
    """
    default = "stateless_random_normal"
    return _scaled(cards._normal_v2, default, shape, seed, mean, stddev, dtype, name, alg)


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """As `tf.random.stateless_normal`, without numbers beyond two `stddev`.

    TensorFlow: `tf.random.stateless_truncated_normal`.

    Example:
      >>> np.abs(tf.random.stateless_truncated_normal([9], [1, 2]).eval()).max() <= 2  # True
    """
    default = "stateless_truncated_normal"
    return _scaled(cards._truncated_normal_v2, default, shape, seed, mean, stddev, dtype, name, alg)


_KINDS = "half bfloat16 float double int32 int64 uint32 uint64"
_ACCEPTED = tuple(map(dtypes.as_dtype, _KINDS.split()))


def _check_uniform(kind: dtypes.DType, minval: Any, maxval: Any) -> None:
    if kind not in _ACCEPTED:
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r}. Accepted dtypes are {_ACCEPTED}."
        )
    if not kind.is_integer:
        return
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer `dtype` argument {kind!r}, argument `minval` and `maxval` must be both "
            f"None or not None. Got `minval`={minval} and `maxval`={maxval}."
        )
    if minval is not None and kind in (dtypes.uint32, dtypes.uint64):
        raise ValueError(
            f"Argument `dtype` got invalid value {kind!r} when argument `minval` is not None. "
            f"Please don't use unsigned integers in this case."
        )


def stateless_random_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Uniform random numbers that the seed decides (TensorFlow: `tf.random.stateless_uniform`).

    Args:
      shape: a list of sizes or an integer vector.
      seed: two whole numbers, or an integer vector of two.
      minval, maxval: the range [minval, maxval), numbers or scalar tensors; [0, 1) by default.
        For integers both, or None twice: all numbers of the type.
      dtype: float16, bfloat16, float32, float64, int32, int64, uint32 or uint64.
      alg: "auto_select" or "philox".

    Raises:
      ValueError: for another dtype or algorithm, or one end of a range of integers without the
        other.

    Example:
      >>> tf.random.stateless_uniform([2], seed=[1, 2])  # [0.8440604, 0.19204533]
    """
    kind = dtypes.as_dtype(dtype)
    _check_uniform(kind, minval, maxval)
    if maxval is None and not kind.is_integer:
        maxval = 1
    with op_scope(name, "stateless_random_uniform", (shape, seed, minval, maxval)) as scope:
        sizes = shape_tensor(shape)
        if minval is not None:
            minval = convert_to_tensor(minval, dtype=kind, name="min")
            maxval = convert_to_tensor(maxval, dtype=kind, name="max")
        source = _key_counter_and_algorithm(seed, alg)
        if minval is None:
            return cards._full_int_v2(sizes, *source, dtype=kind, name=scope)
        if kind.is_integer:
            return cards._uniform_int_v2(sizes, *source, minval, maxval, name=scope)
        numbers = cards._uniform_v2(sizes, *source, dtype=kind)
        width = subtract(maxval, minval, name="sub")
        return add(multiply(numbers, width, name="mul"), minval, name=scope)


def stateless_multinomial(
    logits: Any,
    num_samples: Any,
    seed: Any,
    output_dtype: Any = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """As `tf.multinomial`, the seed decides (TensorFlow: `tf.random.stateless_multinomial`).

    Example:
      >>> tf.random.stateless_multinomial(tf.log([[0.1, 0.9]]), 3, seed=[1, 2])  # [[1, 1, 1]]
    """
    with op_scope(name, "stateless_multinomial", (logits, seed)):
        return _drawn(logits, num_samples, seed, output_dtype)


def stateless_categorical(
    logits: Any, num_samples: Any, seed: Any, dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """As `tf.random.categorical`, the seed decides (TensorFlow: the same name).

    Example:
      >>> tf.random.stateless_categorical(tf.log([[0.1, 0.9]]), 3, seed=[1, 2])  # [[1, 1, 1]]
    """
    with op_scope(name, "stateless_categorical", (logits, seed)):
        return _drawn(logits, num_samples, seed, dtype)


def _drawn(logits: Any, num_samples: Any, seed: Any, dtype: Any) -> Tensor:
    logits = convert_to_tensor(logits, name="logits")
    return cards.multinomial_op(logits, num_samples, seed, output_dtype=index_type(dtype))


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """As `tf.random_shuffle`, the seed decides.

    TensorFlow: `tf.random.experimental.stateless_shuffle`.

    Example:
      >>> tf.random.experimental.stateless_shuffle([1, 2, 3, 4, 5, 6], [1, 2])  # 5 6 1 4 2 3
    """
    with op_scope(name, "stateless_shuffle", (value, seed)):
        return cards._shuffle(value, *_key_counter_and_algorithm(seed, alg))


def stateless_split(seed: Any, num: int = 2, alg: Any = "auto_select") -> Tensor:
    """`num` new seeds out of one, (num, 2) (TensorFlow: `tf.random.split`).

    Example:
      >>> first, second = tf.unstack(tf.random.split([1, 2]))
    """
    seed = convert_to_tensor(seed)
    return stateless_random_uniform(
        [num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg
    )


def stateless_fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed out of a seed and a number, of a step say (TensorFlow: `tf.random.fold_in`).

    Example:
      >>> tf.random.fold_in([1, 2], 3)  # [1105988140, 3]
    """
    data = convert_to_tensor(data)
    first = stateless_random_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return stack([first, data])
