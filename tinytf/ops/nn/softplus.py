"""softplus."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.array_types import Array
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import same_as_all_inputs, unchanged
from tinytf.framework.tensor import Tensor
from tinytf.ops.math.arithmetic import add, multiply
from tinytf.ops.math.division import divide
from tinytf.ops.math.exp_log import exp
from tinytf.ops.math.sign import negative
from tinytf.ops.nn.relu import check_same_shape, widened
from tinytf.ops.nn.sigmoid import logistic, sigmoid

# Softplus -----------------------------------------------------------------------------------------

_softplus = define_op("Softplus", "features: T -> activations: T", "T: floattype", shape=unchanged)


@_softplus.kernel
def _softplus_kernel(x: Array) -> Array:
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
    "T: floattype",
    shape=same_as_all_inputs,
)


@_softplus_grad.kernel
def _softplus_grad_kernel(gradients: Array, features: Array) -> Array:
    check_same_shape("SoftplusGrad", gradients, features)
    return (widened(gradients) * logistic(widened(features))).astype(gradients.dtype)


@_softplus_grad.gradient
def _softplus_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    dy, x = op.inputs
    with op.graph.control_dependencies([gradient.op]):
        first = _softplus_grad(gradient, x)
        below = add(add(exp(negative(x)), 2.0, name="add"), exp(x), name="add")
        return [first, divide(multiply(gradient, dy, name="mul"), below, name="truediv")]
