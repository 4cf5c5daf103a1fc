"""Adam as an operation: ApplyAdam."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family
from tinytf.resources.variable import Variable


def _step(
    var: Variable,
    m: Variable,
    v: Variable,
    grad: Any,
    *,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    use_nesterov: bool,
    **powers: Any,
) -> None:
    """`m += (grad - m) (1 - beta1); v += (grad^2 - v) (1 - beta2)`, and the step with both.

    `var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)`.
    """
    one = grad.dtype.type(1)  # a plain 1 would widen scalars to float64 under numpy 1
    mean = m.modify(lambda old: _nearer(old, grad, one - beta1))
    square = v.modify(lambda old: _nearer(old, grad * grad, one - beta2))
    if use_nesterov:
        mean = grad * (one - beta1) + beta1 * mean
    step = np.sqrt(square)
    step += epsilon
    step = mean / step
    step *= _rate(one, lr, **powers)
    var.update(np.subtract, step)


def _rate(one: Any, lr: Any, beta1_power: Any, beta2_power: Any) -> Any:
    return lr * np.sqrt(one - beta2_power) / (one - beta1_power)


def _nearer(old: Any, new: Any, part: Any, out: Any = None) -> Any:
    """`old + (new - old) * part`, with one array of memory."""
    moved = np.subtract(new, old, out=out)
    moved *= part
    moved += old
    return moved


def _into(
    new: Any,
    var: Any,
    m: Any,
    v: Any,
    grad: Any,
    *,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    use_nesterov: bool,
    **powers: Any,
) -> None:
    moved, mean, square = new
    one = grad.dtype.type(1)
    _nearer(m, grad, one - beta1, out=mean)
    np.multiply(grad, grad, out=square)
    _nearer(v, square, one - beta2, out=square)
    if use_nesterov:
        mean = grad * (one - beta1) + beta1 * mean
    np.sqrt(square, out=moved)
    moved += epsilon
    np.divide(mean, moved, out=moved)
    moved *= _rate(one, lr, **powers)
    np.subtract(var, moved, out=moved)


ADAM = Family(
    "ApplyAdam",
    "var m v",
    "beta1_power beta2_power lr beta1 beta2 epsilon grad",
    step=_step,
    into=_into,
    flags="use_nesterov: bool = false",
)
