"""Mean and variance, and what is normalised by them."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import add, multiply, squared_difference, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.division import div_no_nan
from tinytf.ops.math.power import reciprocal, rsqrt, square
from tinytf.ops.reduce.reduction import reduce_mean, reduce_prod, reduce_sum


def moments(
    x: Any,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of a tensor along some axes (TensorFlow: `tf.nn.moments`).

    Args:
      x: a tensor; float16 is summed in float32.
      axes: a list of axes.
      shift: not used any more.
      name: of the operation.
      keep_dims, keepdims: whether the axes stay, with size 1.

    Returns:
      the mean and the variance.

    Example:
      >>> tf.nn.moments(tf.constant([[1.0, 2.0], [3.0, 6.0]]), [0])  # ([2., 4.], [1., 4.])
    """
    keepdims = ops.deprecated_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "moments", (x, axes)):
        is_short = x.dtype == dtypes.float16
        y = cast(x, dtypes.float32) if is_short else x
        mean = reduce_mean(y, axes, keepdims=True, name="mean")
        distances = squared_difference(y, ops.stop_gradient(mean))
        variance = reduce_mean(distances, axes, keepdims=True, name="variance")
        return _finished(mean, variance, None if keepdims else axes, is_short)


def _finished(mean: Tensor, variance: Tensor, axes: Any, is_short: bool) -> tuple[Tensor, Tensor]:
    if axes is not None:
        mean, variance = ops.squeeze(mean, axes), ops.squeeze(variance, axes)
    if is_short:
        return cast(mean, dtypes.float16), cast(variance, dtypes.float16)
    return mean, variance


def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance where elements count more or less (TensorFlow: `tf.nn.weighted_moments`).

    Args:
      x: a tensor.
      axes: a list of axes.
      frequency_weights: how often each element counts, broadcast to x.
      name: of the operation.
      keep_dims, keepdims: whether the axes stay, with size 1.

    Returns:
      the mean and the variance.

    Example:
      >>> tf.nn.weighted_moments(tf.constant([1.0, 4.0]), [0], [2.0, 1.0])  # (2., 2.)
    """
    keepdims = ops.deprecated_lookup("keepdims", keepdims, "keep_dims", keep_dims)
    with op_scope(name, "weighted_moments", (x, frequency_weights, axes)):
        x = convert_to_tensor(x, name="x")
        weights: Any = convert_to_tensor(frequency_weights, name="frequency_weights")
        is_short = x.dtype == dtypes.float16
        if is_short:
            x = cast(x, dtypes.float32)
        if weights.dtype != x.dtype:
            weights = cast(weights, x.dtype)
        total = reduce_sum(weights * x, axes, name="weighted_input_sum", keepdims=True)
        spread = weights + ops.zeros_like(x)
        count = reduce_sum(spread, axes, name="sum_of_weights", keepdims=True)
        mean = div_no_nan(total, count)
        distances = reduce_sum(
            weights * squared_difference(x, mean), axes, name="weighted_distsq", keepdims=True
        )
        variance = div_no_nan(distances, count)
        return _finished(mean, variance, None if keepdims else axes, is_short)


def sufficient_statistics(
    x: Any,
    axes: Any,
    shift: Any = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares (TensorFlow: `tf.nn.sufficient_statistics`).

    Args:
      x: a tensor.
      axes: a list of axes.
      shift: subtracted first, close to the mean: rounding does less harm then.
      keep_dims, keepdims: whether the axes stay, with size 1.
      name: of the operation.

    Returns:
      (count, sum, sum of squares, shift or None), for `tf.nn.normalize_moments`.

    Example:
      >>> tf.nn.sufficient_statistics(tf.constant([1.0, 3.0]), [0])[:3]  # (2., 4., 10.)
    """
    axes = list(set(axes))
    keepdims = ops.deprecated_lookup("keepdims", keepdims, "keep_dims", keep_dims) or False
    with op_scope(name, "sufficient_statistics", (x, shift)):
        x = convert_to_tensor(x, name="x")
        count = _count(x, axes)
        first, second = x, None
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            first, second = subtract(x, shift), squared_difference(x, shift)
        second = square(x) if second is None else second
        total = reduce_sum(first, axes, keepdims=keepdims, name="mean_ss")
        squares = reduce_sum(second, axes, keepdims=keepdims, name="var_ss")
    return count, total, squares, shift


