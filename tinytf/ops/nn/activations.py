"""Further functions between layers: elu, selu, leaky_relu, softsign, crelu, swish."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import same_as_all_inputs, unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.gradients.registered import RegisterGradient
from tinytf.ops.math.cast import cast
from tinytf.ops.math.power import square
from tinytf.ops.math.sign import negative
from tinytf.ops.nn.relu import check_same_shape, relu, widened
from tinytf.ops.nn.sigmoid import sigmoid
from tinytf.ops.reduce.reduction import reduce_sum

_FLOAT = "T: {half, bfloat16, float, double}"

#: Of selu: with these, mean 0 and variance 1 of a layer stay so.
_SCALE = 1.0507009873554804934193349852946
_SCALED_ALPHA = 1.7580993408473768599402175208123


def _unary(name: str) -> OpCard:
    return define_op(name, "features: T -> activations: T", _FLOAT, shape=unchanged)


def _backwards(name: str, second: str) -> OpCard:
    return define_op(
        name, f"gradients: T, {second}: T -> backprops: T", _FLOAT, shape=same_as_all_inputs
    )


def _exponential_unit(scale: float, alpha: float) -> Any:
    """The kernel of `scale * x` above 0 and `alpha * (exp(x) - 1)` below."""

    def kernel(features: Any) -> Any:
        x = widened(features)
        kind = x.dtype.type
        below = kind(alpha) * np.expm1(np.minimum(x, kind(0)))
        return np.where(x < 0, below, kind(scale) * x).astype(features.dtype, copy=False)

    return kernel


def _exponential_unit_gradient(op_type: str, scale: float, alpha: float) -> Any:
    """The kernel of its gradient, from the result: below 0 the slope is `y + alpha`."""

    def kernel(gradients: Any, outputs: Any) -> Any:
        check_same_shape(op_type, gradients, outputs)
        dy, y = widened(gradients), widened(outputs)
        kind = y.dtype.type
        slope = np.where(y < 0, y + kind(alpha), kind(scale))
        return (dy * slope).astype(gradients.dtype, copy=False)

    return kernel


def _second_gradient(op: Operation, gradient: Any, first: OpCard) -> tuple[Any, Any]:
    dy, y = op.inputs
    is_below: Any = y < 0  # type: ignore[operator]
    return first(gradient, y), where(is_below, gradient * dy, ops.zeros_like(y))


# Elu ----------------------------------------------------------------------------------------------

_elu = _unary("Elu")
_elu.kernel(_exponential_unit(1.0, 1.0))


@_elu.gradient
def _elu_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _elu_grad(gradient, op.outputs[0])


_elu_grad = _backwards("EluGrad", "outputs")
_elu_grad.kernel(_exponential_unit_gradient("EluGrad", 1.0, 1.0))


@_elu_grad.gradient
def _elu_grad_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    return _second_gradient(op, gradient, _elu_grad)


def elu(features: Any, name: str | None = None) -> Tensor:
    """X where it is positive, else exp(x) - 1 (TensorFlow: `tf.nn.elu`).

    Args:
      features: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.elu([-1.0, 2.0])  # [-0.63212055, 2.]
    """
    return _elu(features, name=name)


# Selu ---------------------------------------------------------------------------------------------

_selu = _unary("Selu")
_selu.kernel(_exponential_unit(_SCALE, _SCALED_ALPHA))


@_selu.gradient
def _selu_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _selu_grad(gradient, op.outputs[0])


_selu_grad = _backwards("SeluGrad", "outputs")
_selu_grad.kernel(_exponential_unit_gradient("SeluGrad", _SCALE, _SCALED_ALPHA))


@_selu_grad.gradient
def _selu_grad_gradient(op: Operation, gradient: Any) -> tuple[Any, Any]:
    return _second_gradient(op, gradient, _selu_grad)


def selu(features: Any, name: str | None = None) -> Tensor:
    """A scaled elu that keeps mean and variance of a layer (TensorFlow: `tf.nn.selu`).

    Args:
      features: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.selu([-1.0, 2.0])  # [-1.1113307, 2.101402]
    """
    return _selu(features, name=name)


# Softsign -----------------------------------------------------------------------------------------

_softsign = _unary("Softsign")


@_softsign.kernel
def _softsign_kernel(features: Array) -> Array:
    x = widened(features)
    return (x / (np.abs(x) + x.dtype.type(1))).astype(features.dtype, copy=False)


@_softsign.gradient
def _softsign_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _softsign_grad(gradient, op.inputs[0])


_softsign_grad = _backwards("SoftsignGrad", "features")


@_softsign_grad.kernel
def _softsign_grad_kernel(gradients: Array, features: Array) -> Array:
    check_same_shape("SoftsignGrad", gradients, features)
    dy, x = widened(gradients), widened(features)
    below = np.square(np.abs(x) + x.dtype.type(1))
    return (dy / below).astype(gradients.dtype, copy=False)


# TensorFlow has no gradient for SoftsignGrad: differentiating twice is an error there and here.


def softsign(features: Any, name: str | None = None) -> Tensor:
    """X / (abs(x) + 1) (TensorFlow: `tf.nn.softsign`).

    Args:
      features: floating-point numbers of any shape.
      name: of the operation.

    Example:
      >>> tf.nn.softsign([-1.0, 3.0])  # [-0.5, 0.75]
    """
    return _softsign(features, name=name)


# LeakyRelu ----------------------------------------------------------------------------------------

_ALPHA = "alpha: float = 0.2"
_WITH_DEFAULT = f"{_FLOAT} = DT_FLOAT"
_leaky_relu = define_op(
    "LeakyRelu", "features: T -> activations: T", _ALPHA, _WITH_DEFAULT, shape=unchanged
)


@_leaky_relu.kernel
def _leaky_relu_kernel(features: Array, *, alpha: float) -> Array:
    kind = features.dtype.type
    return np.where(features > kind(0), features, kind(np.float32(alpha)) * features)


@_leaky_relu.gradient
def _leaky_relu_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _leaky_relu_grad(gradient, op.inputs[0], alpha=op.attrs["alpha"])


_leaky_relu_grad = define_op(
    "LeakyReluGrad",
    "gradients: T, features: T -> backprops: T",
    _ALPHA,
    _WITH_DEFAULT,
    shape=same_as_all_inputs,
)


@_leaky_relu_grad.kernel
def _leaky_relu_grad_kernel(gradients: Array, features: Array, *, alpha: float) -> Array:
    check_same_shape("LeakyReluGrad", gradients, features)
    kind = features.dtype.type
    return np.where(features > kind(0), gradients, kind(np.float32(alpha)) * gradients)


@_leaky_relu_grad.gradient
def _leaky_relu_grad_gradient(op: Operation, gradient: Tensor) -> tuple[Tensor, Tensor]:
    x = op.inputs[1]
    return _leaky_relu_grad(gradient, x, alpha=op.attrs["alpha"]), ops.zeros_like(x)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """X where it is positive, else `alpha * x` (TensorFlow: `tf.nn.leaky_relu`).

    Args:
      features: numbers of any shape; integers become float32.
      alpha: the slope below 0, a number.
      name: of the operation.

    Example:
      >>> tf.nn.leaky_relu([-1.0, 2.0], alpha=0.5)  # [-0.5, 2.]
    """
    with op_scope(name, "LeakyRelu", (features, alpha)) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = cast(features, dtypes.float32)
        slope = alpha.item() if isinstance(alpha, np.ndarray) else alpha
        return _leaky_relu(features, name=scope, alpha=slope)


# Made of others -----------------------------------------------------------------------------------


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """relu(x) and relu(-x), one after the other (TensorFlow: `tf.nn.crelu`).

    Args:
      features: numbers of any shape.
      name: of the operation.
      axis: along which the two are put together.

    Example:
      >>> tf.nn.crelu([-1.0, 2.0])  # [0., 2., 1., 0.]
    """
    with op_scope(name, "CRelu", (features,)) as scope:
        features = convert_to_tensor(features, name="features")
        return relu(ops.concat([features, negative(features)], axis, name=scope))


def swish(features: Any, beta: Any = 1.0) -> Any:
    """X * sigmoid(beta * x) (TensorFlow: `tf.nn.swish`, `tf.nn.silu`).

    Args:
      features: floating-point numbers of any shape.
      beta: a number or scalar tensor.

    Example:
      >>> tf.nn.swish([0.0, 2.0])  # [0., 1.7615942]
    """
    features = convert_to_tensor(features, name="features")
    beta = cast(convert_to_tensor(beta, name="beta"), features.dtype)
    weighted: Any = features * sigmoid(beta * features)
    # An identity with the gradient of the whole, as TensorFlow's custom gradients are built.
    with features.graph.gradient_override_map({"IdentityN": _SWISH}):
        return ops.identity_n([weighted, features, beta])[0]


_SWISH = "CustomGradient-swish"


@RegisterGradient(_SWISH)
def _swish_gradient(op: Operation, dy: Any, *_: Any) -> list[Any]:
    features: Any = op.inputs[1]
    beta: Any = op.inputs[2]
    # Computed again instead of kept: it saves the memory of one tensor until then.
    with op.graph.control_dependencies([dy.op]):
        gate: Any = sigmoid(beta * features)
    slope = gate * (1.0 + beta * features * (1.0 - gate))
    of_beta = reduce_sum(dy * square(features) * gate * (1.0 - gate))
    return [None, dy * slope, of_beta]
