"""Initial values that depend on other variables: those need not be initialised first.

`w = tf.Variable(v * 2.0)` would fail in `global_variables_initializer()` if w's turn came before
v's. So the initialiser of w gets a copy of the computation in which v is replaced by "v, or its
initial value while it has none".

Mirrors `_try_guard_against_uninitialized_dependencies` of tensorflow/python/ops/variables.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor

_VARIABLES = frozenset(["Variable", "VariableV2", "VarHandleOp"])
_AS_IT_IS = frozenset(["IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If"])


def guarded(name: str, initial_value: Tensor) -> Tensor:
    """`initial_value`, without a need for initialised variables where that can be had.

    Args:
      name: of the variable it is for, a part of the copies' names.
      initial_value: returned unchanged if it depends on no variable, or on a loop.
    """
    order = _dependencies(initial_value.op)
    if order is None or not any(op.type in _VARIABLES for op in order):
        return initial_value
    replaced: dict[Operation, Operation] = {}
    wanted = _wanted(initial_value.op)
    for op in order:
        if op in wanted:
            replaced[op] = _replacement(op, name, lambda tensor: _moved(tensor, replaced))
    return _moved(initial_value, replaced)


def _wanted(target: Operation) -> set[Operation]:
    """What a copy of `target` has to look at: not what is behind a read, which stays."""
    wanted: set[Operation] = set()
    stack = [target]
    while stack:
        op = stack.pop()
        if op not in wanted:
            wanted.add(op)
            if op.type not in _VARIABLES and op.type not in _AS_IT_IS:
                stack.extend(tensor.op for tensor in op.inputs)
    return wanted


def _moved(tensor: Tensor, replaced: dict[Operation, Operation]) -> Tensor:
    return replaced[tensor.op].outputs[tensor.value_index]


def _dependencies(target: Operation) -> list[Operation] | None:
    """What `target` depends on, itself included, inputs first; None if there is a cycle."""
    order: list[Operation] = []
    open_ops: set[Operation] = set()
    done: set[Operation] = set()
    stack: list[tuple[Operation, Any]] = [(target, None)]
    while stack:
        op, waiting = stack.pop()
        if waiting is None:
            if op in done:
                continue
            if op in open_ops:
                return None
            open_ops.add(op)
            waiting = iter([*(tensor.op for tensor in op.inputs), *op.control_inputs])
        following = next(waiting, None)
        if following is None:
            open_ops.discard(op)
            done.add(op)
            order.append(op)
            continue
        stack.append((op, waiting))
        stack.append((following, None))
    return order


def _replacement(op: Operation, name: str, moved: Callable[[Tensor], Tensor]) -> Operation:
    if op.type in _AS_IT_IS:
        return op
    if op.type in _VARIABLES:
        value = _initialized_value(op)
        return op if value is None else value.op
    inputs = [moved(tensor) for tensor in op.inputs]
    if all(new is old for new, old in zip(inputs, op.inputs, strict=True)):
        return op
    return op.graph.create_op(
        "Switch" if op.type == "RefSwitch" else op.type,
        inputs,
        [tensor.dtype.base_dtype for tensor in op.outputs],
        name=f"{op.name}_{name}".replace(":", "_"),
        attrs=dict(op.attrs),
    )


def _initialized_value(op: Operation) -> Tensor | None:
    for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES):
        for variable in op.graph.get_collection(key):
            if variable.op is op:
                return variable.initialized_value()
    return None
