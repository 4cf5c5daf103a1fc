"""The formulas of optimizers, and the ops that apply them: Adagrad, Adadelta, RMSProp, Ftrl ...

Each formula gets the old values of the variable and of the optimizer's states, the gradient, and
numbers; it returns the new values. Mirrors tensorflow/core/kernels/training_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.ops.training.families import Family

_SLOTS = ["update_slots: bool = true"]
_LINEAR = ["multiply_linear_by_lr: bool = false"]


def _shrunk(value: Any, amount: Any) -> Any:
    """`value`, brought nearer to zero by `amount`; the L1 norm's proximal map."""
    return np.sign(value) * np.maximum(np.abs(value) - amount, 0)


def _adagrad(var: Any, accum: Any, grad: Any, *, lr: Any, update_slots: bool) -> Any:
    if update_slots:
        accum = accum + grad * grad
    return var - grad * lr / np.sqrt(accum), accum


def _adagrad_da(
    var: Any, total: Any, squares: Any, grad: Any, *, lr: Any, l1: Any, l2: Any, global_step: Any
) -> Any:
    """Adagrad with dual averaging: the variable follows from sums over all steps."""
    total, squares = total + grad, squares + grad * grad
    step = var.dtype.type(global_step)
    pulled = _shrunk(total, l1 * step) if l1 > 0 else total
    return -lr * pulled / (l2 * step * lr + np.sqrt(squares)), total, squares


def _adadelta(
    var: Any, accum: Any, accum_update: Any, grad: Any, *, lr: Any, rho: Any, epsilon: Any
) -> Any:
    rest = rho.dtype.type(1) - rho
    accum = accum * rho + grad * grad * rest
    update = np.sqrt(accum_update + epsilon) / np.sqrt(accum + epsilon) * grad
    return var - update * lr, accum, accum_update * rho + update * update * rest


def _rms_prop(
    var: Any, ms: Any, mom: Any, grad: Any, *, lr: Any, rho: Any, momentum: Any, epsilon: Any
) -> Any:
    ms = ms + (grad * grad - ms) * (rho.dtype.type(1) - rho)
    mom = mom * momentum + grad * lr / np.sqrt(ms + epsilon)
    return var - mom, ms, mom


def _centered_rms_prop(
    var: Any, mg: Any, ms: Any, mom: Any, grad: Any, *,
    lr: Any, rho: Any, momentum: Any, epsilon: Any,
) -> Any:  # fmt: skip
    rest = rho.dtype.type(1) - rho
    ms = ms + (grad * grad - ms) * rest
    mg = mg + (grad - mg) * rest
    mom = mom * momentum + grad * lr / np.sqrt(ms - mg * mg + epsilon)
    return var - mom, mg, ms, mom


def _proximal_gradient_descent(var: Any, grad: Any, *, alpha: Any, l1: Any, l2: Any) -> Any:
    return (_proximal(var - grad * alpha, alpha, l1, l2),)


def _proximal_adagrad(var: Any, accum: Any, grad: Any, *, lr: Any, l1: Any, l2: Any) -> Any:
    accum = accum + grad * grad
    rate = lr / np.sqrt(accum)
    return _proximal(var - grad * rate, rate, l1, l2), accum


def _proximal(moved: Any, rate: Any, l1: Any, l2: Any) -> Any:
    pulled = _shrunk(moved, rate * l1) if l1 > 0 else moved
    return pulled / (rate * l2 + rate.dtype.type(1))


def _ftrl(
    var: Any, accum: Any, linear: Any, grad: Any, *, lr: Any, l1: Any, l2: Any, lr_power: Any,
    multiply_linear_by_lr: bool, l2_shrinkage: Any = None,
) -> Any:  # fmt: skip
    """Follow the regularized leader: `linear` gathers gradients, the variable follows from it."""
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


def _momentum(
    var: Any, accum: Any, grad: Any, *, lr: Any, momentum: Any, use_nesterov: bool
) -> Any:
    accum = accum * momentum + grad
    step = grad * lr + accum * momentum * lr if use_nesterov else accum * lr
    return var - step, accum


def _power(value: Any, exponent: Any) -> Any:
    return np.sqrt(value) if exponent == 0.5 else value**exponent


_RATE = ["lr", "l1", "l2"]

ADAGRAD = Family(
    "Adagrad", ["var", "accum"], ["lr", "grad"], ["lr", "grad", "indices"], _adagrad, _SLOTS
)
ADAGRAD_DA = Family(
    "AdagradDA", ["var", "gradient_accumulator", "gradient_squared_accumulator"],
    ["grad", *_RATE, "global_step"], ["grad", "indices", *_RATE, "global_step"], _adagrad_da,
)  # fmt: skip
ADADELTA = Family(
    "Adadelta", ["var", "accum", "accum_update"], ["lr", "rho", "epsilon", "grad"],
    ["lr", "rho", "epsilon", "grad", "indices"], _adadelta,
)  # fmt: skip
RMS_PROP = Family(
    "RMSProp", ["var", "ms", "mom"], ["lr", "rho", "momentum", "epsilon", "grad"],
    ["lr", "rho", "momentum", "epsilon", "grad", "indices"], _rms_prop,
)  # fmt: skip
CENTERED_RMS_PROP = Family(
    "CenteredRMSProp", ["var", "mg", "ms", "mom"], ["lr", "rho", "momentum", "epsilon", "grad"],
    ["lr", "rho", "momentum", "epsilon", "grad", "indices"], _centered_rms_prop,
)  # fmt: skip
PROXIMAL_GRADIENT_DESCENT = Family(
    "ProximalGradientDescent", ["var"], ["alpha", "l1", "l2", "delta"],
    ["alpha", "l1", "l2", "grad", "indices"], _proximal_gradient_descent,
)  # fmt: skip
PROXIMAL_ADAGRAD = Family(
    "ProximalAdagrad", ["var", "accum"], [*_RATE, "grad"], [*_RATE, "grad", "indices"],
    _proximal_adagrad,
)  # fmt: skip
FTRL = Family(
    "Ftrl", ["var", "accum", "linear"], ["grad", *_RATE, "lr_power"],
    ["grad", "indices", *_RATE, "lr_power"], _ftrl, _LINEAR,
)  # fmt: skip
FTRL_V2 = Family(
    "FtrlV2", ["var", "accum", "linear"], ["grad", *_RATE, "l2_shrinkage", "lr_power"],
    ["grad", "indices", *_RATE, "l2_shrinkage", "lr_power"], _ftrl, _LINEAR,
)  # fmt: skip

#: the sparse ops only; for the dense ones see `momentum.py`
MOMENTUM_OF_ROWS = Family(
    "Momentum", ["var", "accum"], None, ["lr", "grad", "indices", "momentum"], _momentum,
    ["use_nesterov: bool = false"],
)  # fmt: skip
