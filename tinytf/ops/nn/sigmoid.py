"""sigmoid and log_sigmoid."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.math.arithmetic import multiply, subtract
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.sign import negative
from tinytf.ops.nn.relu import widened

# Sigmoid ------------------------------------------------------------------------------------------

_sigmoid = define_op("Sigmoid", "x: T -> y: T", "T: inexacttype", shape=unchanged)


def logistic(x: Any) -> Any:
    """1 / (1 + e^-x) of an array, in its own type."""
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))  # exp may overflow: the result is 0 then, as it should be


@_sigmoid.kernel
def _sigmoid_kernel(x: Array) -> Array:
    return logistic(widened(x)).astype(x.dtype, copy=False)


@_sigmoid.gradient
def _sigmoid_gradient(op: Operation, gradient: Tensor) -> Tensor:
    # The control edge keeps conj(y) from being computed in the forward pass already.
    with op.graph.control_dependencies([gradient.op]):
        return _sigmoid_grad(conj(op.outputs[0]), gradient)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)), element by element (TensorFlow: `tf.sigmoid`).

    Args:
      x: floating-point or complex numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.sigmoid(0.0)  # 0.5
    """
    return _sigmoid(x, name=name)


def log_sigmoid(x: Any, name: str | None = None) -> Tensor:
    """log(sigmoid(x)), which does not overflow (TensorFlow: `tf.log_sigmoid`).

    Args:
      x: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.log_sigmoid([0.0, -100.0])  # [-0.6931472, -100.]
    """
    with op_scope(name, "LogSigmoid", (x,)) as scope:
        x = convert_to_tensor(x, name="x")
        return negative(ops.softplus(negative(x)), name=scope)


# SigmoidGrad --------------------------------------------------------------------------------------

_sigmoid_grad = define_op("SigmoidGrad", "y: T, dy: T -> z: T", "T: inexacttype", shape=unchanged)


def check_same_count(y: Any, dy: Any) -> None:
    """InvalidArgumentError unless a value and its gradient have equally many elements."""
    if y.size != dy.size:
        raise invalid(
            f"The two arguments to a cwise op must have same number of elements, got {y.size} "
            f"and {dy.size}"
        )


@_sigmoid_grad.kernel
def _sigmoid_grad_kernel(y: Array, dy: Array) -> Array:
    check_same_count(y, dy)
    return dy * y * (y.dtype.type(1) - y)


@_sigmoid_grad.gradient
def _sigmoid_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    with op.graph.control_dependencies([gradient.op]):
        y, dy = conj(op.inputs[0]), conj(op.inputs[1])
        weighted = multiply(gradient, dy, name="mul")
        # The operator, not multiply: it gives the number the other factor's type.
        twice: Any = 2.0 * weighted * y  # type: ignore[operator]
        return [subtract(weighted, twice, name="sub"), _sigmoid_grad(y, gradient)]
