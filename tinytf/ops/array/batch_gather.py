"""Gathering in batches, made of simpler ops: `batch_gather`, and `gather_nd` with batch_dims."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.meshgrid import meshgrid
from tinytf.ops.array.range import range_op
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast_op
from tinytf.ops.reduce.reduction import prod_op


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Rows picked by index in each element of a batch (TensorFlow 1.x: `tf.batch_gather`).

    Args:
      params: [batch..., n, ...].
      indices: integers [batch..., m] of known rank, from 0 to n - 1.
      name: of the operations' scope.

    Returns:
      a tensor [batch..., m, ...].

    Raises:
      ValueError: if the rank of the indices is not known, or shapes do not fit.
      InvalidArgumentError: in a run, for an index out of range.

    Example:
      >>> tf.batch_gather([[1, 2], [3, 4]], [[1], [0]])  # [[2], [3]]
    """
    with op_scope(name, "BatchGather", (params, indices)):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        rank = indices.shape.ndims
        if rank is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        batch = rank - 1
        if batch < 0 or (params.shape.ndims is not None and batch >= params.shape.ndims):
            which, limit = ("indices", rank) if batch < 0 else ("params", params.shape.ndims)
            raise ValueError(
                f"Argument `batch_dims` = {batch} must be less than rank(`{which}`) = {limit}"
            )
        return _gather_in_batches(params, indices, batch)


def _gather_in_batches(params: Any, indices: Any, batch: int) -> Tensor:
    kind = indices.dtype.base_dtype
    indices_shape, params_shape = ops.shape(indices), ops.shape(params)
    stride: Any = ops.ones((), dtype=kind)
    sizes: Any = cast_op(params_shape, DstT=kind)
    numbers = indices
    for dim in range(batch, 0, -1):
        count = sizes[dim - 1]
        stride *= sizes[dim]
        start, step = ops.zeros((), dtype=kind), ops.ones((), dtype=kind)
        offsets: Any = range_op(start, count, step)
        offsets *= stride
        ones_around = [1] * (dim - 1), [1] * (indices.shape.ndims - dim)
        dim_shape = ops.stack([*ones_around[0], count, *ones_around[1]], axis=0)
        numbers += ops.reshape(offsets, dim_shape)
    flat_numbers = ops.reshape(numbers, [-1])
    rest: Any = params_shape[batch + 1 :]  # type: ignore[index]
    rows = prod_op(params_shape[: batch + 1], [0], keep_dims=False)  # type: ignore[index]
    flat = ops.gather(ops.reshape(params, ops.concat([[rows], rest], axis=0)), flat_numbers)
    result = ops.reshape(flat, ops.concat([indices_shape, rest], axis=0))
    static = indices.shape[:batch].merge_with(params.shape[:batch])
    static = static.concatenate(indices.shape[batch:]).concatenate(params.shape[batch + 1 :])
    result.set_shape(static)
    return result


def batch_gather_nd(params: Any, indices: Any, batch_dims: Any, name: str | None = None) -> Tensor:
    """`gather_nd` with leading dimensions in common; see there."""
    with op_scope(name, "BatchGatherND", (params, indices)):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        _check_batch_dims(params, indices, batch_dims)
        params_shape: Any = ops.shape(params)
        indices_shape: Any = ops.shape(indices)
        batch_shape = params_shape[:batch_dims]
        batch_size = prod_op(batch_shape, [0])
        rank: Any = ops.rank(indices)
        inner_rank = rank - batch_dims - 1
        inner_shape = indices_shape[batch_dims:-1]
        # The coordinates within the batch go before those that are given.
        ranges = [
            cast_op(range_op(0, cast_op(size, DstT=dtypes.int32), 1), DstT=indices.dtype)
            for size in ops.unstack(batch_shape, axis=0)
        ]
        mesh = meshgrid(*ranges, indexing="ij")
        columns = [ops.reshape(part, shape=(-1,)) for part in mesh]
        grid: Any = ops.transpose(ops.stack(columns, axis=0))
        grid_shape: Any = ops.shape(grid)
        between = ops.ones(inner_rank, dtype=grid_shape.dtype)
        spread = ops.concat([grid_shape[:1], between, grid_shape[1:]], axis=0)
        grid = ops.reshape(grid, spread)
        grid = ops.tile(grid, ops.concat(((1,), inner_shape, (1,)), axis=0))
        flat_shape = ops.concat(([batch_size], indices_shape[batch_dims:]), axis=0)
        flat = ops.reshape(indices, flat_shape)
        out = gather_nd(params, ops.concat((grid, flat), axis=-1))
        out_shape: Any = ops.shape(out)
        return ops.reshape(out, ops.concat((batch_shape, out_shape[1:]), axis=0))


def _check_batch_dims(params: Tensor, indices: Tensor, batch_dims: Any) -> None:
    if not isinstance(batch_dims, int):
        raise TypeError(f"Argument `batch_dims` must be an int; got {batch_dims}")
    if batch_dims < 0:
        raise ValueError("tf.gather_nd does not allow negative batch_dims.")
    for what, tensor in (("indices", indices), ("params", params)):
        rank = tensor.shape.ndims
        if rank is not None and batch_dims >= rank:
            raise ValueError(
                f"Argument `batch_dims` = {batch_dims} must be less than rank(`{what}`) = {rank}"
            )
