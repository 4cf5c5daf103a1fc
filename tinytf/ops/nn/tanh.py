"""tanh."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.math.arithmetic import multiply
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.nn.sigmoid import check_same_count

# Tanh ---------------------------------------------------------------------------------------------

_tanh = define_op("Tanh", "x: T -> y: T", "T: inexacttype", shape=unchanged, kernel=np.tanh)


@_tanh.gradient
def _tanh_gradient(op: Operation, gradient: Tensor) -> Tensor:
    with op.graph.control_dependencies([gradient.op]):
        return _tanh_grad(conj(op.outputs[0]), gradient)


@of_sparse_values("Tanh")
def tanh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic tangent, element by element (TensorFlow: `tf.tanh`).

    Args:
      x: floating-point or complex numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.tanh([0.0, 1.0])  # [0., 0.7615942]
    """
    return _tanh(x, name=name)


# TanhGrad -----------------------------------------------------------------------------------------

_tanh_grad = define_op("TanhGrad", "y: T, dy: T -> z: T", "T: inexacttype", shape=unchanged)


@_tanh_grad.kernel
def _tanh_grad_kernel(y: Array, dy: Array) -> Array:
    check_same_count(y, dy)
    return dy * (y.dtype.type(1) - y * y)


@_tanh_grad.gradient
def _tanh_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    with op.graph.control_dependencies([gradient.op]):
        y, dy = conj(op.inputs[0]), conj(op.inputs[1])
        first = multiply(multiply(gradient, -2.0, name="mul"), dy, name="mul")
        return [multiply(first, y, name="mul"), _tanh_grad(y, gradient)]
