"""Follow the regularized leader, as operations: ApplyFtrl, ApplyFtrlV2."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.family import Family


def _ftrl(
    var: Any,
    accum: Any,
    linear: Any,
    grad: Any,
    *,
    lr: Any,
    l1: Any,
    l2: Any,
    lr_power: Any,
    multiply_linear_by_lr: bool,
    l2_shrinkage: Any = None,
) -> Any:
    """`linear` gathers gradients, the variable follows from it."""
    two = lr.dtype.type(2)
    total = accum + grad * grad
    if l2_shrinkage is not None:
        grad = grad + two * l2_shrinkage * var
    new, old = _power(total, -lr_power), _power(accum, -lr_power)
    if multiply_linear_by_lr:
        linear = linear + grad * lr - (new - old) * var
        threshold, strength = l1 * lr, new + two * l2 * lr
    else:
        linear = linear + grad - (new - old) / lr * var
        threshold, strength = l1, new / lr + two * l2
    var = np.where(
        np.abs(linear) > threshold, (threshold * np.sign(linear) - linear) / strength, 0
    ).astype(var.dtype, copy=False)
    return var, total, linear


def _power(value: Any, exponent: Any) -> Any:
    return np.sqrt(value) if exponent == 0.5 else value**exponent


FTRL = Family(
    "ApplyFtrl",
    "var accum linear",
    "grad lr l1 l2 lr_power",
    "grad indices lr l1 l2 lr_power",
    formula=_ftrl,
    flags="multiply_linear_by_lr: bool = false",
)
FTRL_V2 = Family(
    "ApplyFtrlV2",
    "var accum linear",
    "grad lr l1 l2 l2_shrinkage lr_power",
    "grad indices lr l1 l2 l2_shrinkage lr_power",
    formula=_ftrl,
    flags="multiply_linear_by_lr: bool = false",
)
