"""Elements in another order along their axes: reverse, reverse_sequence, roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.reshape import deprecated_lookup

_LARGEST_RANK = 8

# ReverseV2 ----------------------------------------------------------------------------------------

_reverse = define_op(
    "ReverseV2",
    "tensor: T, axis: Tidx -> output: T",
    "Tidx: {int32, int64} = DT_INT32, "
    "T: {uint8, int8, uint16, int16, int32, uint32, int64, uint64, bool, inexacttype, string}",
)


@_reverse.shape
def _reverse_shape(c: InferenceContext) -> TensorShape:
    source = c.input(0)
    with_rank(c.input(1), 1)
    axes = c.constant(1)
    if source.sizes is not None:
        if len(source.sizes) > _LARGEST_RANK:
            raise ValueError("reverse does not work on tensors with more than 8 dimensions")
        if axes is not None:
            _reversed_axes(axes, len(source.sizes))
    return source


def _reversed_axes(axes: np.ndarray, rank: int) -> tuple[int, ...]:
    found: list[int] = []
    for position, axis in enumerate(axes.tolist()):
        if not -rank <= axis < rank:
            raise ValueError(f"'axis'[{position}] = {axis} is out of valid range [0, {rank - 1}")
        if axis % rank in found:
            raise ValueError(f"axis {axis % rank} specified more than once.")
        found.append(axis % rank)
    return tuple(found)


@_reverse.kernel
def _reverse_kernel(tensor: Array, axis: Array) -> Array:
    if axis.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {axis.ndim}")
    _check_rank(tensor)
    try:
        axes = _reversed_axes(axis, tensor.ndim)
    except ValueError as error:
        raise invalid(str(error)) from None
    return np.flip(tensor, axes) if axes else tensor


def _check_rank(tensor: Any) -> None:
    if tensor.ndim > _LARGEST_RANK:
        raise UnimplementedError("reverse is not implemented for tensors of rank > 8.")


@_reverse.gradient
def _reverse_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [reverse(gradient, op.inputs[1]), None]


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements in opposite order along some axes (TensorFlow: `tf.reverse`).

    Args:
      tensor: of rank 8 at most.
      axis: a vector of different axes, from -rank to rank - 1.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: for an axis out of range, or given twice.

    Example:
      >>> tf.reverse([[1, 2], [3, 4]], axis=[1])  # [[2, 1], [4, 3]]
    """
    return _reverse(tensor, axis, name=name)


# Reverse ------------------------------------------------------------------------------------------


# Before the axes had numbers there was a bool for each; old graphs have these nodes.
_reverse_v1 = define_op(
    "Reverse",
    "tensor: T, dims: bool -> output: T",
    "T: {uint8, int8, uint16, int16, uint32, int32, uint64, int64, bool, inexacttype, string}",
)


@_reverse_v1.shape
def _reverse_v1_shape(c: InferenceContext) -> TensorShape:
    count = with_rank(c.input(1), 1).sizes
    source = c.input(0)
    if count is not None and count[0] is not None:
        if source.sizes is not None and len(source.sizes) != count[0]:
            raise ValueError(f"Shape must be rank {count[0]} but is rank {len(source.sizes)}")
        source = source.with_rank(count[0])
    if source.sizes is not None and len(source.sizes) > _LARGEST_RANK:
        raise ValueError("reverse does not work on tensors with more than 8 dimensions")
    return source


@_reverse_v1.kernel
def _reverse_v1_kernel(tensor: Array, dims: Array) -> Array:
    if dims.ndim != 1:
        raise invalid(f"'dims' must be 1-dimension, not {dims.ndim}")
    if dims.size != tensor.ndim:
        raise invalid(
            f"'dims' must have the same number of values as 'input' has dimensions. 'input' has "
            f"{tensor.ndim}'dims' has {dims.size} values"
        )
    _check_rank(tensor)
    return np.flip(tensor, tuple(np.flatnonzero(dims).tolist()))


@_reverse_v1.gradient
def _reverse_v1_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [_reverse_v1(gradient, op.inputs[1]), None]


# ReverseSequence ----------------------------------------------------------------------------------

