"""Values with their ids as the last dimension: `tf.sparse_merge`, `tf.sparse.to_indicator`."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.sparse_tensor import SparseTensor, SparseTensorValue
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.sparse import parts
from tinytf.ops.sparse.conversion import convert_to_sparse_tensor
from tinytf.ops.sparse.reorder import sparse_reorder
from tinytf.ops.sparse.to_dense import sparse_tensor_to_dense


def sparse_merge(
    sp_ids: Any,
    sp_values: Any,
    vocab_size: Any,
    name: str | None = None,
    already_sorted: bool = False,
) -> SparseTensor:
    """Values at the places that ids tell (TensorFlow: `tf.sparse_merge`, `tf.sparse.merge`).

    Of each id the last index is replaced by the id itself. That is what becomes of two features
    of an example: the ids of words, and their weights.

    Args:
      sp_ids: a sparse tensor of integers, or a list of several.
      sp_values: a sparse tensor with the same indices: their values.
      vocab_size: the size of the new dimension, an integer or scalar; a list for a list of ids.
      name: of the operation.
      already_sorted: the ids of each row ascend, so that nothing has to be put in order.

    Raises:
      TypeError: for something else. ValueError: if there are more or fewer sizes than ids.

    Example:
      >>> ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 3, 0], [2, 2])
      >>> weights = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.5, 1.0, 2.0], [2, 2])
      >>> merged = tf.sparse.merge(ids, weights, 4)
      >>> tf.sparse.to_dense(merged)  # [[0., 0., 0.5, 0.], [2., 0., 0., 1.]]
    """
    if isinstance(sp_ids, SparseTensor | SparseTensorValue):
        _check_size(vocab_size, "a Tensor or Python int")
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    else:
        if not isinstance(sp_ids, Iterable):
            raise TypeError(
                f"sp_ids has to be a SparseTensor or list thereof. Found {type(sp_ids)}"
            )
        listed = "a list of Tensors or Python ints"
        if not isinstance(vocab_size, Iterable) or isinstance(vocab_size, Tensor):
            raise TypeError(f"vocab_size has to be {listed}. Found {type(vocab_size)}")
        sp_ids, vocab_size = list(sp_ids), list(vocab_size)
        for size in vocab_size:
            _check_size(size, listed)
    if len(sp_ids) != len(vocab_size):
        raise ValueError("sp_ids and vocab_size have to have equal lengths.")
    with op_scope(name, "SparseMerge"):
        ids = [convert_to_sparse_tensor(one) for one in sp_ids]
        values = convert_to_sparse_tensor(sp_values)
        columns = [
            ops.expand_dims(
                one.values if one.dtype == dtypes.int64 else cast(one.values, dtypes.int64), axis=1
            )
            for one in ids
        ]
        sizes = [cast(size, dtypes.int64) for size in vocab_size]
        places: Any = ids[0].indices
        indices = ops.concat([places[:, :-1], *columns], 1)
        whole: Any = ids[0].dense_shape
        shape = ops.concat([whole[:-1], sizes], 0)
        result = SparseTensor(indices, values.values, shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, shape)


def _check_size(size: Any, what: str) -> None:
    if not isinstance(size, Tensor | numbers.Integral):
        raise TypeError(f"vocab_size has to be {what}. Found {type(size)}")


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """True at the places that ids tell (TensorFlow: `tf.sparse_to_indicator`).

    Args:
      sp_input: a sparse tensor of integers below `vocab_size`.
      vocab_size: the size of the last dimension of the result.
      name: of the operation.

    Returns:
      a dense tensor of bool: `result[..., id]` is True for each id of the row.

    Raises:
      InvalidArgumentError: in a run, for an id outside.

    Example:
      >>> ids = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [2, 3, 0], [2, 2])
      >>> tf.cast(tf.sparse.to_indicator(ids, 4), tf.int32)  # [[0, 0, 1, 0], [1, 0, 0, 1]]
    """
    ids = convert_to_sparse_tensor(sp_input)
    with op_scope(name, "SparseToIndicator", parts.parts_of(ids)) as scope:
        entries: Any = ops.shape(ids.indices)
        true = ops.fill(ops.expand_dims(entries[0], 0), True)
        marked = sparse_merge(ids, ids.with_values(true), vocab_size, scope)
        return sparse_tensor_to_dense(marked, False, validate_indices=False, name=scope)
