"""Sparse tensors put in order: row after row, as most operations expect them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather import gather
from tinytf.ops.array.range import range as range_
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor

_sparse_reorder = define_op(
    "SparseReorder",
    "input_indices: int64, input_values: T, input_shape: int64 -> "
    "output_indices: int64, output_values: T",
    "T: type",
)


@_sparse_reorder.shape
def _sparse_reorder_shape(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(2), 1)
    return [with_rank(c.input(0), 2), with_rank(c.input(1), 1)]


@_sparse_reorder.kernel
def _sparse_reorder_kernel(indices: Any, values: Any, shape: Any) -> tuple[Any, Any]:
    for value, what, rank in ((indices, "indices", 2), (values, "values", 1), (shape, "shape", 1)):
        if np.ndim(value) != rank:
            kind = "matrix" if rank == 2 else "vector"
            raise invalid(f"Input {what} should be a {kind} but received shape {shown(value)}")
    if len(indices) != len(values):
        raise invalid(
            f"Number of elements in indices ({len(indices)}) and values ({len(values)}) do not "
            "match"
        )
    if indices.shape[1] != len(shape):
        raise invalid(f"Index rank ({indices.shape[1]}) and shape rank ({len(shape)}) do not match")
    order = np.lexsort(indices.T[::-1]) if indices.shape[1] else np.arange(len(indices))
    return indices[order], values[order]


@_sparse_reorder.gradient
def _sparse_reorder_gradient(op: Any, _: Any, gradient: Any) -> list[Any]:

    sizes: Any = ops.shape(op.inputs[0])
    entries = SparseTensor(op.inputs[0], range_(sizes[0]), op.inputs[2])
    inverse = ops.invert_permutation(sparse_reorder(entries).values)
    return [None, gather(gradient, inverse), None]


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its indices row after row (TensorFlow: `tf.sparse.reorder`).

    Args:
      sp_input: a sparse tensor. name: of the operation.

    Raises:
      TypeError: if it is no `SparseTensor`.

    Example:
      >>> x = tf.SparseTensor([[1, 0], [0, 1]], [2.0, 1.0], [2, 2])
      >>> tf.sparse.reorder(x).values  # [1., 2.]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    indices, values = _sparse_reorder(sparse.indices, sparse.values, sparse.dense_shape, name=name)
    known = sparse.shape
    if known.is_fully_defined():
        return SparseTensor(indices, values, known.as_list())
    reordered = SparseTensor(indices, values, ops.identity(sparse.dense_shape))
    reordered.set_shape(known)
    return reordered
