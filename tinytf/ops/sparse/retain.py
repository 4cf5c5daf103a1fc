"""Some of the entries of a sparse tensor, and entries for rows that have none."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather import gather
from tinytf.ops.array.identity import identity
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shape_from_input, shown
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Some of the values of a sparse tensor (TensorFlow: `tf.sparse_retain`).

    Args:
      sp_input: the tensor, with n values. to_retain: bool [n], which of them to keep.

    Raises:
      TypeError: if `sp_input` is not sparse. ValueError: if the numbers differ.

    Example:
      >>> x = tf.SparseTensor([[0], [2]], [5.0, 6.0], [3])
      >>> tf.sparse_retain(x, [False, True]).values  # [6.]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    kept: Tensor = convert_to_tensor(to_retain)
    kept.shape.assert_has_rank(1)
    sparse.values.shape[0].assert_is_compatible_with(kept.shape[0])
    places = reshape(where_v2(kept), [-1])
    indices, values = gather(sparse.indices, places), gather(sparse.values, places)
    return SparseTensor(indices, values, identity(sparse.dense_shape))


# SparseFillEmptyRows ------------------------------------------------------------------------------

_fill = define_op(
    "SparseFillEmptyRows",
    "indices: int64, values: T, dense_shape: int64, default_value: T -> "
    "output_indices: int64, output_values: T, empty_row_indicator: bool, "
    "reverse_index_map: int64",
    "T: type",
)


@_fill.shape
def _fill_shape(c: InferenceContext) -> list[TensorShape]:
    rows, columns = with_rank(c.input(0), 2).sizes or (None, None)
    (count,) = with_rank(c.input(1), 1).sizes or (None,)
    (rank,) = with_rank(c.input(2), 1).sizes or (None,)
    with_rank(c.input(3), 0)
    rows = merge_dimension(rows, count)
    merge_dimension(columns, rank)
    whole = shape_from_input(c, 2).sizes or (None,)
    return [TensorShape.of(s) for s in ((None, rank), (None,), (whole[0],), (rows,))]


@_fill.kernel
def _fill_kernel(indices: Any, values: Any, shape: Any, default: Any) -> Any:
    for name, value, rank, kind in (
        ("dense_shape", shape, 1, "vector"),
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
    ):
        if np.ndim(value) != rank:
            raise invalid(f"{name} must be a {kind}, saw: {shown(value)}")
    if len(indices) != len(values):
        raise invalid(
            f"The length of `values` ({len(values)}) must match the first dimension of `indices` "
            f"({len(indices)})."
        )
    if indices.shape[1] != len(shape):
        raise invalid(
            f"The length of `dense_shape` ({len(shape)}) must match the second dimension of "
            f"`indices` ({indices.shape[1]})."
        )
    if np.ndim(default):
        raise invalid(f"default_value must be a scalar, saw: {shown(default)}")
    if not len(shape):
        raise invalid("Dense shape cannot be empty.")
    rows, count = indices[:, 0], int(shape[0])
    if not count and len(rows):
        raise invalid(
            f"Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = {len(rows)}"
        )
    for place in np.flatnonzero((rows < 0) | (rows >= count))[:1]:
        raise invalid(f"indices({place}, 0) is invalid: {rows[place]} >= {count}")
    empty = np.bincount(rows, minlength=count) == 0
    new_rows = np.flatnonzero(empty)
    new = np.zeros((len(new_rows), indices.shape[1]), np.int64)
    new[:, 0] = new_rows
    # By their rows only: within one row the entries stay as they came.
    order = np.argsort(np.append(rows, new_rows), kind="stable")
    places = np.empty(len(order), np.int64)
    places[order] = np.arange(len(order))
    more = np.full(len(new_rows), default, values.dtype)
    return (
        np.concatenate([indices, new])[order],
        np.append(values, more)[order],
        empty,
        places[: len(rows)],
    )


@_fill.gradient
def _fill_gradient(op: Operation, _: Any, gradient: Any, *__: Any) -> list[Any]:
    of_values, of_default = _fill_grad(op.outputs[3], gradient)
    return [None, of_values, None, of_default]


def sparse_fill_empty_rows(
    sp_input: Any, default_value: Any, name: str | None = None
) -> tuple[SparseTensor, Tensor]:
    """An entry for each row that has none (TensorFlow: `tf.sparse_fill_empty_rows`).

    Args:
      sp_input: a sparse tensor, with its indices row after row.
      default_value: what stands at the beginning of rows that had nothing, a scalar.
      name: of the operation.

    Returns:
      the sparse tensor, and a vector of bool: which rows had nothing.

    Raises:
      InvalidArgumentError: in a run, for an entry outside the rows.

    Example:
      >>> x = tf.SparseTensor([[0, 1], [2, 0]], [5, 6], [3, 2])
      >>> filled, was_empty = tf.sparse.fill_empty_rows(x, -1)
      >>> tf.sparse.to_dense(filled)  # [[0, 5], [-1, 0], [6, 0]]
      >>> was_empty  # [False, True, False]
    """
    sparse = convert_to_sparse_tensor(sp_input)
    with op_scope(name, "SparseFillEmptyRows", parts.parts_of(sparse)):
        default = convert_to_tensor(default_value, dtype=sparse.dtype)
        indices, values, empty, _ = _fill(*parts.parts_of(sparse), default)
        return SparseTensor(indices, values, sparse.dense_shape), empty


# SparseFillEmptyRowsGrad --------------------------------------------------------------------------

_fill_grad = define_op(
    "SparseFillEmptyRowsGrad",
    "reverse_index_map: int64, grad_values: T -> d_values: T, d_default_value: T",
    "T: type",
)


@_fill_grad.shape
def _fill_grad_shape(c: InferenceContext) -> list[TensorShape]:
    shape = with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [shape, TensorShape.of(())]


@_fill_grad.kernel
def _fill_grad_kernel(places: Any, gradient: Any) -> Any:
    for name, value in (("reverse_index_map", places), ("grad_values", gradient)):
        if np.ndim(value) != 1:
            raise invalid(f"{name} must be a vector, saw: {shown(value)}")
    for place in places[(places < 0) | (places >= len(gradient))][:1]:
        raise invalid(f"Elements in reverse index must be in [0, {len(gradient)}) but got {place}")
    others = np.ones(len(gradient), bool)
    others[places] = False
    return gradient[places], gradient[others].sum(dtype=gradient.dtype)
