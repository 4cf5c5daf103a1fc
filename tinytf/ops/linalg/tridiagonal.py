"""Matrices with three diagonals: products, and systems of equations.

Diagonals lie in three rows of the length of the matrix: the one above the main diagonal, whose last
element does not count, the main one, and the one below, whose first element does not count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.linalg.matrices import check_matrices, matrix_transpose
from tinytf.ops.linalg.matrix_diag import matrix_diag_part
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.reduce.reduction import reduce_sum

_FLOAT = "T: {double, float, complextype}"


def _batch(shape: TensorShape) -> TensorShape:
    return unknown_shape() if shape.sizes is None else shape[:-2]


def _check_batches(*values: Any) -> None:
    check_matrices(values[0])
    if len({value.ndim for value in values}) > 1:
        raise invalid("All input tensors must have the same rank.")
    if len({value.shape[:-2] for value in values}) > 1:
        raise invalid("All input tensors must have the same outer dimensions.")


def _next(x: Any) -> Any:
    """The row behind each row; zeros behind the last."""
    return ops.concat([x[..., 1:, :], ops.zeros_like(x[..., :1, :])], axis=-2)


def _previous(x: Any) -> Any:
    """The row before each row; zeros before the first."""
    return ops.concat([ops.zeros_like(x[..., :1, :]), x[..., :-1, :]], axis=-2)


# TridiagonalMatMul --------------------------------------------------------------------------------

_mat_mul = define_op(
    "TridiagonalMatMul", "superdiag: T, maindiag: T, subdiag: T, rhs: T -> output: T", _FLOAT
)


@_mat_mul.shape
def _mat_mul_shape(c: shape_inference.InferenceContext) -> TensorShape:
    above, main, below, rhs = (shape_inference.with_rank_at_least(shape, 2) for shape in c.shapes())
    diagonal = shape_inference.merge(shape_inference.merge(below, above), main)
    batch = shape_inference.merge(_batch(diagonal), _batch(rhs))
    if rhs.sizes is None:
        return unknown_shape()
    return batch.concatenate(rhs[-2:])


@_mat_mul.kernel
def _mat_mul_kernel(superdiag: Array, maindiag: Array, subdiag: Array, rhs: Array) -> Array:
    _check_batches(superdiag, maindiag, subdiag, rhs)
    size = rhs.shape[-2]
    named = (("super", superdiag), ("main ", maindiag), ("sub", subdiag))
    for name, diagonal in named:
        if diagonal.shape[-2:] != (1, size):
            raise invalid(f"Invalid {name}diagonal shape.")
    above, main, below = (np.swapaxes(diagonal, -1, -2) for _, diagonal in named)
    result = main * rhs
    result[..., :-1, :] += above[..., :-1, :] * rhs[..., 1:, :]
    result[..., 1:, :] += below[..., 1:, :] * rhs[..., :-1, :]
    return result


@_mat_mul.gradient
def _mat_mul_gradient(op: Operation, gradient: Any) -> Any:
    above, main, below = (matrix_transpose(x, conjugate=True) for x in op.inputs[:3])
    rhs: Any = conj(op.inputs[3])

    def of_diagonal(rows: Any) -> Any:
        return matrix_transpose(reduce_sum(gradient * rows, -1, keepdims=True))

    of_rhs = main * gradient + _previous(above * gradient) + _next(below * gradient)
    return of_diagonal(_next(rhs)), of_diagonal(rhs), of_diagonal(_previous(rhs)), of_rhs


# TridiagonalSolve ---------------------------------------------------------------------------------

_solve = define_op(
    "TridiagonalSolve",
    "diagonals: T, rhs: T -> output: T",
    "partial_pivoting: bool = true, perturb_singular: bool = false",
    _FLOAT,
)


@_solve.shape
def _solve_shape(c: shape_inference.InferenceContext) -> TensorShape:
    diagonals, rhs = (shape_inference.with_rank_at_least(shape, 2) for shape in c.shapes())
    batch = shape_inference.merge(_batch(diagonals), _batch(rhs))
    if diagonals.sizes is not None and diagonals.sizes[-2] not in (None, 3):
        raise ValueError(f"Dimension must be 3 but is {diagonals.sizes[-2]}")
    if rhs.sizes is None:
        return unknown_shape()
    size = None if diagonals.sizes is None else diagonals.sizes[-1]
    shape_inference.merge_dimension(size, rhs.sizes[-2])
    return batch.concatenate(rhs[-2:])


@_solve.kernel
def _solve_kernel(
    diagonals: Array, rhs: Array, *, partial_pivoting: bool, perturb_singular: bool
) -> Array:
    _check_batches(diagonals, rhs)
    count, size = diagonals.shape[-2:]
    if count != 3:
        raise invalid(
            f"Expected diagonals to be provided as a matrix with 3 rows, got {count} rows."
        )
    if size != rhs.shape[-2]:
        raise invalid(
            f"Expected the same number of left-hand sides and right-hand sides, got {size} and "
            f"{rhs.shape[-2]}."
        )
    if not rhs.size:
        return rhs
    bands = diagonals.reshape(-1, 3, size)
    values = rhs.reshape(len(bands), size, -1).copy()
    with np.errstate(all="ignore"):
        rows = _eliminated(bands, values, partial_pivoting)
        if perturb_singular:
            _perturb(rows, values)
        is_singular = (rows[:, 0] == 0).any(axis=1)
        _substitute(rows, values)
    values[is_singular] = np.nan
    return values.reshape(rhs.shape)


def _eliminated(bands: Any, values: Any, partial_pivoting: bool) -> Any:
    """[matrix, place, row]: each row of U from its diagonal on, for all matrices at once.

    Takes the same multiples off the right-hand sides, where they are.
    """
    above, main, below = (bands[:, i].T for i in range(3))
    size = len(main)
    rows = np.zeros((len(bands), 3, size), bands.dtype)
    first, second = main[0], above[0] if size > 1 else 0 * main[0]
    for i in range(size - 1):
        third = 0 * first
        other = [below[i + 1], main[i + 1], above[i + 1] if i + 2 < size else 0 * first]
        pivot = [first, second, third]
        if partial_pivoting:
            is_smaller = np.abs(first) < np.abs(other[0])
            pairs = list(zip(pivot, other, strict=True))
            pivot = [np.where(is_smaller, b, a) for a, b in pairs]
            other = [np.where(is_smaller, a, b) for a, b in pairs]
            both = values[:, i : i + 2]
            both[is_smaller] = both[is_smaller, ::-1]
        rows[:, :, i] = np.stack(pivot, axis=1)
        # A pivot of 0 has only zeros below it, unless rows keep their places.
        factor = np.where(other[0] == 0, 0, other[0] / pivot[0])
        first, second = (b - factor * a for a, b in zip(pivot[1:], other[1:], strict=True))
        values[:, i + 1] -= factor[:, None] * values[:, i]
    rows[:, 0, -1] = first
    return rows


def _substitute(rows: Any, values: Any, place: int | None = None) -> None:
    """The solutions out of U and the right-hand sides, from the last row to the first."""
    for i in reversed(range(values.shape[1])):
        values[:, i] -= _later(rows, values, i)
        values[:, i] /= rows[:, 0, i, None]


def _later(rows: Any, values: Any, i: int) -> Any:
    """What the unknowns that are known already contribute to a row."""
    size = values.shape[1]
    parts = [rows[:, k, i, None] * values[:, i + k] for k in (1, 2) if i + k < size]
    return sum(parts) if parts else 0


def _perturb(rows: Any, values: Any) -> None:
    """Pivots so small that a quotient overflows grow, by twice as much each time."""
    limits = np.finfo(values.dtype)
    largest = np.abs(rows).max(axis=(1, 2))
    steps = np.where(largest > 0, limits.eps * largest, limits.tiny)
    solved = values.copy()
    for i in reversed(range(values.shape[1])):
        solved[:, i] -= _later(rows, solved, i)
        needed, step = np.abs(solved[:, i]).max(axis=1), steps.copy()
        pivots = rows[:, 0, i]
        while True:
            size = np.abs(pivots)
            is_small = (size == 0) | ((size < 1) & (needed > size / limits.tiny))
            if not is_small.any():
                break
            pivots[is_small] += (np.where(pivots.real < 0, -1, 1) * step)[is_small]
            step *= 2
        solved[:, i] /= pivots[:, None]


@_solve.gradient
def _solve_gradient(op: Operation, gradient: Any) -> Any:
    above, main, below = ops.unstack(conj(op.inputs[0]), 3, axis=-2)
    turned = ops.stack([_shifted(below, 1), main, _shifted(above, -1)], axis=-2)
    of_rhs: Any = _solve(
        turned,
        gradient,
        partial_pivoting=op.attrs["partial_pivoting"],
        perturb_singular=op.attrs["perturb_singular"],
    )
    solution: Any = conj(op.outputs[0])
    neighbours = (_next(solution), solution, _previous(solution))
    parts: list[Any] = [reduce_sum(of_rhs * rows, -1) for rows in neighbours]
    of_diagonals: Any = ops.stack(parts, axis=-2)
    return -of_diagonals, of_rhs


def _shifted(x: Any, by: int) -> Any:
    """A row whose elements move one to the left (1) or to the right (-1)."""
    column = ops.expand_dims(x, -1)
    return ops.squeeze(_next(column) if by > 0 else _previous(column), [-1])


# Public functions ---------------------------------------------------------------------------------


def _same(first: int | None, second: int | None, message: str) -> None:
    if first is not None and second is not None and first != second:
        raise ValueError(message.format(first, second))


def _of_matrix(diagonals: Any) -> Tensor:
    matrix = convert_to_tensor(diagonals, name="diagonals")
    if matrix.shape.ndims is not None:
        rows, columns = matrix.shape.with_rank_at_least(2).as_list()[-2:]
        _same(columns, rows, "Expected last two dimensions of diagonals to be same, got {} and {}")
    return matrix_diag_part(matrix, k=(-1, 1), padding_value=0.0, align="LEFT_RIGHT")


def tridiagonal_matmul(
    diagonals: Any, rhs: Any, diagonals_format: str = "compact", name: str | None = None
) -> Tensor:
    """A matrix with three diagonals, times others (TensorFlow: `tf.linalg.tridiagonal_matmul`).

    Args:
      diagonals: "compact": [..., 3, m], the diagonals from above to below; "sequence": three
        tensors [..., m]; "matrix": [..., m, m]. The last element of the first diagonal and the
        first of the third do not count.
      rhs: [..., m, n], of the same dtype.
      diagonals_format: "compact", "sequence" or "matrix".
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit, or for another format.

    Example:
      >>> bands = [[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]]
      >>> tf.linalg.tridiagonal_matmul(bands, [[1.0], [1.0]])  # [[3.], [7.]]
    """
    above: Any
    if diagonals_format == "sequence":
        above, main, below = diagonals
    elif diagonals_format in ("compact", "matrix"):
        of_matrix = diagonals_format == "matrix"
        rows: Any = _of_matrix(diagonals) if of_matrix else convert_to_tensor(diagonals)
        above, main, below = rows[..., 0, :], rows[..., 1, :], rows[..., 2, :]
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    each = [ops.expand_dims(diagonal, -2) for diagonal in (above, main, below)]
    return _mat_mul(*each, rhs, name=name)


def tridiagonal_solve(
    diagonals: Any,
    rhs: Any,
    diagonals_format: str = "compact",
    transpose_rhs: bool = False,
    conjugate_rhs: bool = False,
    name: str | None = None,
    partial_pivoting: bool = True,
    perturb_singular: bool = False,
) -> Tensor:
    """X with `A x = rhs` for a matrix with three diagonals (`tf.linalg.tridiagonal_solve`).

    Args:
      diagonals: as for `tridiagonal_matmul`; in a sequence the outer ones may have m - 1 elements.
      rhs: [..., m, n], or [..., m] for a single one, of the same dtype.
      diagonals_format: "compact", "sequence" or "matrix".
      transpose_rhs, conjugate_rhs: whether `rhs` is transposed (if it is a matrix), conjugated.
      name: of the operation.
      partial_pivoting: whether rows change places; without it, it is faster and less exact.
      perturb_singular: whether pivots of 0 become very small instead.

    Returns:
      a tensor like `rhs`; nan for a singular matrix.

    Raises:
      ValueError: if shapes do not fit, or for another format.

    Example:
      >>> tf.linalg.tridiagonal_solve([[1.0, 0.0], [2.0, 3.0], [0.0, 4.0]], [3.0, 7.0])  # [1., 1.]
    """
    if perturb_singular and not partial_pivoting:
        raise ValueError("partial_pivoting must be True if perturb_singular is.")
    if diagonals_format == "compact":
        rows = convert_to_tensor(diagonals, name="diagonals")
    elif diagonals_format == "sequence":
        rows = _of_sequence(diagonals)
    elif diagonals_format == "matrix":
        rows = _of_matrix(diagonals)
    else:
        raise ValueError(f"Unrecognized diagonals_format: {diagonals_format}")
    right = convert_to_tensor(rhs, name="rhs")
    attrs = {"partial_pivoting": partial_pivoting, "perturb_singular": perturb_singular}
    rank = rows.shape.ndims
    if rank and right.shape.ndims == rank - 1:
        if conjugate_rhs:
            right = conj(right)
        right = ops.expand_dims(right, -1)
        _check_sizes(rows, right)
        return ops.squeeze(_solve(rows, right, name=name, **attrs), -1)
    if transpose_rhs:
        right = matrix_transpose(right, conjugate=conjugate_rhs)
    elif conjugate_rhs:
        right = conj(right)
    _check_sizes(rows, right)
    return _solve(rows, right, name=name, **attrs)


def _check_sizes(rows: Tensor, right: Tensor) -> None:
    if rows.shape.ndims is None or rows.shape.ndims < 2:
        return
    count, size = rows.shape.as_list()[-2:]
    _same(3, count, "Expected {} diagonals got {}")
    if right.shape.ndims is not None and right.shape.ndims >= 2:
        message = (
            "Expected number of left-hand sided and right-hand sides to be equal, got {} and {}"
        )
        _same(size, right.shape.as_list()[-2], message)


def _of_sequence(diagonals: Any) -> Tensor:
    if not isinstance(diagonals, list | tuple) or len(diagonals) != 3:
        raise ValueError("Expected diagonals to be a sequence of length 3.")
    above, main, below = (convert_to_tensor(diagonal) for diagonal in diagonals)
    size = main.shape.as_list()[-1] if main.shape.ndims else None
    below = _filled_up(below, "subdiagonal", size, [1, 0])
    above = _filled_up(above, "superdiagonal", size, [0, 1])
    return ops.stack([above, main, below], axis=-2)


def _filled_up(diagonal: Tensor, name: str, size: int | None, ends: list[int]) -> Tensor:
    """An outer diagonal with an element that does not count, if it is one shorter than the main."""
    length = diagonal.shape.as_list()[-1] if diagonal.shape.ndims else None
    if None in (size, length) or length == size:
        return diagonal
    if size is None or length != size - 1:
        raise ValueError(
            f"Expected {name} to be have length {size} or {(size or 0) - 1}, got {length}."
        )
    outer = [[0, 0]] * ((diagonal.shape.ndims or 1) - 1)
    return ops.pad(diagonal, [*outer, ends])
