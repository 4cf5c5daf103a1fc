"""Matrices as products of simpler ones: Cholesky, QR, SVD, eigenvalues; see also `spectral`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.linalg.band_part import matrix_band_part
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import (
    ANY_FLOAT,
    EXACT,
    adjoint,
    adjoint_of,
    check_matrices,
    check_square,
    like_the_square,
    smaller,
)
from tinytf.ops.linalg.matrix_diag import matrix_diag_part, matrix_set_diag
from tinytf.ops.math.cast import cast
from tinytf.ops.math.complex_numbers import real
from tinytf.ops.nn.relu import widened

# Cholesky -----------------------------------------------------------------------------------------

_cholesky = define_op("Cholesky", "input: T -> output: T", ANY_FLOAT, shape=like_the_square)


@_cholesky.kernel(types={"T": EXACT})
def _cholesky_kernel(value: Array) -> Array:
    check_square(value)
    try:
        return np.linalg.cholesky(value)
    except np.linalg.LinAlgError:
        pass  # one of them is not positive definite: nan for that one
    factors = [_factor_or_nan(matrix) for matrix in value.reshape(-1, *value.shape[-2:])]
    return np.stack(factors).reshape(value.shape)


def _factor_or_nan(matrix: Any) -> Any:
    try:
        return np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return np.tril(np.full_like(matrix, np.nan))


@_cholesky.gradient
def _cholesky_gradient(op: Operation, gradient: Tensor) -> Any:
    factor = op.outputs[0]
    rows: Any = ops.shape(factor)
    batch: Any = ops.shape(factor)
    identity = eye(rows[-1], batch_shape=batch[:-2], dtype=factor.dtype)
    inverse = ops.matrix_triangular_solve(factor, identity)
    middle = matmul(factor, gradient, adjoint_a=True)
    diagonal: Any = matrix_diag_part(middle)
    middle = matrix_band_part(matrix_set_diag(middle, 0.5 * diagonal), -1, 0)
    result: Any = matmul(matmul(inverse, middle, adjoint_a=True), inverse)
    result += adjoint(result)
    return result * 0.5


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular L with `L Lᴴ = input` (TensorFlow: `tf.cholesky`).

    Args:
      input: [..., n, n], symmetric (Hermitian) and positive definite; only the lower triangle is
        read.
      name: of the operation.

    Returns:
      a tensor like `input`; nan in the triangle of a matrix that is not positive definite.

    Example:
      >>> tf.cholesky([[4.0, 2.0], [2.0, 5.0]])  # [[2., 0.], [1., 2.]]
    """
    return _cholesky(input, name=name)


# Qr -----------------------------------------------------------------------------------------------

qr_op = define_op("Qr", "input: T -> q: T, r: T", "full_matrices: bool = false", ANY_FLOAT)


@qr_op.shape
def _qr_shape(c: InferenceContext) -> list[TensorShape]:
    sizes = with_rank_at_least(c.input(0), 2).sizes
    if sizes is None:
        return [unknown_shape()] * 2
    *batch, rows, columns = sizes
    inner = rows if c.attrs["full_matrices"] else smaller(rows, columns)
    return [TensorShape.of((*batch, rows, inner)), TensorShape.of((*batch, inner, columns))]


@qr_op.kernel
def _qr_kernel(value: Array, *, full_matrices: bool) -> Any:
    check_matrices(value)
    q, r = np.linalg.qr(widened(value), "complete" if full_matrices else "reduced")
    return q.astype(value.dtype, copy=False), r.astype(value.dtype, copy=False)


