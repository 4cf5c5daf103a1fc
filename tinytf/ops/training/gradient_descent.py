"""Gradient descent as an operation: ApplyGradientDescent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family
from tinytf.resources.variable import Variable


def _step(var: Variable, delta: Any, *, alpha: Any) -> None:
    var.update(np.subtract, alpha * delta)


def _into(new: Any, var: Any, delta: Any, *, alpha: Any) -> None:
    (moved,) = new
    np.multiply(alpha, delta, out=moved)
    np.subtract(var, moved, out=moved)


GRADIENT_DESCENT = Family(
    "ApplyGradientDescent", "var", "alpha delta", step=_step, into=_into, knows_gradient=True
)
