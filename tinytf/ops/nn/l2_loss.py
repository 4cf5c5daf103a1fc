"""Half the sum of squares: l2_loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import is_scalar
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.nn.relu import widened

_l2_loss = define_op(
    "L2Loss", "t: T -> output: T", "T: {half, bfloat16, float, double}", shape=is_scalar
)


@_l2_loss.kernel
def _l2_loss_kernel(t: Array) -> Array:
    flat = widened(t).reshape(-1)
    return t.dtype.type(np.dot(flat, flat) / flat.dtype.type(2))


@_l2_loss.gradient
def _l2_loss_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return multiply(op.inputs[0], gradient, name="mul")


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """sum(t ** 2) / 2 (TensorFlow: `tf.nn.l2_loss`).

    Args:
      t: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.l2_loss([3.0, 4.0])  # 12.5
    """
    return _l2_loss(t, name=name)
