"""Constant folding: what depends on constants alone is computed once, when the plan is made.

Also the shape, rank and size of a tensor whose static shape is known, and which axes a broadcast
adds where the static shapes settle it. TensorFlow: core/grappler/optimizers/constant_folding.cc.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import registry
from tinytf.framework.errors import OpError
from tinytf.framework.kernel_binding import bind
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.kernels.lookup import kernel_for
from tinytf.runtime.optimise.step_graph import Change, StepGraph

PASS = "constant folding"
#: A result larger than this and than what it is made of is computed in every step instead.
MAX_BYTES = 100 * 1024


def fold(graph: StepGraph, op: Operation) -> bool:
    """Turn `op` into a constant if its value is known; says whether it did."""
    if not graph.is_pure(op) or op.type == "Const":
        return False
    values = known_from_shapes(graph, op)
    if values is None:
        values = _computed(graph, op)
    if values is None:
        return False
    constants = [_constant(graph, op, i, value) for i, value in enumerate(values)]
    if len(constants) == 1:  # the node itself becomes the constant: it may be what is fetched
        op.op_def, op.attrs = constants[0].op_def, constants[0].attrs
        op._inputs, op._controls = (), constants[0]._controls
        graph.changes.append(Change(PASS, op.name, "became a constant"))
    elif op in graph.kept:
        return False
    else:
        for constant in constants:
            graph.add(constant, before=op)
        graph.replace(op, [c.outputs[0] for c in constants], PASS, "became constants")
    return True


def constant_of(tensor: Tensor) -> np.ndarray | None:
    """The value of a constant's output; None for every other tensor."""
    return tensor.op.attrs["value"] if tensor.op.op_def.name == "Const" else None


def _computed(graph: StepGraph, op: Operation) -> list[Any] | None:
    inputs = [constant_of(t) if t not in graph.fed else None for t in op._inputs]
    if any(value is None for value in inputs) or not op._inputs:
        return None
    kernel = kernel_for(op, "CPU")
    if kernel is None or kernel.blocking or kernel.wants_step:
        return None
    if registry.has_own_kernels(op.type):
        return None  # who wrote it wants to see it run, on the device where the node is
    if "resources" in kernel.bound_parameters:
        return None
    limit = max(MAX_BYTES, sum(value.nbytes for value in inputs if value is not None))
    if _size_in_bytes(op) > limit:  # not even tried: the branch it is in may never be taken
        return None
    try:
        with np.errstate(all="ignore"):
            result = bind(kernel, op)(*inputs)
    except (OpError, ValueError, TypeError, ArithmeticError, IndexError, MemoryError):
        return None  # whoever runs the operation will see the error
    values = [result] if op.op_def.single_output else list(result)
    return values if sum(np.asarray(v).nbytes for v in values) <= limit else None


def _size_in_bytes(op: Operation) -> int:
    """How large the outputs are at least, as far as static shapes say."""
    return sum((t.shape.num_elements() or 0) * t.dtype.size for t in op.outputs)


def known_from_shapes(graph: StepGraph, op: Operation) -> list[Any] | None:
    """The outputs, if static shapes alone decide them."""
    if any(map(_reads_variable, op._inputs)):
        return None  # whether the variable has a value has to be seen
    if op.type in ("Shape", "ShapeN"):
        if not all(t.shape.is_fully_defined() for t in op._inputs):
            return None
        kind = op.outputs[0].dtype.as_numpy_dtype
        return [np.array(t.shape.sizes, kind) for t in op._inputs]
    if op.type == "Rank" and op._inputs[0].shape.sizes is not None:
        return [np.int32(len(op._inputs[0].shape.sizes))]
    if op.type == "Size" and op._inputs[0].shape.is_fully_defined():
        return [op.outputs[0].dtype.as_numpy_dtype(op._inputs[0].shape.num_elements())]
    if op.type == "BroadcastGradientArgs":
        return _reduced_axes(graph, op)
    return None


def _reads_variable(tensor: Tensor) -> bool:
    op = tensor.op
    if op.type == "Identity":
        return op._inputs[0].dtype.is_ref
    return op.type == "ReadVariableOp" or tensor.dtype.is_ref


def _reduced_axes(graph: StepGraph, op: Operation) -> list[Any] | None:
    """Over which axes the gradients of both sides of a broadcast are summed.

    An axis that one side does not have, or has with size 1, is summed there, whatever size it has
    on the other side; equal sizes are not.
    """
    first, second = (_sizes(graph, t) for t in op._inputs)
    if first is None or second is None:
        return None
    rank = max(len(first), len(second))
    first = (1,) * (rank - len(first)) + first
    second = (1,) * (rank - len(second)) + second
    axes: tuple[list[int], list[int]] = ([], [])
    same_tensor = op._inputs[0] is op._inputs[1]
    for axis, (one, other) in enumerate(zip(first, second)):
        if one == 1 or other == 1:
            for side, size in zip(axes, (one, other)):
                if size == 1:
                    side.append(axis)
        elif (one is None or other is None) and not same_tensor:
            return None
    return [np.array(side, op.outputs[0].dtype.as_numpy_dtype) for side in axes]


def _sizes(graph: StepGraph, tensor: Tensor) -> tuple[int | None, ...] | None:
    """The sizes that a vector of a shape holds, as far as they are known."""
    value = None if tensor in graph.fed else constant_of(tensor)
    if value is not None:
        return tuple(value.tolist())
    if tensor not in graph.fed and tensor.op.type in ("Shape", "ShapeN"):
        return tensor.op._inputs[tensor.value_index].shape.sizes
    return None


def _constant(graph: StepGraph, op: Operation, index: int, value: Any) -> Operation:
    """A constant with the liveness of `op`: it waits for what `op` waited for.

    Not for inputs that are always there: a shape does not need the value.
    """
    kind = op.outputs[index].dtype
    array = np.array(value, kind.as_numpy_dtype)
    array.flags.writeable = False
    node = op._copy((), ())
    node.op_def = registry.op_defs.lookup("Const")
    node.attrs = {"dtype": kind, "value": array}
    if len(op.outputs) > 1:
        node.name = f"{op.name}/folded_{index}"
    node.outputs = [Tensor(node, 0, kind, op.outputs[index]._shape)]
    inputs = [t.op for t in op._inputs if t not in graph.fed and t.op in graph.maybe_dead]
    graph.wait_for(node, [*op._controls, *inputs])
    for needed in op._inputs:  # constants may be alive in one branch only
        if needed not in graph.fed:
            graph.wait_for(node, (c for c in needed.op._controls if needed.op.type == "Const"))
    if op in graph.maybe_dead:
        graph.maybe_dead.add(node)
    return node
