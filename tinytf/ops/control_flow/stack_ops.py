"""Stacks: where a loop keeps the values of all its iterations, for its gradient.

A stack belongs to the step: `StackV2` makes a new one whenever it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.resources.stack import Stack

# StackV2 ----------------------------------------------------------------------------------------

stack_v2 = define_op(
    "StackV2", inputs=["max_size: int32"], outputs=["handle: resource"],
    attrs=["elem_type: type", "stack_name: string = ''"], stateful=True,
)  # fmt: skip


@stack_v2.shape
def _stack_shape(c: InferenceContext) -> TensorShape:
    return TensorShape.of((2,))  # the pair of names that a handle once was, in TensorFlow


@stack_v2.kernel
def _stack(max_size: Any, *, elem_type: DType, stack_name: bytes, node: Any) -> Stack:
    if np.ndim(max_size) != 0:
        raise InvalidArgumentError(
            f"Stack size must be a scalar, but had shape: {np.shape(max_size)}"
        )
    return Stack(stack_name.decode() or node.name, elem_type, int(max_size))


stack_v2.not_differentiable("a stack is state")

# StackPushV2 ------------------------------------------------------------------------------------

stack_push_v2 = define_op(
    "StackPushV2", inputs=["handle: resource", "elem: T"], outputs=["output: T"],
    attrs=["T: type", "swap_memory: bool = false"], stateful=True,
)  # fmt: skip


@stack_push_v2.shape
def _push_shape(c: InferenceContext) -> TensorShape:
    return c.input(1)


@stack_push_v2.kernel
def _push(handle: Stack, elem: Any, *, T: DType) -> Any:
    if handle.dtype != T:
        raise InvalidArgumentError(
            f"Must have type {handle.dtype.name} but got {T.name} (Stack[{handle.name}])",
        )
    handle.push(elem)
    return elem


stack_push_v2.not_differentiable("a stack is state")

# StackPopV2 -------------------------------------------------------------------------------------

stack_pop_v2 = define_op(
    "StackPopV2", inputs=["handle: resource"], outputs=["elem: elem_type"],
    attrs=["elem_type: type"], stateful=True,
)  # fmt: skip


@stack_pop_v2.shape
def _pop_shape(c: InferenceContext) -> TensorShape:
    return unknown_shape()


@stack_pop_v2.kernel
def _pop(handle: Stack) -> Any:
    return handle.pop()


stack_pop_v2.not_differentiable("a stack is state")

# StackCloseV2 -----------------------------------------------------------------------------------

stack_close_v2 = define_op("StackCloseV2", inputs=["handle: resource"], stateful=True)
stack_close_v2.shape(shape_inference.no_outputs)
stack_close_v2.not_differentiable("a stack is state")


@stack_close_v2.kernel
def _close(handle: Stack) -> tuple[()]:
    handle.close()
    return ()
