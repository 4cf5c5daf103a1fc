"""Gradients of functions.

The gradient of f, which takes x and returns y, is a function that takes x and the gradients of y,
and returns gradients of x. It is built inside the body of f, where the operations of f are: what a
loop has to remember for its gradient, it can only remember there. A plan takes from a body only
what its results need, so f itself stays as it was.

tf.gradients puts a SymbolicGradient node beside a call; the node names f, and a gradient is built
for it where it runs, as in TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.function_export import export_function
from tinytf.framework.function_library import Body, Function, called_function, resolve
from tinytf.framework.handle_data import handle_data
from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.framework.registry import op_defs
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.fill import zeros, zeros_like
from tinytf.ops.variables.state import variable_shape
from tinytf.protos import node_def_pb2


def gradient_of(function: Function) -> Function:
    """The gradient of a function: the one it was given, or one built now.

    Raises:
      LookupError: if an operation of the body has no gradient.
    """
    if function.gradient_name is not None:
        return function.library[function.gradient_name]
    if function.symbolic_gradient is None:
        with function.lock:
            if function.symbolic_gradient is None:
                try:
                    function.symbolic_gradient = _differentiate(function)
                except LookupError as error:
                    raise invalid(f"The gradient of function '{function.name}': {error}") from None
    return function.symbolic_gradient


def _differentiate(function: Function) -> Function:

    body = function.body
    graph = body.graph
    with graph.as_default(), graph.control_dependencies(None):
        dys = [_placeholder(graph, y) for y in body.outputs]
        pairs = [(y, dy) for y, dy in zip(body.outputs, dys, strict=True) if _is_trainable(y)]
        found: list[Any] = [None] * len(body.inputs)
        if pairs:
            ys, grad_ys = zip(*pairs, strict=True)
            found = ops.gradients_of(list(ys), body.inputs, list(grad_ys))
        dxs = [
            _zeros(x) if dx is None else convert_to_tensor(dx)
            for x, dx in zip(body.inputs, found, strict=True)
        ]
    inputs = [*body.inputs, *dys]
    needed = _needed([*(t.op for t in dxs), *body.targets])
    definition = export_function(f"{function.name}_grad", needed, inputs, dxs, hashed=True)
    return Function(definition, graph._functions, Body(graph, inputs, dxs, body.targets))


def _is_trainable(tensor: Tensor) -> bool:

    return ops.is_trainable(tensor)


def _placeholder(graph: Any, y: Tensor) -> Tensor:
    attrs = {"dtype": y.dtype.base_dtype, "shape": y.shape}
    return graph.create_op("Placeholder", [], name=f"{y.op.name}_grad", attrs=attrs).outputs[0]


def _zeros(x: Tensor) -> Tensor:
    """Zeros for an argument that no result depends on; for a handle, of the variable's value."""
    if x.dtype != dtypes.resource:
        return zeros_like(x)
    return zeros(variable_shape(x), value_dtype(x))


def value_dtype(x: Tensor) -> dtypes.DType:
    """The type of a tensor's gradient: its own; of a variable's handle, that of the variable."""
    if x.dtype != dtypes.resource:
        return x.dtype.base_dtype
    data = handle_data(x)
    if data is not None:
        return data.dtype
    readers = [op.attrs["dtype"] for op in x.consumers() if op.type == "ReadVariableOp"]
    return readers[0] if readers else dtypes.float32


def _needed(roots: Sequence[Operation]) -> list[Operation]:
    """All operations that `roots` depend on, in the order they were built."""
    found: set[Operation] = set()
    pending = list(roots)
    while pending:
        op = pending.pop()
        if op not in found:
            found.add(op)
            pending.extend(tensor.op for tensor in op.inputs)
            pending.extend(op.control_inputs)
    return sorted(found, key=lambda op: op._id)


# Calls --------------------------------------------------------------------------------------------


def gradient_of_call(op: Operation) -> Any:
    """The gradient function of a node that is a call, by type or attribute; None for others."""
    if op.type.endswith("PartitionedCall") or called_function(op) is not None:
        return call_gradient
    return None


def call_gradient(op: Operation, *dys: Any, function: Function | None = None) -> list[Any]:
    """Gradients of a call: a SymbolicGradient of its function.

    Args:
      function: what is called, if the node does not say.
    """
    if function is None:
        function = called_function(op) or resolve(op.graph, op.attrs["f"])
        # Equal functions are one, but each Defun may have a gradient of its own: the node knows.
        given = op.op_def.python_gradient or function.op_def.python_gradient
        if given is not None:
            results: list[Any] = given(op, *dys)
            return results
    call = node_def_pb2.NameAttrList(name=function.name)
    for key, value in op.node_def.attr.items():
        call.attr[key].CopyFrom(value)
    results = ops.symbolic_gradient(
        [*op.inputs, *_filled(op, dys)], Tout=[value_dtype(x) for x in op.inputs], f=call
    )
    return list(results)


def _filled(op: Operation, dys: Sequence[Any]) -> list[Any]:
    return [_zeros(y) if dy is None else dy for y, dy in zip(op.outputs, dys, strict=True)]


def branch_gradients(op: Operation, dys: Sequence[Any], attrs: Sequence[str]) -> list[Any]:
    """Gradients of an If or Case: the same op, on the gradients of its branches.

    Each of those computes its branch again: nothing is kept between the two.
    """
    derivatives: dict[str, Any] = {}
    for attr in attrs:
        value = op.attrs[attr]
        calls = [_derivative(op, call) for call in (value if isinstance(value, tuple) else [value])]
        derivatives[attr] = calls if isinstance(value, tuple) else calls[0]
    inputs = list(op.inputs[1:])
    results = OpCard(op_defs.lookup(op.type))(
        op.inputs[0],
        [*inputs, *_filled(op, dys)],
        Tout=[value_dtype(x) for x in inputs],
        output_shapes=[x.shape for x in inputs],
        **derivatives,
    )
    return [None, *results]


def _derivative(op: Operation, call: node_def_pb2.NameAttrList) -> node_def_pb2.NameAttrList:
    derivative = gradient_of(resolve(op.graph, call))
    op.graph._add_function(derivative)
    return node_def_pb2.NameAttrList(name=derivative.name)
