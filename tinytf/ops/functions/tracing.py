"""Python functions traced into functions of the graph, as `tf.function` and tf.data trace them.

`Defun` is TensorFlow 1's older way; tf.data has used this one since 1.15. It differs in what the
graph shows: arguments are called "args_0", "args_1" ..., what is used from outside keeps its name,
results pass through Identity nodes, and operations with effects run one after the other in the
order in which they were written (automatic control dependencies).

Mirrors tensorflow/python/framework/func_graph.py and auto_control_deps.py.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.function_export import export_function
from tinytf.framework.function_graph import FuncGraph
from tinytf.framework.function_import import effects
from tinytf.framework.function_library import Body, Function
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.identity import identity
from tinytf.ops.control_flow.contexts import while_context_of
from tinytf.ops.control_flow.primitives import control_trigger, no_op
from tinytf.ops.functions.defun import VARIABLE_KEYS
from tinytf.ops.variables.current_scope import STORE_KEY, get_variable_scope
from tinytf.ops.variables.scope import variable_scope

#: Stateful operations that need not run, nor in any order.
_UNORDERED = frozenset(
    [
        "RandomUniform",
        "RandomUniformInt",
        "RandomStandardNormal",
        "ParameterizedTruncatedNormal",
        "TruncatedNormal",
        "RandomShuffle",
        "Multinomial",
        "RandomGamma",
        "RandomGammaGrad",
        "RandomPoisson",
        "RandomPoissonV2",
        "Placeholder",
        "PlaceholderV2",
        "SaveV2",
        "RestoreV2",
    ]
)
_READS = frozenset(["ReadVariableOp", "VariableShape", "ResourceGather", "ResourceGatherNd"])
#: Part of the names of traced functions: two graphs may be put together, and their functions.
_numbers = itertools.count(1)


class TracedGraph(FuncGraph):
    """The graph of a traced function: arguments that stand for outer tensors have their names."""

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        is_new = tensor.graph is not self and tensor not in self.captured
        found = super().capture(tensor, name or tensor.op.name)
        if is_new:
            found.op.attrs["_user_specified_name"] = tensor.op.name.encode()
        return found


@dataclass(slots=True)
class Traced:
    """A traced function.

    Attributes:
      function: the function of the graph. captured: the outer tensors it takes as last arguments.
    """

    function: Function
    captured: list[Tensor]


def trace(
    function: Callable[..., Sequence[Any]],
    arguments: Sequence[tuple[Any, Any]],
    name: str,
    graph: Graph,
    attrs: dict[str, Any] | None = None,
    add_to_graph: bool = True,
) -> Traced:
    """Run a Python function on placeholders, and make a function of `graph` of what it built.

    Args:
      function: takes one tensor for each argument, returns a list of tensors.
      arguments: dtype and shape of each. name: for the function's name in the graph.
      graph: gets the function if `add_to_graph`. attrs: attributes of the function.
    """
    body = TracedGraph(name)
    body.seed = graph.seed
    scope = get_variable_scope()
    for key in [*VARIABLE_KEYS, STORE_KEY]:  # variables that exist can be got
        body._collections[key] = graph.get_collection_ref(key)
    with body.as_default(), variable_scope(scope, auxiliary_name_scope=False):
        for index, (dtype, shape) in enumerate(arguments):
            argument = body.add_argument(dtype, shape, f"args_{index}")
            argument.op.attrs["_user_specified_name"] = f"args_{index}".encode()
        returned = [convert_to_tensor(value) for value in function(*body.inputs)]
        results = [identity(tensor) for tensor in returned]
        must_run = _order_effects(body.get_operations())
        if must_run and results:
            # Of a branch that is not taken, the results do not depend: no NoOp would run then.
            is_conditional = any(op._get_control_flow_context() is not None for op in must_run)
            gate = control_trigger() if is_conditional else no_op()
            gate._add_control_inputs(must_run)
            for result in results:
                result.op._add_control_inputs([gate])
    definition = export_function(
        f"__inference_{name}_{next(_numbers)}",
        body.get_operations(),
        body.inputs,
        results,
        attrs={**(attrs or {}), "_construction_context": b"kEagerRuntime"},
        controls=must_run,
    )
    ops = body.get_operations()
    traced = Function(
        definition, body._functions, Body(body, body.inputs, results, effects(ops, must_run))
    )
    if add_to_graph:
        graph._add_function(traced)
    return Traced(traced, list(body.captured))


def _order_effects(ops: Sequence[Operation]) -> list[Operation]:
    """Make operations with effects run in the order of `ops`; returns those that must run.

    Operations on one variable wait for what was done to it before, reads only for writes; those
    that use no variable wait for the one before them.
    """
    must_run: list[Operation] = []
    written: dict[Tensor, Operation] = {}
    reads: dict[Tensor, list[Operation]] = {}
    last: Operation | None = None
    for op in ops:
        if not op.op_def.is_stateful or op.type in _UNORDERED or while_context_of(op):
            continue
        is_read = op.type in _READS
        if not is_read or any(tensor.consumers() for tensor in op.outputs):
            must_run.append(op)
        handles = [t for t in dict.fromkeys(op.inputs) if t.dtype is dtypes.resource]
        before: list[Operation] = []
        for handle in handles:
            if handle in written:
                before.append(written[handle])
            if is_read:
                reads.setdefault(handle, []).append(op)
            else:
                before += reads.pop(handle, [])
                written[handle] = op
        if not handles and op._get_control_flow_context() is None:
            before += [last] if last is not None else []
            last = op
        op._add_control_inputs([one for one in before if one not in op.control_inputs])
    return must_run
