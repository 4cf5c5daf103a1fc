"""Rectifiers: relu, relu6."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import same_as_all_inputs, unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import zeros_like
from tinytf.ops.base.shape_rules import shown

_REAL = "realnumbertype"


def widened(x: Any) -> Any:
    """16-bit numbers as float32: what is computed from them rounds once, at the end."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 and x.dtype.kind not in "iu" else x


def check_same_shape(op_type: str, first: Any, second: Any) -> None:
    """InvalidArgumentError unless the gradient and the value have one shape."""
    if first.shape != second.shape:
        raise invalid(
            f"Inputs to operation {op_type} of type {op_type} must have the same size and shape.  "
            f"Input 0: {shown(first)} != input 1: {shown(second)}"
        )


# Relu ---------------------------------------------------------------------------------------------

_relu = define_op(
    "Relu", "features: T -> activations: T", "T: {realnumbertype, qint8}", shape=unchanged
)


@_relu.kernel
def _relu_kernel(x: Array, out: Array = None) -> Array:
    # For large arrays numpy takes the maximum with an array twice as fast as with a number.
    zero = np.zeros_like(x) if x.size > 4096 else x.dtype.type(0)
    return np.maximum(x, zero, out=out)


@_relu.gradient
def _relu_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _relu_grad(gradient, op.outputs[0])


def relu(features: Any, name: str | None = None) -> Tensor:
    """max(features, 0), element by element (TensorFlow: `tf.nn.relu`).

    Args:
      features: real numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.relu([-1.0, 2.0])  # [0., 2.]
    """
    return _relu(features, name=name)


# ReluGrad -----------------------------------------------------------------------------------------

_relu_grad = define_op(
    "ReluGrad", "gradients: T, features: T -> backprops: T", f"T: {_REAL}", shape=same_as_all_inputs
)


@_relu_grad.kernel
def _relu_grad_kernel(gradients: Array, features: Array) -> Array:
    check_same_shape("ReluGrad", gradients, features)
    # Made numbers at once, which is quicker than to have `multiply` do it piece by piece.
    result = (features > features.dtype.type(0)).astype(gradients.dtype)
    return np.multiply(gradients, result, out=result)


@_relu_grad.gradient
def _relu_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [_relu_grad(gradient, features), zeros_like(features)]


# Relu6 --------------------------------------------------------------------------------------------

_relu6 = define_op("Relu6", "features: T -> activations: T", f"T: {_REAL}", shape=unchanged)


@_relu6.kernel
def _relu6_kernel(x: Array) -> Array:
    return np.minimum(np.maximum(x, x.dtype.type(0)), x.dtype.type(6))


@_relu6.gradient
def _relu6_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _relu6_grad(gradient, op.outputs[0])


def relu6(features: Any, name: str | None = None) -> Tensor:
    """min(max(features, 0), 6), element by element (TensorFlow: `tf.nn.relu6`).

    Args:
      features: real numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.relu6([-1.0, 2.0, 9.0])  # [0., 2., 6.]
    """
    return _relu6(features, name=name)


# Relu6Grad ----------------------------------------------------------------------------------------

_relu6_grad = define_op(
    "Relu6Grad",
    "gradients: T, features: T -> backprops: T",
    f"T: {_REAL}",
    shape=same_as_all_inputs,
)


@_relu6_grad.kernel
def _relu6_grad_kernel(gradients: Array, features: Array) -> Array:
    check_same_shape("Relu6Grad", gradients, features)
    kind = gradients.dtype.type
    inside = (features > kind(0)) & (features < kind(6))
    return np.multiply(gradients, inside, dtype=gradients.dtype)


@_relu6_grad.gradient
def _relu6_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [_relu6_grad(gradient, features), zeros_like(features)]
