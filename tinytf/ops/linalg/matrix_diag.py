"""Diagonals of matrices, and of batches of them: matrix_diag, matrix_diag_part, matrix_set_diag.

Diagonal k of a matrix has the elements [row, row + k]: 0 is the main one, positive ones are above
it. Several, from `lower` to `upper`, are packed as the rows of a matrix, the uppermost first;
shorter ones are filled up at one end, on which side `align` says.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import (
    InferenceContext,
    merge,
    merge_dimension,
    with_rank,
    with_rank_at_least,
)
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.control_flow.cond import cond
from tinytf.ops.linalg.bands import Band, band_of, check_static_band, given_bounds, static_bounds
from tinytf.ops.math.arithmetic import minimum
from tinytf.ops.math.comparison import equal, greater, less
from tinytf.ops.reduce.reduction import reduce_min

_ALIGN = "align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"
_LEFT = b"LEFT_LEFT"

# Versions ---------------------------------------------------------------------------------------

# The three of each op differ in what they take: the main diagonal; any diagonals, at the left; any,
# aligned as wanted.


def _versions_2_and_3(
    op_type: str, signature: str, shape: Any, kernel: Any, gradient: Any
) -> tuple[OpCard, OpCard]:
    def left_kernel(*inputs: Any) -> np.ndarray:
        return kernel(*inputs, align=_LEFT)

    v2 = define_op(f"{op_type}V2", signature, "T: type", shape=shape, kernel=left_kernel)
    v3 = define_op(f"{op_type}V3", signature, "T: type", _ALIGN, shape=shape, kernel=kernel)
    v2.gradient(gradient)
    v3.gradient(gradient)
    return v2, v3


# MatrixDiag -------------------------------------------------------------------------------------

_matrix_diag_v1 = define_op("MatrixDiag", "diagonal: T -> output: T", "T: type")


@_matrix_diag_v1.shape
def _matrix_diag_v1_shape(c: InferenceContext) -> TensorShape:
    sizes = with_rank_at_least(c.input(0), 1).sizes
    return unknown_shape() if sizes is None else TensorShape.of((*sizes, sizes[-1]))


def _matrix_diag_shape(c: InferenceContext) -> TensorShape:
    sizes = with_rank_at_least(c.input(0), 1).sizes
    bounds = static_bounds(c, 1)
    for index in (2, 3, 4):
        with_rank(c.input(index), 0)
    if sizes is None or bounds is None:
        return unknown_shape()
    lower, upper = bounds
    batch = sizes[:-1] if lower == upper else sizes[:-2]
    if lower != upper and (len(sizes) < 2 or sizes[-2] not in (None, upper - lower + 1)):
        raise ValueError(
            f"The number of rows of `diagonal` doesn't match the number of diagonals implied from "
            f"`d_lower` and `d_upper`.\nnum_diags = {sizes[0] if len(sizes) < 2 else sizes[-2]}, "
            f"d_lower = {lower}, d_upper = {upper} {len(sizes)} {sizes[-1]}"
        )
    rows, columns = c.constant(2), c.constant(3)
    if sizes[-1] is None or rows is None or columns is None:
        known = [None if size is None or size < 0 else int(size) for size in (rows, columns)]
        return TensorShape.of((*batch, *known))
    least = _least_sizes(sizes[-1], lower, upper)
    found = _matrix_sizes(int(rows), int(columns), *least)
    if found[0] < least[0]:
        raise ValueError("num_rows is too small")
    if found[1] < least[1]:
        raise ValueError("num_cols is too small.")
    if found[0] != least[0] and found[1] != least[1]:
        raise ValueError(
            f"num_rows and num_cols are not consistent with lower_diag_index, upper_diag_index, "
            f"and the length of the given diagonals.\nnum_rows = {found[0]} != min_num_rows = "
            f"{least[0]}, num_cols = {found[1]} != min_num_cols = {least[1]}"
        )
    return TensorShape.of((*batch, *found))


def _least_sizes(longest: int, lower: int, upper: int) -> tuple[int, int]:
    """The smallest matrix that has room for diagonals of a length."""
    return longest - min(upper, 0), longest + max(lower, 0)


def _matrix_sizes(rows: int, columns: int, least_rows: int, least_columns: int) -> tuple[int, int]:
    """The wanted sizes; where they are -1, square or as small as it can be."""
    if rows == columns == -1:
        return (max(least_rows, least_columns),) * 2
    return least_rows if rows == -1 else rows, least_columns if columns == -1 else columns


def _matrix_diag_kernel(
    diagonal: Any, k: Any, num_rows: Any, num_cols: Any, padding_value: Any, *, align: bytes
) -> np.ndarray:
    if diagonal.ndim < 1:
        raise invalid(f"diagonal must be at least 1-dim, received shape: {shown(diagonal)}")
    lower, upper = given_bounds(k)
    packed = diagonal.shape[-1:] if lower == upper else diagonal.shape[-2:]
    if lower != upper and (len(packed) < 2 or packed[0] != upper - lower + 1):
        raise invalid(
            "The number of diagonals provided in the input does not match the lower_diag_index "
            "and upper_diag_index range."
        )
    least = _least_sizes(packed[-1], lower, upper)
    rows, columns = _matrix_sizes(int(num_rows), int(num_cols), *least)
    if rows < least[0]:
        raise invalid("The number of rows is too small.")
    if columns < least[1]:
        raise invalid("The number of columns is too small.")
    if rows != least[0] and columns != least[1]:
        raise invalid(
            "The number of rows or columns is not consistent with the specified d_lower, "
            "d_upper, and diagonal."
        )
    band = Band(lower, upper, rows, columns)
    batch = diagonal.shape[: -len(packed)]
    result = np.full((*batch, rows, columns), padding_value, diagonal.dtype)
    return _set(result, diagonal.reshape(*batch, upper - lower + 1, packed[-1]), band, align)


def _set(result: np.ndarray, packed: np.ndarray, band: Band, align: bytes) -> np.ndarray:
    row, column, which, position = band.places(align)
    result[..., row, column] = packed[..., which, position]
    return result


@_matrix_diag_v1.kernel
def _matrix_diag_v1_kernel(diagonal: Array) -> np.ndarray:
    zero = np.zeros((), diagonal.dtype) if diagonal.dtype != object else b""
    minus, main = np.int32(-1), np.int32(0)
    return _matrix_diag_kernel(diagonal, main, minus, minus, zero, align=_LEFT)


@_matrix_diag_v1.gradient
def _matrix_diag_v1_gradient(op: Operation, gradient: Any) -> Tensor:
    return matrix_diag_part(gradient)


def _matrix_diag_gradient(op: Operation, gradient: Any) -> list[Any]:
    part = matrix_diag_part(gradient, k=op.inputs[1], **_align_of(op))
    return [part, None, None, None, None]


_matrix_diag_v2, _matrix_diag_v3 = _versions_2_and_3(
    "MatrixDiag",
    "diagonal: T, k: int32, num_rows: int32, num_cols: int32, padding_value: T -> output: T",
    _matrix_diag_shape,
    _matrix_diag_kernel,
    _matrix_diag_gradient,
)


def matrix_diag(
    diagonal: Any,
    name: str | None = "diag",
    k: Any = 0,
    num_rows: Any = -1,
    num_cols: Any = -1,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with the given diagonals (TensorFlow: `tf.matrix_diag`, `tf.linalg.diag`).

    Args:
      diagonal: [..., length], or [..., number of diagonals, length of the longest].
      name: of the operation.
      k: which diagonal; a vector of two for a band: the lowest, the uppermost. 0 is the main one.
      num_rows, num_cols: of the matrices; by default square, as small as can be.
      padding_value: what is outside of the diagonals.
      align: "RIGHT_LEFT" and so on: at which end diagonals above, and below, the main one are.

    Raises:
      ValueError, InvalidArgumentError: if the numbers do not fit together.

    Example:
      >>> tf.matrix_diag([1, 2])       # [[1, 0], [0, 2]]
      >>> tf.matrix_diag([1, 2], k=1)  # [[0, 1, 0], [0, 0, 2], [0, 0, 0]]
    """
    if getattr(diagonal, "dtype", None) == "bool":
        padding_value = bool(padding_value)
    return _matrix_diag_v3(diagonal, k, num_rows, num_cols, padding_value, name=name, align=align)


