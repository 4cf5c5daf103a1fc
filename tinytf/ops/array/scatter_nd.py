"""Elements, and slices, placed by lists of coordinates: scatter_nd, tensor_scatter_update."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, brackets, merge, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.array.gather_nd import as_slices, flat_rows, gather_nd
from tinytf.ops.base.shape_rules import element_count, shape_from_input, shown, shown_list
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.segment.rows import accumulate

# ScatterNd ----------------------------------------------------------------------------------------

_scatter_nd = define_op(
    "ScatterNd",
    "indices: Tindices, updates: T, shape: Tindices -> output: T",
    "T: type, Tindices: {int16, int32, int64}",
)


def check_update_shapes(target: TensorShape, indices: TensorShape, updates: TensorShape) -> None:
    """Static shapes of an update by coordinates: of the updated tensor, its indices and values.

    Raises:
      ValueError: in TensorFlow's words, if they cannot belong together.
    """
    if element_count(target) == 0 and (element_count(indices) or element_count(updates)):
        raise ValueError("Indices and updates specified for empty input")
    if not indices.sizes or not updates.sizes or indices.sizes[-1] is None:
        return
    outer, depth = len(indices.sizes) - 1, indices.sizes[-1]
    pairs = [("indices", indices, 0, outer, 0, outer)]
    if target.sizes is not None:
        pairs.append(("input", target, depth, len(target.sizes), outer, len(updates.sizes)))
    for what, shape, start, stop, first, last in pairs:
        mine, theirs = shape[start:stop], updates[first:last]
        try:
            merge(mine, theirs)
        except ValueError as error:
            raise ValueError(
                f"Dimensions [{start},{stop}) of {what}[shape={brackets(shape)}] = "
                f"{brackets(mine)} must match dimensions [{first},{last}) of "
                f"updates[shape={brackets(updates)}] = {brackets(theirs)}: {error}"
            ) from None


@_scatter_nd.shape
def _scatter_nd_shape(c: InferenceContext) -> TensorShape:
    indices, updates = with_rank_at_least(c.input(0), 1), with_rank_at_least(c.input(1), 1)
    target = shape_from_input(c, 2)
    check_update_shapes(target, indices, updates)
    return target


def _check_ranks(indices: Any, updates: Any) -> None:
    for what, value in (("Indices", indices), ("Updates", updates)):
        if value.ndim < 1:
            raise invalid(f"{what} shape must have rank at least one. Found:{shown(value)}")
    if indices.ndim == 1 and len(indices) != len(updates):  # TensorFlow compares these as well
        raise invalid(
            f"Dimensions [0,1) of indices[shape={shown(indices)}] = {len(indices)} must match "
            f"dimensions [0,1) of updates[shape={shown(updates)}] = {len(updates)}"
        )


@_scatter_nd.kernel
def _scatter_nd_kernel(indices: Array, updates: Array, shape: Array) -> np.ndarray:
    _check_ranks(indices, updates)
    if shape.ndim != 1:
        raise invalid("Shape must be a vector")
    sizes = tuple(shape.tolist())
    for size in sizes:
        if size < 0:
            raise invalid(f"Dimension {size} must be >= 0")
    if indices.size or updates.size:
        if not (sizes and indices.size and updates.size):
            raise invalid("Indices and updates specified for empty output shape")
        if 0 in sizes:
            raise invalid(
                f"Indices and updates specified for empty output.  indices shape: {shown(indices)}"
            )
    outer, depth = indices.ndim - 1, indices.shape[-1]
    for what, mine, start, stop, first, last in (
        (f"indices[shape={shown(indices)}]", indices.shape, 0, outer, 0, outer),
        (f"input[shape={shown_list(sizes)}]", sizes, depth, len(sizes), outer, updates.ndim),
    ):
        if mine[start:stop] != updates.shape[first:last] or start > len(mine):
            raise invalid(
                f"Dimensions [{start},{stop}) of {what} must match dimensions [{first},{last}) of "
                f"updates[shape={shown(updates)}]"
            )
    start_value = b"" if updates.dtype == object else 0
    return _combined(np.add, np.full(sizes, start_value, updates.dtype), indices, updates)


def _combined(ufunc: np.ufunc, result: np.ndarray, indices: Any, updates: Any) -> np.ndarray:
    """`result`, changed: `ufunc` applied to the slices that the indices mean, one by one."""
    rows = flat_rows(indices, result.shape, "shape")
    if updates.size:
        slices = as_slices(result, indices.shape[-1])
        accumulate(ufunc, slices, rows, updates.reshape(len(rows), *slices.shape[1:]))
    return result


@_scatter_nd.gradient
def _scatter_nd_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [None, gather_nd(gradient, op.inputs[0]), None]


def scatter_nd(indices: Any, updates: Any, shape: Any, name: str | None = None) -> Tensor:
    """Zeros with values added at coordinates (TensorFlow: `tf.scatter_nd`).

    Args:
      indices: integers [..., depth]: each row has the first `depth` coordinates of a slice.
      updates: what is added there, of shape indices.shape[:-1] + shape[depth:].
      shape: of the result, a vector of the dtype of `indices`.
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: "indices[...] = [...] does not index
        into shape ...".

    Example:
      >>> tf.scatter_nd([[1], [3], [1]], [5, 6, 7], [4])  # [0, 12, 0, 6]
    """
    return _scatter_nd(indices, updates, shape, name=name)


# ScatterNdNonAliasingAdd, TensorScatterUpdate, Add, Sub, Min, Max ---------------------------------


def _tensor_scatter(op_type: str, ufunc: np.ufunc | None, index_types: str) -> OpCard:
    card = define_op(
        op_type,
        "tensor: T, indices: Tindices, updates: T -> output: T",
        "T: type",
        f"Tindices: {index_types}",
    )
    _scatters_into_a_copy(card, ufunc)
    return card


def _scatters_into_a_copy(card: OpCard, ufunc: np.ufunc | None) -> None:
    """Shape function and kernel; without a ufunc the last of several values stays."""

    @card.kernel
    def kernel(tensor: Array, indices: Array, updates: Array) -> np.ndarray:
        _check_ranks(indices, updates)
        outer, depth = indices.ndim - 1, indices.shape[-1]
        if not tensor.size and (indices.size or updates.size):
            raise invalid("Indices and updates specified for empty output")
        if indices.shape[:-1] != updates.shape[:outer]:
            raise invalid(
                f"Outer dimensions of indices and update must match. Indices shape: "
                f"{shown(indices)}, updates shape:{shown(updates)}"
            )
        if depth > tensor.ndim or tensor.shape[depth:] != updates.shape[outer:]:
            raise invalid(
                f"Inner dimensions of output shape must match inner dimensions of updates shape. "
                f"Output: {shown(tensor)} updates: {shown(updates)}"
            )
        result = np.array(tensor)
        if ufunc is not None:
            return _combined(ufunc, result, indices, updates)
        rows = flat_rows(indices, result.shape, "shape")
        if updates.size:
            slices = as_slices(result, depth)
            slices[rows] = updates.reshape(len(rows), *slices.shape[1:])
        return result

    @card.shape
    def shape(c: InferenceContext) -> TensorShape:
        target, indices = with_rank_at_least(c.input(0), 1), with_rank_at_least(c.input(1), 1)
        check_update_shapes(target, indices, c.input(2))
        return target


_update = _tensor_scatter("TensorScatterUpdate", None, "{int16, int32, int64, uint16}")
_add = _tensor_scatter("TensorScatterAdd", np.add, "{int32, int64}")
_sub = _tensor_scatter("TensorScatterSub", np.subtract, "{int32, int64}")
_min = _tensor_scatter("TensorScatterMin", np.minimum, "{int32, int64}")
_max = _tensor_scatter("TensorScatterMax", np.maximum, "{int32, int64}")

_non_aliasing_add = define_op(
    "ScatterNdNonAliasingAdd",
    "input: T, indices: Tindices, updates: T -> output: T",
    "T: {numbertype, bool}, Tindices: {int32, int64}",
)
_scatters_into_a_copy(_non_aliasing_add, np.add)


@_update.gradient
def _update_gradient(op: Operation, gradient: Any) -> list[Any]:
    indices = op.inputs[1]
    of_updates = gather_nd(gradient, indices)
    zeros = ops.zeros_like(op.inputs[2], dtype=gradient.dtype)
    return [tensor_scatter_update(ops.identity(gradient), indices, zeros), None, of_updates]


@_add.gradient
def _add_gradient(op: Operation, gradient: Any) -> list[Any]:
    of_updates = gather_nd(gradient, op.inputs[1])
    return [ops.identity(gradient), None, of_updates]


@_sub.gradient
def _sub_gradient(op: Operation, gradient: Any) -> list[Any]:
    of_updates: Any = gather_nd(gradient, op.inputs[1])
    return [ops.identity(gradient), None, -of_updates]


@_non_aliasing_add.gradient
def _non_aliasing_add_gradient(op: Operation, gradient: Any) -> list[Any]:
    return [gradient, None, gather_nd(gradient, op.inputs[1])]


def _extremum_gradient(op: Operation, gradient: Any) -> list[Any]:
    # What is equally extreme, the old element and any updates, shares the gradient.

    x, indices, updates = op.inputs
    x_wins: Any = cast(equal(x, op.outputs[0]), gradient.dtype)
    updates_win = cast(equal(updates, gather_nd(op.outputs[0], indices)), gradient.dtype)
    size = ops.shape(x, out_type=indices.dtype)
    winners = x_wins + scatter_nd(indices, updates_win, size)
    of_x = gradient * x_wins / winners
    of_updates: Any = gather_nd(gradient / winners, indices)
    return [of_x, None, of_updates * updates_win]


_min.gradient(_extremum_gradient)
_max.gradient(_extremum_gradient)


def tensor_scatter_update(
    tensor: Any, indices: Any, updates: Any, name: str | None = None
) -> Tensor:
    """A tensor with some elements replaced (TensorFlow: `tf.tensor_scatter_nd_update`).

    Args:
      tensor: of rank 1 or more.
      indices: integers [..., depth]: each row has the first `depth` coordinates of a slice.
      updates: the slices, of shape indices.shape[:-1] + tensor.shape[depth:]. Of several for one
        place the last one stays.
      name: of the operation.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: "indices[...] = [...] does not index
        into shape ...".

    Example:
      >>> tf.tensor_scatter_nd_update([1, 2, 3], [[0], [2]], [7, 9])  # [7, 2, 9]
    """
    return _update(tensor, indices, updates, name=name)


def tensor_scatter_add(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with values added to some elements (TensorFlow: `tf.tensor_scatter_nd_add`).

    Arguments and errors as of `tensor_scatter_nd_update`; several values for one place add up.

    Example:
      >>> tf.tensor_scatter_nd_add([1, 2, 3], [[0], [0]], [10, 20])  # [31, 2, 3]
    """
    return _add(tensor, indices, updates, name=name)


