"""The same elements at other places: transposed, repeated, broadcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    broadcast_shapes,
    merge_dimension,
    with_rank,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.concat import stack
from tinytf.ops.array.shape import rank_node, reshape, shape, size
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown, shown_list

# Transpose ----------------------------------------------------------------------------------------

_transpose = define_op(
    "Transpose", "x: T, perm: Tperm -> y: T", "T: type, Tperm: {int32, int64} = DT_INT32"
)


@_transpose.shape
def _transpose_shape(c: InferenceContext) -> TensorShape:
    source, perm = c.input(0).sizes, c.constant(1)
    vector = c.input(1).sizes
    length = perm.size if perm is not None else vector[0] if vector and len(vector) == 1 else None
    if source is not None and length not in (None, len(source)):
        raise ValueError(f"Dimension must be {len(source)} but is {length}")
    rank = length if source is None else len(source)
    if source is None or perm is None:
        return unknown_shape(rank)
    axes = perm.reshape(-1).tolist()
    for axis in axes:
        if not -len(axes) <= axis < len(axes):
            raise ValueError(f"perm dim {axis} is out of range of input rank {len(axes)}")
    return TensorShape.of(tuple(source[axis] for axis in axes))


@_transpose.kernel
def _transpose_kernel(x: Any, perm: Any) -> Any:
    axes = perm.tolist() if perm.ndim == 1 else _perm_of_another_rank(perm)
    if len(axes) != x.ndim:
        raise invalid(
            f"transpose expects a vector of size {x.ndim}. But input(1) is a vector of size "
            f"{len(axes)}"
        )
    if x.ndim == 0:
        return x
    try:
        return x.transpose(axes)
    except ValueError:
        raise _wrong_permutation(axes) from None


def _perm_of_another_rank(perm: Any) -> list[int]:
    raise invalid(f"perm must be rank 1, got shape {shown(perm)}")


def _wrong_permutation(axes: list[int]) -> Exception:
    for axis in axes:
        if not 0 <= axis < len(axes):
            return invalid(f"{axis} is out of range [0 .. {len(axes)})")
    missing = min(set(range(len(axes))) - set(axes))
    return invalid(f"{missing} is missing from {{{','.join(map(str, axes))}}}.")


@_transpose.gradient
def _transpose_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    return [transpose(gradient, invert_permutation(op.inputs[1])), None]


# The same, of conjugate numbers.
_conjugate_transpose = define_op(
    "ConjugateTranspose",
    "x: T, perm: Tperm -> y: T",
    "T: type, Tperm: {int32, int64} = DT_INT32",
    shape=_transpose_shape,
)


@_conjugate_transpose.kernel
def _conjugate_transpose_kernel(x: Any, perm: Any) -> Any:
    turned = _transpose_kernel(x, perm)
    return np.conjugate(turned) if turned.dtype.kind == "c" else turned


@_conjugate_transpose.gradient
def _conjugate_transpose_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    return [transpose(gradient, invert_permutation(op.inputs[1]), conjugate=True), None]


def transpose(
    a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False
) -> Tensor:
    """The tensor with its dimensions in another order (TensorFlow: `tf.transpose`).

    Args:
      a: of any shape and dtype.
      perm: dimension i of the result is dimension perm[i] of `a`. By default in reverse order.
      name: of the operation.
      conjugate: also conjugates complex numbers.

    Raises:
      ValueError, InvalidArgumentError: if `perm` is no permutation of the dimensions.

    Example:
      >>> tf.transpose([[1, 2, 3], [4, 5, 6]])  # [[1, 4], [2, 5], [3, 6]]
    """
    with op_scope(name, "transpose", (a,)) as scope:
        a = convert_to_tensor(a, name="a")
        if perm is None:
            perm = _reverse_order(a)
        turn = _conjugate_transpose if conjugate and a.dtype.is_complex else _transpose
        return turn(a, perm, name=scope)


def _reverse_order(a: Tensor) -> Any:
    if a.shape.ndims is not None:
        return np.arange(a.shape.ndims - 1, -1, -1, dtype=np.int32)
    from tinytf.ops.array.range import range as range_op
    from tinytf.ops.math.arithmetic import subtract

    return range_op(subtract(rank_node(a), 1, name="sub"), -1, -1, name="Range")


# InvertPermutation --------------------------------------------------------------------------------

_invert_permutation = define_op(
    "InvertPermutation",
    "x: T -> y: T",
    "T: {int32, int64} = DT_INT32",
    no_gradient="indices are whole numbers",
)


@_invert_permutation.shape
def _invert_permutation_shape(c: InferenceContext) -> TensorShape:
    return with_rank(c.input(0), 1)


@_invert_permutation.kernel
def _invert_permutation_kernel(x: Any) -> np.ndarray:
    if x.ndim != 1:
        raise invalid("invert_permutation expects a 1D vector.")
    result = np.full(x.shape, -1, x.dtype)
    for position, target in enumerate(x.tolist()):
        if not 0 <= target < len(x):
            raise invalid(f"{target} is not between 0 and {len(x)}")
        if result[target] != -1:
            raise invalid(f"{target} is duplicated in the input.")
        result[target] = position
    return result


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes `x` (TensorFlow: `tf.invert_permutation`).

    Args:
      x: an int32 or int64 vector that holds each number from 0 to n - 1 once.
      name: of the operation.

    Raises:
      InvalidArgumentError: if it does not.

    Example:
      >>> tf.invert_permutation([2, 0, 1])  # [1, 2, 0]
    """
    return _invert_permutation(x, name=name)


# Tile ---------------------------------------------------------------------------------------------

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
def _tile_kernel(value: Any, multiples: Any) -> Any:
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
    from tinytf.ops.array.range import range as range_op
    from tinytf.ops.reduce.reduction import reduce_sum

    input_shape = shape(op.inputs[0], out_type=op.inputs[1].dtype)
    # Each dimension becomes two, (copies, size); the sum over the copies is the gradient.
    split_shape = reshape(transpose(stack([op.inputs[1], input_shape])), [-1])
    axes = range_op(0, size(split_shape), 2)
    result = reduce_sum(reshape(gradient, split_shape), axes)
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


# BroadcastTo --------------------------------------------------------------------------------------

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
def _broadcast_to_kernel(value: Any, sizes: Any) -> Any:
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
    from tinytf.framework.constant_value import constant_value
    from tinytf.ops.array.constant import constant
    from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
    from tinytf.ops.reduce.reduction import reduce_sum

    target = op.inputs[1]
    input_shape = shape(op.inputs[0], out_type=target.dtype)
    known = constant_value(target)
    if known is not None:
        target = constant(known, dtype=target.dtype)
    _, axes = broadcast_gradient_args(target, input_shape)
    return [reshape(reduce_sum(gradient, axes, keepdims=True), input_shape), None]


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