# MatrixDiagPart ---------------------------------------------------------------------------------


def _matrix_diag_part_shape(c: InferenceContext) -> TensorShape:
    sizes = with_rank_at_least(c.input(0), 2).sizes
    bounds: tuple[int, int] | None = (0, 0)
    if len(c.inputs) > 1:
        bounds = static_bounds(c, 1)
        with_rank(c.input(2), 0)
    if sizes is None or bounds is None:
        return unknown_shape()
    check_static_band(sizes, bounds)
    rows, columns = sizes[-2:]
    count = () if bounds[0] == bounds[1] else (bounds[1] - bounds[0] + 1,)
    longest = None
    if rows is not None and columns is not None:
        longest = Band(*bounds, rows, columns).longest
    return TensorShape.of((*sizes[:-2], *count, longest))


_matrix_diag_part_v1 = define_op(
    "MatrixDiagPart", "input: T -> diagonal: T", "T: type", shape=_matrix_diag_part_shape
)


def _matrix_diag_part_kernel(input: Any, k: Any, padding_value: Any, *, align: bytes) -> np.ndarray:
    band = band_of(input, k, ".")
    batch, count = input.shape[:-2], band.upper - band.lower + 1
    result = np.full((*batch, count, band.longest), padding_value, input.dtype)
    row, column, which, position = band.places(align)
    result[..., which, position] = input[..., row, column]
    return result.reshape(*batch, *band.packed)