def tensor_scatter_sub(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """A tensor with values taken from some elements (TensorFlow: `tf.tensor_scatter_nd_sub`).

    Arguments and errors as of `tensor_scatter_nd_update`.

    Example:
      >>> tf.tensor_scatter_nd_sub([1, 2, 3], [[0], [0]], [10, 20])  # [-29, 2, 3]
    """
    return _sub(tensor, indices, updates, name=name)


def tensor_scatter_min(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The smaller of some elements and values (TensorFlow: `tf.tensor_scatter_nd_min`).

    Arguments and errors as of `tensor_scatter_nd_update`.

    Example:
      >>> tf.tensor_scatter_nd_min([5, 5, 5], [[0], [1]], [1, 9])  # [1, 5, 5]
    """
    return _min(tensor, indices, updates, name=name)


def tensor_scatter_max(tensor: Any, indices: Any, updates: Any, name: str | None = None) -> Tensor:
    """The larger of some elements and values (TensorFlow: `tf.tensor_scatter_nd_max`).

    Arguments and errors as of `tensor_scatter_nd_update`.

    Example:
      >>> tf.tensor_scatter_nd_max([5, 5, 5], [[0], [1]], [1, 9])  # [5, 9, 5]
    """
    return _max(tensor, indices, updates, name=name)
