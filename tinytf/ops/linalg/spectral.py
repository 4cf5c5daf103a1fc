"""The gradients of eigenvalues and singular values.

Both divide by differences of values, so they are unbounded where two of them come together: the
vectors of equal values may turn freely.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.linalg.band_part import matrix_band_part
from tinytf.ops.linalg.decompositions import self_adjoint_eig, svd
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import adjoint, matrix_transpose
from tinytf.ops.linalg.matrix_diag import matrix_diag, matrix_diag_part, matrix_set_diag
from tinytf.ops.math.cast import cast
from tinytf.ops.math.power import reciprocal, square


def _safe_reciprocal(x: Any) -> Any:
    """1 / x, but 0 of 0."""
    return x * reciprocal(x * x + 1e-20)


def _one_over_differences(values: Tensor) -> Tensor:
    """[..., i, j]: 1 / (values[j] - values[i]), and 0 on the diagonal."""
    columns: Any = ops.expand_dims(values, -2)
    differences = columns - ops.expand_dims(values, -1)
    return matrix_set_diag(_safe_reciprocal(differences), ops.zeros_like(values))


def self_adjoint_eig_gradient(op: Operation, of_values: Any, of_vectors: Any) -> Any:
    """The gradient of SelfAdjointEigV2."""
    with op.graph.control_dependencies([of_values.op, of_vectors.op]):
        middle: Any
        if op.attrs["compute_v"]:
            v = op.outputs[1]
            f: Any = _one_over_differences(op.outputs[0])
            middle = matrix_diag(of_values) + f * matmul(v, of_vectors, adjoint_a=True)
        else:
            _, v = self_adjoint_eig(op.inputs[0])
            middle = matrix_diag(of_values)
        result: Any = matmul(v, matmul(middle, v, adjoint_b=True))
        # Only the lower triangle was read: it gets what both would have got.
        result = matrix_band_part(result + adjoint(result), -1, 0)
        diagonal: Any = matrix_diag_part(result)
        return matrix_set_diag(result, 0.5 * diagonal)


def svd_gradient(op: Operation, of_s: Any, of_u: Any, of_v: Any) -> Any:
    """The gradient of Svd."""
    a = op.inputs[0]
    a_shape = a.shape.with_rank_at_least(2)
    of_s = cast(of_s, a.dtype)
    of_s_matrix: Any = matrix_diag(of_s)
    if not op.attrs["compute_uv"]:
        _, u, v = svd(a, compute_uv=True)
        result: Any = matmul(u, matmul(of_s_matrix, v, adjoint_b=True))
        result.set_shape(a_shape)
        return result
    rows, columns = _sizes(a_shape, of_u.shape, of_v.shape)
    s: Any = cast(op.outputs[0], a.dtype)
    u, v = op.outputs[1:]
    is_turned = rows > columns
    if is_turned:  # the gradient for Aᴴ = V S Uᴴ, turned back at the end
        rows, columns, u, v, of_u, of_v = columns, rows, v, u, of_v, of_u
    with op.graph.control_dependencies([of_s.op, of_u.op, of_v.op]):
        full = op.attrs["full_matrices"]
        if full and abs(rows - columns) > 1:
            raise NotImplementedError(
                f"svd gradient is not implemented for abs(m - n) > 1 when full_matrices is True. "
                f"Received: m={rows} and n={columns} from op input={a} with shape={a_shape}."
            )
        result = _wide_svd_gradient(s, u, v, of_s_matrix, of_u, of_v, (rows, columns), full)
        if is_turned:
            result = matrix_transpose(result, conjugate=True)
        result.set_shape(a_shape)
        return result


def _sizes(a: Any, u: Any, v: Any) -> tuple[int, int]:
    rows = a[-2:-1].merge_with(u.with_rank_at_least(2)[-2:-1]).as_list()[0]
    columns = a[-1:].merge_with(v.with_rank_at_least(2)[-2:-1]).as_list()[0]
    if rows is None or columns is None:
        raise NotImplementedError(
            "SVD gradient has not been implemented for input with unknown inner matrix shape."
        )
    return rows, columns


def _wide_svd_gradient(
    s: Any, u: Any, v: Any, of_s: Any, of_u: Any, of_v: Any, sizes: tuple[int, int], full: bool
) -> Any:
    """The gradient for a matrix with at least as many columns as rows."""
    rows, columns = sizes
    sizes_of_s: Any
    s_matrix: Any = matrix_diag(s)
    squares, sizes_of_s = square(s), ops.shape(s)
    f: Any = _one_over_differences(squares)
    s_inverse = matrix_diag(_safe_reciprocal(s))
    v1, of_v1 = v[..., :, :rows], of_v[..., :, :rows]
    u_gu: Any = matmul(u, of_u, adjoint_a=True)
    v_gv: Any = matmul(v1, of_v1, adjoint_a=True)
    f_u, f_v = f * u_gu, f * v_gv
    middle = of_s + matmul(f_u + adjoint(f_u), s_matrix) + matmul(s_matrix, f_v + adjoint(f_v))
    result: Any = matmul(u, matmul(middle, v1, adjoint_b=True))
    if rows != columns:
        turned: Any = matrix_transpose(of_v1, conjugate=True)
        outside = turned - matmul(matmul(turned, v1), v1, adjoint_b=True)
        if full:
            v2, of_v2 = v[..., :, rows:columns], of_v[..., :, rows:columns]
            outside -= matmul(matmul(v1, of_v2, adjoint_a=True), v2, adjoint_b=True)
        result = result + matmul(matmul(u, s_inverse), outside)
    if s.dtype.is_complex:
        identity: Any = eye(sizes_of_s[-1], batch_shape=sizes_of_s[:-1], dtype=s.dtype)
        phases = identity * v_gv
        free: Any = matmul(s_inverse, adjoint(phases) - phases)
        turned_back: Any = matmul(u, matmul(free, v1, adjoint_b=True))
        result += 1 / 2.0 * turned_back
    return result
