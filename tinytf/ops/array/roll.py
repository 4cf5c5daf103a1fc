"""Elements moved along their axes, round the end: roll."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.shape_rules import shown

_roll = define_op(
    "Roll",
    "input: T, shift: Tshift, axis: Taxis -> output: T",
    "T: type, Tshift: {int32, int64}, Taxis: {int32, int64}",
)


@_roll.shape
def _roll_shape(c: InferenceContext) -> TensorShape:
    with_rank_at_least(c.input(0), 1)
    for index in (1, 2):
        if c.input(index).ndims not in (None, 0, 1):
            raise ValueError(f"Shape must be at most rank 1 but is rank {c.input(index).ndims}")
    merge(c.input(1), c.input(2))
    return c.input(0)


@_roll.kernel
def _roll_kernel(input: Array, shift: Array, axis: Array) -> Array:
    if input.ndim < 1:
        raise invalid("input must be 1-D or higher")
    for what, value in (("shift", shift), ("axis", axis)):
        if value.ndim > 1:
            raise invalid(f"{what} must be a scalar or a 1-D vector. Found: {shown(value)}")
    if shift.shape != axis.shape:
        raise invalid("shift and axis must have the same size")
    axes = np.where(axis < 0, axis + input.ndim, axis).reshape(-1)
    for number in axes.tolist():
        if not 0 <= number < input.ndim:
            raise invalid(f"axis {number} is out of range")
    return np.roll(input, tuple(shift.reshape(-1).tolist()), tuple(axes.tolist()))


@_roll.gradient
def _roll_gradient(op: Operation, gradient: Any) -> list[Any]:
    shift: Any = op.inputs[1]
    return [roll(gradient, -shift, op.inputs[2]), None, None]


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved along some axes, round the end (TensorFlow: `tf.roll`).

    Args:
      input: of rank 1 or more.
      shift: how far, an integer or a vector of integers.
      axis: along which axis, as many as shifts.
      name: of the operation.

    Raises:
      ValueError, InvalidArgumentError: if they do not fit, or an axis is out of range.

    Example:
      >>> tf.roll([1, 2, 3, 4], shift=1, axis=0)  # [4, 1, 2, 3]
    """
    return _roll(input, shift, axis, name=name)
