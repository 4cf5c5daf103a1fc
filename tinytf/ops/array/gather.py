"""Slices picked by index: gather."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones, zeros
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import expand_dims, reshape
from tinytf.ops.array.shape import rank, shape, size
from tinytf.ops.array.slice import getitem
from tinytf.ops.array.tile import tile
from tinytf.ops.array.transpose import transpose
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.gradients.aggregation import dense
from tinytf.ops.math.cast import cast

# GatherV2 -----------------------------------------------------------------------------------------

_gather_v2 = define_op(
    "GatherV2",
    "params: Tparams, indices: Tindices, axis: Taxis -> output: Tparams",
    "batch_dims: int = 0, Tparams: type, Tindices: {int16, int32, int64}, Taxis: {int32, int64}",
)


@_gather_v2.shape
def _gather_v2_shape(c: InferenceContext) -> TensorShape:
    params, indices = with_rank_at_least(c.input(0), 1).sizes, c.input(1).sizes
    with_rank(c.input(2), 0)
    batch_dims, value = c.attrs["batch_dims"], c.constant(2)
    if value is None:
        if params is None or indices is None:
            return unknown_shape()
        batch = batch_dims + len(indices) if batch_dims < 0 else batch_dims
        return unknown_shape(len(params) + len(indices) - 1 - batch)
    axis = int(value)
    with_rank_at_least(c.input(0), -axis if axis < 0 else axis + 1)
    with_rank_at_least(c.input(1), abs(batch_dims))
    if params is None or indices is None:
        return unknown_shape()
    batch = batch_dims + len(indices) if batch_dims < 0 else batch_dims
    with_rank_at_least(c.input(0), batch + 1)
    axis %= len(params)
    return TensorShape.of((*params[:axis], *indices[batch:], *params[axis + 1 :]))


@_gather_v2.kernel
def _gather_v2_kernel(params: Array, indices: Array, axis: Array, *, batch_dims: int) -> Array:
    if np.ndim(axis):
        raise invalid("axis must be scalar")
    position = int(axis)
    if not -params.ndim <= position < params.ndim:
        raise invalid(
            f"Expected axis in the range [-{params.ndim}, {params.ndim}), but got {position}"
        )
    position %= params.ndim
    check_indices(indices, params.shape[position])
    if batch_dims == 0:
        return _take(params, indices, position)
    return _gather_in_batches(params, indices, position, batch_dims)


def _take(params: Any, indices: Any, axis: int) -> Any:
    found = np.take(params, indices, axis)
    # Of strings, numpy gives a single one as it is, not as an array.
    return found if params.dtype != object else np.asarray(found, object)


def check_indices(indices: Any, limit: int) -> None:
    """InvalidArgumentError unless all of an array of integers are from 0 to `limit` - 1."""
    if indices.size and (indices.min() < 0 or indices.max() >= limit):
        wrong = np.argwhere((indices < 0) | (indices >= limit))[0]
        where = ",".join(map(str, wrong))
        bad = indices[tuple(wrong)]
        raise invalid(f"indices{f'[{where}]' if where else ''} = {bad} is not in [0, {limit})")


def _gather_in_batches(params: Any, indices: Any, axis: int, batch_dims: int) -> Any:
    batch = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if not 0 <= batch <= min(axis, indices.ndim):
        raise invalid(f"batch_dims ({batch}) must be less than or equal to axis ({axis}).")
    if params.shape[:batch] != indices.shape[:batch]:
        raise invalid(
            f"params.shape[:batch_dims] {shown(params)} and indices.shape[:batch_dims] "
            f"{shown(indices)} must be equal for batch_dims = {batch}"
        )
    count = int(np.prod(params.shape[:batch], dtype=np.int64))
    outer, inner = params.shape[batch:axis], params.shape[axis + 1 :]
    flat = (count, int(np.prod(outer, dtype=np.int64)), params.shape[axis])
    rows = params.reshape(*flat, int(np.prod(inner, dtype=np.int64))).transpose(0, 2, 1, 3)
    picked = rows[np.arange(count)[:, None], indices.reshape(count, -1)].transpose(0, 2, 1, 3)
    return picked.reshape(params.shape[:axis] + indices.shape[batch:] + inner)


@_gather_v2.gradient
def _gather_v2_gradient(op: Operation, gradient: Any) -> list[Any]:
    params, indices, axis = op.inputs
    with op.graph.colocate_with(params.op):
        params_shape = cast(shape(params, out_type=dtypes.int64), dtypes.int32)
    indices_size = expand_dims(size(indices), 0)
    known = constant_value(axis)
    if known is not None and known == 0:
        values_shape = concat([indices_size, _slice_of(params_shape, 1, None)], 0)
        values = reshape(dense(gradient), values_shape)
        return [IndexedSlices(values, reshape(indices, indices_size), params_shape), None, None]
    batch = op.attrs["batch_dims"]
    if batch < 0:
        if indices.shape.ndims is None:
            raise ValueError(
                f"Currently, it is unsupported to take the gradient of tf.gather when batch_dims "
                f"< 0 and the rank of the indices is unknown. Pass a positive batch_dims or set "
                f"the static shape of the indices. Got batch_dims={batch} and indices={indices}"
            )
        batch += indices.shape.ndims
    return [_gather_along_axis_gradient(gradient, params_shape, indices, axis, batch), None, None]


def _slice_of(vector: Tensor, start: Any, stop: Any) -> Tensor:
    """`vector[start:stop]`."""
    return getitem(vector, slice(start, stop))


def _gather_along_axis_gradient(
    gradient: Any, params_shape: Tensor, indices: Tensor, axis: Tensor, batch_dims: int
) -> Tensor:
    """The dense gradient: the gathered axis comes first (after the batch), rows are added up."""
    outer = _slice_of(params_shape, None, axis)
    inner = _slice_of(_slice_of(params_shape, axis, None), 1, None)
    values_shape = concat([outer, [-1], inner], 0)
    values_dims, axis_dims = size(values_shape), size(outer)
    batch_axes = range_op(batch_dims)
    outer_axes = range_op(batch_dims, axis_dims)
    inner_axes = range_op(ops.add(axis_dims, 1, name="add"), values_dims)
    order = concat([batch_axes, [axis_dims], outer_axes, inner_axes], 0)
    values = transpose(reshape(dense(gradient), values_shape), order)
    result = _add_up_rows(
        gather(params_shape, order), values, indices, batch_dims, getitem(params_shape, axis)
    )
    back = concat([batch_axes, ops.add(outer_axes, 1, name="add"), [batch_dims], inner_axes], 0)
    return transpose(result, back)


def _add_up_rows(
    params_shape: Tensor, values: Tensor, indices: Tensor, batch_dims: int, rows: Tensor
) -> Tensor:
    indices_size = expand_dims(size(indices), 0)
    if not batch_dims:
        return ops.unsorted_segment_sum(values, reshape(indices, indices_size), rows)
    values_shape = shape(values)
    outer = _slice_of(values_shape, None, batch_dims)
    inner = _slice_of(_slice_of(values_shape, batch_dims, None), 1, None)
    rows = ops.multiply(rows, ops.reduce_prod(outer, [0]), name="mul")
    flat_shape = concat([[-1], inner], 0)
    flat_indices = reshape(_row_numbers(params_shape, indices, batch_dims), indices_size)
    total = ops.unsorted_segment_sum(reshape(values, flat_shape), flat_indices, rows)
    return reshape(total, concat([outer, flat_shape], 0))


def _row_numbers(params_shape: Tensor, indices: Tensor, batch_dims: int) -> Tensor:
    """The indices into the parameters with batch dimensions and gathered one made one."""
    kind = indices.dtype.base_dtype
    sizes = cast(params_shape, kind)
    result, stride = indices, ones((), kind)
    for dim in range(batch_dims, 0, -1):
        count = getitem(sizes, dim - 1)
        stride = ops.multiply(stride, getitem(sizes, dim), name="mul")
        numbers = range_op(zeros((), kind), count, ones((), kind))
        numbers = ops.multiply(numbers, stride, name="mul")
        after = tile([1], [ops.subtract(rank(indices), dim, name="sub")])
        dim_shape = concat([tile([1], [dim - 1]), [cast(count, dtypes.int32)], after], axis=0)
        result = ops.add(result, reshape(numbers, dim_shape), name="add")
    return result


def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Slices of `params` picked by index (TensorFlow: `tf.gather`).

    Args:
      params: of rank 1 or more.
      indices: integers from 0 to the size of `axis` - 1, of any shape.
      validate_indices: has no effect: they are always checked.
      name: of the operation.
      axis: the dimension of `params` to pick from; by default `batch_dims`.
      batch_dims: how many leading dimensions the two have in common.

    Returns:
      a tensor of shape params.shape[:axis] + indices.shape[batch_dims:] + params.shape[axis + 1:].

    Raises:
      InvalidArgumentError: "indices[...] = ... is not in [0, n)".

    Example:
      >>> tf.gather([10, 20, 30], [2, 0])  # [30, 10]
    """
    if axis is None:
        axis = batch_dims
    read_rows = getattr(params, "sparse_read", None)
    if read_rows is not None and not isinstance(axis, Tensor) and axis == 0:
        return read_rows(indices, name=name)  # a variable gives the rows without a copy of itself
    return _gather_v2(params, indices, axis, name=name, batch_dims=batch_dims)


