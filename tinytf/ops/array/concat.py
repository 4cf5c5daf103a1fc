"""Tensors put together: concat and stack; and unstack, which undoes the latter."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    merge,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.identity import identity
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import one_number, shown

# ConcatV2 -----------------------------------------------------------------------------------------

_concat_v2 = define_op(
    "ConcatV2",
    "values: N * T, axis: Tidx -> output: T",
    "N: int >= 2, T: type, Tidx: {int32, int64} = DT_INT32",
)


@_concat_v2.shape
def _concat_v2_shape(c: InferenceContext) -> TensorShape:
    return _concatenated(c, c.shapes()[:-1], len(c.inputs) - 1)


def _concatenated(c: InferenceContext, shapes: list[TensorShape], axis_index: int) -> TensorShape:
    with_rank(c.input(axis_index), 0)
    ranks = [shape.ndims for shape in shapes if shape.ndims is not None]
    if not ranks:
        return unknown_shape()
    if ranks[0] == 0:
        raise ValueError("Can't concatenate scalars (use tf.stack instead)")
    shapes = [with_rank(shape, ranks[0]) for shape in shapes]
    value = c.constant(axis_index)
    if value is None:
        return unknown_shape(ranks[0])
    axis = int(value)
    with_rank_at_least(shapes[0], -axis if axis < 0 else axis + 1)
    axis %= ranks[0]
    before, after, total = shapes[-1][:axis], shapes[-1][axis + 1 :], _size_at(shapes[-1], axis)
    for shape in reversed(shapes[:-1]):
        before = merge(shape[:axis], before)
        after = merge(shape[axis + 1 :], after)
        size = _size_at(shape, axis)
        total = None if size is None or total is None else total + size
    return TensorShape.of((*(before.sizes or ()), total, *(after.sizes or ())))


def _size_at(shape: TensorShape, axis: int) -> int | None:
    return None if shape.sizes is None else shape.sizes[axis]


@_concat_v2.kernel
def _concat_v2_kernel(*inputs: Any) -> Any:
    return _concatenate(inputs[:-1], inputs[-1])


def _concatenate(values: Any, axis: Any) -> Any:
    if axis.ndim and axis.shape != (1,):
        raise invalid(f"axis tensor should be a scalar integer, but got shape {shown(axis)}")
    try:
        return np.concatenate(values, int(axis) if axis.ndim == 0 else one_number(axis))
    except ValueError:  # numpy's AxisError is one
        raise _concat_error(values, one_number(axis)) from None


def _concat_error(values: Any, axis: int) -> Exception:
    first = values[0]
    if first.ndim == 0:
        return invalid("ConcatOp : Can't concatenate scalars (use tf.stack instead)")
    if not -first.ndim <= axis < first.ndim:
        return invalid(
            f"ConcatOp : Expected concatenating dimensions in the range [{-first.ndim}, "
            f"{first.ndim}), but got {axis}"
        )
    for index, value in enumerate(values):
        pair = f"shape[0] = {shown(first)} vs. shape[{index}] = {shown(value)}"
        if value.ndim != first.ndim:
            return invalid(f"ConcatOp : Ranks of all input tensors should match: {pair}")
        for dim in range(first.ndim):
            if dim != axis % first.ndim and value.shape[dim] != first.shape[dim]:
                return invalid(f"ConcatOp : Dimension {dim} in both shapes must be equal: {pair}")
    return invalid("ConcatOp : the values cannot be concatenated")


@_concat_v2.gradient
def _concat_v2_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [*_concat_gradients(op.inputs[:-1], op.inputs[-1], gradient), None]


def _concat_gradients(values: Any, axis: Tensor, gradient: Any) -> list[Any]:
    """For each value, its slice of the gradient."""
    from tinytf.ops.array.shape import rank, shape, shape_n, squeeze
    from tinytf.ops.array.slice import slice
    from tinytf.ops.array.split import split
    from tinytf.ops.math.division import floormod

    if len(values) == 1:
        return [gradient]
    axis = floormod(axis, rank(values[0]), name="mod")
    sizes = []
    for value in values:
        size = shape(value)
        if size.op.type != "Const":
            sizes = shape_n(list(values))
            break
        sizes.append(size)
    if len(sizes) > 16:  # one Split instead of many slices
        along_axis = squeeze(slice(stack(sizes, axis=1), [axis, 0], [1, -1]))
        return split(gradient, along_axis, axis, num=len(values))
    offsets = _concat_offset(axis, sizes)
    return [slice(gradient, begin, size) for begin, size in zip(offsets, sizes)]


def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """Tensors joined along a dimension they have (TensorFlow: `tf.concat`).

    Args:
      values: a list of tensors of one dtype and rank (1 or more), equal but along `axis`.
      axis: the dimension; -1 is the last one.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the shapes do not fit; for scalars (see `stack`).

    Example:
      >>> tf.concat([[[1, 2]], [[3, 4]]], 0)  # [[1, 2], [3, 4]]
    """
    if not isinstance(values, list | tuple):
        values = [values]
    if len(values) == 1:
        with op_scope(name, "concat", (values,)):
            dim = convert_to_tensor(axis, name="concat_dim", dtype=dtypes.int32)
            dim.shape.assert_has_rank(0)
            return identity(values[0], name="concat" if name is None else name)
    return _concat_v2(values, axis, name="concat" if name is None else name)


# Concat -------------------------------------------------------------------------------------------

# Before TensorFlow 1.0 the axis came first; old graphs have these nodes.
_concat_v1 = define_op(
    "Concat", "concat_dim: int32, values: N * T -> output: T", "N: int >= 2, T: type"
)


@_concat_v1.shape
def _concat_v1_shape(c: InferenceContext) -> TensorShape:
    return _concatenated(c, c.shapes()[1:], 0)


@_concat_v1.kernel
def _concat_v1_kernel(axis: Any, *values: Any) -> Any:
    return _concatenate(values, axis)


@_concat_v1.gradient
def _concat_v1_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [None, *_concat_gradients(op.inputs[1:], op.inputs[0], gradient)]


# ConcatOffset -------------------------------------------------------------------------------------

_concat_offset = define_op(
    "ConcatOffset",
    "concat_dim: int32, shape: N * shape_type -> offset: N * shape_type",
    "N: int >= 2, shape_type: {int32, int64} = DT_INT32",
    no_gradient="offsets are whole numbers",
)


@_concat_offset.shape
def _concat_offset_shape(c: InferenceContext) -> list[TensorShape]:
    return [with_rank(shape, 1) for shape in c.shapes()[1:]]


@_concat_offset.kernel
def _concat_offset_kernel(concat_dim: Any, *shapes: np.ndarray) -> list[np.ndarray]:
    rank = len(shapes[0])
    axis = one_number(concat_dim)
    if not -rank <= axis < rank:
        raise invalid(f"Concat dim is out of range: {axis} vs. {rank}")
    axis %= rank
    offsets, position = [], 0
    for index, sizes in enumerate(shapes):
        if len(sizes) != rank:
            raise invalid(f"input {index} should contain {rank} elements, but got {len(sizes)}")
        for dim in range(rank):
            if dim != axis and sizes[dim] != shapes[0][dim]:
                raise invalid(
                    f"All dimensions except {axis} must match. Input {index} has shape "
                    f"{_spaced(sizes)} and doesn't match input 0 with shape "
                    f"{_spaced(shapes[0])}."
                )
        offset = np.zeros_like(sizes)
        offset[axis] = position
        position += int(sizes[axis])
        offsets.append(offset)
    return offsets


def _spaced(sizes: np.ndarray) -> str:
    return "[" + " ".join(map(str, sizes)) + "]"


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
def _pack_kernel(*values: Any, axis: int) -> Any:
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
def _unpack_kernel(value: Any, *, num: int, axis: int) -> list[Any]:
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
            raise ValueError(f"Cannot infer argument `num` from shape {value.shape}")
    return _unpack(value, name="unstack" if name is None else name, num=num, axis=axis)
