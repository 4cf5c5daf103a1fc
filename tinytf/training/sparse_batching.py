"""Sparse tensors on the way into a batch: kept in a table, their numbers go through the queue.

The batching functions (`batching`) store before they enqueue and restore after they dequeue.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.operation import Operation
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import Dimension
from tinytf.ops.array import fill as filling
from tinytf.ops.array import reshape
from tinytf.ops.array.constant import constant
from tinytf.ops.array.gather import gather
from tinytf.ops.control_flow.cond import smart_cond
from tinytf.ops.control_flow.grouping import with_dependencies
from tinytf.ops.math.cast import cast
from tinytf.ops.sparse.retain import sparse_retain
from tinytf.ops.sparse.tensors_map import (
    add_many_sparse_to_tensors_map,
    add_sparse_to_tensors_map,
    take_many_sparse_from_tensors_map,
)

_STORING = ("AddSparseToTensorsMap", "AddManySparseToTensorsMap")


@dataclass(frozen=True)
class SparseInfo:
    """What has become of one component.

    Attributes:
      map_op: the operation whose table has the sparse tensors; None for a dense component.
      rank: of one element, if it is known.
    """

    map_op: Operation | None = None
    rank: Dimension | None = None

    def fits(self, other: SparseInfo) -> bool:
        """Whether both can come out of one queue."""
        if self.map_op is not other.map_op:
            return False
        if self.rank is None or other.rank is None:
            return self.rank is other.rank
        return bool(self.rank.is_compatible_with(other.rank))


def store(
    tensors: Sequence[Any],
    enqueue_many: bool,
    keep_input: Tensor,
    shared: Sequence[SparseInfo] | None = None,
) -> tuple[list[Tensor], list[SparseInfo]]:
    """Put numbers in the place of sparse tensors.

    Args:
      tensors: the components. enqueue_many: whether each row is an element.
      keep_input: a scalar, or of each row, whether it goes into the queue.
      shared: of an enqueue into the same queue: its tables are used.

    Returns:
      dense components, and what has become of each.
    """
    given = [None] * len(tensors) if shared is None else [info.map_op for info in shared]
    stored = [
        _stored(tensor, None if op is None else op.name, enqueue_many, keep_input)
        if isinstance(tensor, SparseTensor)
        else tensor
        for tensor, op in zip(tensors, given, strict=False)
    ]
    infos = [
        SparseInfo(op or _storing_op(handle), _rank(tensor, enqueue_many))
        if isinstance(tensor, SparseTensor)
        else SparseInfo()
        for tensor, handle, op in zip(tensors, stored, given, strict=False)
    ]
    dense = [
        handle if info.map_op is None else reshape.expand_dims(handle, [-1])
        for handle, info in zip(stored, infos, strict=True)
    ]
    return dense, infos


def _stored(
    tensor: SparseTensor, shared_name: str | None, enqueue_many: bool, keep_input: Tensor
) -> Tensor:
    if keep_input.shape.ndims == 1:
        rows: Any = tensor.indices
        tensor = sparse_retain(tensor, gather(keep_input, rows[:, 0]))
        return add_many_sparse_to_tensors_map(tensor, shared_name)
    if not enqueue_many:
        return smart_cond(
            keep_input,
            lambda: add_sparse_to_tensors_map(tensor, shared_name),
            lambda: constant(-1, dtypes.int64),
        )
    handles = smart_cond(
        keep_input,
        lambda: add_many_sparse_to_tensors_map(tensor, shared_name),
        lambda: _no_handles(tensor),
    )
    handles.set_shape([None])
    return handles


def _no_handles(tensor: SparseTensor) -> Tensor:
    with name_scope(None, "Shape"):
        sizes: Any = cast(tensor.dense_shape, dtypes.int32)
    ones: Any = filling.ones(sizes[0:1], dtypes.int64)
    return -1 * ones


def _storing_op(handle: Tensor) -> Operation:
    """What made the numbers, behind the Merge of a conditional."""
    return next((t.op for t in handle.op.inputs if t.op.type in _STORING), handle.op)


def _rank(tensor: SparseTensor, enqueue_many: bool) -> Dimension:
    rank: Any = tensor.dense_shape.shape.with_rank(1)[0]
    return rank - 1 if enqueue_many else rank


def restore(taken: Any, infos: Sequence[SparseInfo]) -> Any:
    """Put sparse tensors back in the place of their numbers.

    Args:
      taken: what was dequeued: a tensor or a list of them. infos: as `store` gave them.
    """
    several = isinstance(taken, Sequence)
    tensors = [
        tensor if info.map_op is None else _taken(info, tensor)
        for tensor, info in zip(taken if several else [taken], infos, strict=False)
    ]
    if any(isinstance(tensor, SparseTensor) for tensor in tensors):
        # All or nothing: a batch that is taken has its sparse tensors taken out of the tables.
        values = [t.values if isinstance(t, SparseTensor) else t for t in tensors]
        tensors = [_after(values, tensor) for tensor in tensors]
    return tensors if several else tensors[0]


def _taken(info: SparseInfo, handles: Tensor) -> SparseTensor:
    rank: Any = info.rank
    op: Any = info.map_op
    return take_many_sparse_from_tensors_map(op, reshape.squeeze(handles, [1]), (rank + 1).value)


def _after(values: list[Tensor], tensor: Any) -> Any:
    if not isinstance(tensor, SparseTensor):
        return with_dependencies(values, tensor)
    parts = (tensor.indices, tensor.values, tensor.dense_shape)
    return SparseTensor(*[with_dependencies(values, part) for part in parts])
