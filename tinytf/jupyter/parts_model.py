"""The parts of a step out of its partition graphs: what each task runs, and what travels.

The graphs are those of `RunMetadata.partition_graphs`, of our masters or of a real TensorFlow's. A
tensor that is needed elsewhere leaves its part by a Send and arrives in another by a Recv; both
have its name and the two devices, which is how they find each other.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.dtypes import as_dtype, float32
from tinytf.framework.rendezvous import tensor_of_edge
from tinytf.jupyter.picture import short_device

SENDS = frozenset({"_Send", "_HostSend"})
RECVS = frozenset({"_Recv", "_HostRecv"})
_ARGUMENT = re.compile(r"_arg_(?:feed_)?(.*?)(?:/_recv/_\d+)?(?:_\d+)?_\d+\Z")
#: Names of constants that masters make for signals: ours, and TensorFlow's.
_MADE = re.compile(r"/(?:_|ctrl_)")
_RESULT = re.compile(r"_retval_(.*)_\d+_\d+\Z")
_MOVED = re.compile(r"\[(\d+)B\] (?:\[[\d.]+Mb/s\] )?(.*) from (\S+) to (\S+)\Z")

#: (name of the edge, from which device, to which device)
Key = tuple[str, str, str]


@dataclass(slots=True, eq=False)
class PartNode:
    """A node of a part.

    Attributes:
      name: as in the graph. title: for people: "Send v/read to worker:0", "Feed x".
      op: its type. task, device: "worker:0" and "cpu:0".
      inputs: (name of the node, whether it is a control input).
      role: "" for what the client built; "Send", "Recv", "Feed", "Fetch", "Signal".
    """

    name: str
    title: str
    op: str
    task: str
    device: str
    inputs: list[tuple[str, bool]]
    role: str = ""


@dataclass(slots=True, eq=False)
class Transfer:
    """A tensor, or the news that something has run, that goes from one part to another.

    Attributes:
      name: of the tensor, "v/read"; of a signal, of what has run.
      source, target: tasks; with the device, inside one task.
      send, recv: the names of the two nodes.
      dtype: its name, "float32". is_signal: whether it is only news.
      size: bytes of one run of the step, all iterations together; None: unknown.
      runs: how often it went; 0 if it is not known.
    """

    name: str
    source: str
    target: str
    send: str
    recv: str
    dtype: str
    is_signal: bool
    size: int | None = None
    runs: int = 0

    @property
    def short_size(self) -> int | None:
        """The bytes if float32 travelled as 16 bits: its upper half, bfloat16."""
        if self.size is None or self.dtype != float32.name:
            return self.size
        return self.size // 2


@dataclass(slots=True, eq=False)
class Model:
    """The parts of a step: `nodes` by name, in the order of tasks, and what travels."""

    nodes: dict[str, PartNode]
    transfers: list[Transfer]
    tasks: list[str]
    signals: set[str] = field(default_factory=set)

    def before(self) -> tuple[list[PartNode], list[tuple[str, str, bool]]]:
        """The nodes as they were before they were cut apart, and (source, target, is control)."""
        arrives = {t.recv: t for t in self.transfers}
        gone = {t.send for t in self.transfers} | set(arrives) | self.signals
        edges: dict[tuple[str, str, bool], None] = {}

        def sources(name: str, is_control: bool) -> Iterable[tuple[str, bool]]:
            transfer = arrives.get(name)
            if transfer is None and name not in self.signals:
                yield name, is_control
                return
            behind = self.nodes[name if transfer is None else transfer.send].inputs
            for source, control in behind:
                yield from sources(source, is_control or control)

        kept = [node for node in self.nodes.values() if node.name not in gone]
        for node in kept:
            for name, is_control in node.inputs:
                for source, control in sources(name, is_control):
                    edges[source, node.name, control] = None
        return kept, list(edges)


def task_of(device: str) -> str:
    """The task of a device: "worker:0"; "this program" for a device without one."""
    place = short_device(device).rpartition(" ")[0]
    return place if place and place != "localhost:0" else "this program"


def read_parts(graphs: Iterable[Any], stats: Any = None, shapes: Any = None) -> Model:
    """Put the parts of a step together.

    Args:
      graphs: `GraphDef`s, as in `RunMetadata.partition_graphs`.
      stats: the step's `StepStats`: what was moved. shapes: the client's graph: for tensors whose
        bytes the trace does not tell, what their static shapes say.
    """
    definitions = [node for graph in graphs for node in graph.node]
    found = {node.name: _node(node) for node in definitions}
    tasks = sorted({node.task for node in found.values()})
    nodes = {name: node for task in tasks for name, node in found.items() if node.task == task}
    transfers = _transfers(definitions, nodes)
    moved = _moved(stats, {t.recv: key for key, t in transfers.items()})
    for key, transfer in transfers.items():
        if key in moved:
            transfer.runs, transfer.size = moved[key]
        elif transfer.is_signal:
            transfer.size = 0
        else:
            transfer.size = _static_size(shapes, transfer.name)
    model = Model(nodes, list(transfers.values()), tasks)
    model.transfers.sort(key=lambda t: (t.source, t.target, t.name))
    for transfer in model.transfers:
        made = nodes[transfer.send].inputs[:1] if transfer.is_signal else ()
        for name, _ in made:  # a Send takes a value, so the master has made an empty one
            nodes[name].role, nodes[name].title = "Signal", f"Const that says {transfer.name} ran"
            model.signals.add(name)
        if transfer.is_signal:
            what = f"signal of {transfer.name}"
            nodes[transfer.send].title = f"Send {what} to {transfer.target}"
            nodes[transfer.recv].title = f"Recv {what} from {transfer.source}"
    return model


def _transfers(definitions: Iterable[Any], nodes: Mapping[str, PartNode]) -> dict[Key, Transfer]:
    sends: dict[Key, Any] = {}
    recvs: dict[Key, Any] = {}
    by_name = {node.name: node for node in definitions}
    for node in by_name.values():
        if node.op in SENDS and nodes[node.name].role == "Send":
            sends[_key(node)] = node
        elif node.op in RECVS and nodes[node.name].role == "Recv":
            recvs[_key(node)] = node
    found = {}
    for key in sends.keys() & recvs.keys():
        send, recv = sends[key], recvs[key]
        name, source, target = tensor_of_edge(key[0]), *_ends(key[1], key[2])
        what = by_name.get(nodes[send.name].inputs[0][0]) if send.input else None
        is_signal = name.startswith("^") or (
            what is not None
            and what.op == "Const"
            and _MADE.search(what.name)
            and any(one.startswith("^") for one in what.input)
        )
        ends = source, target, send.name, recv.name
        kind = as_dtype(recv.attr["tensor_type"].type).base_dtype.name
        found[key] = Transfer(name.removeprefix("^"), *ends, kind, bool(is_signal))
    return found


def _node(node: Any) -> PartNode:
    place = short_device(node.device)
    title, role = node.name, ""
    if node.op in SENDS | RECVS:
        edge, sender, receiver = _key(node)
        name = tensor_of_edge(edge).removesuffix(":0")
        source, target = _ends(sender, receiver)
        if node.attr["client_terminated"].b:
            role = "Fetch" if node.op in SENDS else "Feed"
            title = f"{role} {name}"
        else:
            role = "Send" if node.op in SENDS else "Recv"
            what = f"signal of {name[1:]}" if name.startswith("^") else name
            title = f"Send {what} to {target}" if role == "Send" else f"Recv {what} from {source}"
    elif node.op in ("_Arg", "_Retval"):
        role = "Feed" if node.op == "_Arg" else "Fetch"
        match = (_ARGUMENT if node.op == "_Arg" else _RESULT).match(node.name)
        title = f"{role} {match[1] if match else node.name}"
    inputs = [
        (text[1:], True) if text.startswith("^") else (text.partition(":")[0], False)
        for text in node.input
    ]
    device = place.rpartition(" ")[2]
    return PartNode(node.name, title, node.op, task_of(node.device), device, inputs, role)


def _key(node: Any) -> Key:
    attr = node.attr
    return (
        attr["tensor_name"].s.decode(),
        attr["send_device"].s.decode(),
        attr["recv_device"].s.decode(),
    )


def _ends(source: str, target: str) -> tuple[str, str]:
    """Where something comes from and goes to: tasks, or devices inside of one."""
    if task_of(source) == task_of(target) and source != target:
        return short_device(source), short_device(target)
    return task_of(source), task_of(target)


def _moved(stats: Any, receivers: Mapping[str, Key]) -> dict[Key, tuple[int, int]]:
    """Of each edge, how often something went along it, and bytes in all, as far as traced."""
    told: dict[Key, list[int]] = defaultdict(list)
    made: dict[Key, list[int]] = defaultdict(list)
    for device in getattr(stats, "dev_stats", ()):
        for node in device.node_stats:
            match = _MOVED.match(node.timeline_label)
            if match is not None:
                told[match[2], match[3], match[4]].append(int(match[1]))
            elif node.node_name in receivers and node.output:
                sizes = (
                    output.tensor_description.allocation_description.requested_bytes
                    for output in node.output
                )
                made[receivers[node.node_name]].append(sum(sizes))
    return {key: (len(sizes), sum(sizes)) for key, sizes in {**made, **told}.items()}


def _static_size(graph: Any, name: str) -> int | None:
    """The bytes of a tensor of the client's graph, if its shape is known."""
    if graph is None:
        return None
    try:
        tensor = graph.get_tensor_by_name(name if ":" in name else f"{name}:0")
    except (KeyError, ValueError):  # the master's own, such as a folded constant
        return None
    count, size = tensor.shape.num_elements(), tensor.dtype.base_dtype.size
    return None if count is None or not size else int(count) * int(size)
