"""Tensors stacked along a new axis, and taken apart again: stack, unstack."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown

# Pack ---------------------------------------------------------------------------------------------

_pack = define_op("Pack", "values: N * T -> output: T", "N: int >= 1, T: type, axis: int = 0")


@_pack.shape
def _pack_shape(c: InferenceContext) -> TensorShape:
    shapes = c.shapes()
    shape = shapes[-1]
    for index in reversed(range(len(shapes) - 1)):
        try:
            shape = merge(shapes[index], shape)
        except ValueError as error:
            raise ValueError(f"{error}\n\tFrom merging shape {index} with other shapes.") from None
    if shape.sizes is None:
        return unknown_shape()
    axis = _checked_axis(c.attrs["axis"], len(shape.sizes) + 1)
    return TensorShape.of((*shape.sizes[:axis], len(shapes), *shape.sizes[axis:]))


def _checked_axis(axis: int, rank: int) -> int:
    if not -rank <= axis < rank:
        raise ValueError(f"Invalid axis: {axis}; must be in [{-rank},{rank})")
    return axis % rank


@_pack.kernel
def _pack_kernel(*values: Array, axis: int) -> Array:
    first = values[0]
    if not hasattr(first, "ndim"):  # resources: a list of queues, to choose one from
        handles = np.empty(len(values), object)
        handles[:] = values
        return handles
    rank = first.ndim + 1
    if not -rank <= axis < rank:
        raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
    for index, value in enumerate(values):
        if value.shape != first.shape:
            raise invalid(
                f"Shapes of all inputs must match: values[0].shape = {shown(first)} != "
                f"values[{index}].shape = {shown(value)}"
            )
    if rank == 1 and first.dtype != object:  # faster; of strings it would make arrays in an array
        return np.array(values, first.dtype)
    return np.stack(values, axis)


@_pack.gradient
def _pack_gradient(op: Operation, gradient: Any) -> list[Tensor]:
    return unstack(gradient, num=op.attrs["N"], axis=op.attrs["axis"])


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape, side by side along a new dimension (TensorFlow: `tf.stack`).

    Args:
      values: a list of tensors, or of what can become one. Numbers alone give a constant.
      axis: where the new dimension goes; -1 is the end.
      name: of the operation.

    Raises:
      ValueError: if the axis is out of range, or shapes differ. TypeError: if dtypes do.

    Example:
      >>> tf.stack([[1, 2], [3, 4]], axis=1)  # [[1, 3], [2, 4]]
    """
    name = "stack" if name is None else name
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name)
        except (TypeError, ValueError, NotImplementedError):
            pass  # Pack itself says what is wrong with them
    first = values[0]
    first = first if isinstance(first, Tensor) else convert_to_tensor(first, name=name)
    if first.shape.ndims is not None:
        rank = first.shape.ndims + 1
        if not -rank <= axis < rank:
            raise ValueError(f"Argument `axis` = {axis} not in range [{-rank}, {rank})")
    return _pack(values, name=name, axis=axis)


def pack(values: Any, axis: int = 0, name: str | None = None) -> Tensor:
    """A `Pack` node, even for values that could be one constant; see `stack`."""
    return _pack(values, name=name, axis=axis)


# Unpack -------------------------------------------------------------------------------------------

_unpack = define_op(
    "Unpack", "value: T -> output: num * T", "num: int >= 0, T: type, axis: int = 0"
)


@_unpack.shape
def _unpack_shape(c: InferenceContext) -> list[TensorShape]:
    source = c.input(0).sizes
    if source is None:
        return [unknown_shape()] * c.output_count
    axis, number = _checked_axis(c.attrs["axis"], len(source)), c.attrs["num"]
    if source[axis] not in (None, number):
        raise ValueError(f"Dimension must be {number} but is {source[axis]}")
    return [TensorShape.of((*source[:axis], *source[axis + 1 :]))] * c.output_count


@_unpack.kernel
def _unpack_kernel(value: Array, *, num: int, axis: int) -> list[Array]:
    rank = value.ndim
    if not -rank <= axis < rank:
        raise invalid(f"axis = {axis} not in [{-rank}, {rank})")
    axis %= rank
    if value.shape[axis] != num:
        raise invalid(f"Input shape axis {axis} must equal {num}, got shape {shown(value)}")
    # With "..." an element is an array without dimensions; strings need that.
    before = (slice(None),) * axis
    return [value[(*before, index, ...)] for index in range(num)]


@_unpack.gradient
def _unpack_gradient(op: Operation, *gradients: Tensor) -> Tensor:
    return stack(gradients, axis=op.attrs["axis"])


def unstack(
    value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The parts of a tensor along a dimension, without it (TensorFlow: `tf.unstack`).

    Args:
      value: of rank 1 or more.
      num: how many there are; needed if the static shape does not say.
      axis: the dimension.
      name: of the operation.

    Raises:
      ValueError: if `num` is not known, or the axis is out of range.

    Example:
      >>> tf.unstack([[1, 2], [3, 4], [5, 6]], axis=1)  # [[1, 3, 5], [2, 4, 6]]
    """
    if num is None:
        value = convert_to_tensor(value)
        sizes = value.shape.sizes
        if sizes is not None:
            if not -len(sizes) <= axis < len(sizes):
                raise ValueError(
                    f"Argument `axis` = {axis} not in range [{-len(sizes)}, {len(sizes)})"
                )
            num = sizes[axis]
        if num is None:
            raise ValueError(
                f"Cannot infer argument `num` from shape {value.shape}. Give num, if you know how "
                "many parts there are; over any number of steps tf.nn.dynamic_rnn and tf.map_fn go."
            )
    return _unpack(value, name="unstack" if name is None else name, num=num, axis=axis)
