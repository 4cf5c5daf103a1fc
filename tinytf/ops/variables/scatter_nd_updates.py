"""Updates of elements or slices of a variable, found by several indices: ScatterNdUpdate & co.

A row of `indices` is the beginning of an index into the variable: `variable[tuple(row)]` is
replaced by, or combined with, the slice of `updates` at the same place. Each op has two forms, on
references and ("Resource...") on handles; the kernels are the same.

Mirrors tensorflow/core/kernels/scatter_nd_op.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.stacks import get_default_graph
from tinytf.ops.array.concat import concat
from tinytf.ops.array.fill import ones_like
from tinytf.ops.array.gather_nd import flat_rows
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import expand_dims, reshape
from tinytf.ops.array.scatter_nd import check_update_shapes
from tinytf.ops.array.shape import shape
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.cast import cast
from tinytf.ops.segment.rows import assign_rows, combining
from tinytf.ops.variables.scatter_updates import state_shape, update_part
from tinytf.ops.variables.state import NO_FUNCTION, must_exist
from tinytf.resources.changing import writable
from tinytf.resources.variable import Variable

#: kind of update ("Add") -> the card on references, the card on handles
CARDS: dict[str, tuple[OpCard, OpCard]] = {}


def _shape(c: InferenceContext) -> Any:
    state = state_shape(c)
    check_update_shapes(state, c.input(1), c.input(2))
    return state if c.output_count else []


def _check(sizes: tuple[int, ...], indices: np.ndarray, updates: np.ndarray) -> None:
    """InvalidArgumentError unless shapes fit to those of an array of `sizes`."""
    if indices.size == 0 or updates.size == 0:
        if math.prod(indices.shape[:-1]) and updates.size:
            raise invalid(
                f"Indices and updates specified for empty output.  indices shape: {shown(indices)}"
            )
        return
    outer = max(indices.ndim - 1, 0)
    depth = indices.shape[-1] if indices.ndim else 1
    if indices.ndim == 0 or updates.ndim < outer or updates.shape[:outer] != indices.shape[:-1]:
        raise invalid(
            f"Dimensions [0,{outer}) of indices[shape={shown(indices)}] = {_first(indices)} must "
            f"match dimensions [0,{outer}) of updates[shape={shown(updates)}] = {_first(updates)}"
        )
    if depth > len(sizes) or updates.shape[outer:] != sizes[depth:]:
        raise invalid(
            f"Dimensions [{depth},{len(sizes)}) of input[shape={shown_list(sizes)}] must match "
            f"dimensions [{depth},{updates.ndim}) of updates[shape={shown(updates)}]"
        )


def _first(array: np.ndarray) -> str:
    return str(array.shape[0]) if array.ndim else "none"


def _change(variable: Variable, indices: Any, updates: Any, change: Callable[..., None]) -> None:
    indices, updates = np.asarray(indices), np.asarray(updates)
    with writable(variable) as (array,):
        _check(array.shape, indices, updates)
        if updates.size:
            depth = indices.shape[-1]
            rest = array.shape[depth:]
            places = flat_rows(indices, array.shape, "shape")
            slices = array.reshape(math.prod(array.shape[:depth]), *rest)
            change(slices, places, updates.reshape(len(places), *rest))


def _define(
    kind: str, change: Callable[..., None], types: str = "numbertype", locking: bool = False
) -> None:
    def update_reference(ref: Variable, indices: Any, updates: Any) -> Variable:
        _change(ref, indices, updates, change)
        return ref

    def update_resource(ref: Variable, indices: Any, updates: Any) -> Any:
        must_exist(ref)
        update_reference(ref, indices, updates)
        return ()

    on_references = define_op(
        f"ScatterNd{kind}",
        "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
        f"T: {types}",
        "Tindices: {int32, int64}",
        f"use_locking: bool = {'true' if locking else 'false'}",
        shape=_shape,
        kernel=update_reference,
        no_gradient=NO_FUNCTION,
    )
    on_handles = define_op(
        f"ResourceScatterNd{kind}",
        "ref: resource, indices: Tindices, updates: T",
        "T: type, Tindices: {int32, int64}, use_locking: bool = true",
        stateful=True,
        shape=_shape,
        kernel=update_resource,
        no_gradient=NO_FUNCTION,
    )
    CARDS[kind] = on_references, on_handles


_define("Update", assign_rows, "type", locking=True)
_define("Add", combining(np.add))
_define("Sub", combining(np.subtract))
_define("Min", combining(np.minimum))
_define("Max", combining(np.maximum))


def update_slices(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    """Update slices of `ref`; the reference, or the variable read after it."""
    return update_part(CARDS[kind], ref, indices, updates, use_locking, name)


def scatter_nd_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace elements or slices of a variable (TensorFlow: `tf.scatter_nd_update`).

    Args:
      ref: a variable, or the reference to one.
      indices: integers [..., depth]: each row is the beginning of an index into `ref`.
      updates: of shape indices.shape[:-1] + ref.shape[depth:].
      use_locking: kept in the graph; every update is indivisible here.
      name: of the operation.

    Returns:
      the reference after the update; of a resource variable, the variable read after it.

    Raises:
      ValueError: if shapes do not fit.
      InvalidArgumentError: "indices[...] = [...] does not index into shape [...]"; nothing is
        changed then.

    Example:
      >>> v = tf.Variable([[1, 2], [3, 4]])
      >>> tf.scatter_nd_update(v, [[0, 1], [1, 0]], [7, 8])  # [[1, 7], [8, 4]]
    """
    return update_slices("Update", ref, indices, updates, use_locking, name)


