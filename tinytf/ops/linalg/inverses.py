"""Inverses and determinants."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.linalg import matrices
from tinytf.ops.linalg.decompositions import cholesky
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrix_diag import matrix_diag_part
from tinytf.ops.math.complex_numbers import real
from tinytf.ops.math.exp_log import log
from tinytf.ops.nn.relu import widened
from tinytf.ops.reduce.reduction import reduce_sum

# MatrixInverse ------------------------------------------------------------------------------------

_matrix_inverse = define_op(
    "MatrixInverse",
    "input: T -> output: T",
    "adjoint: bool = false",
    matrices.ANY_FLOAT,
    shape=matrices.like_the_square,
)


@_matrix_inverse.kernel
def _matrix_inverse_kernel(value: Array, *, adjoint: bool) -> Array:
    matrices.check_square(value)
    try:
        inverse = np.linalg.inv(widened(value)).astype(value.dtype, copy=False)
    except np.linalg.LinAlgError:
        raise invalid("Input is not invertible.") from None
    return matrices.adjoint_of(inverse) if adjoint else inverse


@_matrix_inverse.gradient
def _matrix_inverse_gradient(op: Operation, gradient: Tensor) -> Any:
    inverse, turned = op.outputs[0], op.attrs["adjoint"]
    right = matmul(gradient, inverse, adjoint_a=turned, adjoint_b=not turned)
    product: Any = matmul(inverse, right, adjoint_a=not turned)
    return -product


def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of square matrices (TensorFlow: `tf.matrix_inverse`, `tf.linalg.inv`).

    Args:
      input: [..., n, n], floating-point or complex.
      adjoint: whether to give the inverse of the conjugate transpose.
      name: of the operation.

    Raises:
      ValueError: if a matrix is not square. InvalidArgumentError: in a run, if one is singular.

    Example:
      >>> tf.matrix_inverse([[2.0, 0.0], [0.0, 4.0]])  # [[0.5, 0.], [0., 0.25]]
    """
    return _matrix_inverse(input, name=name, adjoint=adjoint)


# MatrixDeterminant --------------------------------------------------------------------------------

_matrix_determinant = define_op(
    "MatrixDeterminant",
    "input: T -> output: T",
    "T: {half, float, double, complextype}",
    shape=matrices.one_number_each,
)


@_matrix_determinant.kernel(types={"T": matrices.EXACT})
def _matrix_determinant_kernel(value: Array) -> Array:
    matrices.check_square(value)
    return np.linalg.det(value)


@_matrix_determinant.gradient
def _matrix_determinant_gradient(op: Operation, gradient: Any) -> Any:
    return _weighted_inverses(op.inputs[0], gradient * op.outputs[0], op.outputs[0])


def _weighted_inverses(matrix: Tensor, weights: Any, like: Tensor) -> Any:
    """A number for each matrix times the inverse of its adjoint: derivatives of determinants."""
    inverse = matrix_inverse(matrix, adjoint=True)
    weights = ops.reshape(weights, ops.concat([ops.shape(like), [1, 1]], 0))
    return weights * inverse


def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinants of square matrices (TensorFlow: `tf.matrix_determinant`, `tf.linalg.det`).

    Args:
      input: [..., n, n], floating-point or complex.
      name: of the operation.

    Raises:
      ValueError: if a matrix is not square.

    Example:
      >>> tf.matrix_determinant([[3.0, 1.0], [1.0, 2.0]])  # 5.0
    """
    return _matrix_determinant(input, name=name)


# LogMatrixDeterminant -----------------------------------------------------------------------------

_log_matrix_determinant = define_op(
    "LogMatrixDeterminant",
    "input: T -> sign: T, log_abs_determinant: T",
    "T: {half, float, double, complextype}",
    shape=matrices.one_number_each,
)


@_log_matrix_determinant.kernel(types={"T": matrices.EXACT})
def _log_matrix_determinant_kernel(value: Array) -> Any:
    matrices.check_square(value)
    sign, logarithm = np.linalg.slogdet(value)
    return sign, np.asarray(logarithm, value.dtype)


@_log_matrix_determinant.gradient
def _log_matrix_determinant_gradient(op: Operation, _: Any, gradient: Any) -> Any:
    return _weighted_inverses(op.inputs[0], gradient, op.outputs[1])


def slogdet(input: Any, name: str | None = None) -> Any:
    """Sign and logarithm of the absolute value of determinants (TensorFlow: `tf.linalg.slogdet`).

    Args:
      input: [..., n, n], floating-point or complex.
      name: of the operation.

    Returns:
      a pair of tensors [...]: the sign, and log(abs(determinant)), of which large ones fit too.

    Example:
      >>> tf.linalg.slogdet([[-2.0, 0.0], [0.0, 2.0]])  # (-1.0, 1.3862944)
    """
    return _log_matrix_determinant(input, name=name)


def logdet(matrix: Any, name: str | None = None) -> Any:
    """The logarithm of the determinants of positive definite matrices (`tf.linalg.logdet`).

    Args:
      matrix: [..., n, n], symmetric (Hermitian) with positive eigenvalues.
      name: of the operation.

    Example:
      >>> tf.linalg.logdet([[2.0, 0.0], [0.0, 2.0]])  # 1.3862944
    """
    with op_scope(name, "logdet", (matrix,)):
        diagonal = matrix_diag_part(cholesky(matrix))
        total: Any = reduce_sum(log(real(diagonal)), axis=[-1])
        return 2.0 * total
