"""Values and gradients kept within bounds: by value, by norm, by the norm of all together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.constant import constant
from tinytf.ops.array.fill import ones_like, zeros
from tinytf.ops.array.identity import identity
from tinytf.ops.array.range import range as range_op
from tinytf.ops.array.reshape import reshape
from tinytf.ops.array.shape import rank, shape, size
from tinytf.ops.array.stack import stack
from tinytf.ops.array.where import where
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import maximum, minimum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater, less
from tinytf.ops.math.logical import logical_or
from tinytf.ops.math.power import rsqrt, sqrt
from tinytf.ops.nn.l2_loss import l2_loss
from tinytf.ops.reduce.reduction import reduce_sum

# ClipByValue --------------------------------------------------------------------------------------

clip_by_value_op = define_op(
    "ClipByValue",
    "t: T, clip_value_min: T, clip_value_max: T -> output: T",
    "T: numbertype",
    shape=unchanged,
)


@clip_by_value_op.kernel
def _clip_by_value_kernel(t: Array, clip_value_min: Array, clip_value_max: Array) -> Array:
    for bound in (clip_value_min, clip_value_max):
        if np.ndim(bound) and np.shape(bound) != np.shape(t):
            raise invalid(
                f"clip_value_min and clip_value_max must be either of the same shape as input, or "
                f"a scalar.  input shape: {shown(t)} clip_value_min shape: "
                f"{shown(clip_value_min)} clip_value_max shape: {shown(clip_value_max)}"
            )
    if np.iscomplexobj(t):  # real and imaginary parts for themselves
        parts = [
            np.clip(getattr(t, part), getattr(clip_value_min, part), getattr(clip_value_max, part))
            for part in ("real", "imag")
        ]
        return (parts[0] + 1j * parts[1]).astype(t.dtype)
    return np.maximum(np.minimum(t, clip_value_max), clip_value_min)


@clip_by_value_op.gradient
def _clip_by_value_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    value, low, high = op.inputs
    sizes, low_sizes, high_sizes = shape(value), shape(low), shape(high)
    nothing = zeros(shape(gradient), gradient.dtype)
    below, above = less(value, low), greater(value, high)
    _, low_axes = broadcast_gradient_args(sizes, low_sizes)
    _, high_axes = broadcast_gradient_args(sizes, high_sizes)
    of_value = where(logical_or(below, above), nothing, gradient)
    of_low, of_high = where(below, gradient, nothing), where(above, gradient, nothing)
    return [
        of_value,
        reshape(reduce_sum(of_low, low_axes), low_sizes),
        reshape(reduce_sum(of_high, high_axes), high_sizes),
    ]


# Functions ----------------------------------------------------------------------------------------


def _values(t: Any, name: str = "t") -> Any:
    """A tensor, or the rows of `IndexedSlices`."""
    return convert_to_tensor(t.values if isinstance(t, IndexedSlices) else t, name=name)


def _like(t: Any, values: Tensor) -> Any:
    """`values` in the form of `t`."""
    return (
        IndexedSlices(values, t.indices, t.dense_shape) if isinstance(t, IndexedSlices) else values
    )


def clip_by_value(t: Any, clip_value_min: Any, clip_value_max: Any, name: str | None = None) -> Any:
    """Elements brought into a range (TensorFlow: `tf.clip_by_value`).

    Args:
      t: a tensor, or `IndexedSlices`.
      clip_value_min, clip_value_max: the bounds; scalars, or of shapes that broadcast to `t`'s.
      name: of the operation.

    Returns:
      what `t` is, of the same shape.

    Raises:
      ValueError: if the bounds would make the shape larger.

    Example:
      >>> tf.clip_by_value([-5.0, 0.5, 5.0], -1.0, 1.0)  # [-1., 0.5, 1.]
    """
    with op_scope(name, "clip_by_value", (t, clip_value_min, clip_value_max)) as scope:
        values = _values(t)
        below = minimum(values, clip_value_max)
        values.shape.assert_is_compatible_with(below.shape)
        clipped = maximum(below, clip_value_min, name=scope)
        values.shape.assert_is_compatible_with(clipped.shape)
        return _like(t, clipped)


def clip_by_norm(t: Any, clip_norm: Any, axes: Any = None, name: str | None = None) -> Any:
    """Scaled down if its norm is above `clip_norm` (TensorFlow: `tf.clip_by_norm`).

    Args:
      t: a tensor, or `IndexedSlices`.
      clip_norm: a scalar above zero.
      axes: the dimensions to take norms over; by default one norm of all elements.
      name: of the operation.

    Returns:
      what `t` is, of the same shape.

    Example:
      >>> tf.clip_by_norm([3.0, 4.0], 1.0)  # [0.6, 0.8]
    """
    with op_scope(name, "clip_by_norm", (t, clip_norm)) as scope:
        values = _values(t)
        squares: Any = reduce_sum(values * values, axes, keepdims=True)
        some = squares > 0
        # The root's derivative at zero is infinite: it must not be taken there.
        safe = where(some, squares, ones_like(squares))
        norm = where(some, sqrt(safe), squares)
        scaled = values * clip_norm
        values.shape.assert_is_compatible_with(scaled.shape)
        return _like(t, identity(scaled / maximum(norm, clip_norm), name=scope))


def global_norm(t_list: Sequence[Any], name: str | None = None) -> Tensor:
    """The norm of the elements of all tensors together (TensorFlow: `tf.global_norm`).

    Args:
      t_list: tensors, `IndexedSlices` and None, which counts nothing.
      name: of the scope.

    Returns:
      a scalar.

    Raises:
      TypeError: if `t_list` is no list.

    Example:
      >>> tf.global_norm([[3.0], [[0.0, 4.0]], None])  # 5.0
    """
    items = _checked_list(t_list)
    with op_scope(name, "global_norm", items):
        halves = []
        for value in _all_values(items):
            if value is not None:
                with get_default_graph().colocate_with(value.op):
                    halves.append(l2_loss(value))
        half: Any = reduce_sum(stack(halves))
        return sqrt(half * constant(2.0, dtype=half.dtype), name="global_norm")


def clip_by_global_norm(
    t_list: Sequence[Any], clip_norm: Any, use_norm: Any = None, name: str | None = None
) -> tuple[list[Any], Tensor]:
    """All scaled down together if their global norm is above `clip_norm`.

    TensorFlow: `tf.clip_by_global_norm`. The usual cure for gradients that explode: their
    direction stays. If the norm is not finite, all become NaN, so that it shows.

    Args:
      t_list: tensors, `IndexedSlices` and None.
      clip_norm: a scalar above zero.
      use_norm: their norm, if it is known.
      name: of the scope.

    Returns:
      the list, clipped, and the norm that it had.

    Raises:
      TypeError: if `t_list` is no list.

    Example:
      >>> tf.clip_by_global_norm([[3.0], [4.0]], 1.0)[0]  # [[0.6], [0.8]]
    """
    items = _checked_list(t_list)
    norm: Any = global_norm(items, name) if use_norm is None else use_norm
    with op_scope(name, "clip_by_global_norm", [*items, clip_norm]) as scope:
        one: Any = constant(1.0, dtype=norm.dtype)
        finite = clip_norm * minimum(1.0 / norm, one / clip_norm)
        scale = finite + (norm - norm)  # not a number if the norm is infinite
        clipped: list[Any] = []
        for i, value in enumerate(_all_values(items)):
            if value is None:
                clipped.append(None)
                continue
            with get_default_graph().colocate_with(value.op):
                scaled = value * cast(scale, value.dtype)
                clipped.append(_like(items[i], identity(scaled, name=f"{scope}_{i}")))
    return clipped, norm


def _checked_list(t_list: Any) -> list[Any]:
    if not isinstance(t_list, Sequence) or isinstance(t_list, str):
        raise TypeError(f"`t_list` should be a sequence of tensors. Received {type(t_list)}.")
    return list(t_list)


def _all_values(items: list[Any]) -> list[Any]:
    return [None if t is None else _values(t, f"t_{i}") for i, t in enumerate(items)]


def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Scaled down if the norm for each element is above `clip_norm`.

    TensorFlow: `tf.clip_by_average_norm`, which TensorFlow advises against: the norm is divided by
    the number of elements. `tf.clip_by_norm` says what is meant.

    Args:
      t: a tensor.
      clip_norm: a scalar above zero.
      name: of the operation.

    Example:
      >>> tf.clip_by_average_norm([3.0, 4.0], 1.0)  # [1.2, 1.6]
    """
    with op_scope(name, "clip_by_average_norm", (t, clip_norm)) as scope:
        value: Any = convert_to_tensor(t, name="t")
        count = cast(size(value), dtypes.float32)
        inverse: Any = rsqrt(reduce_sum(value * value, range_op(rank(value))))
        one: Any = constant(1.0)
        return identity(value * clip_norm * minimum(inverse * count, one / clip_norm), name=scope)