def _count(x: Tensor, axes: list[int]) -> Tensor:
    """How many elements are summed up into one."""
    sizes = x.shape.sizes
    if sizes is not None and all(sizes[axis] is not None for axis in axes):
        count = 1
        for axis in axes:
            count *= sizes[axis] or 0
        return constant(count, x.dtype)
    rank: Any = ops.rank(x)
    positive = [axis + rank if axis < 0 else axis for axis in axes]
    counts = ops.gather(cast(ops.shape(x), x.dtype), positive)
    return reduce_prod(counts, name="count")


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from sums (TensorFlow: `tf.nn.normalize_moments`).

    Args:
      counts, mean_ss, variance_ss, shift: as `tf.nn.sufficient_statistics` gives them.
      name: of the operation.

    Returns:
      the mean and the variance.

    Example:
      >>> tf.nn.normalize_moments(2.0, 4.0, 10.0, None)  # (2., 1.)
    """
    with op_scope(name, "normalize", (counts, mean_ss, variance_ss, shift)):
        divisor = reciprocal(counts, name="divisor")
        if shift is None:
            mean = shifted = multiply(mean_ss, divisor, name="mean")
        else:
            shifted = multiply(mean_ss, divisor, name="shifted_mean")
            mean = add(shifted, shift, name="mean")
        squares = multiply(variance_ss, divisor)
        return mean, subtract(squares, square(shifted), name="variance")


def batch_normalization(
    x: Any,
    mean: Any,
    variance: Any,
    offset: Any,
    scale: Any,
    variance_epsilon: Any,
    name: str | None = None,
) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * scale + offset (`tf.nn.batch_normalization`).

    Args:
      x: a tensor.
      mean, variance: tensors that broadcast to x, from `tf.nn.moments` for example.
      offset, scale: tensors that broadcast to x, or None for none.
      variance_epsilon: a small number, which keeps the divisor away from 0.
      name: of the operation.

    Example:
      >>> tf.nn.batch_normalization(tf.constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0)  # [-1., 1.]
    """
    with op_scope(name, "batchnorm", (x, mean, variance, scale, offset)):
        factor: Any = rsqrt(variance + variance_epsilon)
        if scale is not None:
            factor *= scale
        scaled = x * cast(factor, x.dtype)
        shift = -mean * factor if offset is None else offset - mean * factor
        return scaled + cast(shift, x.dtype)


def batch_norm_with_global_normalization(
    t: Any = None,
    m: Any = None,
    v: Any = None,
    beta: Any = None,
    gamma: Any = None,
    variance_epsilon: Any = None,
    scale_after_normalization: bool | None = None,
    name: str | None = None,
    input: Any = None,
    mean: Any = None,
    variance: Any = None,
) -> Any:
    """`batch_normalization` as it was called first (TensorFlow 1.x has the name still).

    TensorFlow: `tf.nn.batch_norm_with_global_normalization`.

    Args:
      t, input: a tensor of rank 4. m, mean: the mean of each channel. v, variance: the variance.
      beta: the offset. gamma: the scale, used if `scale_after_normalization`.
      variance_epsilon: a small number, which keeps the divisor away from 0.
      name: of the operation.

    Example:
      >>> x = tf.constant([[[[1.0], [3.0]]]])
      >>> tf.nn.batch_norm_with_global_normalization(
      ...     x, [2.0], tf.constant([1.0]), [0.0], [9.0], 0.0, False)  # [[[[-1.], [1.]]]]
    """
    t = ops.deprecated_lookup("input", input, "t", t)
    m = ops.deprecated_lookup("mean", mean, "m", m)
    v = ops.deprecated_lookup("variance", variance, "v", v)
    scale = gamma if scale_after_normalization else None
    return batch_normalization(t, m, v, beta, scale, variance_epsilon, name)
