"""Gradient descent with momentum as operations: ApplyMomentum, SparseApplyMomentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _accelerate(
    new: Any, var: Any, accum: Any, grad: Any, *, lr: Any, momentum: Any, use_nesterov: bool
) -> None:
    """`accum = accum * momentum + grad; var -= lr * accum`.

    With `use_nesterov`, the step that the next gradient would take from where this one leads:
    `var -= lr * grad + lr * momentum * accum`.
    """
    moved, speed = new
    np.multiply(accum, momentum, out=speed)
    np.add(speed, grad, out=speed)
    if use_nesterov:
        np.multiply(speed, momentum, out=moved)
        np.multiply(moved, lr, out=moved)
        np.add(grad * lr, moved, out=moved)
    else:
        np.multiply(speed, lr, out=moved)
    np.subtract(var, moved, out=moved)


MOMENTUM = Family(
    "ApplyMomentum",
    "var accum",
    "lr grad momentum",
    "lr grad indices momentum",
    into=_accelerate,
    flags="use_nesterov: bool = false",
)
