"""A step, then the regularization exactly: ApplyProximalGradientDescent, ApplyProximalAdagrad."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def shrunk(value: Any, amount: Any) -> Any:
    """`value`, brought nearer to zero by `amount`; the L1 norm's proximal map."""
    return np.sign(value) * np.maximum(np.abs(value) - amount, 0)


def _proximal(moved: Any, rate: Any, l1: Any, l2: Any) -> Any:
    pulled = shrunk(moved, rate * l1) if l1 > 0 else moved
    return pulled / (rate * l2 + rate.dtype.type(1))


def _gradient_descent(var: Any, grad: Any, *, alpha: Any, l1: Any, l2: Any) -> Any:
    return (_proximal(var - grad * alpha, alpha, l1, l2),)


def _adagrad(var: Any, accum: Any, grad: Any, *, lr: Any, l1: Any, l2: Any) -> Any:
    accum = accum + grad * grad
    rate = lr / np.sqrt(accum)
    return _proximal(var - grad * rate, rate, l1, l2), accum


PROXIMAL_GRADIENT_DESCENT = Family(
    "ApplyProximalGradientDescent",
    "var",
    "alpha l1 l2 delta",
    "alpha l1 l2 grad indices",
    formula=_gradient_descent,
)
PROXIMAL_ADAGRAD = Family(
    "ApplyProximalAdagrad",
    "var accum",
    "lr l1 l2 grad",
    "lr l1 l2 grad indices",
    formula=_adagrad,
)
