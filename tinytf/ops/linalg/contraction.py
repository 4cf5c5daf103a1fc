"""Products that are made of others: matvec, tensordot, cross; and the trace."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import FailedPreconditionError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.dynamic_stitch import setdiff1d
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.linalg.matmul import matmul
from tinytf.ops.linalg.matrix_diag import matrix_diag_part
from tinytf.ops.reduce.reduction import reduce_prod, reduce_sum


def matvec(
    a: Any,
    b: Any,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of a matrix and a vector, or of batches (TensorFlow: `tf.linalg.matvec`).

    Args:
      a: [..., rows, inner]. b: [..., inner], of the same dtype.
      transpose_a, adjoint_a: whether to take the (conjugate) transpose of `a`.
      a_is_sparse, b_is_sparse: hints that many elements are zero.
      name: of the operation.

    Returns:
      a tensor [..., rows].

    Example:
      >>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1])  # [3, 7]
    """
    with op_scope(name, "MatVec", (a, b)):
        column = ops.expand_dims(b, axis=-1)
        output = matmul(
            a,
            column,
            transpose_a=transpose_a,
            adjoint_a=adjoint_a,
            a_is_sparse=a_is_sparse,
            b_is_sparse=b_is_sparse,
        )
        return ops.squeeze(output, axis=-1)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sum along the main diagonal of each matrix (TensorFlow: `tf.trace`).

    Args:
      x: [..., m, n].
      name: of the operation.

    Returns:
      a tensor [...].

    Example:
      >>> tf.trace([[1, 2], [3, 4]])  # 5
    """
    with op_scope(name, "Trace", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        return reduce_sum(matrix_diag_part(x), [-1], name=scope)


# Cross --------------------------------------------------------------------------------------------

_cross = define_op("Cross", "a: T, b: T -> product: T", "T: realnumbertype")


@_cross.shape
def _cross_shape(c: InferenceContext) -> TensorShape:
    a = with_rank_at_least(c.input(0), 1)
    b = with_rank_at_least(c.input(1), 1)
    merged = merge(a, b)
    for sizes in (a.sizes, b.sizes):
        if sizes is not None and sizes[-1] not in (None, 3):
            raise ValueError(f"Dimension must be 3 but is {sizes[-1]}")
    if merged.sizes is None:
        return merged
    return TensorShape.of((*merged.sizes[:-1], 3))


@_cross.kernel
def _cross_kernel(a: Array, b: Array) -> Array:
    if a.shape != b.shape:
        raise invalid(f"Both inputs must be of same shape: {shown(a)} vs. {shown(b)}")
    if a.ndim < 1:
        raise invalid(f"Input must be at least 1D{shown(a)}")
    if a.shape[-1] != 3:
        raise FailedPreconditionError("Cross-products are only defined for 3-element vectors.")
    a1, a2 = np.roll(a, -1, -1), np.roll(a, 1, -1)
    return a1 * np.roll(b, 1, -1) - a2 * np.roll(b, -1, -1)


@_cross.gradient
def _cross_gradient(op: Operation, gradient: Tensor) -> tuple[Tensor, Tensor]:
    a, b = op.inputs
    return cross(b, gradient), cross(gradient, a)


def cross(a: Any, b: Any, name: str | None = None) -> Tensor:
    """The cross product of vectors of three numbers (TensorFlow: `tf.cross`).

    Args:
      a, b: [..., 3], of one shape and dtype.
      name: of the operation.

    Raises:
      ValueError: if the last size is not 3, or the shapes differ.

    Example:
      >>> tf.cross([1, 0, 0], [0, 1, 0])  # [0, 0, 1]
    """
    return _cross(a, b, name=name)


# Tensordot ----------------------------------------------------------------------------------------


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The product of two tensors, summed over pairs of their axes (TensorFlow: `tf.tensordot`).

    Args:
      a, b: tensors of one dtype.
      axes: a number n: the last n axes of `a` and the first n of `b`; or two lists of as many
        axes: those of `a` and those of `b`; or a tensor [2, n] of them.
      name: of the operation.

    Returns:
      a tensor with the other axes of `a`, followed by the other axes of `b`.

    Raises:
      ValueError: if the lists are of different lengths, or n is larger than a rank.

    Example:
      >>> tf.tensordot([[1, 2], [3, 4]], [[5, 6], [7, 8]], 1)  # [[19, 22], [43, 50]]
      >>> tf.tensordot([1, 2], [3, 4], 0)  # [[3, 4], [6, 8]]
    """
    with op_scope(name, "Tensordot", (a, b, axes)) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b")
        a_axes, b_axes = _axes_of_both(a, axes)
        a_matrix, a_free, a_static = _as_matrix(a, a_axes, False)
        b_matrix, b_free, b_static = _as_matrix(b, b_axes, True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            sizes = product.shape
            if sizes.is_fully_defined() and sizes.as_list() == a_free + b_free:
                return product
            return ops.reshape(product, a_free + b_free, name=scope)
        a_free = convert_to_tensor(a_free, dtype=dtypes.int32)
        b_free = convert_to_tensor(b_free, dtype=dtypes.int32)
        shaped = ops.reshape(product, ops.concat([a_free, b_free], 0), name=scope)
        if a_static is not None and b_static is not None:
            shaped.set_shape(a_static + b_static)
        return shaped


def _axes_of_both(a: Tensor, axes: Any) -> tuple[Any, Any]:
    if isinstance(axes, int | np.integer):
        return _last_and_first(a, int(axes))
    if not isinstance(axes, list | tuple):
        axes = convert_to_tensor(axes, name="axes", dtype=dtypes.int32)
        return axes[0], axes[1]
    if len(axes) != 2:
        raise ValueError(f"`axes` must be an integer or have length 2. Received {axes}.")
    a_axes, b_axes = axes
    if isinstance(a_axes, int | np.integer) and isinstance(b_axes, int | np.integer):
        a_axes, b_axes = [a_axes], [b_axes]
    if len(a_axes) != len(b_axes):
        raise ValueError(
            f"Different number of contraction axes `a` and `b`, {len(a_axes)} != {len(b_axes)}."
        )
    return a_axes, b_axes


def _last_and_first(a: Tensor, count: int) -> tuple[Any, Any]:
    if count < 0:
        raise ValueError(f"`axes` must be at least 0. Received: {count}.")
    rank = a.shape.ndims
    if rank is None:
        unknown: Any = ops.rank(a)
        last = range_of(unknown - count, unknown, dtype=dtypes.int32)
        return last, range_of(count, dtype=dtypes.int32)
    if count > rank:
        raise ValueError(
            f"`axes` must not be larger than the number of dimensions of tensor {a}.  Received "
            f"{count}, vs tensor dimensions {rank}."
        )
    return list(range(rank - count, rank)), list(range(count))


def _as_matrix(a: Tensor, axes: Any, summed_first: bool) -> tuple[Tensor, Any, Any]:
    """The tensor as a matrix, with its free axes as rows and the summed ones as columns.

    Args:
      summed_first: the other way round.

    Returns:
      the matrix, the sizes of the free axes, and what is known of them.
    """
    if not (a.shape.is_fully_defined() and isinstance(axes, list | tuple)):
        return _as_matrix_while_running(a, axes, summed_first)
    sizes: list[Any] = a.shape.as_list()
    axes = [int(axis) if axis >= 0 else int(axis) + len(sizes) for axis in axes]
    free = [axis for axis in range(len(sizes)) if axis not in axes]
    free_sizes = [sizes[axis] for axis in free]
    shape = [math.prod(free_sizes), math.prod(sizes[axis] for axis in axes)]
    order = free + axes
    if summed_first:
        shape, order = shape[::-1], axes + free
    if order != list(range(len(sizes))):
        a = ops.transpose(a, order)
    if a.shape.as_list() != shape:
        a = ops.reshape(a, shape)
    return a, free_sizes, free_sizes


def _as_matrix_while_running(a: Tensor, axes: Any, summed_first: bool) -> tuple[Tensor, Any, Any]:
    static = None
    free: Any
    if a.shape.ndims is not None and isinstance(axes, list | tuple):
        known = a.shape.as_list()
        axes = [axis if axis >= 0 else axis + len(known) for axis in axes]
        free = [axis for axis in range(len(known)) if axis not in axes]
        static = [known[axis] for axis in free]
        axes = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        free = convert_to_tensor(free, dtype=dtypes.int32, name="free")
        sizes = ops.shape(a)
    else:
        sizes = ops.shape(a)
        rank = ops.rank(a)
        axes = convert_to_tensor(axes, dtype=dtypes.int32, name="axes")
        axes = where(axes >= 0, axes, axes + rank)
        free, _ = setdiff1d(range_of(rank), axes, dtypes.int32)
    free_sizes = ops.gather(sizes, free)
    rows, columns = reduce_prod(free_sizes), reduce_prod(ops.gather(sizes, axes))
    turn = -1 if summed_first else 1
    order = ops.concat([free, axes][::turn], 0)
    shape = ops.stack([rows, columns][::turn])
    return ops.reshape(ops.transpose(a, order), shape), free_sizes, static
