"""Sums and largest elements along some dimensions, of the elements that there are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import InternalError, invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.gather_nd import gather_nd
from tinytf.ops.array.range import range as range_of
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.axes import one_of, reduced_shape
from tinytf.ops.sparse import parts


def _card(kind: str, types: str, ufunc: np.ufunc, sparse: bool) -> OpCard:
    inputs = parts.arguments("input_") + ", reduction_axes: int32"
    card = define_op(
        f"SparseReduce{kind}{'Sparse' if sparse else ''}",
        f"{inputs} -> {parts.arguments('output_') if sparse else 'output: T'}",
        f"keep_dims: bool = false, T: {types}",
        shape=shape_inference.unknown if sparse else _dense_shape,
    )

    @card.kernel
    def kernel(indices: Any, values: Any, shape: Any, axes: Any, *, keep_dims: bool) -> Any:
        reduced = _reduced(shape, axes)
        parts.check_created(indices, values, shape)
        kept = [axis for axis in range(len(shape)) if axis not in reduced]
        coordinates, numbers = parts.numbered(indices[:, kept])
        order = np.argsort(numbers, kind="stable")
        starts = parts.group_starts(numbers[order][:, None])
        results = ufunc.reduceat(values[order], starts) if len(starts) else values[:0]
        results = results.astype(values.dtype, copy=False)
        if keep_dims:
            wide = np.zeros((len(coordinates), len(shape)), np.int64)
            wide[:, kept] = coordinates
            coordinates = wide
            sizes = np.where(np.isin(np.arange(len(shape)), list(reduced)), 1, shape)
        else:
            sizes = shape[kept]
        if sparse:
            return coordinates, results, sizes
        for wrong in coordinates[parts.outside(coordinates, sizes).any(axis=1)][:1]:
            message = f"Obtained a write index of {shown_list(wrong.tolist())} which is outside of"
            raise InternalError(f"{message} bounds of {shown_list(sizes.tolist())}")
        dense = np.zeros(sizes.tolist(), values.dtype)
        dense[tuple(coordinates.T)] = results if dense.ndim else results.sum()
        return dense

    return card


def _dense_shape(c: InferenceContext) -> TensorShape:
    shape, axes = c.constant(2), c.constant(3)
    if shape is None or axes is None:
        return unknown_shape()
    rank = shape.size
    if not rank:
        raise ValueError("Number of dims in shape tensor must not be 0")
    reduced = {(axis + rank) % rank for axis in axes.reshape(-1).tolist()}
    sizes = [1 if axis in reduced else size for axis, size in enumerate(shape.tolist())]
    if not c.attrs["keep_dims"]:
        sizes = [size for axis, size in enumerate(sizes) if axis not in reduced]
    return TensorShape.of(tuple(sizes))


def _reduced(shape: Any, axes: Any) -> set[int]:
    if np.ndim(shape) != 1:
        raise invalid(f"Expected input_shape to be a vector; got shape: {shown(shape)}")
    if np.ndim(axes) > 1:
        raise invalid(
            f"Expected reduction_axes to be a scalar or a vector; got shape: {shown(axes)}"
        )
    rank = len(shape)
    reduced = set()
    for axis in np.reshape(axes, -1).tolist():
        if not -rank <= axis < rank:
            raise invalid(f"Invalid reduction dimension {axis}, for input with {rank} dimensions.")
        reduced.add(axis % rank)
    return reduced


_sum = _card("Sum", "numbertype", np.add, False)
_max = _card("Max", "realnumbertype", np.maximum, False)
_sum_sparse = _card("Sum", "numbertype", np.add, True)
_max_sparse = _card("Max", "realnumbertype", np.maximum, True)


@_sum.gradient
def _sum_gradient(op: Operation, gradient: Any) -> list[Any]:
    indices, shape = op.inputs[0], op.inputs[2]
    kept = reduced_shape(shape, op.inputs[3])
    gradient = ops.reshape(gradient, kept)
    scale: Any = shape // cast(kept, dtypes.int64)
    return [None, gather_nd(gradient, indices // scale), None, None]


def _reduce(
    card: OpCard,
    sparse: SparseTensor,
    axis: Any,
    keepdims: Any,
    reduction_axes: Any,
    keep_dims: Any,
) -> Any:
    keep = one_of("keepdims", keepdims, "keep_dims", keep_dims)
    axis = one_of("axis", axis, "reduction_axes", reduction_axes)
    if axis is None:
        rank = sparse.shape.ndims
        axis = constant(np.arange(rank, dtype=np.int32)) if rank else range_of(0, rank_of(sparse))
    return card(*parts.parts_of(sparse), axis, keep_dims=bool(keep))


def rank_of(sparse: SparseTensor) -> Tensor:
    """The rank of a sparse tensor whose static rank is not known."""
    return ops.size(sparse.dense_shape, name="Rank")


def sparse_reduce_sum(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Sums along some dimensions, dense (TensorFlow: `tf.sparse_reduce_sum`).

    Args:
      sp_input: a sparse tensor.
      axis, reduction_axes: (the newer and the older name) the dimensions, perhaps negative; all
        by default.
      keepdims, keep_dims: (the newer and the older name) keep those with size 1.

    Returns:
      a dense tensor, with zeros where nothing was added.

    Raises:
      ValueError: if both names of an argument are used.
      InvalidArgumentError: in a run, for a dimension that it does not have.

    Example:
      >>> x = tf.SparseTensor([[0, 0], [0, 2], [1, 1]], [1, 1, 1], [2, 3])
      >>> tf.sparse.reduce_sum(x, 1)  # [2, 1]
    """
    return _reduce(_sum, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_max(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The largest along some dimensions, dense (TensorFlow: `tf.sparse_reduce_max`).

    Elements that the tensor does not have do not count, so the largest of [-1, nothing] is -1;
    where it has none at all, the result is 0. Arguments as for `tf.sparse.reduce_sum`; there is
    no gradient.

    Example:
      >>> x = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, -5, -3], [3, 3])
      >>> tf.sparse.reduce_max(x, 1)  # [1, 0, -3]
    """
    return _reduce(_max, sp_input, axis, keepdims, reduction_axes, keep_dims)


def sparse_reduce_sum_sparse(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """Sums along some dimensions, sparse (TensorFlow: `tf.sparse_reduce_sum_sparse`).

    Arguments as for `tf.sparse.reduce_sum`; there is no gradient.

    Example:
      >>> x = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, 1, 1], [3, 3])
      >>> tf.sparse.reduce_sum_sparse(x, 1).values  # [2, 1]
    """
    return SparseTensor(*_reduce(_sum_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max_sparse(
    sp_input: SparseTensor,
    axis: Any = None,
    keepdims: bool | None = None,
    reduction_axes: Any = None,
    keep_dims: bool | None = None,
) -> SparseTensor:
    """The largest along some dimensions, sparse (TensorFlow: `tf.sparse_reduce_max_sparse`).

    Arguments as for `tf.sparse.reduce_sum`; there is no gradient.

    Example:
      >>> x = tf.SparseTensor([[0, 0], [0, 2], [2, 1]], [1, -5, -3], [3, 3])
      >>> tf.sparse.reduce_max_sparse(x, 1).values  # [1, -3]
    """
    return SparseTensor(*_reduce(_max_sparse, sp_input, axis, keepdims, reduction_axes, keep_dims))