@qr_op.gradient
def _qr_gradient(op: Operation, dq: Any, dr: Any) -> Any:
    q: Any = op.outputs[0]
    r: Any = op.outputs[1]
    sizes = r.shape.sizes
    if sizes is None or sizes[-2] is None or sizes[-1] is None:
        raise NotImplementedError(
            f"QrGrad not implemented with dynamic shapes. Received r.shape: {r.shape}"
        )
    rows, columns = sizes[-2:]
    q_rows, q_columns = q.shape.sizes[-2:]
    if rows > columns and q_rows == q_columns:
        raise NotImplementedError(
            f"QrGrad not implemented when nrows > ncols and full_matrices is true. Received "
            f"r.shape={r.shape} with nrows={rows}and ncols={columns}."
        )
    if q_rows is not None and q_rows >= columns:
        return _deep_qr_gradient(q, r, dq, dr)
    # The first columns decide about Q; what the others contribute comes by way of it.
    a: Any = op.inputs[0]
    others, dv = a[..., :, q_rows:], dr[..., :, q_rows:]
    first, du = r[..., :, :q_rows], dr[..., :, :q_rows]
    dy = matmul(q, dv)
    dx = _deep_qr_gradient(q, first, dq + matmul(others, dv, adjoint_b=True), du)
    return ops.concat([dx, dy], axis=-1)


def _deep_qr_gradient(q: Any, r: Any, dq: Any, dr: Any) -> Any:

    def over_r(x: Any) -> Any:
        solved = ops.matrix_triangular_solve(r, adjoint(x), lower=False, adjoint=False)
        return adjoint(solved)

    qdq: Any = matmul(q, dq, adjoint_a=True)
    rdr: Any = matmul(r, dr, adjoint_b=True)
    skew_q, skew_r = qdq - adjoint(qdq), rdr - adjoint(rdr)
    lower = matrix_band_part(skew_q + skew_r, -1, 0)
    first: Any = matmul(q, dr + over_r(lower))
    result = first + over_r(dq - matmul(q, qdq))
    if q.dtype.is_complex:
        m: Any = rdr - adjoint(qdq)
        diagonal = matrix_set_diag(ops.zeros_like(m), matrix_diag_part(m))
        correction = diagonal - cast(real(diagonal), q.dtype)
        result = result + over_r(matmul(q, adjoint(correction)))
    return result


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> Any:
    """Q with orthogonal columns and R upper triangular, `Q R = input` (TensorFlow: `tf.qr`).

    Args:
      input: [..., m, n], floating-point or complex.
      full_matrices: whether Q is [m, m] and R [m, n], instead of [m, p] and [p, n] with the
        smaller p of both sizes.
      name: of the operation.

    Returns:
      the pair (q, r).

    Example:
      >>> q, r = tf.qr([[0.0, 2.0], [1.0, 3.0]])
      >>> tf.abs(r)  # [[1., 3.], [0., 2.]]
    """
    return qr_op(input, name=name, full_matrices=full_matrices)


# Svd ----------------------------------------------------------------------------------------------

svd_op = define_op(
    "Svd",
    "input: T -> s: T, u: T, v: T",
    "compute_uv: bool = true, full_matrices: bool = false",
    ANY_FLOAT,
)


@svd_op.shape
def _svd_shape(c: InferenceContext) -> list[TensorShape]:
    nothing = TensorShape.of((0,))
    vectors = c.attrs["compute_uv"]
    sizes = with_rank_at_least(c.input(0), 2).sizes
    if sizes is None:
        return [unknown_shape()] * 3 if vectors else [unknown_shape(), nothing, nothing]
    *batch, rows, columns = sizes
    inner = smaller(rows, columns)
    values = TensorShape.of((*batch, inner))
    if not vectors:
        return [values, nothing, nothing]
    full = c.attrs["full_matrices"]
    u = TensorShape.of((*batch, rows, rows if full else inner))
    return [values, u, TensorShape.of((*batch, columns, columns if full else inner))]


@svd_op.kernel(types={"T": EXACT})
def _svd_kernel(value: Array, *, compute_uv: bool, full_matrices: bool) -> Any:
    check_matrices(value)
    kind, is_finite = value.dtype, np.isfinite(value).all()
    if not is_finite:
        value = np.zeros_like(value)  # only the shapes of the results count then
    if not compute_uv:
        s = np.linalg.svd(value, compute_uv=False).astype(kind, copy=False)
        outputs = [s, np.empty(0, kind), np.empty(0, kind)]
    else:
        u, s, vh = np.linalg.svd(value, full_matrices=full_matrices)
        outputs = [s.astype(kind, copy=False), u, adjoint_of(vh)]
    return outputs if is_finite else [np.full_like(output, np.nan) for output in outputs]


