"""Gradient descent with momentum as operations: ApplyMomentum."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework.shape_inference import InferenceContext
from tinytf.ops.training.steps import LOCKING_AND_NESTEROV, check, define_pair, merged
from tinytf.resources.variable import Variable

# ApplyMomentum ----------------------------------------------------------------------------------

_apply_momentum, _resource_apply_momentum = define_pair(
    "ApplyMomentum", ["var", "accum"], ["lr", "grad", "momentum"], LOCKING_AND_NESTEROV
)


@_resource_apply_momentum.shape
@_apply_momentum.shape
def _momentum_shape(c: InferenceContext) -> Any:
    return merged(c, range(2), range(2, 5), 3)


@_apply_momentum.kernel
def _momentum(
    var: Variable, accum: Variable, lr: Any, grad: Any, momentum: Any, *, use_nesterov: bool
) -> Variable:
    check(var, {"accum": accum, "grad": grad}, {"lr": lr, "momentum": momentum})

    def accelerated(old: Any) -> Any:
        speed = old * momentum
        speed += grad
        return speed

    speed = accum.modify(accelerated)
    if use_nesterov:
        # The step that the next gradient would take from where this one leads.
        var.update(np.subtract, grad * lr + speed * momentum * lr)
    else:
        var.update(np.subtract, speed * lr)
    return var


@_resource_apply_momentum.kernel
def _momentum_on_handles(
    var: Variable, accum: Variable, lr: Any, grad: Any, momentum: Any, *, use_nesterov: bool
) -> Any:
    _momentum(var, accum, lr, grad, momentum, use_nesterov=use_nesterov)
    return ()


def apply_momentum(
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    momentum: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Any:
    """`accum = accum * momentum + grad; var -= lr * accum` on references; returns `var`.

    With `use_nesterov`: `var -= lr * grad + lr * momentum * accum`.
    """
    return _apply_momentum(
        var, accum, lr, grad, momentum, use_locking=use_locking, use_nesterov=use_nesterov,
        name=name,
    )  # fmt: skip


def resource_apply_momentum(
    var: Any,
    accum: Any,
    lr: Any,
    grad: Any,
    momentum: Any,
    use_locking: bool = False,
    use_nesterov: bool = False,
    name: str | None = None,
) -> Any:
    """As `apply_momentum`, on handles; returns the operation."""
    return _resource_apply_momentum(
        var, accum, lr, grad, momentum, use_locking=use_locking, use_nesterov=use_nesterov,
        name=name,
    )  # fmt: skip