_reverse_sequence = define_op(
    "ReverseSequence",
    "input: T, seq_lengths: Tlen -> output: T",
    "seq_dim: int, batch_dim: int = 0, T: type, Tlen: {int32, int64} = DT_INT64",
)


@_reverse_sequence.shape
def _reverse_sequence_shape(c: InferenceContext) -> TensorShape:
    source, lengths = c.input(0), with_rank(c.input(1), 1)
    if source.sizes is None:
        return source
    rank, batch = len(source.sizes), c.attrs["batch_dim"]
    for what in ("batch_dim", "seq_dim"):
        if c.attrs[what] >= rank:
            raise ValueError(f"{what} must be < input rank: {c.attrs[what]} vs. {rank}")
    sizes = list(source.sizes)
    if lengths.sizes is not None:
        sizes[batch] = merge_dimension(sizes[batch], lengths.sizes[0])
    return TensorShape.of(tuple(sizes))


@_reverse_sequence.kernel
def _reverse_sequence_kernel(
    input: Array, seq_lengths: Array, *, seq_dim: int, batch_dim: int
) -> np.ndarray:
    if seq_lengths.ndim != 1:
        raise invalid(f"seq_lengths must be 1-dim, not {seq_lengths.ndim}")
    if batch_dim == seq_dim:
        raise invalid(f"batch_dim == seq_dim == {seq_dim}")
    for what, dim in (("seq_dim", seq_dim), ("batch_dim", batch_dim)):
        if dim < 0:
            raise invalid(f"Invalid {what} {dim}")
        if dim >= input.ndim:
            raise invalid(f"{what} must be < input rank ( {dim} vs. {input.ndim})")
    if seq_lengths.size != input.shape[batch_dim]:
        raise invalid(
            f"Length of seq_lengths != input.dims({batch_dim}), ({seq_lengths.size} vs. "
            f"{input.shape[batch_dim]})"
        )
    size = input.shape[seq_dim]
    for what, wrong in (("< 0", seq_lengths < 0), (f"> input.dims({seq_dim})", seq_lengths > size)):
        if wrong.any():
            raise invalid(f"seq_lens({int(np.argmax(wrong))}) {what}")
    steps, lengths = np.arange(size), seq_lengths[:, None]
    order = np.where(steps < lengths, lengths - 1 - steps, steps)
    # One row of `order` for each element of the batch, spread over the other dimensions.
    shape = [1] * input.ndim
    shape[batch_dim], shape[seq_dim] = order.shape
    order = order if batch_dim < seq_dim else order.T
    return np.take_along_axis(input, order.reshape(shape), seq_dim)


@_reverse_sequence.gradient
def _reverse_sequence_gradient(op: Operation, gradient: Any) -> list[Any]:
    axes = {"seq_axis": op.attrs["seq_dim"], "batch_axis": op.attrs["batch_dim"]}
    return [reverse_sequence(gradient, op.inputs[1], **axes), None]


def reverse_sequence(
    input: Any,
    seq_lengths: Any,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> Tensor:
    """In each element of a batch, the start reversed (TensorFlow: `tf.reverse_sequence`).

    Args:
      input: of rank 2 or more.
      seq_lengths: an integer vector: how many elements are reversed, for each of the batch.
      seq_axis: along which axis they are. batch_axis: the axis of the batch, by default 0.
      name: of the operation.
      seq_dim, batch_dim: the old names of the two axes.

    Raises:
      ValueError, InvalidArgumentError: for an axis out of range, or a length.

    Example:
      >>> tf.reverse_sequence([[1, 2, 3], [4, 5, 6]], [2, 3], seq_axis=1)  # [[2, 1, 3], [6, 5, 4]]
    """
    seq_axis = deprecated_lookup("seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = deprecated_lookup("batch_axis", batch_axis, "batch_dim", batch_dim)
    if seq_axis is None:
        raise TypeError("Expected int for argument 'seq_dim' not None.")
    return _reverse_sequence(
        input, seq_lengths, name=name, seq_dim=seq_axis, batch_dim=batch_axis or 0
    )
