"""Stacks: where a loop keeps the values of all its iterations, for its gradient.

A stack belongs to the step: `StackV2` makes a new one whenever it runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.ops.base.resource_cards import string_handle_shape
from tinytf.resources.stack import Stack

_STATE = "a stack is state"

# StackV2 ----------------------------------------------------------------------------------------

stack_v2 = define_op(
    "StackV2",
    "max_size: int32 -> handle: resource",
    "elem_type: type, stack_name: string = ''",
    stateful=True,
    shape=string_handle_shape,  # which it once was, in TensorFlow
    no_gradient=_STATE,
)


@stack_v2.kernel
def _stack(max_size: Any, *, elem_type: DType, stack_name: bytes, node: Any) -> Stack:
    if np.ndim(max_size) != 0:
        raise invalid(f"Stack size must be a scalar, but had shape: {np.shape(max_size)}")
    return Stack(stack_name.decode() or node.name, elem_type, int(max_size))


# StackPushV2 ------------------------------------------------------------------------------------

stack_push_v2 = define_op(
    "StackPushV2",
    "handle: resource, elem: T -> output: T",
    "T: type, swap_memory: bool = false",
    stateful=True,
    shape=lambda c: c.input(1),
    no_gradient=_STATE,
)


@stack_push_v2.kernel
def _push(handle: Stack, elem: Any, *, T: DType) -> Any:
    if handle.dtype is not T:
        raise invalid(f"Must have type {handle.dtype.name} but got {T.name} (Stack[{handle.name}])")
    handle.push(elem)
    return elem


# StackPopV2 -------------------------------------------------------------------------------------

stack_pop_v2 = define_op(
    "StackPopV2",
    "handle: resource -> elem: elem_type",
    "elem_type: type",
    stateful=True,
    shape=shape_inference.unknown,
    kernel=Stack.pop,
    no_gradient=_STATE,
)


# StackCloseV2 -----------------------------------------------------------------------------------

stack_close_v2 = define_op(
    "StackCloseV2",
    "handle: resource",
    stateful=True,
    shape=shape_inference.no_outputs,
    no_gradient=_STATE,
)


@stack_close_v2.kernel
def _close(handle: Stack) -> tuple[()]:
    handle.close()
    return ()
