"""AdaMax as an operation: ApplyAdaMax."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _formula(
    var: Any,
    m: Any,
    v: Any,
    grad: Any,
    *,
    beta1_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
) -> Any:
    """`v = max(beta2 v, |grad|)`, and `var -= lr / (1 - beta1_power) * m / (v + epsilon)`."""
    one = grad.dtype.type(1)
    m = m + (grad - m) * (one - beta1)
    v = np.maximum(beta2 * v, np.abs(grad))
    return var - lr / (one - beta1_power) * (m / (v + epsilon)), m, v


ADA_MAX = Family(
    "ApplyAdaMax", "var m v", "beta1_power lr beta1 beta2 epsilon grad", formula=_formula
)
