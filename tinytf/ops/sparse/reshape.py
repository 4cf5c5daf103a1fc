"""Sparse tensors of another shape: reshaped, transposed, larger, with one more dimension."""

from __future__ import annotations

import math
import operator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value, constant_value_as_shape
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.check.assert_values import assert_equal, assert_less_equal
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.arithmetic import add, maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.reduce.reduction import reduce_max
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor
from tinytf.ops.sparse.reduce import rank_of
from tinytf.ops.sparse.reorder import sparse_reorder

# SparseReshape ------------------------------------------------------------------------------------

_reshape = define_op(
    "SparseReshape",
    "input_indices: int64, input_shape: int64, new_shape: int64 -> "
    "output_indices: int64, output_shape: int64",
    no_gradient="where the values are is no number; the values are passed on",
)


@_reshape.shape
def _reshape_shape(c: InferenceContext) -> list[TensorShape]:
    rows, _ = with_rank(c.input(0), 2).sizes or (None, None)
    with_rank(c.input(1), 1)
    (rank,) = with_rank(c.input(2), 1).sizes or (None,)
    return [TensorShape.of((rows, rank)), TensorShape.of((rank,))]


@_reshape.kernel
def _reshape_kernel(indices: Any, shape: Any, new_shape: Any) -> Any:
    for what, value, rank, kind in (
        ("Input indices", indices, 2, "matrix"),
        ("Input shape", shape, 1, "vector"),
        ("Target shape", new_shape, 1, "vector"),
    ):
        if np.ndim(value) != rank:
            raise invalid(f"{what} should be a {kind} but received shape {shown(value)}")
    if indices.shape[1] != len(shape):
        raise invalid(
            "Input tensor rank must match input shape length. They are "
            f"{indices.shape[1]} and {len(shape)}."
        )
    old, new = shape.tolist(), new_shape.tolist()
    if min(old, default=0) < 0:
        raise invalid(f"Dimension {min(old)} must be >= 0")
    new = _completed(old, new)
    total = math.prod(old)
    if total != math.prod(new):
        raise invalid(
            f"Input to reshape is a tensor with {total} dense values, but the requested shape has "
            f"{math.prod(new)}. input_shape={shown_list(old)} output_shape={shown_list(new)}"
        )
    if old == new:
        return indices, shape
    if len(indices) and not total:
        raise invalid(
            f"Input tensor has {len(indices)} non zero elements but input shape "
            f"({shown_list(old)}) or output shape ({shown_list(new)}) is empty"
        )
    if total >= 1 << 63:
        raise invalid(f"A shape of {total} elements, {shown_list(old)}, is too large to reshape.")
    left = indices @ _strides(old)
    result = np.empty((len(indices), len(new)), np.int64)
    for axis, stride in enumerate(_strides(new)):
        result[:, axis], left = np.divmod(left, stride)
    return result, np.array(new, np.int64)


