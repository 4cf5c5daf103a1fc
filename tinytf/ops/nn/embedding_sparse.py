"""Rows of tables for sparse ids, combined: a row for each example."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import unknown_shape
from tinytf.ops.array.unique import unique
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater, greater_equal
from tinytf.ops.math.division import div_no_nan
from tinytf.ops.math.logical import logical_and
from tinytf.ops.math.power import pow, sqrt
from tinytf.ops.nn.embedding import embedding_lookup, is_resource, parts_of_table
from tinytf.ops.reduce.reduction import reduce_prod
from tinytf.ops.segment import sorted
from tinytf.ops.sparse.reshape import sparse_reshape
from tinytf.ops.sparse.retain import sparse_fill_empty_rows, sparse_retain

_COMBINERS = {
    "mean": sorted.sparse_segment_mean,
    "sqrtn": sorted.sparse_segment_sqrt_n,
    "sum": sorted.sparse_segment_sum,
}


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """Rows of a table, combined for each example (TensorFlow: `tf.nn.embedding_lookup_sparse`).

    Args:
      params: the table: a tensor, a variable, or parts of one, as for `tf.nn.embedding_lookup`.
      sp_ids: a sparse matrix of row numbers, with at least one in each row.
      sp_weights: a sparse matrix with the same indices: what each counts; None for 1.
      partition_strategy: how the table is divided, "mod" or "div".
      name: of the operation.
      combiner: "mean" (the default), "sum", or "sqrtn": the sum over the root of the sum of the
        weights' squares.
      max_norm: rows with a larger 2-norm are scaled down to it.
      allow_fast_lookup: do not leave out ids that come twice before looking up.

    Returns:
      a tensor with a row for each row of the ids.

    Raises:
      TypeError: if ids or weights are not sparse. ValueError: for another combiner.

    Example:
      >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
      >>> ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [0, 2, 1], [2, 2])
      >>> tf.nn.embedding_lookup_sparse(table, ids, None)  # [[3., 4.], [3., 4.]]
    """
    combiner = "mean" if combiner is None else combiner
    if combiner not in _COMBINERS:
        raise ValueError(f"combiner must be one of 'mean', 'sqrtn' or 'sum', got {combiner}")
    table = parts_of_table(params)
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids must be SparseTensor, got {type(sp_ids)}")
    if sp_weights is not None:
        if not isinstance(sp_weights, SparseTensor):
            raise TypeError(
                f"sp_weights must be either None or SparseTensor,got {type(sp_weights)}"
            )
        for part in ("values", "indices", "dense_shape"):
            own, other = getattr(sp_ids, part), getattr(sp_weights, part)
            own.shape.assert_is_compatible_with(other.shape)
    with op_scope(name, "embedding_lookup_sparse", [*table, sp_ids.indices]) as scope:
        places: Any = sp_ids.indices
        segments = convert_to_tensor(places[:, 0], name="segment_ids")
        rows, numbers, all_rows = _rows(
            table,
            sp_ids.values,
            segments,
            partition_strategy,
            max_norm,
            sp_weights is None,
            allow_fast_lookup,
        )
        if sp_weights is None:
            combine = _COMBINERS[combiner]
            return combine(rows, numbers, segments, name=scope, sparse_gradient=all_rows)
        return _weighted(ops.gather(rows, numbers), sp_weights.values, segments, combiner, scope)


def _rows(
    table: list[Any],
    ids: Tensor,
    segments: Tensor,
    strategy: str,
    max_norm: float | None,
    unweighted: bool,
    fast: bool,
) -> tuple[Any, Tensor, bool]:
    """Rows, which of them each id is, and whether they are the table itself.

    The table itself is taken if it is one tensor, where the ids are: the sum over segments looks
    its rows up. Otherwise each row is looked up once, however often it is asked for.
    """
    if len(table) == 1 and not isinstance(table[0], Tensor) and not is_resource(table[0]):
        table = [convert_to_tensor(table[0], name="params")]
    is_whole = len(table) == 1 and isinstance(table[0], Tensor) and max_norm is None
    if is_whole and (fast or unweighted) and table[0].device == segments.device:
        return table[0], ids, not fast
    different, numbers = unique(ids)
    rows = embedding_lookup(table, different, partition_strategy=strategy, max_norm=max_norm)
    return rows, numbers, False


def _weighted(rows: Any, weights: Any, segments: Any, combiner: str, scope: str) -> Tensor:
    segments = cast(segments, dtypes.int32)
    dtype = rows.dtype
    if dtype in (dtypes.float16, dtypes.bfloat16):
        rows = cast(rows, dtypes.float32)
    if weights.dtype != rows.dtype:
        weights = cast(weights, rows.dtype)
    rank: Any = ops.rank(rows)
    ones = ops.ones(ops.expand_dims(rank - 1, 0), dtype=dtypes.int32)
    wide = ops.concat([ops.shape(weights), ones], 0)
    known = weights.shape
    weights = ops.reshape(weights, wide)
    if rows.shape.ndims is not None:
        weights.set_shape(known.concatenate([1] * (rows.shape.ndims - 1)))
    rows = rows * weights
    if combiner == "sum":
        result = sorted.segment_sum(rows, segments, name=scope)
    else:
        total = sorted.segment_sum(rows, segments)
        squared = combiner == "sqrtn"
        divisor = sorted.segment_sum(pow(weights, 2) if squared else weights, segments)
        result = div_no_nan(total, sqrt(divisor) if squared else divisor, name=scope)
    return result if result.dtype == dtype else cast(result, dtype)


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: float | None = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """The same where ids may be missing or negative.

    TensorFlow: `tf.nn.safe_embedding_lookup_sparse`.

    Ids below 0 are left out, and so are those with a weight of 0 or less, unless the combiner is
    "sum". An example without ids gets the row `default_id`, or zeros.

    Args:
      embedding_weights: the table, as for `tf.nn.embedding_lookup_sparse`.
      sparse_ids: a sparse tensor of row numbers, of rank 2 or more.
      sparse_weights: a sparse tensor with the same indices; None for 1.
      default_id: the row for examples without ids; zeros by default.
      combiner, name, partition_strategy, max_norm, allow_fast_lookup: as there.

    Returns:
      a tensor whose first dimensions are those of the ids but the last.

    Raises:
      ValueError: without a table.

    Example:
      >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
      >>> ids = tf.SparseTensor([[0, 0], [2, 0]], [1, -1], [3, 1])
      >>> tf.nn.safe_embedding_lookup_sparse(table, ids)  # [[3., 4.], [0., 0.], [0., 0.]]
    """
    if embedding_weights is None:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    table = parts_of_table(embedding_weights)
    if not table:
        raise ValueError(f"Missing embedding_weights {embedding_weights}.")
    dtype = None if sparse_weights is None else sparse_weights.dtype
    table = [
        part
        if is_resource(part) and dtype in (None, part.dtype)
        else convert_to_tensor(part, dtype=dtype)
        for part in table
    ]
    with op_scope(name, "embedding_lookup", [*table, sparse_ids.indices]) as scope:
        shape: Any = sparse_ids.dense_shape
        static_rank = shape.shape[0].value
        rank: Any = ops.size(shape) if static_rank is None else static_rank
        examples = reduce_prod(ops.slice(shape, [0], [rank - 1]))
        ids = sparse_reshape(sparse_ids, [examples, ops.gather(shape, rank - 1)])
        weights = sparse_weights
        if weights is not None:
            weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
        ids, weights = _without_invalid(ids, weights, combiner)
        ids, is_empty = sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_fill_empty_rows(weights, 1.0)
        result: Any = embedding_lookup_sparse(
            table,
            ids,
            weights,
            combiner=combiner,
            partition_strategy=partition_strategy,
            name=None if default_id is None else scope,
            max_norm=max_norm,
            allow_fast_lookup=allow_fast_lookup,
        )
        if default_id is None:
            width: Any = ops.shape(result)
            tiled = ops.tile(ops.reshape(is_empty, [-1, 1]), ops.stack([1, width[1]]))
            result = where(tiled, ops.zeros_like(result), result, name=scope)
        first = ops.slice(cast(shape, dtypes.int32), [0], [rank - 1])
        rest = ops.slice(ops.shape(result), [1], [-1])
        final = ops.reshape(result, ops.concat([first, rest], 0))
        leading = unknown_shape(None if static_rank is None else static_rank - 1)
        final.set_shape(leading.concatenate(result.shape[1:]))
        return final


def _without_invalid(ids: SparseTensor, weights: Any, combiner: str) -> tuple[SparseTensor, Any]:
    valid = greater_equal(ids.values, 0)
    if weights is None:
        return sparse_retain(ids, valid), None
    valid = logical_and(valid, ops.ones_like(weights.values, dtype=dtypes.bool_))
    ids, weights = sparse_retain(ids, valid), sparse_retain(weights, valid)
    if combiner != "sum":
        positive = greater(weights.values, 0)
        ids, weights = sparse_retain(ids, positive), sparse_retain(weights, positive)
    return ids, weights
