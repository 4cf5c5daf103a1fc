"""Steps that the signs of gradient and mean scale: ApplyAddSign, ApplyPowerSign."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _formula(factor: Callable[..., Any]) -> Callable[..., Any]:
    def formula(
        var: Any, m: Any, grad: Any, *, lr: Any, sign_decay: Any, beta: Any, **number: Any
    ) -> Any:
        m = m * beta + grad * (grad.dtype.type(1) - beta)
        agreed = sign_decay * np.sign(grad) * np.sign(m)
        return var - lr * factor(agreed, **number) * grad, m

    return formula


ADD_SIGN = Family(
    "ApplyAddSign",
    "var m",
    "lr alpha sign_decay beta grad",
    formula=_formula(lambda agreed, alpha: alpha + agreed),
)
POWER_SIGN = Family(
    "ApplyPowerSign",
    "var m",
    "lr logbase sign_decay beta grad",
    formula=_formula(lambda agreed, logbase: np.exp(logbase * agreed)),
)
