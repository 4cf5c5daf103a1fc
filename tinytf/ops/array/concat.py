"""Tensors put one after the other: concat."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.identity import identity
from tinytf.ops.array.reshape import squeeze
from tinytf.ops.array.shape import shape_n
from tinytf.ops.array.stack import stack
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import one_number, shown

# ConcatV2 -----------------------------------------------------------------------------------------

_concat_v2 = define_op(
    "ConcatV2",
    "values: N * T, axis: Tidx -> output: T",
    "N: int >= 2, T: type, Tidx: {int32, int64} = DT_INT32",
    shape=lambda c: _concatenated(c, c.shapes()[:-1], len(c.inputs) - 1),
)


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
def _concat_v2_kernel(*inputs: Array) -> Array:
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
    if len(values) == 1:
        return [gradient]
    axis = _in_context_of(gradient, axis)
    axis = ops.floormod(axis, ops.rank(values[0]), name="mod")
    sizes = []
    for value in values:
        size = ops.shape(value)
        if size.op.type != "Const":
            sizes = shape_n(list(values))
            break
        sizes.append(size)
    if len(sizes) > 16:  # one Split instead of many slices
        along_axis = squeeze(ops.slice(stack(sizes, axis=1), [axis, 0], [1, -1]))
        return ops.split(gradient, along_axis, axis, num=len(values))
    offsets = _concat_offset(axis, sizes)
    return [ops.slice(gradient, begin, size) for begin, size in zip(offsets, sizes)]


def _in_context_of(gradient: Any, axis: Tensor) -> Tensor:
    """The axis; if it is a constant of another loop or branch, then once more where it is used."""
    if axis.op.type == "Const" and isinstance(gradient, Tensor):
        if ops.output_context(gradient.op) is not ops.output_context(axis.op):
            return constant(constant_value(axis), dtype=axis.dtype)
    return axis


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
    if isinstance(values, int) and isinstance(axis, list | tuple):
        raise ValueError(
            f"Shape {convert_to_tensor(axis).shape} must have rank 0: `axis` is a list, and "
            f"`values` is {values}. Since TensorFlow 1.0 the tensors come first: tf.concat(values, "
            f"axis)."
        )
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
def _concat_v1_kernel(axis: Array, *values: Array) -> Array:
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
    shape=lambda c: [with_rank(shape, 1) for shape in c.shapes()[1:]],
)


@_concat_offset.kernel
def _concat_offset_kernel(concat_dim: Array, *shapes: np.ndarray) -> list[np.ndarray]:
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