def _completed(old: list[int], new: list[int]) -> list[int]:
    """The new sizes, with the one that is left open (-1)."""
    total, product = math.prod(old), math.prod(size for size in new if size != -1)
    for axis, size in enumerate(new):
        if size == -1 and new.index(-1) != axis:
            raise invalid(
                f"only one output dimension may be -1, not both {new.index(-1)} and {axis}"
            )
        if size < -1:
            raise invalid(f"size {axis} must be non-negative, not {size}")
    if -1 not in new:
        return new
    if not product:
        raise invalid(
            "reshape cannot infer the missing input size for an empty tensor unless all specified "
            "input sizes are non-zero"
        )
    if total % product:
        shown_new = shown_list([1 if size == -1 else size for size in new])
        raise invalid(
            f"Input to reshape is a SparseTensor with {total} dense values, but the requested "
            f"shape requires a multiple of {product}. input_shape={shown_list(old)} "
            f"output_shape={shown_new}"
        )
    return [total // product if size == -1 else size for size in new]


def _strides(sizes: list[int]) -> np.ndarray:
    """How far apart, in the row of all elements, neighbours in each dimension are."""
    return np.array([math.prod(sizes[axis + 1 :]) for axis in range(len(sizes))], np.int64)


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in another shape (TensorFlow: `tf.sparse_reshape`, `tf.sparse.reshape`).

    Args:
      sp_input: a sparse tensor.
      shape: the sizes; one may be -1, and is what is left then.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if the numbers of elements differ.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [1, 2]], [5, 6], [2, 3])
      >>> tf.sparse.to_dense(tf.sparse.reshape(x, [3, -1]))  # [[0, 5], [0, 0], [0, 6]]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    shape = cast(shape, dtypes.int64)
    with op_scope(name, "SparseReshape", parts.parts_of(sparse)) as scope:
        indices, sizes = _reshape(sparse.indices, sparse.dense_shape, shape, name=scope)
        known = _static_reshape(sparse.shape, shape)
        if known is not None:
            sizes = constant(known, dtypes.int64)
        return SparseTensor(indices, ops.identity(sparse.values), sizes)