def svd(
    tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None
) -> Any:
    """Singular values and vectors: `tensor = u diag(s) vᴴ` (TensorFlow: `tf.svd`).

    Args:
      tensor: [..., m, n], floating-point or complex.
      full_matrices: whether u is [m, m] and v [n, n], instead of [m, p] and [n, p].
      compute_uv: whether to compute the vectors as well.
      name: of the operation.

    Returns:
      (s, u, v), or s alone. s is [..., p], real, falling; p is the smaller of m and n.

    Example:
      >>> tf.svd([[3.0, 0.0], [0.0, 4.0]], compute_uv=False)  # [4., 3.]
    """
    s, u, v = svd_op(tensor, name=name, compute_uv=compute_uv, full_matrices=full_matrices)
    return (real(s), u, v) if compute_uv else real(s)


# SelfAdjointEigV2 ---------------------------------------------------------------------------------

_self_adjoint_eig = define_op(
    "SelfAdjointEigV2", "input: T -> e: T, v: T", "compute_v: bool = true", ANY_FLOAT
)


@_self_adjoint_eig.shape
def _self_adjoint_eig_shape(c: InferenceContext) -> list[TensorShape]:
    matrices = like_the_square(c)
    values = unknown_shape() if matrices.sizes is None else TensorShape.of(matrices.sizes[:-1])
    return [values, matrices if c.attrs["compute_v"] else TensorShape.of((0,))]


@_self_adjoint_eig.kernel(types={"T": EXACT})
def _self_adjoint_eig_kernel(value: Array, *, compute_v: bool) -> Any:
    check_square(value)
    kind = value.dtype
    try:
        if not np.isfinite(value).all():
            raise np.linalg.LinAlgError
        if not compute_v:
            return np.linalg.eigvalsh(value).astype(kind, copy=False), np.empty(0, kind)
        values, vectors = np.linalg.eigh(value)
        return values.astype(kind, copy=False), vectors
    except np.linalg.LinAlgError:
        raise _no_eigenvalues() from None


def _no_eigenvalues() -> Exception:
    """The error of a matrix that has no eigenvalues, such as one of nan."""
    return invalid(
        "Self-adjoint eigen decomposition was not successful. The input might not be valid."
    )


def self_adjoint_eig(tensor: Any, name: str | None = None) -> Any:
    """Eigenvalues and vectors of symmetric matrices (TensorFlow: `tf.self_adjoint_eig`).

    Args:
      tensor: [..., n, n], symmetric or Hermitian; only the lower triangle is read.
      name: of the operation.

    Returns:
      (e, v): the values [..., n], rising, and the vectors as columns of [..., n, n].

    Raises:
      InvalidArgumentError: in a run, for numbers that are not finite.

    Example:
      >>> e, v = tf.self_adjoint_eig([[2.0, 0.0], [0.0, 1.0]])
      >>> e  # [1., 2.]
    """
    e, v = _self_adjoint_eig(tensor, name=name, compute_v=True)
    return e, v


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """Eigenvalues of symmetric matrices (TensorFlow: `tf.self_adjoint_eigvals`).

    Args:
      tensor: [..., n, n], symmetric or Hermitian; only the lower triangle is read.
      name: of the operation.

    Example:
      >>> tf.self_adjoint_eigvals([[2.0, 0.0], [0.0, 1.0]])  # [1., 2.]
    """
    e, _ = _self_adjoint_eig(tensor, name=name, compute_v=False)
    return e


@_self_adjoint_eig.gradient
def _self_adjoint_eig_gradient(op: Operation, of_values: Any, of_vectors: Any) -> Any:
    return ops.self_adjoint_eig_gradient(op, of_values, of_vectors)


@svd_op.gradient
def _svd_gradient(op: Operation, of_s: Any, of_u: Any, of_v: Any) -> Any:
    return ops.svd_gradient(op, of_s, of_u, of_v)
