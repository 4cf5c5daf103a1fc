"""Binding a kernel to a node: everything that does not change from step to step, done once."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework.function_library import resolve
from tinytf.framework.registry import Kernel
from tinytf.protos import node_def_pb2

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation


def bind(
    kernel: Kernel, op: Operation, resources: Any = None, array_module: Any = np
) -> Callable[..., Any]:
    """The kernel as a function of the node's inputs alone (after `step`, where it asks for it).

    Args:
      kernel: what `registry.find_kernel` found for the node.
      op: the node; its attributes fill the keyword-only parameters of their names, all of them
        `attrs`.
      resources: the resource manager of the session, for kernels with state.
      array_module: numpy, or cupy on a GPU.
    """
    names = kernel.bound_parameters
    if not names:
        return kernel.function
    bound: dict[str, Any] = {}
    for name in names:
        if name == "node":
            bound[name] = op
        elif name == "attrs":
            bound[name] = op.attrs
        elif name == "xp":
            bound[name] = array_module
        elif name == "resources":
            bound[name] = resources
        else:
            bound[name] = bound_value(op, op.attrs[name])
    return functools.partial(kernel.function, **bound)


def bound_value(op: Operation, value: Any) -> Any:
    """An attribute as kernels see it: a function instead of its name."""
    if isinstance(value, node_def_pb2.NameAttrList):
        return resolve(op.graph, value)
    if type(value) is tuple and value and isinstance(value[0], node_def_pb2.NameAttrList):
        return tuple(resolve(op.graph, item) for item in value)
    return value


def input_counts(op: Operation) -> list[int]:
    """For each argument of a node's op, how many inputs it stands for."""
    counts: list[int] = []
    for arg in op.op_def.inputs:
        if arg.number_attr is not None:
            counts.append(op.attrs[arg.number_attr])
        else:
            counts.append(len(op.attrs[arg.type_list_attr]) if arg.type_list_attr else 1)
    return counts


def reference_inputs(op: Operation) -> list[bool]:
    """For each input of a node, whether its kernel takes the variable itself, not its value."""
    flags: list[bool] = []
    for arg, count in zip(op.op_def.inputs, input_counts(op), strict=True):
        flags.extend([arg.is_ref] * count)
    return flags
