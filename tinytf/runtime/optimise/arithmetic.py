"""Arithmetic identities: operations that give back their input, and shorter ways to a result.

Only what keeps every value: x + 0, x * 1, x ** 2 = x * x, two transpositions that undo each other.
(One exception, as in TensorFlow: -0.0 + 0.0 becomes -0.0.) A rule gets the graph and an operation,
and gives the tensor that can be taken instead of its output, or None.
TensorFlow: core/grappler/optimizers/arithmetic_optimizer.cc, and constant_folding.cc.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import registry
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.optimise.folding import constant_of
from tinytf.runtime.optimise.step_graph import Change, StepGraph

PASS = "arithmetic"

Rule = Callable[[StepGraph, Operation], Tensor | None]


def simplify(graph: StepGraph, op: Operation) -> bool:
    """Let others take an input of `op` instead of its output, or make it a cheaper operation."""
    rule = _RULES.get(op.type)
    if rule is None or not graph.is_pure(op):
        return False
    same = rule(graph, op)
    if same is None or op in graph.kept:
        return False
    waits = _waits_besides(op, same)
    if (op._controls or waits) and graph.feeds_control_flow(op):
        return False
    if graph.is_memory(same) and not (op.type in _ONE_INPUT and graph.is_memory(op.outputs[0])):
        # x + 0 is the value that x has now; x itself would be read later. And who takes a Reshape
        # waits for its shape, too.
        return False
    graph.wait_for(op, waits)
    graph.replace(op, [same], PASS, f"gives back {same.name}")
    return True


#: They pass on what they get, and wait for nothing else but their control inputs.
_ONE_INPUT = frozenset({"Identity", "StopGradient"})


def _waits_besides(op: Operation, same: Tensor) -> list[Operation]:
    """What an operation waits for besides the tensor that it gives back, by its other inputs."""
    waits: list[Operation] = []
    for tensor in op._inputs:
        source = tensor.op
        if tensor is same:
            continue
        if source.type == "Const":
            waits.extend(source._controls)
        elif same in source._inputs:  # it is undone
            waits.extend(source._controls)
            waits.extend(_waits_besides(source, same))
        else:
            waits.append(source)
    return waits


def _constant(graph: StepGraph, tensor: Tensor) -> np.ndarray | None:
    return None if tensor in graph.fed else constant_of(tensor)


def _producer(graph: StepGraph, tensor: Tensor, *types: str) -> Operation | None:
    """The operation that makes a tensor, if it is of one of these types."""
    return tensor.op if tensor not in graph.fed and tensor.op.type in types else None


def _passes_on(graph: StepGraph, op: Operation) -> Tensor | None:
    tensor = op._inputs[0]
    # Branches of a cond hang their control edges on Identities of a Switch.
    return None if _producer(graph, tensor, "Switch", "RefSwitch") else tensor


def _neutral(value: int, *sides: int) -> Rule:
    """The other side, if the constant on one of these sides changes nothing."""

    def rule(graph: StepGraph, op: Operation) -> Tensor | None:
        for side in sides:
            number, other = _constant(graph, op._inputs[side]), op._inputs[1 - side]
            if number is not None and _keeps_shape(number, other, op) and np.all(number == value):
                return other
        return None

    return rule


def _keeps_shape(number: np.ndarray, other: Tensor, op: Operation) -> bool:
    if op.outputs[0].dtype != other.dtype or other.shape.sizes is None:
        return False
    skipped = len(other.shape.sizes) - number.ndim
    sizes = zip(number.shape, other.shape.sizes[max(skipped, 0) :])
    return skipped >= 0 and all(own in (1, size) for own, size in sizes)


def _undoes(graph: StepGraph, op: Operation) -> Tensor | None:
    """What is applied twice gives back what it was given."""
    inner = _producer(graph, op._inputs[0], op.type)
    return None if inner is None else inner._inputs[0]


def _power(graph: StepGraph, op: Operation) -> Tensor | None:
    exponent = _constant(graph, op._inputs[1])
    if exponent is None or exponent.ndim or op.outputs[0].dtype.is_integer:
        return None
    if exponent == 1:
        return op._inputs[0]
    if exponent == 2:
        _become(graph, op, "Square", (op._inputs[0],), {"T": op.attrs["T"]})
    elif exponent == 0.5 and op.outputs[0].dtype.is_floating:
        _become(graph, op, "Sqrt", (op._inputs[0],), {"T": op.attrs["T"]})
    return None


def _reshape(graph: StepGraph, op: Operation) -> Tensor | None:
    tensor, shape = op._inputs[0], op.outputs[0].shape
    if shape.is_fully_defined() and tensor.shape.sizes == shape.sizes:
        return tensor
    inner = _producer(graph, tensor, "Reshape")
    if inner is not None and (
        graph.is_memory(inner._inputs[0]) or _waits_besides(inner, inner._inputs[0])
    ):
        return None
    if inner is not None and not inner._controls and inner in graph.maybe_dead:
        return None
    if inner is not None and not inner._controls:
        op._inputs = (inner._inputs[0], op._inputs[1])
        graph.changes.append(Change(PASS, op.name, f"takes the input of {inner.name}"))
    return None


def _transpose(graph: StepGraph, op: Operation) -> Tensor | None:
    order = _constant(graph, op._inputs[1])
    if order is None:
        return None
    if np.array_equal(order, np.arange(len(order))):
        return op._inputs[0]
    inner = _producer(graph, op._inputs[0], "Transpose")
    before = None if inner is None else _constant(graph, inner._inputs[1])
    if (
        inner is not None
        and before is not None
        and np.array_equal(before[order], np.arange(len(order)))
    ):
        return inner._inputs[0]
    return None


def _same_type(graph: StepGraph, op: Operation) -> Tensor | None:
    return op._inputs[0] if op._inputs[0].dtype == op.outputs[0].dtype else None


def _single(graph: StepGraph, op: Operation) -> Tensor | None:
    tensors = op._inputs if op.type == "AddN" else op._inputs[:-1]
    return tensors[0] if len(tensors) == 1 else None


def _no_axes(graph: StepGraph, op: Operation) -> Tensor | None:
    axes = _constant(graph, op._inputs[1])
    return op._inputs[0] if axes is not None and axes.size == 0 else None


def _all(value: int) -> Rule:
    """The second argument holds this number only: tiles of 1, a padding of 0."""

    def rule(graph: StepGraph, op: Operation) -> Tensor | None:
        numbers = _constant(graph, op._inputs[1])
        return op._inputs[0] if numbers is not None and np.all(numbers == value) else None

    return rule


def _become(
    graph: StepGraph, op: Operation, op_type: str, inputs: tuple[Tensor, ...], attrs: dict[str, Any]
) -> None:
    """Make an operation one of another type, in its place."""
    graph.changes.append(Change(PASS, op.name, f"{op.type} became {op_type}"))
    op.op_def, op._inputs, op.attrs = registry.op_defs.lookup(op_type), inputs, attrs


_RULES: dict[str, Rule] = {
    "Identity": _passes_on,
    "StopGradient": _passes_on,
    "Snapshot": _passes_on,
    "Add": _neutral(0, 0, 1),
    "AddV2": _neutral(0, 0, 1),
    "Sub": _neutral(0, 1),
    "Mul": _neutral(1, 0, 1),
    "RealDiv": _neutral(1, 1),
    "Div": _neutral(1, 1),
    "FloorDiv": _neutral(1, 1),
    "Pow": _power,
    "LogicalAnd": _neutral(1, 0, 1),
    "LogicalOr": _neutral(0, 0, 1),
    "BitwiseOr": _neutral(0, 0, 1),
    "BitwiseXor": _neutral(0, 0, 1),
    "Neg": _undoes,
    "LogicalNot": _undoes,
    "Conj": _undoes,
    "Invert": _undoes,
    "Reshape": _reshape,
    "Transpose": _transpose,
    "Cast": _same_type,
    "AddN": _single,
    "ConcatV2": _single,
    "Sum": _no_axes,
    "Mean": _no_axes,
    "Max": _no_axes,
    "Min": _no_axes,
    "Prod": _no_axes,
    "Tile": _all(1),
    "Pad": _all(0),
}