def scatter_nd_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Add to elements or slices of a variable (TensorFlow: `tf.scatter_nd_add`).

    Arguments, result and errors as of `tf.scatter_nd_update`; equal indices add up.

    Example:
      >>> tf.scatter_nd_add(tf.Variable([1, 2, 3]), [[0], [0]], [10, 10])  # [21, 2, 3]
    """
    return update_slices("Add", ref, indices, updates, use_locking, name)


def scatter_nd_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtract from elements or slices of a variable (TensorFlow: `tf.scatter_nd_sub`).

    Arguments, result and errors as of `tf.scatter_nd_update`; equal indices add up.

    Example:
      >>> tf.scatter_nd_sub(tf.Variable([1, 2, 3]), [[2]], [5])  # [1, 2, -2]
    """
    return update_slices("Sub", ref, indices, updates, use_locking, name)


def batch_scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace rows in each of several batches (TensorFlow: `tf.batch_scatter_update`).

    `ref[i, ..., indices[i, ..., j]] = updates[i, ..., j]`: the leading dimensions, all but the
    last of `indices`, are the same for all three.

    Args:
      ref: a variable, or the reference to one.
      indices: integers, of known rank.
      updates: of shape indices.shape + ref.shape[rank of indices:].
      use_locking: kept in the graph.
      name: of the scope.

    Returns:
      as `tf.scatter_nd_update`.

    Raises:
      ValueError: if the rank of `indices` is not known.

    Example:
      >>> v = tf.Variable([[1, 2], [3, 4]])
      >>> tf.batch_scatter_update(v, [[0], [1]], [[8], [9]])  # [[8, 2], [3, 9]]
    """
    graph = get_default_graph()
    with graph.name_scope(name) if name else nullcontext():
        indices = convert_to_tensor(indices, name="indices")
        sizes, dims = shape(indices), indices.shape.ndims
        if dims is None:
            raise ValueError("batch_gather does not allow indices with unknown shape.")
        last = expand_dims(indices, axis=-1)
        parts = []
        for dim in range(dims - 1):
            count = sizes[dim]  # type: ignore[index]
            across: list[Any] = [1] * (dims + 1)
            across[dim] = count
            numbers = reshape(range_op(0, count, 1, name="Range"), across)
            if numbers.dtype.base_dtype != last.dtype:
                numbers = cast(numbers, last.dtype)
            parts.append(multiply(numbers, ones_like(last), name="mul"))
        final = concat([*parts, last], axis=-1)
        return scatter_nd_update(ref, final, updates, use_locking=use_locking)
