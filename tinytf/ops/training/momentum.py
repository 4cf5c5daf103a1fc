"""Gradient descent with momentum as operations: ApplyMomentum, SparseApplyMomentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family
from tinytf.resources.variable import Variable


def _step(
    var: Variable, accum: Variable, grad: Any, *, lr: Any, momentum: Any, use_nesterov: bool
) -> None:
    """`accum = accum * momentum + grad; var -= lr * accum`.

    With `use_nesterov`, the step that the next gradient would take from where this one leads:
    `var -= lr * grad + lr * momentum * accum`.
    """

    def accelerated(old: Any) -> Any:
        speed = old * momentum
        speed += grad
        return speed

    speed = accum.modify(accelerated)
    if use_nesterov:
        var.update(np.subtract, grad * lr + speed * momentum * lr)
    else:
        var.update(np.subtract, speed * lr)


def _into(
    new: Any, var: Any, accum: Any, grad: Any, *, lr: Any, momentum: Any, use_nesterov: bool
) -> None:
    moved, speed = new
    np.multiply(accum, momentum, out=speed)
    speed += grad
    if use_nesterov:
        np.multiply(speed, momentum, out=moved)
        moved *= lr
        np.add(grad * lr, moved, out=moved)
    else:
        np.multiply(speed, lr, out=moved)
    np.subtract(var, moved, out=moved)


MOMENTUM = Family(
    "ApplyMomentum",
    "var accum",
    "lr grad momentum",
    "lr grad indices momentum",
    step=_step,
    into=_into,
    flags="use_nesterov: bool = false",
)
