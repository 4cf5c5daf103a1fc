"""Tensors repeated to fit a shape: broadcast_to, broadcast_static_shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, broadcast_shapes, merge_dimension
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape
from tinytf.ops.base.shape_rules import shape_from_input, shown, shown_list

_broadcast_to = define_op(
    "BroadcastTo", "input: T, shape: Tidx -> output: T", "T: type, Tidx: {int32, int64} = DT_INT32"
)


@_broadcast_to.shape
def _broadcast_to_shape(c: InferenceContext) -> TensorShape:
    source, target = c.input(0), shape_from_input(c, 1)
    if target.sizes is None or source.sizes is None:
        return target
    if len(source.sizes) > len(target.sizes):
        raise ValueError(
            f"Shape must be at most rank {len(target.sizes)} but is rank {len(source.sizes)}"
        )
    offset = len(target.sizes) - len(source.sizes)
    merged = [
        wanted if given in (1, None) else merge_dimension(given, wanted)
        for given, wanted in zip(source.sizes, target.sizes[offset:])
    ]
    return TensorShape.of((*target.sizes[:offset], *merged))


@_broadcast_to.kernel
def _broadcast_to_kernel(value: Array, sizes: Array) -> Array:
    if sizes.ndim != 1:
        raise invalid(f"shape must be a vector of {{int32,int64}}, got shape {shown(sizes)}")
    target = sizes.tolist()
    for number in target:
        if number < 0:
            raise invalid(f"Dimension {number} must be >= 0")
    if value.ndim > len(target):
        raise invalid(
            f"Rank of input ({value.ndim}) must be no greater than rank of output shape "
            f"({len(target)})."
        )
    try:
        return np.broadcast_to(value, target)
    except ValueError:
        raise invalid(f"Incompatible shapes: {shown(value)} vs. {shown_list(target)}") from None


@_broadcast_to.gradient
def _broadcast_to_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    target = op.inputs[1]
    input_shape = shape(op.inputs[0], out_type=target.dtype)
    known = constant_value(target)
    if known is not None:
        target = constant(known, dtype=target.dtype)
    _, axes = ops.broadcast_gradient_args(target, input_shape)
    return [reshape(ops.reduce_sum(gradient, axes, keepdims=True), input_shape), None]


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The tensor repeated to a shape by numpy's broadcasting rules (TensorFlow: `tf.broadcast_to`).

    Args:
      input: of any shape and dtype.
      shape: an int32 or int64 vector; dimensions of size 1 of `input` grow, missing ones are
        added in front.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the shapes cannot be broadcast.

    Example:
      >>> tf.broadcast_to([1, 2], [2, 2])  # [[1, 2], [1, 2]]
    """
    return _broadcast_to(input, shape, name=name)


def broadcast_static_shape(shape_x: TensorShape, shape_y: TensorShape) -> TensorShape:
    """What two static shapes give together (TensorFlow: `tf.broadcast_static_shape`).

    Raises:
      ValueError: if they cannot be broadcast.

    Example:
      >>> tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([3]))  # (2, 3)
    """
    try:
        return broadcast_shapes(shape_x, shape_y)
    except ValueError:
        raise ValueError(
            f"Incompatible shapes for broadcasting: {shape_x} and {shape_y}. Sizes must be equal "
            f"or 1, from the last dimension to the first."
        ) from None
