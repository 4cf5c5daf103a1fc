"""Tensors repeated as tiles: tile."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import shape, size
from tinytf.ops.array.stack import stack
from tinytf.ops.array.transpose import transpose
from tinytf.ops.base.shape_rules import shape_from_input, shown

_tile = define_op(
    "Tile",
    "input: T, multiples: Tmultiples -> output: T",
    "T: type, Tmultiples: {int32, int64} = DT_INT32",
)


@_tile.shape
def _tile_shape(c: InferenceContext) -> TensorShape:
    source = c.input(0)
    multiples = shape_from_input(c, 1)
    if source.sizes is None:
        return unknown_shape(multiples.ndims)
    count = source.ndims
    if multiples.sizes is None:
        return unknown_shape(count)
    if len(multiples.sizes) != count:
        with_rank(multiples, len(source.sizes))
    return TensorShape.of(
        tuple(
            0 if 0 in (a, b) else None if a is None or b is None else a * b
            for a, b in zip(source.sizes or (), multiples.sizes)
        )
    )


@_tile.kernel
def _tile_kernel(value: Array, multiples: Array) -> Array:
    if multiples.ndim != 1:
        raise invalid(f"Expected multiples to be 1-D, but got shape {shown(multiples)}")
    if multiples.size != value.ndim:
        raise invalid(
            f"Expected multiples argument to be a vector of length {value.ndim} but got length "
            f"{multiples.size}"
        )
    for position, number in enumerate(multiples.tolist()):
        if number < 0:
            raise invalid(f"Expected multiples[{position}] >= 0, but got {number}")
    return np.tile(value, multiples.tolist())


@_tile.gradient
def _tile_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    input_shape = shape(op.inputs[0], out_type=op.inputs[1].dtype)
    # Each dimension becomes two, (copies, size); the sum over the copies is the gradient.
    split_shape = reshape(transpose(stack([op.inputs[1], input_shape])), [-1])
    axes = range_op(0, size(split_shape), 2)
    result = ops.reduce_sum(reshape(gradient, split_shape), axes)
    result.set_shape(op.inputs[0].shape)
    return [result, None]


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor repeated along each dimension (TensorFlow: `tf.tile`).

    Args:
      input: of any shape and dtype, of rank 1 or more.
      multiples: an int32 or int64 vector: how often, for each dimension.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if there are not as many numbers as dimensions, or one is
        negative.

    Example:
      >>> tf.tile([[1, 2]], [2, 2])  # [[1, 2, 1, 2], [1, 2, 1, 2]]
    """
    return _tile(input, multiples, name=name)
