"""Elements, and slices, picked by lists of coordinates: gather_nd."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.constant_value import constant_value
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, brackets, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown, shown_list

# Coordinates --------------------------------------------------------------------------------------


def flat_rows(indices: Any, sizes: tuple[int, ...], what: str, after: str = "") -> np.ndarray:
    """One number for each list of coordinates: which slice of an array of these sizes it means.

    Raises:
      InvalidArgumentError: for the first coordinates that are out of range.
    """
    depth = indices.shape[-1]
    count = math.prod(indices.shape[:-1])
    rows = indices.reshape(count, depth).astype(np.int64, copy=False)
    limits = np.array(sizes[:depth], np.int64)
    wrong = ((rows < 0) | (rows >= limits)).any(axis=1)
    if wrong.any():
        bad = int(np.argmax(wrong))
        where = ",".join(map(str, np.unravel_index(bad, indices.shape[:-1])))
        numbers = ", ".join(map(str, rows[bad].tolist()))
        raise invalid(
            f"indices{f'[{where}]' if where else ''} = [{numbers}] does not index into {what} "
            f"{shown_list(sizes)}{after}"
        )
    strides = [math.prod(sizes[position + 1 : depth]) for position in range(depth)]
    return rows @ np.array(strides, np.int64)


# GatherNd -----------------------------------------------------------------------------------------

_gather_nd = define_op(
    "GatherNd",
    "params: Tparams, indices: Tindices -> output: Tparams",
    "Tparams: type, Tindices: {int16, int32, int64}",
)


@_gather_nd.shape
def _gather_nd_shape(c: InferenceContext) -> TensorShape:
    params, indices = c.input(0), with_rank_at_least(c.input(1), 1)
    if params.sizes is None or indices.sizes is None or indices.sizes[-1] is None:
        return unknown_shape()
    depth = indices.sizes[-1]
    if depth > len(params.sizes):
        raise ValueError(
            f"indices.shape[-1] must be <= params.rank, but saw indices shape: "
            f"{brackets(indices)} and params shape: {brackets(params)}"
        )
    return TensorShape.of((*indices.sizes[:-1], *params.sizes[depth:]))


@_gather_nd.kernel
def _gather_nd_kernel(params: Array, indices: Array, *, node: Operation) -> Array:
    for what, value in (("params", params), ("indices", indices)):
        if value.ndim < 1:
            raise invalid(f"{what} must be at least a vector")
    depth = indices.shape[-1]
    if depth > params.ndim:
        raise invalid(
            f"index innermost dimension length must be <= params rank; saw: {depth} vs. "
            f"{params.ndim}"
        )
    batch, rest = indices.shape[:-1], params.shape[depth:]
    if math.prod(batch) and not params.size:
        raise invalid(
            f"Requested more than 0 entries, but params is empty.  Params shape: {shown(params)}"
        )
    rows = flat_rows(indices, params.shape, "param shape", f", node name: {node.name}")
    return as_slices(params, depth)[rows].reshape(batch + rest)


def as_slices(array: np.ndarray, depth: int) -> np.ndarray:
    """An array whose first `depth` dimensions are one; what is written there is in the array."""
    return array.reshape(math.prod(array.shape[:depth]), *array.shape[depth:])


@_gather_nd.gradient
def _gather_nd_gradient(op: Operation, gradient: Any) -> list[Any]:
    params, indices = op.inputs
    params_shape = ops.shape(params, out_type=indices.dtype)
    sizes = indices.shape.sizes
    if sizes is not None and len(sizes) == 2 and sizes[1] == 1:
        return [IndexedSlices(gradient, ops.squeeze(indices, axis=-1), params_shape), None]
    return [ops.scatter_nd(indices, gradient, params_shape), None]


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: Any = 0) -> Tensor:
    """Elements or slices of `params` picked by coordinates (TensorFlow: `tf.gather_nd`).

    Args:
      params: of rank 1 or more.
      indices: integers [..., depth]: each row has the first `depth` coordinates of a slice.
      name: of the operation.
      batch_dims: how many leading dimensions the two have in common.

    Returns:
      a tensor of shape indices.shape[:-1] + params.shape[batch_dims + depth:].

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: "indices[...] = [...] does not index
        into param shape ...".

    Example:
      >>> tf.gather_nd([[1, 2], [3, 4]], [[0, 1], [1, 0]])  # [2, 3]
    """
    known = constant_value(batch_dims) if isinstance(batch_dims, Tensor) else batch_dims
    batch_dims = batch_dims if known is None else int(known)
    if not isinstance(batch_dims, int) or batch_dims:
        return ops.batch_gather_nd(params, indices, batch_dims, name)
    read = getattr(params, "gather_nd", None)
    if read is not None:
        return read(indices, name=name)  # a variable gives the elements without a copy of itself
    return _gather_nd(params, indices, name=name)
