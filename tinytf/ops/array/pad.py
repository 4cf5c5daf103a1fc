"""Tensors with a border around them: what a slice takes away, put back."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import rank, shape
from tinytf.ops.array.slice import slice
from tinytf.ops.array.stack import stack
from tinytf.ops.base.shape_rules import shown

# Pad ----------------------------------------------------------------------------------------------

_pad = define_op(
    "Pad",
    "input: T, paddings: Tpaddings -> output: T",
    "T: type, Tpaddings: {int32, int64} = DT_INT32",
)


@_pad.shape
def pad_shape(c: InferenceContext) -> TensorShape:
    """The shape of the first input with the borders of the second around it."""
    return with_borders(c, 1)


def with_borders(c: InferenceContext, sign: int) -> TensorShape:
    """The shape of the first input with the second's borders: added for 1, cut off for -1."""
    paddings = with_rank(c.input(1), 2)
    count, pair = paddings.sizes or (None, None)
    if pair not in (None, 2):
        raise ValueError(f"Dimension must be 2 but is {pair}")
    source = c.input(0) if count is None else with_rank(c.input(0), count)
    value = c.constant(1)
    if source.sizes is None or value is None:
        return unknown_shape(source.ndims)
    sizes: list[int | None] = []
    for size, (before, after) in zip(source.sizes, value.tolist()):
        if before < 0 or after < 0:
            raise ValueError("Paddings must be non-negative")
        border = sign * (before + after)
        if size is not None and size + border < 0:
            raise ValueError(f"Negative dimension size caused by subtracting {-border} from {size}")
        sizes.append(None if size is None else size + border)
    return TensorShape.of(tuple(sizes))


@_pad.kernel
def _pad_kernel(value: Array, paddings: Array) -> np.ndarray:
    return _padded(value, paddings, np.zeros((), value.dtype) if value.dtype != object else b"")


def _padded(value: Any, paddings: Any, filler: Any) -> np.ndarray:
    if paddings.ndim != 2 or paddings.shape[1] != 2:
        raise invalid(f"paddings must be a matrix with 2 columns: {shown(paddings)}")
    if len(paddings) != value.ndim:
        raise invalid(
            f"The first dimension of paddings must be the rank of inputs{shown(paddings)} "
            f"{shown(value)}"
        )
    sizes, index = [], []
    for size, (before, after) in zip(value.shape, paddings.tolist()):
        if before < 0 or after < 0:
            raise invalid(f"Paddings must be non-negative: {before} {after}")
        sizes.append(before + size + after)
        index.append(builtins.slice(before, before + size))
    result = np.full(sizes, filler, value.dtype)
    result[tuple(index)] = value
    return result


@_pad.gradient
def _pad_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    value, paddings = op.inputs[:2]
    before = slice(paddings, [0, 0], stack([rank(value), 1]))
    begin = reshape(before, [-1])
    part = slice(gradient, begin, shape(value, out_type=begin.dtype))
    return [part] + [None] * (len(op.inputs) - 1)


def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """The tensor with a border around it (TensorFlow: `tf.pad`).

    Args:
      tensor: of any shape and dtype.
      paddings: an integer matrix: for each dimension how much before, how much after.
      mode: "CONSTANT"; "REFLECT": the border mirrors the inside, without the edge; "SYMMETRIC":
        with the edge.
      name: of the operation.
      constant_values: a scalar, what the border is full of.

    Raises:
      ValueError, InvalidArgumentError: if there are not as many rows as dimensions.

    Example:
      >>> tf.pad([1, 2], [[1, 2]])  # [0, 1, 2, 0, 0]
    """
    mode = mode.upper()
    if mode in ("REFLECT", "SYMMETRIC"):
        result = ops.mirror_pad(tensor, paddings, mode, name)
    elif mode != "CONSTANT":
        raise ValueError(
            f'Value of argument `mode` expected to be one of "CONSTANT", "REFLECT", or '
            f'"SYMMETRIC". Received `mode` = {mode}'
        )
    elif (
        not isinstance(constant_values, Tensor)
        and np.ndim(constant_values) == 0
        and (not constant_values)
    ):
        result = _pad(tensor, paddings, name=name)
    else:
        result = _pad_v2(tensor, paddings, constant_values, name=name)
    if not result.shape.is_fully_defined():
        _refine(result, paddings)
    return result


def _refine(result: Tensor, paddings: Any) -> None:
    """Tell the result the sizes that follow from single paddings that are known."""
    source = result.op.inputs[0].shape.sizes
    if source is None or not isinstance(paddings, list | tuple):
        return
    sizes: list[int | None] = []
    for size, pair in zip(source, paddings):
        known = [] if isinstance(pair, Tensor) else [static_value(part) for part in pair]
        exact = size is not None and known and None not in known
        sizes.append((size or 0) + sum(map(int, known)) if exact else None)
    if len(sizes) == len(source):
        result.set_shape(sizes)


def static_value(value: Any) -> Any:
    """A number as it is, a tensor's value if it is known, else None."""
    return constant_value(value) if isinstance(value, Tensor) else value


# PadV2 --------------------------------------------------------------------------------------------

_pad_v2 = define_op(
    "PadV2",
    "input: T, paddings: Tpaddings, constant_values: T -> output: T",
    "T: type, Tpaddings: {int32, int64} = DT_INT32",
    shape=pad_shape,
)


@_pad_v2.kernel
def _pad_v2_kernel(value: Array, paddings: Array, filler: Array) -> np.ndarray:
    if filler.ndim:
        raise invalid(f"constant_values must be a scalar. Found: {shown(filler)}")
    return _padded(value, paddings, filler)


_pad_v2.gradient(_pad_gradient)
