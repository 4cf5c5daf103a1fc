"""Adam as an operation: ApplyAdam."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _adapt(
    new: Any,
    var: Any,
    m: Any,
    v: Any,
    grad: Any,
    *,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    use_nesterov: bool,
) -> None:
    """`m += (grad - m) (1 - beta1); v += (grad^2 - v) (1 - beta2)`, and the step with both.

    `var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)`.
    """
    moved, mean, square = new
    one = grad.dtype.type(1)  # a plain 1 would widen scalars to float64 under numpy 1
    rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    np.subtract(grad, m, out=mean)
    np.multiply(mean, one - beta1, out=mean)
    np.add(mean, m, out=mean)
    np.multiply(grad, grad, out=square)
    np.subtract(square, v, out=square)
    np.multiply(square, one - beta2, out=square)
    np.add(square, v, out=square)
    if use_nesterov:
        mean = grad * (one - beta1) + beta1 * mean
    np.sqrt(square, out=moved)
    np.add(moved, epsilon, out=moved)
    np.divide(mean, moved, out=moved)
    np.multiply(moved, rate, out=moved)
    np.subtract(var, moved, out=moved)


ADAM = Family(
    "ApplyAdam",
    "var m v",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad",
    into=_adapt,
    flags="use_nesterov: bool = false",
)
