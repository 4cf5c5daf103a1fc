"""Sparse tensors on their way through a queue: numbers in their place.

A queue's elements have fixed shapes; the three parts of a sparse tensor have not. So they stay in a
table (`resources/sparse_tensors_map.py`), and `tf.train.batch` enqueues their numbers.
Mirrors tensorflow/core/kernels/sparse_tensors_map_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.resource_cards import WHERE
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.sparse.parts import arguments, parts_of, static_shapes
from tinytf.ops.sparse.to_dense import check_indices
from tinytf.resources.sparse_tensors_map import SparseParts, SparseTensorsMap

_NO_GRADIENT = "the tensors are kept as they are: a table is state"


def _table(node: Operation, resources: Any) -> SparseTensorsMap:
    """What a node means: it is found under the node's own name if no other is given."""
    name = node.attrs["shared_name"].decode() or node.name
    container = node.attrs["container"].decode()
    return resources.lookup_or_create(
        container, name, SparseTensorsMap, lambda: SparseTensorsMap(name)
    )


def _check(indices: Any, values: Any, shape: Any) -> None:
    for what, part, rank, kind in (
        ("indices", indices, 2, "matrix"),
        ("values", values, 1, "vector"),
        ("shape", shape, 1, "vector"),
    ):
        if np.ndim(part) != rank:
            raise invalid(f"Input {what} should be a {kind} but received shape {shown(part)}")


def _define_add(name: str, output: str, sizes: tuple[int | None, ...]) -> OpCard:
    card = define_op(
        name,
        f"{arguments('sparse_')} -> {output}: int64",
        f"T: type, {WHERE}",
        stateful=True,
        no_gradient=_NO_GRADIENT,
    )

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        for part, rank in zip(c.shapes(), (2, 1, 1), strict=True):
            part.with_rank(rank)
        return TensorShape.of(sizes)

    return card


# AddSparseToTensorsMap ----------------------------------------------------------------------------

_add = _define_add("AddSparseToTensorsMap", "sparse_handle", ())


@_add.kernel
def _add_kernel(indices: Any, values: Any, shape: Any, *, node: Operation, resources: Any) -> Any:
    _check(indices, values, shape)
    if len(indices) != len(values):
        raise invalid(
            "indices and values rows (indexing dimension) must match. "
            f"(indices = {len(indices)}, values = {len(values)})"
        )
    if indices.shape[1] != len(shape):
        raise invalid(
            "Order length must be SparseTensor rank. Indices have "
            f"{indices.shape[1]} columns, and the shape has {len(shape)} dimensions."
        )
    table = _table(node, resources)
    return np.int64(table.add(SparseParts(indices, values, shape)))


