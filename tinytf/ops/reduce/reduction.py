"""Reductions: sums, means, products, extremes, over some axes or over all of them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.dynamic_stitch import setdiff1d
from tinytf.ops.array.fill import zeros_like_op
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.shape import shape_op
from tinytf.ops.array.where import where
from tinytf.ops.base.arguments import explains_arguments
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import add, subtract
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal, not_equal
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.cumsum import cumprod, cumsum
from tinytf.ops.math.division import divide, truediv
from tinytf.ops.math.exp_log import exp, log
from tinytf.ops.math.is_finite import is_finite
from tinytf.ops.reduce.argmax import argmax, argmin
from tinytf.ops.reduce.axes import (
    as_scalar,
    axes_or_all,
    one_of,
    reduced_shape,
    reducer,
    reduction_shape,
    spread,
)
from tinytf.ops.segment.unsorted import unsorted_segment_sum

__all__ = [
    "argmax",
    "argmin",
    "count_nonzero",
    "cumprod",
    "cumsum",
    "reduce_all",
    "reduce_any",
    "reduce_logsumexp",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "unsorted_segment_sum",
]

_KEPT = "keep_dims: bool = false"
_INDEX = "Tidx: {int32, int64} = DT_INT32"
_ORDERED = "T: {realnumbertype, quantizedtype}"


def reduction_card(op_type: str, types: str) -> OpCard:
    return define_op(
        op_type,
        "input: T, reduction_indices: Tidx -> output: T",
        _KEPT,
        types,
        _INDEX,
        shape=reduction_shape,
    )


_SHORT = ["half", "bfloat16"]


def accumulating(card: OpCard, reduce: Any) -> None:
    """Register kernels out of `reduce(x, axes, keep)`; in 32 bits for floats of 16.

    Sums of 16-bit floats would stop growing long before all is added up.
    """

    def reduce_short(x: Any, axes: Any, keep: bool) -> Any:
        return reduce(x.astype(np.float32), axes, keep).astype(x.dtype)

    card.kernel(reducer(reduce))
    card.kernel(reducer(reduce_short), types={"T": _SHORT})


def _reduce(card: OpCard, arguments: tuple[Any, ...], name: str | None) -> Tensor:
    """The node for the six arguments that every TensorFlow 1.x reduction takes."""
    x, axis, keepdims, reduction_indices, keep_dims = arguments
    axis = one_of("axis", axis, "reduction_indices", reduction_indices)
    keepdims = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    result = card(x, axes_or_all(x, axis), name=name, keep_dims=keepdims)
    return as_scalar(result, axis, keepdims)


# Sum --------------------------------------------------------------------------------------------

sum_op = reduction_card("Sum", "T: numbertype")


def _sum_over(x: Any, axes: Any, keep: bool) -> Any:
    if axes == ():  # as in most gradients of sums and products
        return x.copy()
    return add_reduce(x, axes, x.dtype, None, keep)


add_reduce: Any = np.add.reduce
accumulating(sum_op, _sum_over)


@sum_op.gradient
def _sum_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [spread(op, gradient), None]


@explains_arguments
def reduce_sum(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The sum over some axes (TensorFlow: `tf.reduce_sum`).

    Args:
      input_tensor: a numeric tensor of any shape.
      axis: a number or list from -rank to rank - 1, or a tensor; None for all axes; [] for none.
      keepdims: whether a reduced axis stays, with size 1.
      name: of the operation.
      reduction_indices, keep_dims: the old names of `axis` and `keepdims`.

    Returns:
      a tensor of the same dtype; 0 where there is nothing to sum.

    Raises:
      ValueError: for an axis out of range, or both names of an argument.
      InvalidArgumentError: in a run, for an axis out of range or given twice.

    Example:
      >>> tf.reduce_sum([[1, 2], [3, 4]], axis=0)  # [4, 6]
    """
    return _reduce(sum_op, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


# Mean -------------------------------------------------------------------------------------------

_mean = reduction_card("Mean", "T: numbertype")


def _mean_over(x: Any, axes: Any, keep: bool) -> Any:
    total = add_reduce(x, axes, x.dtype, None, keep)
    # Dividing by 0, where there is nothing, gives NaN.
    return np.divide(total, x.dtype.type(x.size // (total.size or 1)))


accumulating(_mean, _mean_over)


@_mean.kernel(types={"T": ["integertype"]})
@reducer
def _integer_mean(x: Any, axes: Any, keep: bool) -> Any:
    # A sum of many small integers does not fit into one of them.
    total = add_reduce(x, axes, np.int64 if x.dtype.kind == "i" else np.uint64, None, keep)
    count = total.dtype.type(x.size // (total.size or 1) or 1)
    # Rounded towards zero, as C divides.
    return np.multiply(np.sign(total), np.absolute(total) // count).astype(x.dtype)


@_mean.gradient
def _mean_gradient(op: Operation, gradient: Any) -> list[Any]:
    summed = spread(op, gradient)
    source, result = op.inputs[0].shape, op.outputs[0].shape
    if source.is_fully_defined() and result.is_fully_defined():
        count = (source.num_elements() or 0) // (result.num_elements() or 1)
        factor: Any = constant(count, dtype=summed.dtype)
    else:
        sizes = ops.shape(op.inputs[0])
        rank: Any = ops.size(sizes)
        indices: Any = op.inputs[1]
        factor = reduce_prod(ops.gather(sizes, (indices + rank) % rank))
    return [truediv(summed, cast(factor, summed.dtype)), None]


@explains_arguments
def reduce_mean(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The mean over some axes (TensorFlow: `tf.reduce_mean`); arguments as of `reduce_sum`.

    The mean of integers is an integer, rounded towards zero. The mean of nothing is NaN.

    Example:
      >>> tf.reduce_mean([1, 2])      # 1
      >>> tf.reduce_mean([1.0, 2.0])  # 1.5
    """
    return _reduce(_mean, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


# Prod -------------------------------------------------------------------------------------------

prod_op = reduction_card("Prod", "T: numbertype")


def _prod_over(x: Any, axes: Any, keep: bool) -> Any:
    return _multiply(x, axes, x.dtype, None, keep)


_multiply: Any = np.multiply.reduce
prod_op.kernel(reducer(_prod_over))


@prod_op.kernel(types={"T": ["half"]})
@reducer
def _product_of_halves(x: Any, axes: Any, keep: bool) -> Any:
    # Rounded at every step, as TensorFlow has it; numpy's own product would be of 32 bits within.
    axes = tuple(axis % x.ndim for axis in np.atleast_1d(axes))
    kept = [axis for axis in range(x.ndim) if axis not in axes]
    sizes = [1 if axis in axes else size for axis, size in enumerate(x.shape)]
    rest = [x.shape[axis] for axis in kept]
    rows = x.transpose(*axes, *kept).reshape(math.prod(x.shape[a] for a in axes), *rest)
    # A copy: a view of the last row would keep all rows alive, and their order in memory.
    result = np.multiply.accumulate(rows)[-1].copy() if len(rows) else np.ones(rest, x.dtype)
    return result.reshape(sizes) if keep else result


@prod_op.gradient
def _prod_gradient(op: Operation, gradient: Any) -> list[Any]:
    # For each element the product of all others, as what stands before it times what stands after
    # it: dividing the whole product by the element would fail at zeros.
    x = op.inputs[0]
    input_shape = ops.shape(x)
    indices: Any = ops.reshape(op.inputs[1], [-1])
    if not op.attrs["keep_dims"]:
        gradient = ops.reshape(gradient, reduced_shape(input_shape, op.inputs[1]))
    gradient = ops.broadcast_to(gradient, input_shape)
    with get_default_graph().device("/cpu:0"):
        rank = ops.rank(x)
        reduced = cast((indices + rank) % rank, dtypes.int32)
        others, _ = setdiff1d(range_of(0, rank), reduced, dtypes.int32)
        order = ops.concat([reduced, others], 0)
        count = reduce_prod(ops.gather(input_shape, reduced))
        rest = reduce_prod(ops.gather(input_shape, others))
    permuted = ops.transpose(x, order)
    permuted_shape = ops.shape(permuted)
    rows = ops.reshape(permuted, (count, rest))
    before = cumprod(rows, axis=0, exclusive=True)
    after = cumprod(rows, axis=0, exclusive=True, reverse=True)
    left: Any = conj(before)
    product = ops.reshape(left * conj(after), permuted_shape)
    result = gradient * ops.transpose(product, ops.invert_permutation(order))
    return [ops.reshape(result, input_shape), None]


@explains_arguments
def reduce_prod(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The product over some axes (TensorFlow: `tf.reduce_prod`); arguments as of `reduce_sum`.

    The product of nothing is 1.

    Example:
      >>> tf.reduce_prod([[1, 2], [3, 4]], axis=1)  # [2, 12]
    """
    return _reduce(prod_op, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


# Max, Min ---------------------------------------------------------------------------------------

max_op = reduction_card("Max", _ORDERED)
_min = reduction_card("Min", _ORDERED)


_maximum: Any = np.maximum.reduce
_minimum: Any = np.minimum.reduce


@max_op.kernel
@reducer
def _max_over(x: Any, axes: Any, keep: bool) -> Any:
    if x.size == 0:
        return _maximum(x, axes, None, None, keep, _bound(x.dtype, -1))
    return _maximum(x, axes, None, None, keep)


@_min.kernel
@reducer
def _min_over(x: Any, axes: Any, keep: bool) -> Any:
    if x.size == 0:
        return _minimum(x, axes, None, None, keep, _bound(x.dtype, 1))
    return _minimum(x, axes, None, None, keep)


def _bound(dtype: np.dtype, sign: int) -> Any:
    """The largest value of a dtype (sign 1) or the smallest (-1): the extreme of nothing."""
    if dtype.kind in "iu":
        return np.iinfo(dtype).max if sign > 0 else np.iinfo(dtype).min
    return dtype.type(sign * math.inf)


def _extremum_gradient(op: Operation, gradient: Any) -> list[Any]:
    # Elements that are equally extreme share the gradient.
    input_shape, y = ops.shape(op.inputs[0]), op.outputs[0]
    if op.attrs["keep_dims"]:
        kept = ops.shape(y)
    else:
        kept = reduced_shape(input_shape, op.inputs[1])
        y = ops.reshape(y, kept)
        gradient = ops.reshape(gradient, kept)
    chosen = cast(equal(y, op.inputs[0]), gradient.dtype)
    count = ops.reshape(reduce_sum(chosen, op.inputs[1]), kept)
    share: Any = divide(chosen, count)
    return [share * gradient, None]


max_op.gradient(_extremum_gradient)
_min.gradient(_extremum_gradient)


@explains_arguments
def reduce_max(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The largest element over some axes (TensorFlow: `tf.reduce_max`); as `reduce_sum`.

    The result is NaN if an element is, and the smallest value of the dtype for nothing.

    Example:
      >>> tf.reduce_max([[1, 9], [7, 3]], axis=0)  # [7, 9]
    """
    return _reduce(max_op, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


@explains_arguments
def reduce_min(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The smallest element over some axes (TensorFlow: `tf.reduce_min`); as `reduce_sum`.

    The result is NaN if an element is, and the largest value of the dtype for nothing.

    Example:
      >>> tf.reduce_min([[1, 9], [7, 3]], axis=0)  # [1, 3]
    """
    return _reduce(_min, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


# All, Any ---------------------------------------------------------------------------------------


def _logical(op_type: str, ufunc: np.ufunc) -> OpCard:
    return define_op(
        op_type,
        "input: bool, reduction_indices: Tidx -> output: bool",
        _KEPT,
        _INDEX,
        shape=reduction_shape,
        kernel=reducer(lambda x, axes, keep: ufunc.reduce(x, axis=axes, keepdims=keep)),
        no_gradient="truth values have no derivative",
    )


_all = _logical("All", np.logical_and)
_any = _logical("Any", np.logical_or)


@explains_arguments
def reduce_all(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether all elements are True (TensorFlow: `tf.reduce_all`); as `reduce_sum`, for bool.

    Example:
      >>> tf.reduce_all([[True, True], [True, False]], axis=1)  # [True, False]
    """
    return _reduce(_all, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


@explains_arguments
def reduce_any(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether an element is True (TensorFlow: `tf.reduce_any`); as `reduce_sum`, for bool.

    Example:
      >>> tf.reduce_any([[False, False], [True, False]], axis=1)  # [False, True]
    """
    return _reduce(_any, (input_tensor, axis, keepdims, reduction_indices, keep_dims), name)


# Made of others ---------------------------------------------------------------------------------


def reduce_logsumexp(
    input_tensor: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """`log(sum(exp(x)))`, where exp alone would overflow (TensorFlow: `tf.reduce_logsumexp`).

    Arguments as of `reduce_sum`.

    Example:
      >>> tf.reduce_logsumexp([1000.0, 1000.0])  # 1000.6931
    """
    axis = one_of("axis", axis, "reduction_indices", reduction_indices)
    keepdims = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    with op_scope(name, "ReduceLogSumExp", (input_tensor,)) as scope:
        largest = reduce_max(input_tensor, axis=axis, keepdims=True)
        # An infinite largest element would give inf - inf.
        finite = is_finite(largest)
        shift = ops.stop_gradient(where(finite, largest, zeros_like_op(largest)))
        total = reduce_sum(exp(subtract(input_tensor, shift)), axis=axis, keepdims=keepdims)
        result = log(total)
        if not keepdims:
            shift = ops.reshape(shift, shape_op(result))
        return as_scalar(add(result, shift, name=scope), axis, keepdims)


def count_nonzero(
    input_tensor: Any = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: Any = None,
) -> Tensor:
    """How many elements are not zero (TensorFlow: `tf.count_nonzero`).

    Args:
      input_tensor: of any shape; a number, bool or string (empty ones count as zero).
      axis, keepdims, name, reduction_indices, keep_dims: as of `reduce_sum`.
      dtype: of the result.
      input: another name of `input_tensor`.

    Example:
      >>> tf.count_nonzero([[0, 1], [2, 3]])  # 3
    """
    axis = one_of("axis", axis, "reduction_indices", reduction_indices)
    keepdims = bool(one_of("keepdims", keepdims, "keep_dims", keep_dims))
    input_tensor = one_of("input_tensor", input_tensor, "input", input)
    with op_scope(name, "count_nonzero", (input_tensor,)):
        tensor = convert_to_tensor(input_tensor, name="input")
        if tensor.dtype.is_bool:
            counted = tensor
        else:
            counted = not_equal(tensor, ops.zeros([], dtype=tensor.dtype))
        return cast(reduce_sum(cast(counted, dtypes.int64), axis=axis, keepdims=keepdims), dtype)
