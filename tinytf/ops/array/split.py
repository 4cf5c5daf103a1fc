"""Tensors taken apart along a dimension: split into equal pieces, or by given sizes."""

from __future__ import annotations

import numbers
from typing import Any

from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension, TensorShape, unknown_shape
from tinytf.ops.array.concat import concat

# Split --------------------------------------------------------------------------------------------

_split = define_op(
    "Split", "split_dim: int32, value: T -> output: num_split * T", "num_split: int >= 1, T: type"
)


def _split_axis(c: InferenceContext, index: int, shape: TensorShape) -> int | None:
    """The axis along which to split, from 0, if it is known."""
    if c.input(index).ndims not in (None, 0):
        raise ValueError(f"Input must be scalar but has rank {c.input(index).ndims}")
    value = c.constant(index)
    if value is None or shape.ndims is None:
        return None if value is None or value < 0 else int(value)
    if not -shape.ndims <= value < shape.ndims:
        raise ValueError(
            f"Dimension size, given by scalar input {int(value)} must be in range "
            f"[-{shape.ndims}, {shape.ndims})"
        )
    return int(value) % shape.ndims


@_split.shape
def _split_shape(c: InferenceContext) -> list[TensorShape]:
    shape, number = c.input(1), c.attrs["num_split"]
    axis = _split_axis(c, 0, shape)
    if axis is None or shape.sizes is None:
        return [unknown_shape(shape.ndims)] * number
    size = shape.sizes[axis]
    if size is not None and size % number:
        raise ValueError(
            f"Dimension size must be evenly divisible by {number} but is {size}\n"
            f"\tNumber of ways to split should evenly divide the split dimension"
        )
    return [_with_size(shape.sizes, axis, None if size is None else size // number)] * number


def _with_size(sizes: tuple[int | None, ...], axis: int, size: int | None) -> TensorShape:
    return TensorShape.of((*sizes[:axis], size, *sizes[axis + 1 :]))


@_split.kernel
def _split_kernel(split_dim: Array, value: Array, *, num_split: int) -> list[Array]:
    axis = _axis_in_range(split_dim, value)
    size = value.shape[axis]
    if size % num_split:
        raise invalid(
            f"Number of ways to split should evenly divide the split dimension, but got "
            f"split_dim {axis} (size = {size}) and num_split {num_split}"
        )
    return _pieces(value, axis, [size // num_split] * num_split)


def _axis_in_range(split_dim: Any, value: Any) -> int:
    if split_dim.ndim:
        raise invalid(f"split_dim must be a scalar but has rank {split_dim.ndim}")
    axis = int(split_dim)
    if not -value.ndim <= axis < value.ndim:
        raise invalid(
            f"-input rank(-{value.ndim}) <= split_dim < input rank ({value.ndim}), but got {axis}"
        )
    return axis % value.ndim


def _pieces(value: Any, axis: int, sizes: list[int]) -> list[Any]:
    pieces, start = [], 0
    before = (slice(None),) * axis
    for size in sizes:
        pieces.append(value[(*before, slice(start, start + size))])
        start += size
    return pieces


@_split.gradient
def _split_gradient(op: Operation, *gradients: Tensor) -> list[Any]:
    return [None, concat(list(gradients), op.inputs[0])]


# SplitV -------------------------------------------------------------------------------------------

_split_v = define_op(
    "SplitV",
    "value: T, size_splits: Tlen, split_dim: int32 -> output: num_split * T",
    "num_split: int >= 1, T: type, Tlen: {int8, int32, int64} = DT_INT64",
)


@_split_v.shape
def _split_v_shape(c: InferenceContext) -> list[TensorShape]:
    shape, number = c.input(0), c.attrs["num_split"]
    axis = _split_axis(c, 2, shape)
    if shape.ndims == 0:
        raise ValueError("Can't split scalars")
    if shape.sizes is None or axis is None:
        return [unknown_shape(shape.ndims)] * number
    value = c.constant(1)
    if value is None:
        return [_with_size(shape.sizes, axis, None)] * number
    sizes = value.reshape(-1).tolist()
    if len(sizes) != number:
        raise ValueError("Length of size_splits should be equal to num_outputs")
    found = _known_pieces(sizes, shape.sizes[axis])
    return [_with_size(shape.sizes, axis, size) for size in found]


def _known_pieces(sizes: list[int], whole: int | None) -> list[int | None]:
    if sizes.count(-1) > 1:
        raise ValueError("size_splits can only have one -1")
    total = sum(size for size in sizes if size != -1)
    found: list[int | None] = []
    for index, size in enumerate(sizes):
        if size == -1 and whole is not None:
            size = whole - total
        if size < -1 or (size == -1 and whole is not None):
            raise ValueError(f"Split size at index {index} must be >= 0. Got: {size}")
        found.append(None if size == -1 else size)
    if whole is not None and (total > whole if -1 in sizes else total != whole):
        pieces = ",".join(map(str, sizes))
        raise ValueError(f"can't split axis of size {whole} into pieces of size [{pieces}]")
    return found


@_split_v.kernel
def _split_v_kernel(
    value: Array, size_splits: Array, split_dim: Array, *, num_split: int
) -> list[Array]:
    if split_dim.size != 1:
        raise invalid("split_dim_tensor must have exactly one element.")
    axis = _axis_in_range(split_dim.reshape(()), value)
    if size_splits.ndim != 1 or size_splits.size != num_split:
        raise invalid(
            f"size of the split_tensor must be 1-D and have the same elements as outputs got "
            f"{size_splits.ndim} -D and {size_splits.size} elements"
        )
    sizes, whole = size_splits.tolist(), value.shape[axis]
    if sizes.count(-1) > 1:
        raise invalid("There can only be one -1 in the input.")
    total = sum(size for size in sizes if size != -1)
    if total > whole or (total != whole and -1 not in sizes):
        raise invalid(
            f"Determined shape must either match input shape along split_dim exactly if fully "
            f"specified, or be less than the size of the input along split_dim if not fully "
            f"specified.  Got: {total}"
        )
    sizes = [whole - total if size == -1 else size for size in sizes]
    for index, size in enumerate(sizes):
        if size < 0:
            raise invalid(f"Split size at index {index} must be >= 0. Got: {size}")
    return _pieces(value, axis, sizes)


@_split_v.gradient
def _split_v_gradient(op: Operation, *gradients: Tensor) -> list[Any]:
    return [concat(list(gradients), op.inputs[2]), None, None]


def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """The pieces of a tensor along a dimension, which they keep (TensorFlow: `tf.split`).

    Args:
      value: of rank 1 or more.
      num_or_size_splits: a number of equal pieces, or a vector with the size of each; one size
        may be -1, "the rest".
      axis: the dimension.
      num: the number of pieces, if the static shape of the sizes does not say it.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the sizes do not fit.

    Example:
      >>> tf.split([[1, 2, 3, 4]], 2, axis=1)  # [[[1, 2]], [[3, 4]]]
    """
    name = "split" if name is None else name
    if isinstance(num_or_size_splits, numbers.Integral | Dimension):
        return _split(axis, value, name=name, num_split=int(num_or_size_splits))
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.shape.ndims == 0:
        raise ValueError(
            f"Rank-0 tensors are not supported as the num_or_size_splits argument to split. "
            f"Argument provided: {num_or_size_splits}"
        )
    if num is None:
        num = sizes.shape.sizes[0] if sizes.shape.sizes else None
        if num is None:
            raise ValueError(f"Cannot infer argument `num` from shape {num_or_size_splits}")
    return _split_v(value, sizes, axis, name=name, num_split=num)
