"""Gradient descent as an operation: ApplyGradientDescent."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _descend(new: Any, var: Any, delta: Any, *, alpha: Any) -> None:
    (moved,) = new
    np.multiply(alpha, delta, out=moved)
    np.subtract(var, moved, out=moved)


GRADIENT_DESCENT = Family(
    "ApplyGradientDescent", "var", "alpha delta", into=_descend, knows_gradient=True
)
