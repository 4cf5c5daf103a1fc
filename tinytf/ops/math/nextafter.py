"""The next number up or down: nextafter."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.broadcast_gradients import broadcast_gradient_args
from tinytf.ops.math.elementwise import after
from tinytf.ops.math.special.gamma_functions import summed

_next_after = define_op(
    "NextAfter",
    "x1: T, x2: T -> output: T",
    "T: {double, float} = DT_FLOAT",
    shape=shape_inference.broadcast,
    kernel=np.nextafter,
)


@_next_after.gradient
def _next_after_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs
    shapes = ops.shape(x), ops.shape(y)
    axes = broadcast_gradient_args(*shapes)
    with after(gradient):
        # A step is that small: the result follows the first argument, whatever the second is.
        factors: Any = (ops.ones(shapes[0], x.dtype), ops.zeros(shapes[1], y.dtype))
        return [summed(factors[i] * gradient, shapes[i], axes[i]) for i in (0, 1)]


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The float next to x1 in the direction of x2, broadcast (TensorFlow: `tf.math.nextafter`).

    Args:
      x1, x2: float32 or float64 tensors of one type.
      name: of the operation.

    Example:
      >>> tf.math.nextafter(1.0, 2.0)  # 1.0000001
    """
    return _next_after(x1, x2, name=name)