# Gather -------------------------------------------------------------------------------------------


# The op before it had an axis; old graphs have these nodes.
_gather_v1 = define_op(
    "Gather",
    "params: Tparams, indices: Tindices -> output: Tparams",
    "validate_indices: bool = true, Tparams: type, Tindices: {int32, int64}",
)


@_gather_v1.shape
def _gather_v1_shape(c: InferenceContext) -> TensorShape:
    params, indices = with_rank_at_least(c.input(0), 1).sizes, c.input(1).sizes
    if params is None or indices is None:
        return unknown_shape()
    return TensorShape.of((*indices, *params[1:]))


@_gather_v1.kernel
def _gather_v1_kernel(params: Array, indices: Array) -> Array:
    if params.ndim < 1:
        raise invalid("params must be at least 1 dimensional")
    check_indices(indices, params.shape[0])
    return _take(params, indices, 0)


@_gather_v1.gradient
def _gather_v1_gradient(op: Operation, gradient: Any) -> list[Any]:
    params, indices = op.inputs
    with op.graph.colocate_with(params.op):
        params_shape = shape(params)
    indices_size = expand_dims(size(indices), 0)
    values_shape = concat([indices_size, _slice_of(params_shape, 1, None)], 0)
    values = reshape(dense(gradient), values_shape)
    return [IndexedSlices(values, reshape(indices, indices_size), params_shape), None]
