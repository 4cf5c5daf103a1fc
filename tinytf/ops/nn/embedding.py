"""Rows of tables that may be spread over several variables."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.indexed_slices import convert_to_tensor_or_indexed_slices
from tinytf.framework.scope_functions import colocate_with
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.dynamic_partition import dynamic_partition
from tinytf.ops.array.dynamic_stitch import parallel_dynamic_stitch
from tinytf.ops.array.range import range as range_of
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.clip import clip_by_norm
from tinytf.ops.reduce.reduction import reduce_sum


def embedding_lookup(
    params: Any,
    ids: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> Tensor:
    """Rows of a table by their numbers (TensorFlow: `tf.nn.embedding_lookup`).

    The gradient of a table is `tf.IndexedSlices`: the rows that were looked up, no others.

    Args:
      params: the table, of rank 1 or more: a tensor or variable; a partitioned variable, or a
        list of its parts, which differ in their number of rows only.
      ids: the numbers of rows, int32 or int64, of any shape.
      partition_strategy: where row i is in a list of n parts: in part i % n ("mod"), or the parts
        one after the other ("div").
      name: of the operation.
      validate_indices: not used.
      max_norm: rows with a larger 2-norm are scaled down to it; None for no limit.

    Returns:
      a tensor of shape `ids.shape + params.shape[1:]`.

    Raises:
      ValueError: without params, or for another strategy. InvalidArgumentError: in a run, for a
        row that is not there.

    Example:
      >>> table = tf.constant([[1.0, 2.0], [3.0, 4.0]])
      >>> tf.nn.embedding_lookup(table, [1, 0])  # [[3., 4.], [1., 2.]]
    """
    if params is None:
        raise ValueError("params must be specified")
    if isinstance(params, list | tuple) and not params:
        raise ValueError("Length of params is currently 0. Need at least one param.")
    parts = parts_of_table(params)
    with op_scope(name, "embedding_lookup", [*parts, ids]) as scope:
        if not any(is_resource(part) for part in parts):
            parts = [
                convert_to_tensor_or_indexed_slices(part, name=f"params_{i}")
                for i, part in enumerate(parts)
            ]
        ids = convert_to_tensor(ids, name="ids")
        if len(parts) > 1:
            return _lookup_in_parts(parts, ids, partition_strategy, scope, max_norm)
        with colocate_with(parts[0]):
            rows = _clipped(ops.gather(parts[0], ids, name=scope), ids, max_norm)
        return ops.identity(rows)


def parts_of_table(params: Any) -> list[Any]:
    """The tensors or variables that a table consists of."""
    if isinstance(params, list):
        return params
    # A partitioned variable is a sequence of its parts, as only variables with that method are.
    return list(params) if hasattr(params, "_get_partitions") else [params]


def is_resource(part: Any) -> bool:
    """Whether it is a resource variable."""
    handle = getattr(part, "handle", None)
    return isinstance(handle, Tensor)


def _lookup_in_parts(
    parts: list[Any], ids: Tensor, strategy: str, scope: str, max_norm: float | None
) -> Tensor:
    """Each part looks up its own rows; stitching puts them in the order asked for."""
    count = len(parts)
    flat = ops.reshape(ids, [-1])
    positions = range_of(ops.size(flat))
    if strategy == "mod":
        part_of, row_of = flat % count, flat // count  # type: ignore[operator]
    elif strategy == "div":
        part_of, row_of = _one_after_the_other(parts, flat)
    else:
        raise ValueError(
            f"Unrecognized partition strategy: {strategy}.Must be one of either `mod` or `div`."
        )
    part_of = cast(part_of, dtypes.int32)
    rows = dynamic_partition(row_of, part_of, count)
    places = dynamic_partition(positions, part_of, count)
    found = []
    for part, own in zip(parts, rows):
        with colocate_with(part):
            found.append(ops.gather(part, own))
    stitched = parallel_dynamic_stitch(places, found, name=scope)
    shape = parts[0].shape[1:]
    for part in parts[1:]:
        shape = shape.merge_with(part.shape[1:])
    sizes: Any = shape
    if not shape.is_fully_defined():
        with colocate_with(parts[0]):
            sizes = ops.shape(parts[0])
        sizes = sizes[1:]
    result = ops.reshape(stitched, ops.concat([ops.shape(ids), sizes], 0))
    result.set_shape(ids.shape.concatenate(shape))
    return _clipped(result, ids, max_norm)


def _one_after_the_other(parts: list[Any], ids: Any) -> tuple[Any, Any]:
    """Part and row of each id, where the first parts have one row more if it does not come out."""
    total: Any = _total_rows(parts, ids.dtype)
    count = len(parts)
    least, longer = total // count, total % count
    part = maximum(ids // (least + 1), (ids - longer) // least)
    row = where(part < longer, ids % (least + 1), (ids - longer) % least)
    return part, row


def _total_rows(parts: list[Any], dtype: dtypes.DType) -> Tensor:
    rows: list[Any] = [TensorShape(part.shape).as_list()[0] for part in parts]
    if all(row is not None for row in rows) and sum(rows):
        return constant(sum(rows), dtype)
    for index, part in enumerate(parts):
        if rows[index] is None:
            with colocate_with(part):
                sizes: Any = ops.shape(part)
                rows[index] = sizes[0]
    return reduce_sum(cast(ops.stack(rows), dtype))


def _clipped(rows: Tensor, ids: Tensor, max_norm: float | None) -> Tensor:
    if max_norm is None:
        return rows

    first, last = ids.shape.ndims, rows.shape.ndims
    if first and last:
        return clip_by_norm(rows, max_norm, axes=list(range(first, last)))
    start = first if first else ops.rank(ids)
    end = last if last else ops.rank(rows)
    return clip_by_norm(rows, max_norm, axes=range_of(start, end))
