"""Gradients of ops that broadcast: what was repeated forwards is summed up backwards.

`z = x + y` with x of shape [2, 3] and y of shape [3] uses every element of y twice, so y's
gradient is the sum of z's over the first dimension.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.base.shape_rules import shown, shown_list

# BroadcastGradientArgs --------------------------------------------------------------------------

_broadcast_gradient_args = define_op(
    "BroadcastGradientArgs",
    "s0: T, s1: T -> r0: T, r1: T",
    "T: {int32, int64} = DT_INT32",
    no_gradient="shapes and axes are integers",
)


@_broadcast_gradient_args.shape
def _two_vectors(c: InferenceContext) -> list[TensorShape]:
    with_rank(c.input(0), 1)
    with_rank(c.input(1), 1)
    return [unknown_shape(1), unknown_shape(1)]


@_broadcast_gradient_args.kernel
def _broadcast_gradient_args_kernel(s0: Any, s1: Any) -> tuple[np.ndarray, np.ndarray]:
    first, second = s0.tolist(), s1.tolist()
    if first == second:
        empty = np.empty(0, s0.dtype)
        return empty, empty
    rank = max(len(first), len(second))
    axes: tuple[list[int], list[int]] = ([], [])
    # From the last dimension on; a shape that is too short has ones in front.
    pairs = zip_longest(reversed(first), reversed(second), fillvalue=1)
    for axis, (a, b) in zip(range(rank - 1, -1, -1), pairs):
        if a != b and a != 1 and b != 1:
            raise invalid(f"Incompatible shapes: {shown_list(first)} vs. {shown_list(second)}")
        if a == 1:
            axes[0].append(axis)
        if b == 1:
            axes[1].append(axis)
    return np.array(axes[0][::-1], s0.dtype), np.array(axes[1][::-1], s0.dtype)


def broadcast_gradient_args(s0: Any, s1: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The axes to sum a gradient over, for two shapes that were broadcast together.

    TensorFlow: `gen_array_ops.broadcast_gradient_args`.

    Args:
      s0, s1: shapes, int32 or int64 vectors.
      name: of the operation.

    Returns:
      two vectors: the axes that were repeated in the first, and in the second. Empty for equal
      shapes; an axis of size 1 in both is in both.

    Example:
      >>> broadcast_gradient_args([2, 3], [3])  # [], [0]
    """
    return _broadcast_gradient_args(s0, s1, name=name)


# What gradients use -----------------------------------------------------------------------------


def all_of_one_known_shape(x: Tensor, y: Tensor, gradient: Any) -> bool:
    """Whether three tensors have, statically, one fully known shape: nothing was broadcast."""
    sizes = x.shape.sizes
    return (
        isinstance(gradient, Tensor)
        and sizes is not None
        and None not in sizes
        and sizes == y.shape.sizes
        and sizes == gradient.shape.sizes
    )


def reduce_to_inputs(x: Tensor, y: Tensor, gx: Any, gy: Any) -> tuple[Any, Any]:
    """Gradients in the broadcast shape, summed to the shapes of the inputs.

    Args:
      x, y: the inputs of an op that broadcast them.
      gx, gy: their gradients, in the shape of the op's output; None passes through.

    Returns:
      the two gradients, in the shapes of x and y.
    """
    if gx is None and gy is None:
        return None, None
    x_shape, y_shape = ops.shape(x), ops.shape(y)
    static = _static_axes(x.shape, y.shape)
    if static is None:
        axes = broadcast_gradient_args(x_shape, y_shape)
        return _reduce(gx, x_shape, axes[0]), _reduce(gy, y_shape, axes[1])
    x_axes, y_axes = static
    x_rank, y_rank = len(x.shape), len(y.shape)
    if x_axes or x_rank < y_rank:
        gx = _reduce(gx, x_shape, x_axes)
    if y_axes or y_rank < x_rank:
        gy = _reduce(gy, y_shape, y_axes)
    return gx, gy


def _reduce(gradient: Any, shape: Tensor, axes: Any) -> Any:
    if gradient is None:
        return None
    return ops.reshape(ops.reduce_sum(gradient, axes, keepdims=True), shape)


def _static_axes(x: TensorShape, y: TensorShape) -> tuple[list[int], list[int]] | None:
    """The axes each was broadcast along; None if that depends on sizes only a run knows."""
    first, second = x.sizes, y.sizes
    if first is None or second is None:
        return None
    rank = max(len(first), len(second))
    first = (1,) * (rank - len(first)) + first
    second = (1,) * (rank - len(second)) + second
    x_axes, y_axes = [], []
    for axis, (a, b) in enumerate(zip(first, second)):
        if a == 1 and b != 1:
            x_axes.append(axis)
        elif b == 1 and a != 1:
            y_axes.append(axis)
        elif a is None or b is None:
            return None
    return x_axes, y_axes


# BroadcastArgs ----------------------------------------------------------------------------------

_broadcast_args = define_op(
    "BroadcastArgs",
    "s0: T, s1: T -> r0: T",
    "T: {int32, int64} = DT_INT32",
    no_gradient="shapes are integers",
)


@_broadcast_args.shape
def _broadcast_args_shape(c: InferenceContext) -> TensorShape:
    counts = [with_rank(c.input(index), 1).sizes for index in (0, 1)]
    known = [None if count is None else count[0] for count in counts]
    return TensorShape.of((None if None in known else max(known),))  # type: ignore[type-var]


@_broadcast_args.kernel
def _broadcast_args_kernel(s0: Any, s1: Any) -> np.ndarray:
    for index, sizes in enumerate((s0, s1)):
        if sizes.ndim != 1:
            raise invalid(f"In[{index}] must be a vector.{shown(sizes)}")
    first, second = s0.tolist(), s1.tolist()
    result = []
    for a, b in zip_longest(reversed(first), reversed(second), fillvalue=1):
        if a != b and a != 1 and b != 1:
            raise invalid(f"Incompatible shapes: {shown_list(first)} vs. {shown_list(second)}")
        result.append(b if a == 1 else a)
    return np.array(result[::-1], s0.dtype)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two computed shapes broadcast to (TensorFlow: `tf.broadcast_dynamic_shape`).

    Args:
      shape_x, shape_y: int32 or int64 vectors.

    Raises:
      InvalidArgumentError: in a run, "Incompatible shapes: ...".

    Example:
      >>> tf.broadcast_dynamic_shape([2, 1], [3])  # [2, 3]
    """
    return _broadcast_args(shape_x, shape_y)