def add_sparse_to_tensors_map(
    sp_input: SparseTensor, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """Keep a sparse tensor (TensorFlow: `sparse_ops._add_sparse_to_tensors_map`).

    Args:
      sp_input: the tensor. shared_name: of the table; by default the operation's own.

    Returns:
      its number there, an int64 scalar.

    Example:
      >>> handle = add_sparse_to_tensors_map(tf.SparseTensor([[1]], [5.0], [3]))
    """
    return _add(*parts_of(sp_input), name=name, shared_name=shared_name or "")


# AddManySparseToTensorsMap ------------------------------------------------------------------------

_add_many = _define_add("AddManySparseToTensorsMap", "sparse_handles", (None,))


@_add_many.kernel
def _add_many_kernel(
    indices: Any, values: Any, shape: Any, *, node: Operation, resources: Any
) -> Any:
    _check(indices, values, shape)
    if len(shape) < 2:
        raise invalid(f"Rank of input SparseTensor should be > 1, but saw rank: {len(shape)}")
    if indices.shape[1] != len(shape):
        raise invalid(
            "Number of dimensions must match second dimension of indices. Got "
            f"{len(shape)} dimensions, indices shape: {shown(indices)}"
        )
    if len(indices) != len(values):
        raise invalid(
            "Number of values must match first dimension of indices. Got "
            f"{len(values)} values, indices shape: {shown(indices)}"
        )
    check_indices(indices, shape.tolist())
    table = _table(node, resources)
    rows, starts = np.unique(indices[:, 0], return_index=True)
    ends = [*starts[1:], len(indices)][: len(rows)]
    handles = np.empty(int(shape[0]), np.int64)
    for row, start, end in zip(rows, starts, ends, strict=True):  # as in TensorFlow, these first
        parts = SparseParts(indices[start:end, 1:], values[start:end], shape[1:])
        handles[row] = table.add(parts)
    for row in np.setdiff1d(np.arange(len(handles)), rows):
        handles[row] = table.add(SparseParts(indices[:0, 1:], values[:0], shape[1:]))
    return handles


def add_many_sparse_to_tensors_map(
    sp_input: SparseTensor, shared_name: str | None = None, name: str | None = None
) -> Tensor:
    """Keep each row of a sparse tensor (TensorFlow: `sparse_ops._add_many_sparse_to_tensors_map`).

    Args:
      sp_input: of rank 2 at least. shared_name: of the table; by default the operation's own.

    Returns:
      the numbers of the rows, int64 [rows].

    Example:
      >>> handles = add_many_sparse_to_tensors_map(tf.SparseTensor([[1, 0]], [5.0], [2, 3]))
    """
    return _add_many(*parts_of(sp_input), name=name, shared_name=shared_name or "")


# TakeManySparseFromTensorsMap ---------------------------------------------------------------------

_take_many = define_op(
    "TakeManySparseFromTensorsMap",
    f"sparse_handles: int64 -> {arguments('sparse_', 'dtype')}",
    f"dtype: type, {WHERE}",
    stateful=True,
    no_gradient=_NO_GRADIENT,
)


@_take_many.shape
def _take_many_shape(c: InferenceContext) -> list[TensorShape]:
    c.input(0).with_rank(1)
    return static_shapes()


@_take_many.kernel
def _take_many_kernel(handles: Any, *, dtype: DType, node: Operation, resources: Any) -> Any:
    if np.ndim(handles) != 1:
        raise invalid(f"sparse_handles should be a vector but received shape {shown(handles)}")
    if not len(handles):
        raise invalid("Must have at least 1 serialized SparseTensor, but input matrix has 0 rows")
    taken = _table(node, resources).take(handles.tolist())
    rank = len(taken[0].dense_shape)
    for number, parts in enumerate(taken):
        if parts.values.dtype != dtype.as_numpy_dtype:
            raise invalid(
                f"Requested SparseTensor of type {dtype.name} but "
                f"SparseTensor[{number}].values.dtype() == {parts.values.dtype}"
            )
        if len(parts.dense_shape) != rank:
            shapes = [shown_list(one.dense_shape.tolist()) for one in (taken[0], parts)]
            raise invalid(
                f"Inconsistent rank across SparseTensors: rank prior to SparseTensor[{number}] "
                f"was: {rank + 1} but rank of SparseTensor[{number}] is: "
                f"{len(parts.dense_shape) + 1}. Their own shapes are {' and '.join(shapes)}."
            )
    counts = [len(parts.values) for parts in taken]
    rows = np.repeat(np.arange(len(taken)), counts)[:, None]
    indices = np.concatenate([parts.indices for parts in taken])
    sizes = np.max([parts.dense_shape for parts in taken], axis=0)
    return (
        np.concatenate([rows, indices], axis=1).astype(np.int64, copy=False),
        np.concatenate([parts.values for parts in taken]),
        np.append(len(taken), sizes).astype(np.int64),
    )


def take_many_sparse_from_tensors_map(
    sparse_map_op: Operation, sparse_handles: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """Sparse tensors that were kept, as rows of one.

    TensorFlow: `sparse_ops._take_many_sparse_from_tensors_map`.

    Args:
      sparse_map_op: the operation that kept them. sparse_handles: their numbers, int64 [n].
      rank: of the result, if it is known.

    Returns:
      a sparse tensor, in each dimension as large as the largest of them.

    Raises:
      TypeError: if `sparse_map_op` keeps no sparse tensors.

    Example:
      >>> handle = add_sparse_to_tensors_map(tf.SparseTensor([[1]], [5.0], [3]))
      >>> rows = take_many_sparse_from_tensors_map(handle.op, [handle])
      >>> tf.sparse_tensor_to_dense(rows)  # [[0., 5., 0.]]
    """
    if sparse_map_op.type not in ("AddSparseToTensorsMap", "AddManySparseToTensorsMap"):
        raise TypeError(
            "sparse_map_op must be one of AddSparseToTensorsMap or AddManySparseToTensorsMap. "
            f"Instead, found `{sparse_map_op.type}`."
        )
    with get_default_graph().colocate_with(sparse_map_op):
        indices, values, shape = _take_many(
            sparse_handles,
            name=name,
            dtype=sparse_map_op.get_attr("T"),
            container=sparse_map_op.get_attr("container").decode(),
            shared_name=sparse_map_op.get_attr("shared_name").decode() or sparse_map_op.name,
        )
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
