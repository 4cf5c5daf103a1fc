"""Diagonals of tensors of any rank: diag, diag_part."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown

_TYPES = "T: {floattype, int32, int64, complextype}"

# Diag ---------------------------------------------------------------------------------------------

_diag = define_op("Diag", "diagonal: T -> output: T", _TYPES)


@_diag.shape
def _diag_shape(c: InferenceContext) -> TensorShape:
    sizes = with_rank_at_least(c.input(0), 1).sizes
    return unknown_shape() if sizes is None else TensorShape.of(sizes + sizes)


@_diag.kernel
def _diag_kernel(diagonal: Array) -> np.ndarray:
    if diagonal.ndim < 1:
        raise invalid(f"Input must be at least rank 1, got {diagonal.ndim}")
    result = np.zeros((diagonal.size, diagonal.size), diagonal.dtype)
    np.fill_diagonal(result, diagonal.reshape(-1))
    return result.reshape(diagonal.shape * 2)


@_diag.gradient
def _diag_gradient(op: Operation, gradient: Any) -> Tensor:
    return diag_part(gradient)


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """Zeros but for the given diagonal (TensorFlow: `tf.diag`, `tf.linalg.tensor_diag`).

    Args:
      diagonal: a numeric tensor of shape s, of rank 1 or more.
      name: of the operation.

    Returns:
      a tensor of shape s + s, with `diagonal[i, ...]` at [i, ..., i, ...].

    Raises:
      ValueError, InvalidArgumentError: for a scalar.

    Example:
      >>> tf.diag([1, 2])  # [[1, 0], [0, 2]]
    """
    return _diag(diagonal, name=name)


# DiagPart -----------------------------------------------------------------------------------------

_diag_part = define_op("DiagPart", "input: T -> diagonal: T", _TYPES)


@_diag_part.shape
def _diag_part_shape(c: InferenceContext) -> TensorShape:
    sizes = c.input(0).sizes
    if sizes is None:
        return unknown_shape()
    if not sizes or len(sizes) % 2:
        raise ValueError(f"Input must have even and non-zero rank, input rank is {len(sizes)}")
    middle = len(sizes) // 2
    return TensorShape.of(tuple(map(merge_dimension, sizes[:middle], sizes[middle:])))


@_diag_part.kernel
def _diag_part_kernel(input: Array) -> np.ndarray:
    rank, middle = input.ndim, input.ndim // 2
    if rank % 2:
        raise invalid(
            f"The rank of the tensor should be even and positive, got shape {shown(input)}"
        )
    for i in range(middle):
        if input.shape[i] != input.shape[i + middle]:
            raise invalid(
                f"Invalid shape {shown(input)}: dimensions {i} and {i + middle} do not match."
            )
    half = input.shape[:middle]
    count = math.prod(half)
    return input.reshape(count, count).diagonal().reshape(half)


@_diag_part.gradient
def _diag_part_gradient(op: Operation, gradient: Any) -> Tensor:
    return diag(gradient)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor (TensorFlow: `tf.diag_part`, `tf.linalg.tensor_diag_part`).

    Args:
      input: a numeric tensor of a shape s + s.
      name: of the operation.

    Returns:
      a tensor of shape s with the elements at [i, ..., i, ...].

    Raises:
      ValueError, InvalidArgumentError: if the shape is no such.

    Example:
      >>> tf.diag_part([[1, 2], [3, 4]])  # [1, 4]
    """
    return _diag_part(input, name=name)
