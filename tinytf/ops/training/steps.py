"""What the steps of all optimizers share: their schemas, shapes and checks."""

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

LOCKING = ["T: numbertype", "use_locking: bool = false"]
LOCKING_AND_NESTEROV = [*LOCKING, "use_nesterov: bool = false"]


def define_pair(
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


def state_shape(c: InferenceContext, index: int) -> TensorShape:
    """The static shape of the variable that input `index` stands for."""
    tensor = c.inputs[index]
    if tensor.dtype.is_ref:
        return tensor.shape
    data = handle_data(tensor)
    return unknown_shape() if data is None else data.shape


def merged(c: InferenceContext, states: range, scalars: range, gradient: int) -> Any:
    """The shape function: one shape for states and gradient; other parameters are scalars."""
    shape = state_shape(c, 0)
    for index in states[1:]:
        shape = shape_inference.merge(shape, state_shape(c, index))
    for index in scalars:
        if index != gradient:
            shape_inference.with_rank(c.input(index), 0)
    shape = shape_inference.merge(shape, c.input(gradient))
    return shape if c.output_count else []


def check(variable: Variable, others: dict[str, Any], scalars: dict[str, Any]) -> None:
    """InvalidArgumentError unless everything has the variable's shape, or is a scalar."""
    for name, value in scalars.items():
        if np.ndim(value):
            raise InvalidArgumentError(f"{name} is not a scalar: {brackets(value.shape)}")
    shape = variable.read().shape
    for name, value in others.items():
        other = value.read().shape if isinstance(value, Variable) else np.shape(value)
        if other != shape:
            raise InvalidArgumentError(
                f"var and {name} do not have the same shape{brackets(shape)} {brackets(other)} "
                f"(variable {variable.name})",
            )


def brackets(shape: tuple[int, ...]) -> str:
    """A shape as TensorFlow's messages write it: "[2,3]"."""
    return "[" + ",".join(map(str, shape)) + "]"
