"""What the graph widget knows of every node: from a Graph, or from a GraphDef as it stands.

`nodes_of` reads operations, `nodes_of_graph_def` a GraphDef that cannot be imported (unknown
types, cycles): both give plain `Node`s that refer to each other by index. Nothing here decides what
is drawn.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework import attr_value, registry
from tinytf.framework.errors import OpError
from tinytf.framework.function_library import Function, functions_of
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter.picture import Form, built_at, form_of, short_device
from tinytf.jupyter.reprs import attr_text
from tinytf.protos import graph_pb2, node_def_pb2
from tinytf.runtime.frames import ENTER, EXIT, MERGE, NEXT_ITERATION

_LONGEST_VALUE = 22


@dataclass(slots=True)
class Node:
    """One node.

    Attributes:
      name, type, form: form is that of its outline. path: where it is in the tree of scopes, which
        differs from its name inside functions. function: the function it is in, "" for none.
      inputs: for each (index of the node, number of its output). controls: indexes of nodes.
      outputs: "float32 (?, 3)" for each; reference types end with "_ref".
      device: where it is or asks to be, short; "" for nowhere. asked: what was asked for, in full.
      attrs: names and values. value: of a small constant. line: what built it. note: "fed"...
      frame: the names of the loops that it is in, the outermost first.
      calls: the functions that it calls.
    """

    name: str
    type: str
    form: Form = Form.OPERATION
    inputs: list[tuple[int, int]] = field(default_factory=list)
    controls: list[int] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    device: str = ""
    asked: str = ""
    attrs: tuple[tuple[str, str], ...] = ()
    value: str = ""
    line: str = ""
    note: str = ""
    path: str = ""
    function: str = ""
    calls: tuple[str, ...] = ()
    frame: tuple[str, ...] = ()

    def edges(self) -> Iterable[tuple[int, int]]:
        """(source, its output) for each input, then (source, -1) for each control input."""
        yield from self.inputs
        for source in self.controls:
            yield source, -1


# --------------------------------------------------------------------------------- of operations


def nodes_of(
    ops: Sequence[Operation],
    fed: Collection[Tensor] = (),
    fetched: Collection[Operation] = (),
    places: Mapping[str, str] = {},
    running: Collection[Operation] | None = None,
) -> list[Node]:
    """The nodes of operations, and of the functions that they call.

    Args:
      ops: edges from other operations are left out.
      fed: tensors whose values are supplied; what only they need is not among `ops`.
      fetched: operations to mark.
      places: name -> where the operation is, short; without it, what it asks for is shown.
      running: which of them run; of others only the values that are fed for them matter.
    """
    nodes: list[Node] = []
    _add_operations(nodes, ops, "", places)
    by_name = {node.name: node for node in nodes}
    for op, node in zip(ops, nodes):
        if running is not None and op not in running:
            node.inputs, node.controls = [], []
    for tensor in fed:
        if tensor.op.name in by_name:
            by_name[tensor.op.name].note = "fed"
    for op in fetched:
        if op.name in by_name:
            by_name[op.name].note = "fetched"
    functions = _functions_below(ops)
    for name, function in functions.items():
        try:
            _add_operations(nodes, function.body.graph.get_operations(), name, {})
        except OpError as error:  # a definition that cannot be built: the reason is what there is
            path, note = f"{name}/{name}", error.message.partition("\n")[0]
            node = Node(name, "function", Form.CONTROL_FLOW, path=path, function=name, note=note)
            nodes.append(node)
    set_frames(nodes)
    return nodes


def _functions_below(ops: Iterable[Operation]) -> dict[str, Function]:
    found: dict[str, Function] = {}
    waiting = [function for op in ops for function in _called(op)]
    while waiting:
        function = waiting.pop(0)
        if function.name in found:
            continue
        found[function.name] = function
        try:
            inner = function.body.graph.get_operations()
        except OpError:
            continue  # `nodes_of` shows why
        waiting += [other for op in inner for other in _called(op)]
    return found


def _called(op: Operation) -> list[Function]:
    try:
        return list(functions_of(op))
    except OpError:  # a call of a function that is not there: the node's attributes name it
        return []


def _add_operations(
    nodes: list[Node], ops: Iterable[Operation], function: str, places: Mapping[str, str]
) -> None:
    ops = list(ops)
    index = {op: len(nodes) + number for number, op in enumerate(ops)}
    lines: dict[int, str] = {}  # operations that a line has built share their frames
    for op in ops:
        node = Node(op.name, op.type, form_of(op.type, op.attrs, op.op_def), function=function)
        node.path = f"{function}/{op.name}" if function else op.name
        node.inputs = [(index[t.op], t.value_index) for t in op.inputs if t.op in index]
        node.controls = [index[control] for control in op.control_inputs if control in index]
        node.outputs = [f"{t.dtype.name} {t.shape}" for t in op.outputs]
        node.asked = op.device
        node.device = places.get(op.name, short_device(op.device))
        node.attrs = tuple((name, attr_text(value)) for name, value in sorted(op.attrs.items()))
        if op.type == "Const":
            node.value = _small(attr_text(op.attrs["value"]))
        if id(op._frames) not in lines:
            lines[id(op._frames)] = _line_of(op)
        node.line = lines[id(op._frames)]
        node.calls = tuple(called.name for called in _called(op))
        nodes.append(node)


def _small(text: str) -> str:
    return text if len(text) <= _LONGEST_VALUE else ""


def _line_of(op: Operation) -> str:
    line = built_at(op)
    if line is None:
        return ""
    place = f"{line.file}, line {line.line}"
    if line.function != "<module>":
        place += f", in {line.function}"
    return f"{place}\n{line.text}" if line.text else place


# --------------------------------------------------------------------------------- of a GraphDef


def nodes_of_graph_def(graph_def: graph_pb2.GraphDef) -> tuple[list[Node], list[str]]:
    """The nodes of a GraphDef that cannot be imported, and what is wrong with it, in sentences."""
    nodes: list[Node] = []
    problems: list[str] = []
    _add_node_defs(nodes, graph_def.node, "", problems)
    for function in graph_def.library.function:
        _add_node_defs(nodes, function.node_def, function.signature.name, problems)
    set_frames(nodes)
    return nodes, problems


def _add_node_defs(
    nodes: list[Node], protos: Iterable[node_def_pb2.NodeDef], function: str, problems: list[str]
) -> None:
    protos = list(protos)
    index: dict[str, int] = {}
    missing: list[str] = []
    for number, proto in enumerate(protos):
        if proto.name in index:
            problems.append(f"Two nodes have the name '{proto.name}'.")
        index[proto.name] = len(nodes) + number
    for proto in protos:
        form = form_of(proto.op, proto.attr, registry.op_defs.get(proto.op))
        node = Node(proto.name, proto.op, form, function=function)
        node.path = f"{function}/{proto.name}" if function else proto.name
        for text in proto.input:
            name, _, rest = text.removeprefix("^").partition(":")
            if name not in index:
                # In the body of a function, what is no node is an argument.
                missing += [] if function else [f"'{text}' of '{proto.name}'"]
            elif text.startswith("^"):
                node.controls.append(index[name])
            else:
                number = rest.rpartition(":")[2]
                node.inputs.append((index[name], int(number) if number.isdecimal() else 0))
        node.asked = proto.device
        node.device = short_device(proto.device)
        attrs = {name: _value_of(value) for name, value in sorted(proto.attr.items())}
        node.attrs = tuple((name, attr_text(value)) for name, value in attrs.items())
        if proto.op == "Const" and "value" in attrs:
            node.value = _small(attr_text(attrs["value"]))
        nodes.append(node)
    if missing:
        listed = ", ".join(missing[:3]) + (" ..." if len(missing) > 3 else "")
        problems.append(f"Inputs that no node gives: {listed}.")
    _add_outputs(nodes)


def _value_of(proto: node_def_pb2.AttrValue) -> Any:
    try:
        return attr_value.from_proto(proto)
    except (ValueError, TypeError) as error:
        return f"(unreadable: {error})"


def _add_outputs(nodes: list[Node]) -> None:
    """As many outputs as are used: nothing is known of them."""
    for node in nodes:
        for source, number in node.inputs:
            outputs = nodes[source].outputs
            outputs += ["of unknown type"] * (min(number, 999) + 1 - len(outputs))


# ---------------------------------------------------------------------------------------- loops


def set_frames(nodes: list[Node]) -> None:
    """Say of every node which loops it is in, by the Enters and Exits before it.

    An Enter and an Exit count as in the loop. Where a graph contradicts itself, the first input
    decides: this is for drawings.
    """
    missing = [0] * len(nodes)
    targets: list[list[int]] = [[] for _ in nodes]
    for number, node in enumerate(nodes):
        for source, _ in node.edges():
            if node.type in MERGE and nodes[source].type in NEXT_ITERATION:
                continue
            missing[number] += 1
            targets[source].append(number)
    inside: list[tuple[str, ...] | None] = [None] * len(nodes)
    order = [number for number, count in enumerate(missing) if count == 0]
    for number in order:
        node, frame = nodes[number], inside[number] or ()
        name = dict(node.attrs).get("frame_name", "").removeprefix("b'").removesuffix("'")
        node.frame = (*frame, name) if node.type in ENTER else frame
        after = node.frame[:-1] if node.type in EXIT else node.frame
        for target in targets[number]:
            if inside[target] is None:
                inside[target] = after
            missing[target] -= 1
            if missing[target] == 0:
                order.append(target)
