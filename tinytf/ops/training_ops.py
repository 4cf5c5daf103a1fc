"""The steps of optimizers as operations: one for each variable, which reads, computes and writes.

Each comes in two forms, for reference and for resource variables; the kernels are the same. They
compute the new value beside the old one and put it in place at once, so that a reader sees a
whole value and an interrupt cannot leave half a step behind.

Mirrors tensorflow/core/kernels/training_ops.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.handle_data import handle_data
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.resources.variable import Variable

_LOCKING = ["T: numbertype", "use_locking: bool = false"]
_LOCKING_AND_NESTEROV = [*_LOCKING, "use_nesterov: bool = false"]


def _define_pair(
    name: str, states: list[str], values: list[str], attrs: list[str]
) -> tuple[OpCard, OpCard]:
    """The op on references, and its twin "Resource..." on handles."""
    on_references = define_op(
        name, [f"{s}: Ref(T)" for s in states] + [f"{v}: T" for v in values], ["out: Ref(T)"], attrs
    )
    on_handles = define_op(
        "Resource" + name, [f"{s}: resource" for s in states] + [f"{v}: T" for v in values], [],
        attrs, stateful=True,
    )  # fmt: skip
    for card in (on_references, on_handles):
        card.not_differentiable("a training step is not a function of its inputs")
    return on_references, on_handles


def _state_shape(c: InferenceContext, index: int) -> TensorShape:
    tensor = c.inputs[index]
    if tensor.dtype.is_ref:
        return tensor.shape
    data = handle_data(tensor)
    return unknown_shape() if data is None else data.shape


def _merged(c: InferenceContext, states: range, scalars: range, gradient: int) -> Any:
    """States and gradient have one shape; the parameters between them are scalars."""
    shape = _state_shape(c, 0)
    for index in states[1:]:
        shape = shape_inference.merge(shape, _state_shape(c, index))
    for index in scalars:
        if index != gradient:
            shape_inference.with_rank(c.input(index), 0)
    shape = shape_inference.merge(shape, c.input(gradient))
    return shape if c.output_count else []


def _check(variable: Variable, others: dict[str, Any], scalars: dict[str, Any]) -> None:
    """InvalidArgumentError unless everything has the variable's shape, or is a scalar."""
    for name, value in scalars.items():
        if np.ndim(value):
            raise InvalidArgumentError(None, None, f"{name} is not a scalar: {_text(value.shape)}")
    shape = variable.read().shape
    for name, value in others.items():
        other = value.read().shape if isinstance(value, Variable) else np.shape(value)
        if other != shape:
            raise InvalidArgumentError(
                None, None,
                f"var and {name} do not have the same shape{_text(shape)} {_text(other)} "
                f"(variable {variable.name})",
            )  # fmt: skip


def _text(shape: tuple[int, ...]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


# ApplyGradientDescent ---------------------------------------------------------------------------

_apply_gradient_descent, _resource_apply_gradient_descent = _define_pair(
    "ApplyGradientDescent", ["var"], ["alpha", "delta"], _LOCKING
)


@_resource_apply_gradient_descent.shape
@_apply_gradient_descent.shape
def _gradient_descent_shape(c: InferenceContext) -> Any:
    return _merged(c, range(1), range(1, 2), 2)


@_apply_gradient_descent.kernel
def _gradient_descent(var: Variable, alpha: Any, delta: Any) -> Variable:
    _check(var, {"delta": delta}, {"alpha": alpha})
    var.update(np.subtract, alpha * delta)
    return var


@_resource_apply_gradient_descent.kernel
def _gradient_descent_on_handle(var: Variable, alpha: Any, delta: Any) -> Any:
    _gradient_descent(var, alpha, delta)
    return ()


def apply_gradient_descent(
    var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """`var -= alpha * delta` on a reference; returns it. TensorFlow's op ApplyGradientDescent."""
    return _apply_gradient_descent(var, alpha, delta, use_locking=use_locking, name=name)


def resource_apply_gradient_descent(
    var: Any, alpha: Any, delta: Any, use_locking: bool = False, name: str | None = None
) -> Any:
    """`var -= alpha * delta` on a handle; returns the operation."""
    return _resource_apply_gradient_descent(var, alpha, delta, use_locking=use_locking, name=name)


# ApplyMomentum ----------------------------------------------------------------------------------

_apply_momentum, _resource_apply_momentum = _define_pair(
    "ApplyMomentum", ["var", "accum"], ["lr", "grad", "momentum"], _LOCKING_AND_NESTEROV
)


@_resource_apply_momentum.shape
@_apply_momentum.shape
def _momentum_shape(c: InferenceContext) -> Any:
    return _merged(c, range(2), range(2, 5), 3)


@_apply_momentum.kernel
def _momentum(
    var: Variable, accum: Variable, lr: Any, grad: Any, momentum: Any, *, use_nesterov: bool
) -> Variable:
    _check(var, {"accum": accum, "grad": grad}, {"lr": lr, "momentum": momentum})

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


# ApplyAdam --------------------------------------------------------------------------------------

_ADAM_STATES = ["var", "m", "v"]
_ADAM_VALUES = ["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"]
_apply_adam, _resource_apply_adam = _define_pair(
    "ApplyAdam", _ADAM_STATES, _ADAM_VALUES, _LOCKING_AND_NESTEROV
)


@_resource_apply_adam.shape
@_apply_adam.shape
def _adam_shape(c: InferenceContext) -> Any:
    return _merged(c, range(3), range(3, 9), 9)


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
    _check(var, {"m": m, "v": v, "grad": grad}, parameters)
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
