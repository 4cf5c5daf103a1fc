"""`tf.repeat`: elements one after the other, each as often as wanted."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.boolean_mask import boolean_mask
from tinytf.ops.array.linspace import as_integers
from tinytf.ops.array.range import all_axes, range_op
from tinytf.ops.array.sequence_mask import sequence_mask
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum_op
from tinytf.ops.reduce.reduction import max_op, sum_op


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """The elements of a tensor, each repeated (TensorFlow: `tf.repeat`).

    Args:
      input: of any shape and dtype.
      repeats: how often, an integer scalar, or a vector with a number for each place of `axis`.
      axis: along which; by default the tensor is flattened first.
      name: of the operations' scope.

    Raises:
      TypeError: if `axis` is no int or `repeats` no integers. ValueError: if they do not fit.

    Example:
      >>> tf.repeat([1, 2, 3], [2, 0, 1])  # [1, 1, 3]
    """
    if axis is None:
        input, axis = ops.reshape(input, [-1]), 0
    if not isinstance(axis, int):
        raise TypeError(
            f"Argument `axis` must be an int. Received `axis` = {axis} of type "
            f"{type(axis).__name__}"
        )
    with op_scope(name, "Repeat", (input, repeats)):
        data = convert_to_tensor(input, name="data")
        repeats = as_integers(repeats, "repeats")
        repeats.shape.with_rank_at_most(1)
        if data.shape.ndims == 0:
            data = ops.stack([data])
        elif data.shape.ndims is None:
            sizes, rank = ops.shape(data), ops.rank(data)
            sizes = ops.concat([[1], sizes], axis=0)
            data = ops.reshape(data, sizes[-rank:])  # type: ignore[index, operator]
        data_shape: Any = ops.shape(data, out_type=repeats.dtype)
        axis = _positive_axis(axis, data.shape.ndims)
        if repeats.shape.num_elements() == 1:
            times: Any = ops.reshape(repeats, [])
            tiled = _tile_along(ops.expand_dims(data, axis + 1), axis + 1, times)
            parts = [data_shape[:axis], [times * data_shape[axis]], data_shape[axis + 1 :]]
            return ops.reshape(tiled, ops.concat(parts, axis=0))
        return _repeat_unevenly(data, data_shape, repeats, axis)


def _repeat_unevenly(data: Tensor, data_shape: Any, repeats: Any, axis: int) -> Tensor:
    if repeats.shape.ndims == 1 and data.shape.ndims is not None:
        _check_compatible(data.shape.sizes[axis], repeats.shape.sizes[0])  # type: ignore[index]
    repeats = original = ops.broadcast_to(repeats, [data_shape[axis]])
    if repeats.shape.ndims != axis + 1:
        repeats_shape, rank = ops.shape(repeats), ops.rank(repeats)
        outer = data_shape[: axis + 1 - rank]  # type: ignore[operator]
        repeats = ops.broadcast_to(repeats, ops.concat([outer, repeats_shape], axis=0))
        repeats.set_shape([None] * (axis + 1))
    most = max_op(repeats, all_axes(repeats))
    most = maximum_op(convert_to_tensor(0, name="zero", dtype=most.dtype), most)
    mask = sequence_mask(repeats, most)
    tiled = _tile_along(ops.expand_dims(data, axis + 1), axis + 1, most)
    result = boolean_mask(tiled, mask)
    if axis:
        size = sum_op(original, range_op(0, ops.rank(original), 1))
        parts = [data_shape[:axis], [size], data_shape[axis + 1 :]]
        result = ops.reshape(result, ops.concat(parts, axis=0))
    if data.shape.ndims is not None:
        empty = original.shape.num_elements() == 0
        middle = TensorShape([0 if empty else None])
        static = data.shape[:axis].concatenate(middle).concatenate(data.shape[axis + 1 :])
        result.set_shape(static)
    return result


def _check_compatible(size: int | None, count: int | None) -> None:
    if None not in (size, count) and size != count:
        raise ValueError(f"Dimensions {size} and {count} are not compatible")


def _positive_axis(axis: int, rank: int | None) -> int:
    if rank is None:
        if axis < 0:
            raise ValueError(f"axis={axis} may only be negative if rank(data) is statically known.")
        return axis
    if not -rank <= axis < rank:
        raise ValueError(f"axis={axis} out of bounds: expected {-rank}<=axis<{rank}")
    return axis % rank


def _tile_along(data: Tensor, axis: int, times: Any) -> Tensor:
    """The tensor repeated as a whole, along one axis."""
    if data.shape.ndims is not None:
        multiples: list[Any] = [1] * data.shape.ndims
        multiples[axis] = times
        return ops.tile(data, multiples)
    ones: Any = ops.ones(ops.rank(data), dtypes.int32)
    return ops.tile(data, ops.concat([ones[:axis], [times], ones[axis + 1 :]], axis=0))