@_matrix_diag_part_v1.kernel
def _matrix_diag_part_v1_kernel(input: Array) -> np.ndarray:
    zero = np.zeros((), input.dtype) if input.dtype != object else b""
    return _matrix_diag_part_kernel(input, np.int32(0), zero, align=_LEFT)


@_matrix_diag_part_v1.gradient
def _matrix_diag_part_v1_gradient(op: Operation, gradient: Any) -> Tensor:
    sizes = op.inputs[0].shape[-2:].sizes
    if sizes is not None and None not in sizes and sizes[0] == sizes[1]:
        return matrix_diag(gradient)
    return matrix_set_diag(ops.zeros_like(op.inputs[0]), gradient)


def _matrix_diag_part_gradient(op: Operation, gradient: Any) -> list[Any]:
    options = _align_of(op)
    sizes = op.inputs[0].shape[-2:].sizes
    if sizes is not None and None not in sizes:
        rows, columns = sizes
        result = matrix_diag(gradient, k=op.inputs[1], num_rows=rows, num_cols=columns, **options)
    else:
        zeros = ops.zeros_like(op.inputs[0])
        result = matrix_set_diag(zeros, gradient, k=op.inputs[1], **options)
    return [result, None, None]


def _align_of(op: Operation) -> dict[str, Any]:
    if "align" in op.attrs:
        return {"align": op.attrs["align"].decode()}
    # The second version has its diagonals at the left, which TensorFlow's own gradient overlooks.
    return {"align": "LEFT_LEFT"} if op.type.endswith("V2") else {}


_matrix_diag_part_v2, _matrix_diag_part_v3 = _versions_2_and_3(
    "MatrixDiagPart",
    "input: T, k: int32, padding_value: T -> diagonal: T",
    _matrix_diag_part_shape,
    _matrix_diag_part_kernel,
    _matrix_diag_part_gradient,
)


