"""What a drawing of operations shows: nodes with a shape and a label, edges with what flows there.

Between the graph and its SVG. A graph that is too big to draw node by node is drawn by its name
scopes: see `graph_view`.
"""

from __future__ import annotations

import enum
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tinytf.framework import call_site
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime.frames import CONTROL_FLOW, MERGE, NEXT_ITERATION

#: A drawing with more nodes is summarised: nobody reads it.
MOST_NODES = 60
_LONGEST_LABEL = 20


class Form(enum.StrEnum):
    """The kinds of node that are told apart by their outline."""

    OPERATION = "operation"
    CONSTANT = "constant"
    PLACEHOLDER = "placeholder"
    STATE = "state"
    SIDE_EFFECT = "side-effect"
    CONTROL_FLOW = "control-flow"
    SCOPE = "scope"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class PictureNode:
    """A node of the drawing.

    Attributes:
      key: unique; an operation's name, "feed of x:0", or a scope's name with "/".
      label: the first line: the name, shortened. kind: the second: the op type, or "".
      form: its outline. device: the third line, "" for none. title: shown on hover.
    """

    key: str
    label: str
    kind: str
    form: Form
    device: str
    title: str


@dataclass(frozen=True, slots=True)
class PictureEdge:
    """An edge of the drawing, between two nodes by index.

    Attributes:
      is_control: whether it carries no value. closes_loop: whether it leads back to a loop's Merge.
      crosses: whether it leads from one device to another.
      output: which output of the source it carries. carries: its type and shape, "float32 (?, 3)".
    """

    source: int
    target: int
    is_control: bool
    title: str
    closes_loop: bool = False
    crosses: bool = False
    output: int = 0
    carries: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A drawing without coordinates."""

    nodes: tuple[PictureNode, ...]
    edges: tuple[PictureEdge, ...]

    def forms(self) -> list[Form]:
        """Which forms occur, in the order of their definition."""
        present = {node.form for node in self.nodes}
        return [form for form in Form if form in present]


def feed_key(tensor: Tensor) -> str:
    """The key of the node that stands for a fed value."""
    return f"feed of {tensor.name}"


def picture_of(ops: Sequence[Operation], fed: Iterable[Tensor] = ()) -> Picture:
    """The picture of operations and the edges between them.

    Args:
      ops: what to draw; edges from other operations are left out.
      fed: tensors whose values are supplied: each is a node of its own.
    """
    nodes = [operation_node(op) for op in ops]
    place: dict[Operation | Tensor, int] = {op: n for n, op in enumerate(ops)}
    used = {tensor for op in ops for tensor in op.inputs}
    for tensor in fed:
        if tensor in used:
            place[tensor] = len(nodes)
            nodes.append(feed_node(tensor))
    edges = []
    for op in ops:
        for number, tensor in enumerate(op.inputs):
            source = place.get(tensor, place.get(tensor.op))
            if source is not None:
                title = f"{describe_tensor(tensor)}\ninput {number} of {op.name}"
                closes = op.type in MERGE and tensor.op.type in NEXT_ITERATION
                carried = tensor.value_index, f"{tensor.dtype.name} {tensor.shape}"
                edges.append(PictureEdge(source, place[op], False, title, closes, False, *carried))
        for control in op.control_inputs:
            if control in place:
                title = f"control edge: {op.name} runs after {control.name}"
                edges.append(PictureEdge(place[control], place[op], True, title))
    return Picture(tuple(nodes), tuple(edges))


# ---------------------------------------------------------------------------------------- words


def describe_tensor(tensor: Tensor) -> str:
    """A tensor in words: "add:0, float32, shape (?, 3)"."""
    return f"{tensor.name}, {tensor.dtype.name}, shape {tensor.shape}"


def built_at(op: Operation) -> call_site.Line | None:
    """The user's line that built an operation; None for imported graphs."""
    return call_site.user_line(op._frames)


def plural(count: int, noun: str) -> str:
    """A count with its noun: "1 op", "2 ops"."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def shorten(name: str) -> str:
    """A name that fits into a box: outer scopes give way first, then the middle."""
    if len(name) <= _LONGEST_LABEL:
        return name
    parts = name.rstrip("/").split("/")
    short = f"…/{parts[-1]}" if len(parts) > 1 else name
    if len(short) <= _LONGEST_LABEL:
        return short
    return f"{short[: _LONGEST_LABEL - 8]}…{short[-7:]}"


def short_device(device: str) -> str:
    """A device in few letters: "/job:ps/task:1/device:GPU:0" is "ps:1 gpu:0"."""
    parts = dict(
        part.partition(":")[::2] for part in device.replace("/device:", "/").split("/") if part
    )
    parts.pop("replica", None)
    job, task = parts.pop("job", ""), parts.pop("task", "")
    place = [f"{job or 'task'}:{task}" if task else job] if job or task else []
    return " ".join([*place, *(f"{kind.lower()}:{number}" for kind, number in parts.items())])


def form_of(op_type: str, attrs: Container[str], op_def: Any) -> Form:
    """The outline of an operation of this type; `op_def` is None for one that is not known."""
    if op_type == "Const":
        return Form.CONSTANT
    if op_type.startswith("Placeholder"):
        return Form.PLACEHOLDER
    if op_type in CONTROL_FLOW:
        return Form.CONTROL_FLOW
    if "container" in attrs:  # variables, queues, readers: they own what outlives a step
        return Form.STATE
    return Form.SIDE_EFFECT if op_def is not None and op_def.is_stateful else Form.OPERATION


def operation_node(op: Operation) -> PictureNode:
    """How an operation is drawn."""
    label = shorten(op.name)
    lines = [f"{op.name} ({op.type})"]
    if op.inputs:
        lines.append("takes " + ", ".join(t.name for t in op.inputs))
    lines += [f"gives {describe_tensor(tensor)}" for tensor in op.outputs]
    if op.device:
        lines.append(f"asks for device {op.device}")
    line = built_at(op)
    if line is not None:
        lines.append(f"built in {line.file}, line {line.line}")
    kind, form = "" if label == op.type else op.type, form_of(op.type, op.attrs, op.op_def)
    return PictureNode(op.name, label, kind, form, short_device(op.device), "\n".join(lines))


def feed_node(tensor: Tensor) -> PictureNode:
    """How a fed value is drawn."""
    title = f"the value fed for {describe_tensor(tensor)}"
    label = shorten(tensor.op.name if tensor.value_index == 0 else tensor.name)
    return PictureNode(feed_key(tensor), label, "fed", Form.PLACEHOLDER, "", title)
