"""Adam as operations: ApplyAdam."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.shape_inference import InferenceContext
from tinytf.ops.training.steps import LOCKING_AND_NESTEROV, check, define_pair, merged
from tinytf.resources.variable import Variable

# ApplyAdam --------------------------------------------------------------------------------------

_ADAM_STATES = ["var", "m", "v"]
_ADAM_VALUES = ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"]
_apply_adam, _resource_apply_adam = define_pair(
    "ApplyAdam", _ADAM_STATES, _ADAM_VALUES, LOCKING_AND_NESTEROV
)


@_resource_apply_adam.shape
@_apply_adam.shape
def _adam_shape(c: InferenceContext) -> Any:
    return merged(c, range(3), range(3, 9), 9)


@_apply_adam.kernel
def _adam(
    var: Variable,
    m: Variable,
    v: Variable,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_nesterov: bool,
) -> Variable:
    parameters = {
        "beta1_power": beta1_power, "beta2_power": beta2_power, "lr": lr, "beta1": beta1,
        "beta2": beta2, "epsilon": epsilon,
    }  # fmt: skip
    check(var, {"m": m, "v": v, "grad": grad}, parameters)
    one = grad.dtype.type(1)  # a plain 1 would widen scalars to float64 under numpy 1
    rate = lr * np.sqrt(one - beta2_power) / (one - beta1_power)
    mean = m.modify(lambda old: _nearer(old, grad, one - beta1))
    square = v.modify(lambda old: _nearer(old, grad * grad, one - beta2))
    if use_nesterov:
        mean = grad * (one - beta1) + beta1 * mean
    step = np.sqrt(square)
    step += epsilon
    step = mean / step
    step *= rate
    var.update(np.subtract, step)
    return var


def _nearer(old: Any, new: Any, part: Any) -> Any:
    """`old + (new - old) * part`, with one array of memory."""
    moved = new - old
    moved *= part
    moved += old
    return moved


@_resource_apply_adam.kernel
def _adam_on_handles(
    var: Variable,
    m: Variable,
    v: Variable,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    *,
    use_nesterov: bool,
) -> Any:
    _adam(
        var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad,
        use_nesterov=use_nesterov,
    )  # fmt: skip
    return ()


def apply_adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Any:
    """One step of Adam on references; returns `var`.

    `m += (grad - m) (1 - beta1)`, `v += (grad^2 - v) (1 - beta2)`,
    `var -= lr sqrt(1 - beta2_power) / (1 - beta1_power) * m / (sqrt(v) + epsilon)`.
    """
    return _apply_adam(
        var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad,
        use_locking=use_locking, use_nesterov=use_nesterov, name=name,
    )  # fmt: skip


def resource_apply_adam(
    var: Any,
    m: Any,
    v: Any,
    beta1_power: Any,
    beta2_power: Any,
    lr: Any,
    beta1: Any,
    beta2: Any,
    epsilon: Any,
    grad: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Any:
    """As `apply_adam`, on handles; returns the operation."""
    return _resource_apply_adam(
        var, m, v, beta1_power, beta2_power, lr, beta1, beta2, epsilon, grad,
        use_locking=use_locking, use_nesterov=use_nesterov, name=name,
    )  # fmt: skip
