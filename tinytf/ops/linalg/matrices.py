"""What the ops on (batches of) matrices share: rules of shapes, checks, transposes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.transpose import transpose
from tinytf.ops.base.op_scope import op_scope

#: What LAPACK computes in; 16-bit floats have no decompositions.
EXACT = ["float", "double", "complex64", "complex128"]
#: The attribute of most decompositions.
ANY_FLOAT = "T: {double, float, half, complextype}"


# Shapes -------------------------------------------------------------------------------------------


def square(shape: TensorShape) -> TensorShape:
    """The shape, of which the last two sizes must be equal.

    Raises:
      ValueError: "Dimensions must be equal, but are 2 and 3".
    """
    sizes = with_rank_at_least(shape, 2).sizes
    if sizes is None:
        return unknown_shape()
    size = merge_dimension(sizes[-2], sizes[-1])
    return TensorShape.of((*sizes[:-2], size, size))


def like_the_square(c: InferenceContext) -> TensorShape:
    """A square matrix for each square matrix."""
    return square(c.input(0))


def one_number_each(c: InferenceContext) -> list[TensorShape]:
    """A number for each square matrix, from each output."""
    sizes = with_rank_at_least(c.input(0), 2).sizes
    if sizes is None:
        return [unknown_shape()] * c.output_count
    merge_dimension(sizes[-1], sizes[-2])
    return [TensorShape.of(sizes[:-2])] * c.output_count


def smaller(rows: int | None, columns: int | None) -> int | None:
    """The smaller of two sizes; a 0 decides alone."""
    if 0 in (rows, columns):
        return 0
    return None if rows is None or columns is None else min(rows, columns)


# In kernels ---------------------------------------------------------------------------------------


def check_matrices(*values: Any) -> None:
    """InvalidArgumentError unless all values have rank 2 or more."""
    for index, value in enumerate(values):
        if value.ndim < 2:
            raise invalid(f"Input tensor {index} must have rank >= 2, got {value.ndim}")


def check_square(value: Any) -> None:
    """InvalidArgumentError unless the value is a (batch of) square matrices."""
    check_matrices(value)
    if value.shape[-1] != value.shape[-2]:
        raise invalid("Input matrix must be square.")


def adjoint_of(value: Any) -> Any:
    """The conjugate transposes of an array's matrices."""
    return np.conjugate(np.swapaxes(value, -1, -2))


# Public functions ---------------------------------------------------------------------------------


def matrix_transpose(
    a: Any, name: str | None = "matrix_transpose", conjugate: bool = False
) -> Tensor:
    """The last two dimensions exchanged (TensorFlow: `tf.matrix_transpose`).

    Args:
      a: of rank 2 or more.
      name: of the operation.
      conjugate: whether complex elements are conjugated as well.

    Raises:
      ValueError: if the rank is known and below 2.

    Example:
      >>> tf.matrix_transpose([[[1, 2, 3]]])  # [[[1], [2], [3]]]
    """
    with op_scope(name, "matrix_transpose", (a,)):
        a = convert_to_tensor(a, name="a")
        rank = a.shape.ndims
        if rank is not None:
            if rank < 2:
                raise ValueError(
                    f"Argument `a` should be a (batch) matrix with rank >= 2.  Received `a` = {a} "
                    f"with shape: {a.shape}"
                )
            return transpose(a, [*range(rank - 2), rank - 1, rank - 2], conjugate=conjugate)
        unknown: Any = ops.rank(a)
        outer = range_of(0, unknown - 2, 1, name="Range")
        order = ops.concat((outer, [unknown - 1, unknown - 2]), 0)
        return transpose(a, order, conjugate=conjugate)


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """The conjugate transpose (TensorFlow: `tf.linalg.adjoint`).

    Args:
      matrix: of rank 2 or more.
      name: of the operation.

    Example:
      >>> tf.linalg.adjoint([[1 + 1j, 2]])  # [[1-1j], [2-0j]]
    """
    with op_scope(name, "adjoint", (matrix,)):
        matrix = convert_to_tensor(matrix, name="matrix")
        return matrix_transpose(matrix, conjugate=True)
