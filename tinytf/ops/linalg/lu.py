"""Triangular factors: a matrix as `P L U`, and what can be done with the three."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.sort import argsort
from tinytf.ops.base.broadcast_gradients import broadcast_dynamic_shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.check.assert_values import assert_equal
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.linalg.band_part import matrix_band_part
from tinytf.ops.linalg.eye import eye
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrices import ANY_FLOAT, EXACT, like_the_square
from tinytf.ops.linalg.matrix_diag import matrix_set_diag
from tinytf.ops.linalg.solving import matrix_triangular_solve
from tinytf.ops.reduce.reduction import reduce_prod

# Lu -----------------------------------------------------------------------------------------------

# Like TensorFlow's it has no gradient.
_lu = define_op(
    "Lu",
    "input: T -> lu: T, p: output_idx_type",
    ANY_FLOAT,
    "output_idx_type: {int32, int64} = DT_INT32",
)


@_lu.shape
def _lu_shape(c: InferenceContext) -> list[TensorShape]:
    matrices = like_the_square(c)
    sizes = matrices.sizes
    return [matrices, unknown_shape() if sizes is None else TensorShape.of(sizes[:-1])]


@_lu.kernel(types={"T": EXACT})
def _lu_kernel(value: Array, *, output_idx_type: dtypes.DType) -> Any:
    if value.ndim < 2:
        raise invalid(f"Input tensor must have rank >= 2, got {value.ndim}")
    if value.shape[-1] != value.shape[-2]:
        raise invalid("Input matrix must be square.")
    indices = output_idx_type.as_numpy_dtype
    if not value.size:
        return value, np.zeros(value.shape[:-1], indices)
    size = value.shape[-1]
    factors = value.reshape(-1, size, size).copy()
    order = np.tile(np.arange(size), (len(factors), 1))
    each = np.arange(len(factors))
    with np.errstate(all="ignore"):
        for step in range(size):
            pivots = step + np.argmax(np.abs(factors[:, step:, step]), axis=1)
            for rows in (factors, order):
                upper, lower = rows[each, step], rows[each, pivots]
                rows[each, step], rows[each, pivots] = lower, upper
            below = factors[:, step + 1 :, step]
            below /= factors[:, step, step, None]
            right = factors[:, step, None, step + 1 :]
            factors[:, step + 1 :, step + 1 :] -= below[:, :, None] * right
    smallest = np.abs(np.diagonal(factors, axis1=1, axis2=2)).min(axis=1)
    if not (smallest > 0).all():
        raise invalid("Input is not invertible.")
    return factors.reshape(value.shape), order.astype(indices).reshape(value.shape[:-1])


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> Any:
    """Both triangular factors of a matrix whose rows change places (TensorFlow: `tf.linalg.lu`).

    Args:
      input: [..., n, n], floating-point or complex.
      output_idx_type: int32 or int64, the dtype of p.
      name: of the operation.

    Returns:
      (lu, p): L below the diagonal of `lu`, whose own diagonal is all ones, and U on it and above;
      row i of their product is row `p[i]` of the input.

    Raises:
      ValueError: if a matrix is not square. InvalidArgumentError: in a run, if one is singular.

    Example:
      >>> lu, p = tf.linalg.lu([[1.0, 2.0], [4.0, 4.0]])
      >>> lu  # [[4., 4.], [0.25, 1.]]
    """
    return _lu(input, name=name, output_idx_type=output_idx_type)


# What is made of the factors ----------------------------------------------------------------------


def _checked(lower_upper: Any, perm: Any, validate_args: bool) -> tuple[Tensor, Tensor]:
    """The factors and the order of the rows as tensors, square and of one size.

    Raises:
      ValueError: "`lower_upper` must be square."
    """
    factors = convert_to_tensor(lower_upper, name="lower_upper")
    order = convert_to_tensor(perm, name="perm")
    if factors.shape.ndims is not None:
        if factors.shape.ndims < 2:
            raise ValueError(
                f"Input `lower_upper` must have at least 2 dimensions. Its shape is {factors.shape}"
            )
        rows, columns = factors.shape.as_list()[-2:]
        if None not in (rows, columns) and rows != columns:
            raise ValueError(f"`lower_upper` must be square. Its shape is {factors.shape}")
        if rows is not None and columns is not None:
            return factors, order
    if validate_args:
        sizes: Any = ops.shape(factors)
        is_square = assert_equal(sizes[-2], sizes[-1], message="`lower_upper` must be square.")
        factors = with_dependencies([is_square], factors)
    return factors, order


def _lower(factors: Tensor, sizes: Any = None) -> Tensor:
    """L, with the ones of its diagonal; `sizes`: the shape while running, if it is there."""
    lower = matrix_band_part(factors, num_lower=-1, num_upper=0)
    if sizes is None:
        sizes = ops.shape(factors)
    return matrix_set_diag(lower, ops.ones(sizes[:-1], dtype=factors.dtype))


def _is_single(factors: Tensor, order: Tensor) -> bool:
    return factors.shape.ndims == 2 and order.shape.ndims == 1


def _rows(values: Tensor, order: Tensor) -> Tensor:
    """The rows of each matrix in the order of its own, which broadcast."""
    sizes: Any = ops.shape(values)
    orders: Any = ops.shape(order)
    batch: Any = broadcast_dynamic_shape(sizes[:-2], orders[:-1])
    shape = ops.concat([batch, sizes[-2:]], 0)
    count = reduce_prod(batch)
    matrices = ops.reshape(ops.broadcast_to(values, shape), ops.concat([[count], sizes[-2:]], 0))
    places = ops.broadcast_to(order, ops.concat([batch, orders[-1:]], 0))
    places = ops.reshape(places, ops.concat([[count], orders[-1:]], 0))
    return ops.reshape(ops.gather(matrices, places, batch_dims=1), shape)


def lu_reconstruct(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The matrix that factors belong to (TensorFlow: `tf.linalg.lu_reconstruct`).

    Args:
      lower_upper: [..., n, n], and perm: [..., n], as `lu` gives them.
      validate_args: whether shapes that are not known yet are checked in the run.
      name: of the scope.

    Raises:
      ValueError: if the factors are not square.

    Example:
      >>> tf.linalg.lu_reconstruct(*tf.linalg.lu([[1.0, 2.0], [3.0, 4.0]]))  # [[1., 2.], [3., 4.]]
    """
    with op_scope(name, "lu_reconstruct", (lower_upper, perm)):
        factors, order = _checked(lower_upper, perm, validate_args)
        lower = _lower(factors, ops.shape(factors))
        product = matmul(lower, matrix_band_part(factors, num_lower=0, num_upper=-1))
        if _is_single(factors, order):
            return ops.gather(product, ops.invert_permutation(order))
        # Where each row has gone is where it comes back from.
        back = argsort(order)
        result = _rows(product, back)
        result.set_shape(factors.shape)
        return result