def matrix_diag_part(
    input: Any,
    name: str | None = "diag_part",
    k: Any = 0,
    padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """The diagonals of matrices (TensorFlow: `tf.matrix_diag_part`, `tf.linalg.diag_part`).

    Args:
      input: [..., rows, columns].
      name: of the operation.
      k: which diagonal; a vector of two for a band: the lowest, the uppermost. 0 is the main one.
      padding_value: what shorter diagonals of a band are filled up with.
      align: "RIGHT_LEFT" and so on: at which end diagonals above, and below, the main one are.

    Returns:
      [..., length], or for a band [..., number of diagonals, length of the longest].

    Raises:
      ValueError, InvalidArgumentError: if there is no such diagonal.

    Example:
      >>> tf.matrix_diag_part([[1, 2], [3, 4]])  # [1, 4]
    """
    if getattr(input, "dtype", None) == "bool":
        padding_value = bool(padding_value)
    return _matrix_diag_part_v3(input, k, padding_value, name=name, align=align)


# MatrixSetDiag ----------------------------------------------------------------------------------

_matrix_set_diag_v1 = define_op("MatrixSetDiag", "input: T, diagonal: T -> output: T", "T: type")


@_matrix_set_diag_v1.shape
def _matrix_set_diag_v1_shape(c: InferenceContext) -> TensorShape:
    matrix, diagonal = with_rank_at_least(c.input(0), 2), with_rank_at_least(c.input(1), 1)
    if matrix.sizes is not None and None not in matrix.sizes[-2:] and diagonal.sizes:
        merge_dimension(min(matrix.sizes[-2:]), diagonal.sizes[-1])  # type: ignore[type-var]
    return _with_batch_of(matrix, diagonal, 1)


def _with_batch_of(matrix: TensorShape, diagonal: TensorShape, rank: int) -> TensorShape:
    """The shape of the matrices, with leading dimensions that the diagonals know."""
    if diagonal.sizes is None or (matrix.sizes is not None and None not in matrix.sizes):
        return matrix
    return merge(matrix, TensorShape.of((*diagonal.sizes[:-rank], None, None)))


def _matrix_set_diag_shape(c: InferenceContext) -> TensorShape:
    matrix, diagonal = with_rank_at_least(c.input(0), 2), with_rank_at_least(c.input(1), 1)
    bounds = static_bounds(c, 2)
    if bounds is None:
        single = diagonal.ndims is not None and matrix.ndims == diagonal.ndims + 1
        return _with_batch_of(matrix, diagonal, 1) if single else matrix
    rank = 1 if bounds[0] == bounds[1] else 2
    if matrix.sizes is not None:
        check_static_band(matrix.sizes, bounds)
        if diagonal.sizes is not None and len(diagonal.sizes) < len(matrix.sizes) - 2 + rank:
            raise ValueError(
                f"Shape must be at least rank {len(matrix.sizes) - 2 + rank} but is rank "
                f"{len(diagonal.sizes)}"
            )
    return _with_batch_of(matrix, diagonal, rank)


def _matrix_set_diag_kernel(input: Any, diagonal: Any, k: Any, *, align: bytes) -> np.ndarray:
    band = band_of(input, k, "")
    expected = (*input.shape[:-2], *band.packed)
    if diagonal.shape != expected:
        raise invalid(
            f"Either first dimensions of diagonal don't match input.shape[:-2], or "
            f"diagonal.shape[:-1] is not equal to the longests diagonal in range "
            f"[lower_diag_index:upper_diag_index].\nInput shape: {shown(input)}\nDiagonal shape: "
            f"{shown(diagonal)}\nExpected diagonal shape: {shown_list(expected)}"
        )
    rows = diagonal.reshape(*input.shape[:-2], band.upper - band.lower + 1, band.longest)
    return _set(np.array(input), rows, band, align)


@_matrix_set_diag_v1.kernel
def _matrix_set_diag_v1_kernel(input: Array, diagonal: Array) -> np.ndarray:
    return _matrix_set_diag_kernel(input, diagonal, np.int32(0), align=_LEFT)


@_matrix_set_diag_v1.gradient
def _matrix_set_diag_gradient(op: Operation, gradient: Any) -> list[Any]:
    k = op.inputs[2] if len(op.inputs) > 2 else None
    options = _align_of(op) if k is None else {"k": k, **_align_of(op)}
    sizes: Any = op.inputs[1].shape.sizes
    if sizes is None or None in sizes:
        sizes = _packed_shape(gradient, k)
    zeros = ops.zeros(sizes, dtype=gradient.dtype)
    of_input = matrix_set_diag(gradient, zeros, **options)
    return [of_input, matrix_diag_part(gradient, **options)] + [None] * (len(op.inputs) - 2)


_matrix_set_diag_v2, _matrix_set_diag_v3 = _versions_2_and_3(
    "MatrixSetDiag",
    "input: T, diagonal: T, k: int32 -> output: T",
    _matrix_set_diag_shape,
    _matrix_set_diag_kernel,
    _matrix_set_diag_gradient,
)


def _packed_shape(gradient: Any, k: Any) -> Tensor:
    """The shape of the packed diagonals, computed in the run."""
    sizes: Any = ops.shape(gradient)
    batch, matrix = sizes[:-2], sizes[-2:]
    if k is None:
        return ops.concat([batch, [reduce_min(matrix)]], 0)
    bounds: Any = ops.reshape(k, [-1])
    lower, upper = bounds[0], bounds[-1]
    down = cond(less(upper, 0), lambda: upper, lambda: 0)
    right = cond(greater(lower, 0), lambda: -lower, lambda: 0)
    longest = minimum(matrix[0] + down, matrix[1] + right)
    packed = cond(
        equal(lower, upper),
        lambda: ops.stack([longest]),
        lambda: ops.stack([upper - lower + 1, longest]),
    )
    return ops.concat([batch, packed], 0)


def matrix_set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with their diagonals replaced (TensorFlow: `tf.matrix_set_diag`).

    Args:
      input: [..., rows, columns].
      diagonal: [..., length], or [..., number of diagonals, length of the longest].
      name: of the operation.
      k: which diagonal; a vector of two for a band: the lowest, the uppermost. 0 is the main one.
      align: "RIGHT_LEFT" and so on: at which end diagonals above, and below, the main one are.

    Raises:
      ValueError, InvalidArgumentError: if the diagonals do not fit.

    Example:
      >>> tf.matrix_set_diag([[1, 2], [3, 4]], [8, 9])  # [[8, 2], [3, 9]]
    """
    return _matrix_set_diag_v3(input, diagonal, k, name=name, align=align)
