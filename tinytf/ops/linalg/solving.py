"""Systems of linear equations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    broadcast_shapes,
    merge,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.linalg.band_part import matrix_band_part
from tinytf.ops.linalg.decompositions import cholesky
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import ANY_FLOAT, EXACT, adjoint_of, matrix_transpose, square
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_sum

# MatrixSolve --------------------------------------------------------------------------------------

_matrix_solve = define_op(
    "MatrixSolve", "matrix: T, rhs: T -> output: T", "adjoint: bool = false", ANY_FLOAT
)


def _solution_shape(c: InferenceContext, is_square: bool) -> TensorShape:
    matrix, rhs = with_rank_at_least(c.input(0), 2), with_rank_at_least(c.input(1), 2)
    if is_square:
        matrix = square(matrix)
    if matrix.sizes is None and rhs.sizes is None:
        return unknown_shape()
    batch = merge(*(unknown_shape() if x.sizes is None else x[:-2] for x in (matrix, rhs)))
    rows, columns = (None, None) if matrix.sizes is None else matrix.sizes[-2:]
    right_rows, right_columns = (None, None) if rhs.sizes is None else rhs.sizes[-2:]
    rows = merge_dimension(rows, right_rows)
    return batch.concatenate([rows if is_square else columns, right_columns])


@_matrix_solve.shape
def _matrix_solve_shape(c: InferenceContext) -> TensorShape:
    return _solution_shape(c, is_square=True)


def _check_system(matrix: Any, rhs: Any) -> None:
    if matrix.ndim != rhs.ndim:
        raise invalid("All input tensors must have the same rank.")
    if matrix.ndim < 2:
        raise invalid(f"Input tensor 0 must have rank >= 2, got {matrix.ndim}")
    if matrix.shape[:-2] != rhs.shape[:-2]:
        raise invalid("All input tensors must have the same outer dimensions.")


@_matrix_solve.kernel(types={"T": EXACT})
def _matrix_solve_kernel(matrix: Array, rhs: Array, *, adjoint: bool) -> Array:
    _check_system(matrix, rhs)
    if matrix.shape[-1] != matrix.shape[-2]:
        raise invalid("First input (lhs) must be a square matrix.")
    if matrix.shape[-2] != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    try:
        return np.linalg.solve(adjoint_of(matrix) if adjoint else matrix, rhs)
    except np.linalg.LinAlgError:
        raise invalid("Input matrix is not invertible.") from None


@_matrix_solve.gradient
def _matrix_solve_gradient(op: Operation, gradient: Tensor) -> Any:
    turned = op.attrs["adjoint"]
    of_rhs = matrix_solve(op.inputs[0], gradient, adjoint=not turned)
    return _gradient_of_matrix(op, of_rhs), of_rhs


def _gradient_of_matrix(op: Operation, of_rhs: Tensor) -> Any:
    first, second = (op.outputs[0], of_rhs) if op.attrs["adjoint"] else (of_rhs, op.outputs[0])
    product: Any = matmul(first, second, adjoint_b=True)
    return -product


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """X with `matrix x = rhs` (TensorFlow: `tf.matrix_solve`, `tf.linalg.solve`).

    Args:
      matrix: [..., n, n], floating-point or complex.
      rhs: [..., n, k], of the same dtype and the same leading sizes.
      adjoint: whether to take the conjugate transpose of `matrix`.
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: in a run, if a matrix is singular.

    Example:
      >>> tf.matrix_solve([[2.0, 0.0], [0.0, 4.0]], [[1.0], [1.0]])  # [[0.5], [0.25]]
    """
    return _matrix_solve(matrix, rhs, name=name, adjoint=adjoint)


# MatrixTriangularSolve ----------------------------------------------------------------------------

_matrix_triangular_solve = define_op(
    "MatrixTriangularSolve",
    "matrix: T, rhs: T -> output: T",
    "lower: bool = true, adjoint: bool = false, T: {bfloat16, double, float, half, complextype}",
)


@_matrix_triangular_solve.shape
def _triangular_shape(c: InferenceContext) -> TensorShape:
    matrix, rhs = with_rank_at_least(c.input(0), 2), with_rank_at_least(c.input(1), 2)
    if matrix.sizes is None or rhs.sizes is None:
        return unknown_shape()
    matrix = square(matrix)
    sizes = matrix.sizes or ()
    rows = merge_dimension(sizes[-2], rhs.sizes[-2])
    batch = broadcast_shapes(TensorShape.of(sizes[:-2]), TensorShape.of(rhs.sizes[:-2]))
    return batch.concatenate(TensorShape.of((rows, rhs.sizes[-1])))


@_matrix_triangular_solve.kernel(types={"T": EXACT})
def _triangular_kernel(matrix: Array, rhs: Array, *, lower: bool, adjoint: bool) -> Array:
    _check_triangular(matrix, rhs, lower, adjoint)
    if adjoint:
        matrix, lower = adjoint_of(matrix), not lower
    size = matrix.shape[-1]
    batch = np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    solution = np.empty((*batch, *rhs.shape[-2:]), rhs.dtype)
    # Row by row, each from those found before; all matrices of the batch at once.
    for row in range(size) if lower else reversed(range(size)):
        known = slice(0, row) if lower else slice(row + 1, size)
        weights = matrix[..., row : row + 1, known]
        rest = rhs[..., row : row + 1, :] - np.matmul(weights, solution[..., known, :])
        solution[..., row : row + 1, :] = rest / matrix[..., row : row + 1, row : row + 1]
    return solution


def _check_triangular(matrix: Any, rhs: Any, lower: bool, adjoint: bool) -> None:
    for index, value in enumerate((matrix, rhs)):
        if value.ndim < 2:
            raise invalid(f"In[{index}] ndims must be >= 2: {value.ndim}")
    rows, columns = matrix.shape[-2:]
    if rows != columns:
        raise invalid(
            f"In[0] matrices in the last dimensions must be square ({columns} =/= {rows})"
        )
    try:
        np.broadcast_shapes(matrix.shape[:-2], rhs.shape[:-2])
    except ValueError:
        raise invalid(
            f"In[0] and In[1] must have compatible batch dimensions: {shown(matrix)} vs. "
            f"{shown(rhs)}"
        ) from None
    if rows != rhs.shape[-2]:
        raise invalid(
            f"In[0] mismatch In[1] shape: {rows} vs. {rhs.shape[-2]}: {shown(matrix)} "
            f"{shown(rhs)} {lower:d} {adjoint:d}"
        )


@_matrix_triangular_solve.gradient
def _triangular_gradient(op: Operation, gradient: Tensor) -> Any:
    matrix, rhs = op.inputs
    lower = op.attrs["lower"]
    of_rhs = _matrix_triangular_solve(
        matrix,
        gradient,
        name="triangular_solve/MatrixTriangularSolve",
        lower=lower,
        adjoint=not op.attrs["adjoint"],
    )
    of_matrix = _gradient_of_matrix(op, of_rhs)
    of_matrix = matrix_band_part(of_matrix, -1, 0) if lower else matrix_band_part(of_matrix, 0, -1)
    shapes = matrix.shape, rhs.shape
    if all(shape.is_fully_defined() for shape in shapes) and shapes[0][:-2] == shapes[1][:-2]:
        return of_matrix, of_rhs
    sizes: Any = ops.shape(matrix)
    rhs_sizes: Any = ops.shape(rhs)
    axes, rhs_axes = broadcast_gradient_args(sizes[:-2], rhs_sizes[:-2])
    of_matrix = ops.reshape(reduce_sum(of_matrix, axis=axes), sizes)
    return of_matrix, ops.reshape(reduce_sum(of_rhs, axis=rhs_axes), rhs_sizes)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """X with `matrix x = rhs`, of one triangle (TensorFlow: `tf.matrix_triangular_solve`).

    Args:
      matrix: [..., n, n]; only its lower (or upper) triangle is read.
      rhs: [..., n, k], of the same dtype. The leading sizes broadcast.
      lower: which triangle it is.
      adjoint: whether to take the conjugate transpose of `matrix`.
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit. A 0 on the diagonal gives inf or nan.

    Example:
      >>> tf.matrix_triangular_solve([[2.0, 9.0], [1.0, 1.0]], [[2.0], [3.0]])  # [[1.], [2.]]
    """
    with op_scope(name, "triangular_solve", (matrix, rhs)):
        return _matrix_triangular_solve(matrix, rhs, lower=lower, adjoint=adjoint)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """X with `A x = rhs`, of the Cholesky factor of A (TensorFlow: `tf.cholesky_solve`).

    Args:
      chol: [..., n, n], as `tf.cholesky` gives it.
      rhs: [..., n, k].
      name: of the operation.

    Example:
      >>> tf.cholesky_solve(tf.cholesky([[4.0]]), [[2.0]])  # [[0.5]]
    """
    with op_scope(name, "cholesky_solve", (chol, rhs)):
        half_way = _matrix_triangular_solve(chol, rhs, adjoint=False, lower=True)
        return _matrix_triangular_solve(chol, half_way, adjoint=True, lower=True)


# MatrixSolveLs ------------------------------------------------------------------------------------

_matrix_solve_ls = define_op(
    "MatrixSolveLs",
    "matrix: T, rhs: T, l2_regularizer: double -> output: T",
    ANY_FLOAT,
    "fast: bool = true",
)


@_matrix_solve_ls.shape
def _matrix_solve_ls_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(2), 0)
    return _solution_shape(c, is_square=False)


@_matrix_solve_ls.kernel(types={"T": EXACT})
def _matrix_solve_ls_kernel(
    matrix: Array, rhs: Array, l2_regularizer: Array, *, fast: bool
) -> Array:
    _check_system(matrix, rhs)
    rows, columns = matrix.shape[-2:]
    if rows != rhs.shape[-2]:
        raise invalid("Input matrix and rhs are incompatible.")
    if l2_regularizer < 0:
        raise invalid("l2_regularizer must be >= 0.")
    if not fast:
        # The solution of least norm, also where the columns depend on one another.
        return np.matmul(np.linalg.pinv(matrix), rhs).astype(rhs.dtype, copy=False)
    tall = rows >= columns
    turned = adjoint_of(matrix)
    gramian = np.matmul(turned, matrix) if tall else np.matmul(matrix, turned)
    gramian = gramian + matrix.dtype.type(l2_regularizer) * np.eye(gramian.shape[-1])
    gramian = gramian.astype(matrix.dtype, copy=False)
    try:
        np.linalg.cholesky(gramian)
        if tall:
            return np.linalg.solve(gramian, np.matmul(turned, rhs))
        return np.matmul(turned, np.linalg.solve(gramian, rhs))
    except np.linalg.LinAlgError:
        larger = "a larger" if tall else "an"
        raise invalid(
            f"Input matrix was rank deficient or ill-conditioned. Try setting fast=False or "
            f"provide {larger} l2_regularizer > 0."
        ) from None


@_matrix_solve_ls.gradient
def _matrix_solve_ls_gradient(op: Operation, gradient: Tensor) -> Any:
    if not op.attrs["fast"]:
        raise ValueError("Gradient not defined for fast=False")
    sizes = op.inputs[0].shape[-2:]
    if sizes.is_fully_defined():
        is_tall = sizes[-2] >= sizes[-1]
        return _tall_gradient(op, gradient) if is_tall else _wide_gradient(op, gradient)
    running: Any = ops.shape(op.inputs[0])
    running = running[-2:]
    return cond(
        running[-2] >= running[-1],
        lambda: _tall_gradient(op, gradient)[:2],
        lambda: _wide_gradient(op, gradient)[:2],
    ) + [None]


def _tall_gradient(op: Operation, gradient: Tensor) -> Any:
    matrix, rhs, regularizer = op.inputs
    chol = _regularized(matrix, cast(regularizer, matrix.dtype), first_kind=True)
    z = cholesky_solve(chol, gradient)
    product: Any = matmul(op.outputs[0], z, adjoint_b=True)
    down: Any = matmul(matrix, product + matrix_transpose(product))
    return -down + matmul(rhs, z, adjoint_b=True), matmul(matrix, z), None


def _wide_gradient(op: Operation, gradient: Any) -> Any:
    matrix, rhs, regularizer = op.inputs
    chol = _regularized(matrix, cast(regularizer, matrix.dtype), first_kind=False)
    of_rhs = cholesky_solve(chol, matmul(matrix, gradient))
    solved = cholesky_solve(chol, rhs)
    first: Any = matmul(of_rhs, matmul(solved, matrix, adjoint_a=True))
    first = -first
    second = gradient - matmul(matrix, of_rhs, adjoint_a=True)
    return first + matmul(solved, second, adjoint_b=True), of_rhs, None


def _regularized(matrix: Tensor, regularizer: Any, first_kind: bool) -> Tensor:
    """The Cholesky factor of AᴴA (first kind) or AAᴴ, plus the regularizer on the diagonal."""
    gramian: Any = matmul(matrix, matrix, adjoint_a=first_kind, adjoint_b=not first_kind)
    if isinstance(regularizer, Tensor) or regularizer != 0:
        sizes: Any = ops.shape(matrix)
        batch = sizes[:-2]
        small = sizes[-1] if first_kind else sizes[-2]
        identity: Any = eye(small, batch_shape=batch, dtype=matrix.dtype)
        static = matrix.shape[-1 if first_kind else -2]
        identity.set_shape(matrix.shape[:-2].concatenate([static, static]))
        gramian += regularizer * identity
    return cholesky(gramian)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: Any = 0.0, fast: bool = True, name: str | None = None
) -> Any:
    """The least-squares solution of `matrix x = rhs` (TensorFlow: `tf.matrix_solve_ls`).

    Args:
      matrix: [..., m, n], floating-point or complex, of full rank if `fast`.
      rhs: [..., m, k], of the same dtype.
      l2_regularizer: a number added to the diagonal of the normal equations.
      fast: whether to solve the normal equations by Cholesky; False is slower, takes any rank and
        has no gradient.
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit.
      InvalidArgumentError: in a run, for a matrix of low rank.

    Example:
      >>> tf.matrix_solve_ls([[1.0], [1.0]], [[2.0], [4.0]])  # [[3.]]
    """
    matrix = convert_to_tensor(matrix, name="matrix")
    if matrix.dtype == dtypes.complex128 and l2_regularizer != 0:
        raise NotImplementedError(
            "matrix_solve_ls is currently disabled for complex128 and l2_regularizer != 0 due to "
            "poor accuracy."
        )
    if not fast or _is_large_batch(matrix):
        return _matrix_solve_ls(matrix, rhs, l2_regularizer, name=name, fast=fast)
    with op_scope(name, "matrix_solve_ls", (matrix, rhs, l2_regularizer)):
        sizes = matrix.shape[-2:]
        if sizes.is_fully_defined():
            solve = _tall_solution if sizes[-2] >= sizes[-1] else _wide_solution
            return solve(matrix, rhs, l2_regularizer)
        running: Any = ops.shape(matrix)
        running = running[-2:]
        return cond(
            running[-2] >= running[-1],
            lambda: _tall_solution(matrix, rhs, l2_regularizer),
            lambda: _wide_solution(matrix, rhs, l2_regularizer),
        )


def _is_large_batch(matrix: Tensor) -> bool:
    """Many small matrices, more than fit a cache: TensorFlow has one op do it all then."""
    if not matrix.shape.is_fully_defined():
        return False
    sizes: list[Any] = matrix.shape.as_list()
    is_bound_by_memory = math.prod(sizes[:-2]) > min(sizes[-2:])
    return math.prod(sizes) * matrix.dtype.size > 256_000 and is_bound_by_memory


def _tall_solution(matrix: Tensor, rhs: Any, l2_regularizer: Any) -> Tensor:
    chol = _regularized(matrix, l2_regularizer, first_kind=True)
    return cholesky_solve(chol, matmul(matrix, rhs, adjoint_a=True))


def _wide_solution(matrix: Tensor, rhs: Any, l2_regularizer: Any) -> Tensor:
    chol = _regularized(matrix, l2_regularizer, first_kind=False)
    return matmul(matrix, cholesky_solve(chol, rhs), adjoint_a=True)
