"""The non-linear functions between layers: relu, sigmoid, tanh and their relatives."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import same_as_all_inputs, unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import zeros_like
from tinytf.ops.base.composites import of_sparse_values
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.math.arithmetic import add, multiply, subtract
from tinytf.ops.math.complex_numbers import conj
from tinytf.ops.math.division import divide
from tinytf.ops.math.powers import exp
from tinytf.ops.math.rounding import negative

_REAL = "{float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"
_FLOAT = "{half, bfloat16, float, double}"
_FLOAT_OR_COMPLEX = "{bfloat16, half, float, double, complex64, complex128}"


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
    "Relu", "features: T -> activations: T", f"T: {_REAL[:-1]}, qint8}}", shape=unchanged
)


@_relu.kernel
def _relu_kernel(x: Any, out: Any = None) -> Any:
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
def _relu_grad_kernel(gradients: Any, features: Any) -> Any:
    check_same_shape("ReluGrad", gradients, features)
    return np.multiply(gradients, features > features.dtype.type(0), dtype=gradients.dtype)


@_relu_grad.gradient
def _relu_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [_relu_grad(gradient, features), zeros_like(features)]


# Relu6 --------------------------------------------------------------------------------------------

_relu6 = define_op("Relu6", "features: T -> activations: T", f"T: {_REAL}", shape=unchanged)


@_relu6.kernel
def _relu6_kernel(x: Any) -> Any:
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
def _relu6_grad_kernel(gradients: Any, features: Any) -> Any:
    check_same_shape("Relu6Grad", gradients, features)
    kind = gradients.dtype.type
    inside = (features > kind(0)) & (features < kind(6))
    return np.multiply(gradients, inside, dtype=gradients.dtype)


@_relu6_grad.gradient
def _relu6_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    features = op.inputs[1]
    return [_relu6_grad(gradient, features), zeros_like(features)]


# Softplus -----------------------------------------------------------------------------------------

_softplus = define_op("Softplus", "features: T -> activations: T", f"T: {_FLOAT}", shape=unchanged)


@_softplus.kernel
def _softplus_kernel(x: Any) -> Any:
    wide = widened(x)
    return np.logaddexp(wide, wide.dtype.type(0)).astype(x.dtype)


@_softplus.gradient
def _softplus_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return multiply(gradient, sigmoid(op.inputs[0]), name="mul")


def softplus(features: Any, name: str | None = None) -> Tensor:
    """log(exp(features) + 1), a smooth relu (TensorFlow: `tf.nn.softplus`).

    Args:
      features: floating-point numbers of any shape; large ones do not overflow.
      name: of the operation.

    Example:
      >>> tf.nn.softplus([0.0, 100.0])  # [0.6931472, 100.]
    """
    return _softplus(features, name=name)


# SoftplusGrad -------------------------------------------------------------------------------------

_softplus_grad = define_op(
    "SoftplusGrad",
    "gradients: T, features: T -> backprops: T",
    f"T: {_FLOAT}",
    shape=same_as_all_inputs,
)


@_softplus_grad.kernel
def _softplus_grad_kernel(gradients: Any, features: Any) -> Any:
    check_same_shape("SoftplusGrad", gradients, features)
    return (widened(gradients) * _logistic(widened(features))).astype(gradients.dtype)


@_softplus_grad.gradient
def _softplus_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    dy, x = op.inputs
    with op.graph.control_dependencies([gradient.op]):
        first = _softplus_grad(gradient, x)
        below = add(add(exp(negative(x)), 2.0, name="add"), exp(x), name="add")
        return [first, divide(multiply(gradient, dy, name="mul"), below, name="truediv")]


# Sigmoid ------------------------------------------------------------------------------------------

_sigmoid = define_op("Sigmoid", "x: T -> y: T", f"T: {_FLOAT_OR_COMPLEX}", shape=unchanged)


def _logistic(x: Any) -> Any:
    one = x.dtype.type(1)
    return one / (one + np.exp(-x))  # exp may overflow: the result is 0 then, as it should be


@_sigmoid.kernel
def _sigmoid_kernel(x: Any) -> Any:
    return _logistic(widened(x)).astype(x.dtype, copy=False)


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
        return negative(softplus(negative(x)), name=scope)


# SigmoidGrad --------------------------------------------------------------------------------------

_sigmoid_grad = define_op(
    "SigmoidGrad", "y: T, dy: T -> z: T", f"T: {_FLOAT_OR_COMPLEX}", shape=unchanged
)


def _check_same_count(y: Any, dy: Any) -> None:
    if y.size != dy.size:
        raise invalid(
            f"The two arguments to a cwise op must have same number of elements, got {y.size} "
            f"and {dy.size}"
        )


@_sigmoid_grad.kernel
def _sigmoid_grad_kernel(y: Any, dy: Any) -> Any:
    _check_same_count(y, dy)
    return dy * y * (y.dtype.type(1) - y)


@_sigmoid_grad.gradient
def _sigmoid_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    with op.graph.control_dependencies([gradient.op]):
        y, dy = conj(op.inputs[0]), conj(op.inputs[1])
        weighted = multiply(gradient, dy, name="mul")
        # The operator, not multiply: it gives the number the other factor's type.
        twice: Any = 2.0 * weighted * y  # type: ignore[operator]
        return [subtract(weighted, twice, name="sub"), _sigmoid_grad(y, gradient)]


# Tanh ---------------------------------------------------------------------------------------------

_tanh = define_op(
    "Tanh", "x: T -> y: T", f"T: {_FLOAT_OR_COMPLEX}", shape=unchanged, kernel=np.tanh
)


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

_tanh_grad = define_op(
    "TanhGrad", "y: T, dy: T -> z: T", f"T: {_FLOAT_OR_COMPLEX}", shape=unchanged
)


@_tanh_grad.kernel
def _tanh_grad_kernel(y: Any, dy: Any) -> Any:
    _check_same_count(y, dy)
    return dy * (y.dtype.type(1) - y * y)


@_tanh_grad.gradient
def _tanh_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    with op.graph.control_dependencies([gradient.op]):
        y, dy = conj(op.inputs[0]), conj(op.inputs[1])
        first = multiply(multiply(gradient, -2.0, name="mul"), dy, name="mul")
        return [multiply(first, y, name="mul"), _tanh_grad(y, gradient)]
