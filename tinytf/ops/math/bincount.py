"""How often whole numbers come: bincount."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import maximum_op, minimum_op
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_max

WEIGHTS = "T: {int32, int64, float, double}"
# What tf.bincount added before 2.3; older graphs have these nodes.
_bincount = define_op(
    "Bincount",
    "arr: int32, size: int32, weights: T -> bins: T",
    WEIGHTS,
    no_gradient="TensorFlow defines none",
    shape=lambda c: TensorShape.of((_static_size(c),)),
)
_dense_bincount = define_op(
    "DenseBincount",
    "input: Tidx, size: Tidx, weights: T -> output: T",
    "Tidx: {int32, int64}",
    WEIGHTS,
    "binary_output: bool = false",
    no_gradient="TensorFlow defines none",
)


def _static_size(c: InferenceContext) -> int | None:
    with_rank(c.input(1), 0)
    value = c.constant(1)
    if value is None:
        return None
    if value < 0:
        raise ValueError(f"size ({int(value)}) must be non-negative")
    return int(value)


@_dense_bincount.shape
def _dense_bincount_shape(c: InferenceContext) -> TensorShape:
    sizes = c.input(0).sizes
    if sizes is not None and len(sizes) > 2:
        raise ValueError(f"Shape must be at most rank 2 but is rank {len(sizes)}")
    count = _static_size(c)
    return unknown_shape() if sizes is None else TensorShape.of((*sizes[:-1], count))


def _checked_size(size: Any) -> int:
    if size.ndim:
        raise invalid(f"Shape must be rank 0 but is rank {size.ndim}")
    if size < 0:
        raise invalid(f"size ({int(size)}) must be non-negative")
    return int(size)


def _counts(values: Any, size: int, weights: Any) -> np.ndarray:
    """One vector's counts, or sums of weights; values that are too large do not count."""
    if (values < 0).any():
        raise invalid("Input arr must be non-negative!")
    inside = values < size
    result = np.zeros(size, weights.dtype)
    np.add.at(result, values[inside], weights[inside] if weights.size else weights.dtype.type(1))
    return result


@_bincount.kernel
def _bincount_kernel(arr: Array, size: Array, weights: Array) -> np.ndarray:
    count = _checked_size(size)
    if weights.size not in (0, arr.size):
        raise invalid("Input indices and weights must have the same size.")
    return _counts(np.asarray(arr).reshape(-1), count, np.asarray(weights).reshape(-1))


@_dense_bincount.kernel
def _dense_bincount_kernel(
    input: Array, size: Array, weights: Array, *, binary_output: bool
) -> Array:
    if input.ndim not in (1, 2):
        raise invalid(f"Shape must be at most rank 2 but is rank {input.ndim}")
    count = _checked_size(size)
    if weights.size and weights.shape != input.shape:
        raise invalid(
            f"`weights` must be the same shape as `arr` or a length-0 `Tensor`, in which case it "
            f"acts as all weights equal to 1. Received {shown(weights)}"
        )
    if input.ndim == 1:
        result = _counts(input, count, weights)
    else:
        all_weights = weights if weights.size else [weights] * len(input)
        rows = [_counts(row, count, w) for row, w in zip(input, all_weights)]
        result = np.array(rows, weights.dtype).reshape(len(input), count)
    return (result != 0).astype(weights.dtype) if binary_output else result


def bincount(
    arr: Any,
    weights: Any = None,
    minlength: Any = None,
    maxlength: Any = None,
    dtype: Any = dtypes.int32,
) -> Tensor:
    """How often each number from 0 on comes (TensorFlow: `tf.bincount`).

    Args:
      arr: natural numbers, of any shape.
      weights: what each counts, a tensor of the same shape; 1 by default.
      minlength, maxlength: bounds of the number of results.
      dtype: of the result, if there are no weights.

    Returns:
      a vector with an element for each number up to the largest.

    Raises:
      InvalidArgumentError: in a run, for a negative number, or weights that do not fit.

    Example:
      >>> tf.bincount([1, 1, 3])  # [0, 2, 0, 1]
    """
    with op_scope(None, "bincount"):
        arr = convert_to_tensor(arr, name="arr")
        if weights is not None:
            weights = convert_to_tensor(weights, name="weights")
        if not arr.dtype.is_integer:
            arr = cast(arr, dtypes.int32)
        count: Any = ops.size(arr)
        largest: Any = reduce_max(arr)
        size: Any = cast(count > 0, arr.dtype) * (largest + 1)
        for limit, name, choose in (
            (minlength, "minlength", maximum_op),
            (maxlength, "maxlength", minimum_op),
        ):
            if limit is not None:
                size = choose(convert_to_tensor(limit, name=name, dtype=arr.dtype), size)
        if weights is not None:
            weights = ops.reshape(weights, [-1])
        arr = ops.reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype=dtype or arr.dtype)
        return _dense_bincount(arr, size, weights)
