"""Updates of rows of a variable: ScatterUpdate, ScatterAdd and their kind.

Row `indices[i]` of the variable is replaced by, or combined with, row i of `updates`. Each op has
two forms, on references and ("Resource...") on handles; the kernels are the same.

Mirrors tensorflow/core/kernels/scatter_op.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.handle_data import handle_data
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext, merge
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.gather import check_indices
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.segment.rows import assign_rows, combining, divide
from tinytf.ops.variables.state import NO_FUNCTION, must_exist
from tinytf.resources.changing import writable
from tinytf.resources.variable import ResourceVariable, Variable

#: kind of update ("Add") -> the card on references, the card on handles
CARDS: dict[str, tuple[OpCard, OpCard]] = {}


def state_shape(c: InferenceContext) -> TensorShape:
    """The static shape of the variable that the first input stands for."""
    tensor = c.inputs[0]
    if tensor.dtype.is_ref:
        return tensor.shape
    data = handle_data(tensor)
    return unknown_shape() if data is None else data.shape


def _shape(c: InferenceContext) -> Any:
    state, indices, updates = state_shape(c), c.input(1).sizes, c.input(2)
    if updates.ndims != 0 and state.sizes is not None and indices is not None:
        merge(updates, TensorShape.of((*indices, *state.sizes[1:])))
    return state if c.output_count else []


def _define(
    kind: str, change: Callable[..., None], types: str = "numbertype", locking: bool = False
) -> None:
    """The two cards of a kind of update, which `change` does to rows of an array."""
    element = "type" if kind == "Update" else "numbertype"

    def update_reference(ref: Variable, indices: Any, updates: Any) -> Variable:
        _update(ref, indices, updates, change)
        return ref

    def update_resource(resource: Variable, indices: Any, updates: Any) -> Any:
        must_exist(resource)
        _update(resource, indices, updates, change)
        return ()

    on_references = define_op(
        f"Scatter{kind}",
        "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)",
        f"T: {types}",
        "Tindices: {int32, int64}",
        f"use_locking: bool = {'true' if locking else 'false'}",
        shape=_shape,
        kernel=update_reference,
        no_gradient=NO_FUNCTION,
    )
    on_handles = define_op(
        f"ResourceScatter{kind}",
        "resource: resource, indices: Tindices, updates: dtype",
        f"dtype: {element}",
        "Tindices: {int32, int64}",
        stateful=True,
        shape=_shape,
        kernel=update_resource,
        no_gradient=NO_FUNCTION,
    )
    CARDS[kind] = on_references, on_handles


def _update(variable: Variable, indices: Any, updates: Any, change: Callable[..., None]) -> None:
    indices, updates = np.asarray(indices), np.asarray(updates)
    with writable(variable) as (array,):
        if array.ndim == 0 and isinstance(variable, ResourceVariable):
            array = array.reshape(1)  # which TensorFlow does with handles only
        _check(variable, array, indices, updates)
        if updates.ndim:
            updates = updates.reshape(indices.size, *array.shape[1:])
        change(array, indices.reshape(-1), updates)


def _check(variable: Variable, array: np.ndarray, indices: np.ndarray, updates: np.ndarray) -> None:
    if array.ndim < 1:
        raise invalid(f"params must be at least 1-D, got shape {shown(array)}")
    rows = array.shape[1:]
    if updates.ndim and updates.shape != indices.shape + rows:
        fits = updates.ndim == indices.ndim + len(rows) and updates.shape[indices.ndim :] == rows
        if fits and isinstance(variable, ResourceVariable):
            raise invalid(
                f"The shape of indices ({shown(indices)}) must be a prefix of the shape of updates "
                f"({shown(updates)})"
            )
        raise invalid(
            f"Must have updates.shape = indices.shape + params.shape[1:] or updates.shape = [], "
            f"got updates.shape {shown(updates)}, indices.shape {shown(indices)}, params.shape "
            f"{shown(array)}"
        )
    check_indices(indices, array.shape[0])


_define("Update", assign_rows, "type", locking=True)
_define("Add", combining(np.add))
_define("Sub", combining(np.subtract))
_define("Mul", combining(np.multiply))
_define("Div", combining(divide))
_define("Min", combining(np.minimum), "{half, bfloat16, float, double, int32, int64}")
_define("Max", combining(np.maximum), "{half, bfloat16, float, double, int32, int64}")


def scatter(
    kind: str, ref: Any, indices: Any, updates: Any, use_locking: bool, name: str | None
) -> Any:
    """Update rows of `ref`; the reference, or the variable read after it."""
    return update_part(CARDS[kind], ref, indices, updates, use_locking, name)


def update_part(
    cards: tuple[OpCard, OpCard],
    ref: Any,
    indices: Any,
    updates: Any,
    use_locking: bool,
    name: str | None,
) -> Any:
    """Run the first card on a reference, the second on a handle; what `scatter` returns."""
    on_references, on_handles = cards
    if ref.dtype.is_ref:
        return on_references(ref, indices, updates, name=name, use_locking=use_locking)
    handle = handle_of(ref)
    values = convert_to_tensor(updates, ref.dtype)
    return ref._lazy_read(on_handles(handle, indices, values, name=name))


def handle_of(ref: Any) -> Any:
    """The handle of a resource variable; AttributeError for what is no variable."""
    if not hasattr(ref, "_lazy_read"):
        raise AttributeError(
            f"'{type(ref).__name__}' object has no attribute '_lazy_read': only variables can be "
            f"updated in parts, not {ref!r}. Parts of a tensor: tf.tensor_scatter_nd_update."
        )
    return ref.handle


def scatter_update(
    ref: Any, indices: Any, updates: Any, use_locking: bool = True, name: str | None = None
) -> Any:
    """Replace rows of a variable (TensorFlow: `tf.scatter_update`).

    Args:
      ref: a variable, or the reference to one.
      indices: integers of any shape: which rows. Of rows given twice the last one counts.
      updates: of shape indices.shape + ref.shape[1:], or a scalar for all.
      use_locking: kept in the graph; every update is indivisible here.
      name: of the operation.

    Returns:
      the reference after the update; of a resource variable, the variable read after it.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: "indices[...] = ... is not in [0, n)";
        nothing is changed then.

    Example:
      >>> tf.scatter_update(tf.Variable([1, 2, 3]), [0, 2], [7, 8])  # [7, 2, 8]
    """
    return scatter("Update", ref, indices, updates, use_locking, name)


def scatter_add(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Add to rows of a variable; rows given twice add up (TensorFlow: `tf.scatter_add`).

    Arguments, result and errors as of `tf.scatter_update`.

    Example:
      >>> tf.scatter_add(tf.Variable([1, 2, 3]), [0, 0], [10, 10])  # [21, 2, 3]
    """
    return scatter("Add", ref, indices, updates, use_locking, name)


