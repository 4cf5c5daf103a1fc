"""The drawings of a step's parts: as one graph before it is cut, and in a room for each task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.devices.asking import readable
from tinytf.jupyter import svg
from tinytf.jupyter.parts_model import Model, PartNode, Transfer
from tinytf.jupyter.picture import Form, Picture, PictureEdge, PictureNode, plural, shorten
from tinytf.jupyter.placed_picture import by_scope, draw_rooms
from tinytf.runtime.frames import CONTROL_FLOW, MERGE, NEXT_ITERATION

#: With more nodes, those of a scope are drawn as one.
MOST_NODES = 40
_STYLES = (*svg.STYLES, "rooms.css")
_STATE = ("Variable", "VarHandleOp", "FIFOQueue", "RandomShuffleQueue", "HashTable")


class PartsPicture:
    """Drawings of parts.

    Attributes:
      members: the nodes that a node of the drawings stands for, by its key.
      cut: what is gathered, in a sentence; "" for nothing.
    """

    def __init__(self, model: Model):
        self.model = model
        self._key_of = self._keys()
        self.members: dict[str, list[PartNode]] = {}
        for node in model.nodes.values():
            self.members.setdefault(self._key_of[node.name], []).append(node)
        gathered = [name for name, nodes in self.members.items() if len(nodes) > 1]
        self.cut = "The operations of a name scope are drawn as one." if gathered else ""

    def _keys(self) -> dict[str, str]:
        nodes = self.model.nodes
        if len(nodes) <= MOST_NODES:
            return {name: name for name in nodes}
        plain = [node for node in nodes.values() if not node.role]
        named: Any = [_Named(node.name, node.op) for node in plain]
        scope: Callable[..., str] = by_scope(named)
        keys = {n.name: f"{scope(_Named(n.name, n.op))} in {n.task}" for n in plain}
        gathered = Counter(keys.values())
        keys = {name: key if gathered[key] > 1 else name for name, key in keys.items()}
        for transfer in self.model.transfers:  # those of one origin to one task are one
            origin = nodes[transfer.send].inputs[0][0] if nodes[transfer.send].inputs else ""
            route = f"{keys.get(origin, origin)}: to {transfer.target}"
            keys[transfer.send], keys[transfer.recv] = f"Send {route}", f"Recv {route}"
        return {name: keys.get(name, name) for name in nodes}

    def picture_node(self, key: str, device: str = "", kind: str = "") -> PictureNode:
        """How one or several nodes are drawn."""
        members = self.members[key]
        first = members[0]
        title = "\n".join(f"{node.title} ({node.op})" for node in members[:12])
        if len(members) == 1:
            label = first.title if first.role else shorten(first.name)
            words = kind or ("" if first.role == "Signal" else first.op)
            if first.role in ("Send", "Recv"):
                label, words = _where(first)
            return PictureNode(key, _fit(label), words, _form(first), device, title)
        if first.role in ("Send", "Recv"):
            label = f"{first.role} {plural(len(members), 'tensor')}"
            return PictureNode(key, label, _where(first)[1], _form(first), device, title)
        name = key.rpartition(" in ")[0]
        kind = plural(len(members), "operation")
        return PictureNode(key, shorten(name), kind, Form.SCOPE, device, title)

    def before(self, label: str, styled: bool = True) -> str:
        """One graph; edges that will be cut are thick, and each node says its task."""
        kept, edges = self.model.before()
        keys = list(dict.fromkeys(self._key_of[node.name] for node in kept))
        place = {key: number for number, key in enumerate(keys)}
        drawn: dict[tuple[int, int, bool], PictureEdge] = {}
        for source, target, is_control in edges:
            a, b = self.model.nodes[source], self.model.nodes[target]
            edge = (place[self._key_of[source]], place[self._key_of[target]], is_control)
            if edge[0] != edge[1]:
                crosses = a.task != b.task
                title = f"{source} to {target}" + (f": {a.task} to {b.task}" if crosses else "")
                drawn.setdefault(edge, PictureEdge(*edge, title, _closes(a, b), crosses))
        nodes = [self.picture_node(key, device=self.members[key][0].task) for key in keys]
        picture = Picture(tuple(nodes), tuple(drawn.values()))
        return svg.draw(picture, label, None, _STYLES if styled else ())

    def after(self, label: str, *, is_short: bool = False, styled: bool = True) -> str:
        """A room for each task, Send and Recv drawn; `is_short`: bytes as 16-bit transfers."""
        keys = list(self.members)
        place = {key: number for number, key in enumerate(keys)}
        edges: dict[tuple[int, int, bool], PictureEdge] = {}
        for node in self.model.nodes.values():
            for name, is_control in node.inputs:
                source = self.model.nodes.get(name)
                if source is None:
                    continue
                edge = place[self._key_of[name]], place[self._key_of[node.name]], is_control
                if edge[0] != edge[1]:
                    title = f"{source.title} to {node.title}"
                    edges.setdefault(edge, PictureEdge(*edge, title, _closes(source, node)))
        cargo: dict[tuple[int, int, bool], list[Transfer]] = {}
        for one in self.model.transfers:
            ends = place[self._key_of[one.send]], place[self._key_of[one.recv]]
            cargo.setdefault((*ends, False), []).append(one)
        labels = {}
        for (sender, target, _), moved in cargo.items():
            signal = all(one.is_signal for one in moved)
            edge, title = (sender, target, signal), "\n".join(map(route_text, moved[:12]))
            edges[edge] = PictureEdge(*edge, title, crosses=True)
            if self.members[keys[sender]][0].task != self.members[keys[target]][0].task:
                labels[edge] = "signal" if signal else bytes_text(moved, is_short)
        rooms = [self.members[key][0].task for key in keys]
        held = Counter(node.task for node in self.model.nodes.values())
        return draw_rooms(
            [self.picture_node(key, kind=self._device_note(key)) for key in keys],
            edges,
            labels,
            rooms,
            {task: (task, held[task]) for task in self.model.tasks},
            label,
            styles=_STYLES if styled else (),
        )

    def _device_note(self, key: str) -> str:
        """The type with the device, where a task has several devices."""
        first = self.members[key][0]
        devices = {n.device for n in self.model.nodes.values() if n.task == first.task}
        several = len(devices) > 1 and not first.role and len(self.members[key]) == 1
        return f"{first.op} on {first.device}" if several else ""


class _Named:
    """What name scopes are found by."""

    def __init__(self, name: str, kind: str):
        self.name, self.type = name, kind


def _where(node: PartNode) -> tuple[str, str]:
    """What is sent or received, and the other end: ("Send w/read", "to worker:0")."""
    what, word, where = node.title.rpartition(" to " if node.role == "Send" else " from ")
    return what, f"{word.strip()} {where}"


def _fit(label: str) -> str:
    return label if len(label) <= 34 else f"{label[:18]}…{label[-15:]}"


def _form(node: PartNode) -> Form:
    if node.role in ("Send", "Recv"):
        return Form.COPY
    if node.role == "Fetch":
        return Form.SIDE_EFFECT
    if node.role == "Feed" or node.op.startswith("Placeholder"):
        return Form.PLACEHOLDER
    if node.op == "Const":
        return Form.CONSTANT
    if node.op in CONTROL_FLOW:
        return Form.CONTROL_FLOW
    return Form.STATE if node.op.startswith(_STATE) else Form.OPERATION


def _closes(source: PartNode, target: PartNode) -> bool:
    return target.op in MERGE and source.op in NEXT_ITERATION


def bytes_text(transfers: Sequence[Transfer], is_short: bool = False) -> str:
    """The bytes of what travels, as far as they are known: "8 bytes", "4 bytes (16-bit)"."""
    real = [one for one in transfers if not one.is_signal]
    sizes = [one.short_size if is_short else one.size for one in real]
    known = [size for size in sizes if size is not None]
    total = readable(sum(known)) if known or not real else "?"
    text = total if len(known) == len(sizes) or not known else f"{total} + ?"
    cut = is_short and any(one.short_size != one.size for one in real)
    return f"{text} (16-bit)" if cut else text


def short_text(one: Transfer) -> str:
    """The bytes of a 16-bit transfer."""
    return bytes_text([one], True).removesuffix(" (16-bit)")


def route_text(one: Transfer) -> str:
    """What travels, in one line."""
    if one.is_signal:
        return f"{one.name} has run: {one.source} -> {one.target}, signal"
    times = f" in {one.runs} runs" if one.runs > 1 else ""
    return f"{one.name}: {one.source} -> {one.target}, {one.dtype}, {bytes_text([one])}{times}"
