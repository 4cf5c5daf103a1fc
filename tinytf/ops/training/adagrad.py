"""Adagrad, and Adagrad with dual averaging, as operations: ApplyAdagrad, ApplyAdagradDA."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family
from tinytf.ops.training.proximal import shrunk


def _adagrad(var: Any, accum: Any, grad: Any, *, lr: Any, update_slots: bool) -> Any:
    if update_slots:
        squares = grad * grad
        squares += accum
        accum = squares
    step = grad * lr
    step /= np.sqrt(accum)
    return var - step, accum


def _adagrad_da(
    var: Any, total: Any, squares: Any, grad: Any, *, lr: Any, l1: Any, l2: Any, global_step: Any
) -> Any:
    """The variable follows from sums over all steps."""
    total, squares = total + grad, squares + grad * grad
    step = var.dtype.type(global_step)
    pulled = shrunk(total, l1 * step) if l1 > 0 else total
    return -lr * pulled / (l2 * step * lr + np.sqrt(squares)), total, squares


ADAGRAD = Family(
    "ApplyAdagrad",
    "var accum",
    "lr grad",
    "lr grad indices",
    formula=_adagrad,
    flags="update_slots: bool = true",
)
ADAGRAD_DA = Family(
    "ApplyAdagradDA",
    "var gradient_accumulator gradient_squared_accumulator",
    "grad lr l1 l2 global_step",
    "grad indices lr l1 l2 global_step",
    formula=_adagrad_da,
)