def scatter_sub(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Subtract from rows of a variable (TensorFlow: `tf.scatter_sub`); see `tf.scatter_add`.

    Example:
      >>> tf.scatter_sub(tf.Variable([1, 2, 3]), [1], [5])  # [1, -3, 3]
    """
    return scatter("Sub", ref, indices, updates, use_locking, name)


def scatter_mul(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Multiply rows of a variable (TensorFlow: `tf.scatter_mul`); see `tf.scatter_add`.

    Example:
      >>> tf.scatter_mul(tf.Variable([1, 2, 3]), [1, 1], [5, 2])  # [1, 20, 3]
    """
    return scatter("Mul", ref, indices, updates, use_locking, name)


def scatter_div(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Divide rows of a variable (TensorFlow: `tf.scatter_div`); see `tf.scatter_add`.

    Integers are divided towards zero; by zero is an InvalidArgumentError.

    Example:
      >>> tf.scatter_div(tf.Variable([1, -7, 3]), [1], [2])  # [1, -3, 3]
    """
    return scatter("Div", ref, indices, updates, use_locking, name)


def scatter_min(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Keep the smaller elements, row by row (TensorFlow: `tf.scatter_min`); see `tf.scatter_add`.

    Example:
      >>> tf.scatter_min(tf.Variable([1, 2, 3]), [0, 2], [5, -5])  # [1, 2, -5]
    """
    return scatter("Min", ref, indices, updates, use_locking, name)


def scatter_max(
    ref: Any, indices: Any, updates: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """Keep the larger elements, row by row (TensorFlow: `tf.scatter_max`); see `tf.scatter_add`.

    Example:
      >>> tf.scatter_max(tf.Variable([1, 2, 3]), [0, 2], [5, -5])  # [5, 2, 3]
    """
    return scatter("Max", ref, indices, updates, use_locking, name)
