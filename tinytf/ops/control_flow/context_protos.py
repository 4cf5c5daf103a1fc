"""Control flow contexts as messages, so that the loops of an imported graph have gradients.

A GraphDef holds the nodes of a loop but not that they are one; a MetaGraphDef also has the
contexts that `tf.cond` and `tf.while_loop` built them in. Mirrors `to_proto` and `from_proto` of
tensorflow/python/ops/control_flow_ops.py.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.collection_protos import prepend_scope, strip_scope
from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.control_flow.cond import CondContext
from tinytf.ops.control_flow.contexts import ControlFlowContext
from tinytf.ops.control_flow.primitives import ENTERS
from tinytf.ops.control_flow.while_context import WhileContext
from tinytf.protos import meta_graph_pb2

# Out ----------------------------------------------------------------------------------------------


def cond_to_proto(context: CondContext, export_scope: str | None = None) -> Any:
    """A branch as a `CondContextDef`; None if it is outside `export_scope`."""
    return _to_proto(context, export_scope)


def while_to_proto(context: WhileContext, export_scope: str | None = None) -> Any:
    """A loop as a `WhileContextDef`; None if it is outside `export_scope`."""
    return _to_proto(context, export_scope)


def _to_proto(context: Any, scope: str | None) -> Any:
    if scope and not context.name.startswith(scope):
        return None
    return _Writer(context.graph, scope).write(context)


class _Writer:
    """Writes contexts of one graph, without the names' `scope`."""

    def __init__(self, graph: Graph, scope: str | None):
        self._scope = scope
        self._nested = _nested_contexts(graph)

    def write(self, context: Any) -> Any:
        """The message of a context, with those inside of it."""
        if context.is_while_context():
            message = self._write_loop(context)
        else:
            message = meta_graph_pb2.CondContextDef(
                pred_name=self._name(context.pred),
                pivot_name=self._name(context.pivot),
                branch=context.branch,
            )
        message.context_name = strip_scope(context.name, self._scope)
        message.values_def.SetInParent()
        message.values_def.values.extend(sorted(map(self._name, context._values)))
        for outside, inside in context._inside.items():
            message.values_def.external_values[self._name(outside)] = self._name(inside)
        for inner in self._nested.get(context, ()):
            nested = message.nested_contexts.add()
            field = nested.while_ctxt if inner.is_while_context() else nested.cond_ctxt
            field.CopyFrom(self.write(inner))
        return message

    def _write_loop(self, context: WhileContext) -> Any:
        message = meta_graph_pb2.WhileContextDef(
            parallel_iterations=context.parallel_iterations,
            back_prop=context.back_prop,
            swap_memory=context.swap_memory,
            pivot_name=self._name(context.pivot),
            pivot_for_pred_name=self._name(context.pivot_for_pred),
            pivot_for_body_name=self._name(context.pivot_for_body),
            loop_exit_names=map(self._name, context.loop_exits),
            loop_enter_names=map(self._name, context.loop_enters),
        )
        if context.maximum_iterations is not None:
            message.maximum_iterations_name = self._name(context.maximum_iterations)
        return message

    def _name(self, tensor: Any) -> str:
        return strip_scope(tensor.name, self._scope)


def _nested_contexts(graph: Graph) -> dict[Any, list[Any]]:
    """Context -> those directly inside of it, in the order they were built."""
    nested: dict[Any, dict[Any, None]] = {}
    seen = set()
    for op in graph.get_operations():
        context = op._control_flow_context
        while context is not None and context not in seen:
            seen.add(context)
            if context.outer is not None:
                nested.setdefault(context.outer, {})[context] = None
            context = context.outer
    return {context: list(inner) for context, inner in nested.items()}


# In -----------------------------------------------------------------------------------------------


def cond_from_proto(message: Any, import_scope: str | None = None) -> CondContext:
    """The branch that a `CondContextDef` describes, of nodes that are in the default graph.

    Raises:
      KeyError: if one of them is not. ValueError: if a name is malformed.
    """
    look = _Reader(import_scope)
    name = prepend_scope(message.context_name, import_scope)
    context = CondContext(
        look.tensor(message.pred_name), look.tensor(message.pivot_name), message.branch, name
    )
    look.fill(context, name, message)
    return context


def while_from_proto(message: Any, import_scope: str | None = None) -> WhileContext:
    """The loop that a `WhileContextDef` describes; errors as `cond_from_proto`."""
    look = _Reader(import_scope)
    name = prepend_scope(message.context_name, import_scope)
    limit = message.maximum_iterations_name
    context = WhileContext(
        get_default_graph(),
        look.tensor(limit) if limit else None,
        message.parallel_iterations,
        message.back_prop,
        message.swap_memory,
        name,
    )
    context.pivot = look.tensor(message.pivot_name)
    context.pivot_for_pred = look.tensor(message.pivot_for_pred_name)
    context.pivot_for_body = look.tensor(message.pivot_for_body_name)
    context.loop_enters = list(map(look.tensor, message.loop_enter_names))
    context.loop_exits = list(map(look.tensor, message.loop_exit_names))
    look.fill(context, name, message)
    return context


class _Reader:
    """Finds what a message names in the default graph."""

    def __init__(self, scope: str | None):
        self._graph = get_default_graph()
        self._scope = scope

    def tensor(self, name: str) -> Tensor:
        """The tensor; KeyError if there is none."""
        return self._graph.get_tensor_by_name(prepend_scope(name, self._scope))

    def fill(self, context: ControlFlowContext, name: str, message: Any) -> None:
        """Take over the values and the contexts inside; nodes learn that they are in it."""
        context.name = name  # a loop's is the name of its frame, whoever else has it
        values = message.values_def
        context._values.update(map(self.tensor, values.values))
        foreign = set(values.external_values)
        for outside, inside in values.external_values.items():
            if self._is_here(outside):
                context._inside[self.tensor(outside)] = self.tensor(inside)
        for op in {self.tensor(value).op for value in values.values if value not in foreign}:
            op._set_control_flow_context(context)
            if op.type in ENTERS and self._scope:  # importing nodes alone renames no frames
                op._set_attr("frame_name", name.encode())
        with context.entered():
            for nested in message.nested_contexts:
                if nested.HasField("while_ctxt"):
                    while_from_proto(nested.while_ctxt, self._scope)
                else:
                    cond_from_proto(nested.cond_ctxt, self._scope)

    def _is_here(self, name: str) -> bool:
        """Whether the graph has it: an exported scope knows values from around it by name only."""
        operation = prepend_scope(name, self._scope).partition(":")[0]
        return operation in self._graph._by_name
