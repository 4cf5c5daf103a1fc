"""Gradient descent as operations: ApplyGradientDescent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.shape_inference import InferenceContext
from tinytf.ops.training.steps import LOCKING, check, define_pair, merged
from tinytf.resources.variable import Variable

# ApplyGradientDescent ---------------------------------------------------------------------------

_apply_gradient_descent, _resource_apply_gradient_descent = define_pair(
    "ApplyGradientDescent", ["var"], ["alpha", "delta"], LOCKING
)


@_resource_apply_gradient_descent.shape
@_apply_gradient_descent.shape
def _gradient_descent_shape(c: InferenceContext) -> Any:
    return merged(c, range(1), range(1, 2), 2)


@_apply_gradient_descent.kernel
def _gradient_descent(var: Variable, alpha: Any, delta: Any) -> Variable:
    check(var, {"delta": delta}, {"alpha": alpha})
    var.update(np.subtract, alpha * delta)
    return var


@_resource_apply_gradient_descent.kernel
def _gradient_descent_on_handle(var: Variable, alpha: Any, delta: Any) -> Any:
    _gradient_descent(var, alpha, delta)
    return ()


def apply_gradient_descent(
    var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """`var -= alpha * delta` on a reference; returns it. TensorFlow's op ApplyGradientDescent."""
    return _apply_gradient_descent(var, alpha, delta, use_locking=use_locking, name=name)


def resource_apply_gradient_descent(
    var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """`var -= alpha * delta` on a handle; returns the operation."""
    return _resource_apply_gradient_descent(var, alpha, delta, use_locking=use_locking, name=name)
