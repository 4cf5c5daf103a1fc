"""Elements set to zero at random: dropout."""

from __future__ import annotations

import numbers
from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.random_seed import get_seed
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.reshape import deprecated_lookup
from tinytf.ops.array.shape import shape
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import multiply, subtract
from tinytf.ops.math.comparison import greater_equal
from tinytf.ops.math.division import realdiv
from tinytf.ops.random.basic import random_uniform


def dropout(
    x: Any,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> Tensor:
    """Some elements of `x` set to 0, the others scaled up to make up for it.

    TensorFlow: `tf.nn.dropout` of version 1. What is 0 changes with every run.

    Args:
      x: floating-point numbers of any shape.
      keep_prob: the old way to say 1 - rate.
      noise_shape: where it has a 1, all elements along that dimension live or die together.
      seed: of the random numbers; see `tf.set_random_seed`.
      name: of the operation.
      rate: the probability of a 0, a number or scalar tensor from 0 up to but not including 1.

    Raises:
      ValueError: for a wrong rate, both or none of `rate` and `keep_prob`, integers.

    Example:
      >>> y = tf.nn.dropout(tf.ones([100]), rate=0.5)
      >>> np.unique(y.eval())  # [0., 2.]
    """
    rate = deprecated_lookup("rate", rate, "keep_prob", _rate_of(keep_prob))
    if rate is None:
        raise ValueError(f"`rate` must be provided. Received: rate={rate}")
    is_number = isinstance(rate, numbers.Real)
    if not is_number and not isinstance(rate, Tensor):
        raise ValueError(f"`rate` must be a scalar or scalar tensor. Received: rate={rate}")
    if is_number and not 0 <= rate < 1:
        raise ValueError(
            f"`rate` must be a scalar tensor or a float in the range [0, 1). Received: rate={rate}"
        )
    with op_scope(name, "dropout", (x,)):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(
                f"`x.dtype` must be a floating point tensor as `x` will be scaled. Received: "
                f"x_dtype={x.dtype}"
            )
        if is_number and rate == 0:
            get_seed(seed)  # later ops get the seeds they would have got
            return x
        return _drop(x, rate, noise_shape, seed)


def _rate_of(keep_prob: Any) -> Any:
    if keep_prob is None:
        return None
    try:
        return 1.0 - (float(keep_prob) if isinstance(keep_prob, numbers.Real) else keep_prob)
    except TypeError:
        raise ValueError(
            f"`keep_prob` must be a floating point number or Tensor. Received: "
            f"keep_prob={keep_prob}"
        ) from None


def _drop(x: Tensor, rate: Any, noise_shape: Any, seed: int | None) -> Tensor:
    if isinstance(rate, Tensor):
        rate.shape.assert_has_rank(0)
        if rate.dtype != x.dtype:
            raise ValueError(
                f"`x.dtype` must be compatible with `rate.dtype`. Received: x.dtype={x.dtype} and "
                f"rate.dtype={rate.dtype}. Convert it: tf.cast(..., tf.{x.dtype.name})."
            )
        scaled = realdiv(x, subtract(constant(1, x.dtype), rate))
    else:
        scaled = multiply(x, convert_to_tensor(1 / (1 - rate), dtype=x.dtype))
    noise = random_uniform(_noise_shape(x, noise_shape), seed=seed, dtype=x.dtype)
    kept = greater_equal(noise, rate)
    result = where_v2(kept, scaled, constant(0, x.dtype))
    result.set_shape(x.shape)
    return result


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return shape(x)
    try:
        given = as_shape(noise_shape).sizes
    except (TypeError, ValueError):
        return noise_shape  # a tensor
    sizes = x.shape.sizes
    if given is None or sizes is None or len(given) != len(sizes):
        return noise_shape
    return TensorShape(tuple(b if a is None else a for a, b in zip(given, sizes)))
