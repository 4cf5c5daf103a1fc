"""The band of a matrix around its diagonal: matrix_band_part."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.shape_rules import shown

_matrix_band_part = define_op(
    "MatrixBandPart",
    "input: T, num_lower: Tindex, num_upper: Tindex -> band: T",
    "T: type, Tindex: {int32, int64} = DT_INT64",
    shape=unchanged,
)


@_matrix_band_part.kernel
def _matrix_band_part_kernel(input: Array, num_lower: Array, num_upper: Array) -> np.ndarray:
    if input.ndim < 2:
        raise invalid(f"input must be at least 2-dim, received shape: {shown(input)}")
    rows, columns = input.shape[-2:]
    for what, number in (("num_lower", num_lower), ("num_upper", num_upper)):
        if number.ndim:
            raise invalid(f"{what} must be scalar, got shape {shown(number)}")
    lower, upper = int(num_lower), int(num_upper)
    for what, number, limit, line in (
        ("num_lower", lower, rows, "rows"),
        ("num_upper", upper, columns, "columns"),
    ):
        if number > limit:
            raise invalid(
                f"{what} must be negative or less or equal to number of {line} ({limit}) got: "
                f"{number}"
            )
    offset = np.arange(columns) - np.arange(rows)[:, None]
    inside = np.ones((rows, columns), bool)
    if lower >= 0:
        inside &= offset >= -lower
    if upper >= 0:
        inside &= offset <= upper
    return np.where(inside, input, np.zeros((), input.dtype) if input.dtype != object else b"")


@_matrix_band_part.gradient
def _matrix_band_part_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [matrix_band_part(gradient, op.inputs[1], op.inputs[2]), None, None]


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with zeros outside of a band (TensorFlow: `tf.matrix_band_part`).

    Args:
      input: [..., rows, columns].
      num_lower: how many diagonals below the main one are kept; negative for all.
      num_upper: how many above it, likewise.
      name: of the operation.

    Raises:
      InvalidArgumentError: in a run, if there are not as many.

    Example:
      >>> tf.matrix_band_part([[1, 2], [3, 4]], 0, -1)  # [[1, 2], [0, 4]]
    """
    return _matrix_band_part(input, num_lower, num_upper, name=name)