def lu_solve(
    lower_upper: Any, perm: Any, rhs: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """X with `A x = rhs`, where A is given by its factors (TensorFlow: `tf.linalg.lu_solve`).

    Args:
      lower_upper: [..., n, n], and perm: [..., n], as `lu` gives them.
      rhs: [..., n, k], of the same dtype.
      validate_args: whether shapes that are not known yet are checked in the run.
      name: of the scope.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> lu, p = tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])
      >>> tf.linalg.lu_solve(lu, p, [[1.0], [1.0]])  # [[0.5], [0.25]]
    """
    with op_scope(name, "lu_solve", (lower_upper, perm, rhs)):
        factors, order = _checked(lower_upper, perm, validate_args)
        right = convert_to_tensor(rhs, dtype=factors.dtype, name="rhs")
        if right.shape.ndims is not None:
            if right.shape.ndims < 2:
                raise ValueError(
                    f"Input `rhs` must have at least 2 dimensions. Its shape is {right.shape}"
                )
            size = None if factors.shape.ndims is None else factors.shape.as_list()[-1]
            rows = right.shape.as_list()[-2]
            if None not in (rows, size) and rows != size:
                raise ValueError(
                    f"`lower_upper.shape[-1]` must equal `rhs.shape[-1]`. `lower_upper` has {size} "
                    f"columns, and `rhs` {rows} rows"
                )
        is_single = right.shape.ndims == 2 and order.shape.ndims == 1
        right = ops.gather(right, order, axis=-2) if is_single else _rows(right, order)
        half_way = matrix_triangular_solve(_lower(factors), right)
        return matrix_triangular_solve(factors, half_way, lower=False)


def lu_matrix_inverse(
    lower_upper: Any, perm: Any, validate_args: bool = False, name: str | None = None
) -> Tensor:
    """The inverse of a matrix given by its factors (TensorFlow: `tf.linalg.lu_matrix_inverse`).

    Args:
      lower_upper: [..., n, n], and perm: [..., n], as `lu` gives them.
      validate_args: whether shapes that are not known yet are checked in the run.
      name: of the scope.

    Raises:
      ValueError: if the factors are not square.

    Example:
      >>> lu, p = tf.linalg.lu([[2.0, 0.0], [0.0, 4.0]])
      >>> tf.linalg.lu_matrix_inverse(lu, p)  # [[0.5, 0.], [0., 0.25]]
    """
    with op_scope(name, "lu_matrix_inverse", (lower_upper, perm)):
        factors, order = _checked(lower_upper, perm, validate_args)
        sizes: Any = ops.shape(factors)
        size: Any = sizes[-1]
        identity = eye(size, batch_shape=sizes[:-2], dtype=factors.dtype)
        return lu_solve(factors, order, identity, validate_args=False)