def _static_reshape(old: TensorShape, shape: Tensor) -> list[int] | None:
    """The new shape, if it follows from what is known while the graph is built."""
    new = _written_shape(shape)
    if new.sizes is None or not old.is_fully_defined():
        return None
    value = constant_value(shape)
    if value is not None and (value == -1).sum() > 1:
        raise ValueError(f"At most one dimension can be inferred (-1). Found: {value}")
    total = math.prod(size for size in old.as_list() if size is not None)
    rest = [size for size in new.sizes if size is not None]
    unknown = len(new.sizes) - len(rest)
    if unknown > 1 or (unknown and 0 in rest):
        return None
    sizes = [total // math.prod(rest) if size is None else size for size in new.sizes]
    if math.prod(sizes) != total:
        raise ValueError(
            f"Cannot reshape a tensor with {total} elements to shape {list(new.sizes)} "
            f"({math.prod(sizes)} elements)."
        )
    return sizes


def _written_shape(shape: Tensor) -> TensorShape:
    """The sizes that TensorFlow knows here: of a list, those that are written as numbers."""
    new = constant_value_as_shape(shape)
    packed = shape.op.inputs[0].op if shape.op.type == "Cast" else shape.op
    if packed.type != "Pack" or new.sizes is None:
        return new
    written = [size.op.type == "Const" for size in packed.inputs]
    return TensorShape.of(tuple(n if known else None for n, known in zip(new.sizes, written)))


# Composites ---------------------------------------------------------------------------------------


def sparse_transpose(sp_input: SparseTensor, perm: Any = None, name: str | None = None) -> Any:
    """A sparse tensor with its dimensions in another order (TensorFlow: `tf.sparse_transpose`).

    Args:
      sp_input: a sparse tensor.
      perm: for each dimension of the result the one it was; the reverse order by default.
      name: of the operation.

    Returns:
      a `SparseTensor`, with its indices row after row.

    Example:
      >>> x = tf.SparseTensor([[0, 2], [1, 0]], [5, 6], [2, 3])
      >>> tf.sparse.to_dense(tf.sparse.transpose(x))  # [[0, 6], [0, 0], [5, 0]]
    """
    with op_scope(name, "SparseTranspose", parts.parts_of(sp_input)):
        if perm is None:
            static_rank = sp_input.shape.ndims
            if static_rank is not None:
                perm = static_rank - 1 - np.arange(static_rank)
            else:
                rank: Any = rank_of(sp_input)
                perm = rank - 1 - range_of(0, rank, 1)
        columns = ops.transpose(sp_input.indices)
        indices = ops.transpose(ops.gather(columns, perm))
        order = constant_value(convert_to_tensor(perm))
        known = sp_input.shape
        sizes: Any
        if order is not None and known.is_fully_defined():
            sizes = [known.as_list()[axis] for axis in order]
        else:
            sizes = ops.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, sizes))


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same entries in a larger, or the smallest, shape (TensorFlow: `tf.sparse_reset_shape`).

    Args:
      sp_input: a sparse tensor.
      new_shape: the sizes, none smaller than before; by default as small as the entries allow.

    Raises:
      ValueError, InvalidArgumentError: if a size is smaller than it was.

    Example:
      >>> x = tf.SparseTensor([[0, 1]], [5], [4, 4])
      >>> tf.sparse.reset_shape(x).dense_shape  # [1, 2], int64
    """
    sparse = convert_to_sparse_tensor(sp_input)
    indices, values = ops.identity(sparse.indices), ops.identity(sparse.values)
    sizes = ops.identity(sparse.dense_shape)
    if new_shape is None:
        largest = reduce_max(indices, axis=0)
        shape: Any = maximum(constant(0, dtypes.int64), add(largest, ops.ones_like(sizes)))
        return SparseTensor(indices, values, shape)
    shape = convert_to_tensor(new_shape)
    shape.shape.assert_has_rank(1)
    shape = cast(shape, dtypes.int64)
    shape.shape[0].assert_is_compatible_with(sizes.shape[0])
    known = constant_value(shape)
    if known is not None and sparse.shape.is_fully_defined():
        old = np.array(sparse.shape.as_list())
        if not (old <= known).all():
            raise ValueError(
                "Requested new_shape should have dimension sizes >= sp_input.shape.  Found "
                f"new_shape ({known}), sp_input.shape ({old})."
            )
        return SparseTensor(indices, values, known)
    same_rank = assert_equal(ops.shape(sizes), ops.shape(shape))
    shape = with_dependencies([same_rank], shape)
    shape = with_dependencies([assert_less_equal(sizes, shape)], shape)
    return SparseTensor(indices, values, shape)


def sparse_expand_dims(
    sp_input: SparseTensor, axis: Any = None, name: str | None = None
) -> SparseTensor:
    """One more dimension, of size 1 (TensorFlow: `tf.sparse.expand_dims`).

    Args:
      sp_input: a sparse tensor.
      axis: where, an integer or a scalar, perhaps negative; at the end by default.
      name: of the operation.

    Raises:
      TypeError: if `axis` is no integer.

    Example:
      >>> x = tf.SparseTensor([[1]], [5], [2])
      >>> tf.sparse.to_dense(tf.sparse.expand_dims(x, 0))  # [[0, 5]]
    """
    rank: Any = sp_input.dense_shape.shape[0].value
    if rank is None:
        sizes: Any = ops.shape(sp_input.dense_shape)
        rank = sizes[0]
    axis = -1 if axis is None else axis
    with op_scope(name, "expand_dims", parts.parts_of(sp_input)):
        if not isinstance(axis, Tensor):
            axis = convert_to_tensor(_as_integer(axis), name="axis", dtype=dtypes.int32)
        axis = where_v2(axis >= 0, axis, axis + rank + 1)
        entries: Any = ops.shape(sp_input.indices)
        new = ops.zeros([entries[0], 1], dtype=dtypes.int64)
        before = ops.slice(sp_input.indices, [0, 0], [-1, axis])
        after = ops.slice(sp_input.indices, [0, axis], [-1, -1])
        indices = ops.concat([before, new, after], axis=1)
        shape_before = ops.slice(sp_input.dense_shape, [0], [axis])
        shape_after = ops.slice(sp_input.dense_shape, [axis], [-1])
        one = convert_to_tensor([1], name="new_shape", dtype=dtypes.int64)
        shape = ops.concat([shape_before, one, shape_after], axis=0)
        return SparseTensor(indices, sp_input.values, shape)


def _as_integer(axis: Any) -> int:
    try:
        return operator.index(axis)
    except TypeError:
        raise TypeError(
            "axis must be an integer value in range [-rank(sp_input) - 1, rank(sp_input)]"
        ) from None
