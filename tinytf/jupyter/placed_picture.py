"""What a drawing of a placement shows: devices as rooms, operations in them, what crosses.

A graph that is too big to read is drawn by name scope: the operations of a scope that are on one
device are one node. Deeper scopes are kept as long as the drawing stays readable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from html import escape

from tinytf.devices.asking import readable
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.jupyter import picture, svg
from tinytf.jupyter.rooms import Area, curve, find_pieces, plan_floor
from tinytf.placement.crossings import Crossing, Place
from tinytf.placement.explain import Explainer

#: Drawings with more operations are drawn by name scope only.
MOST_OPERATIONS = 200
#: With more than this they are drawn by name scope first.
MANY_OPERATIONS = 60
#: How many nodes of name scopes are readable; and how many can be borne.
_FEW_SCOPES, _MOST_SCOPES = 24, 60
#: Devices that nothing is on are drawn up to this many.
_MOST_ROOMS = 8
#: px: of a drawing on a page where it cannot be laid out anew.
WIDTH = 920.0
_STYLES = (*svg.STYLES, "rooms.css")

#: What operations are drawn as one node: the same key, and the same device.
KeyOf = Callable[[Operation], str]


def by_name(op: Operation) -> str:
    """Every operation is a node."""
    return op.name


def by_scope(ops: Sequence[Operation]) -> KeyOf:
    """The finest name scopes that are few enough; or else by type.

    A variable belongs to the scope that its parts are in: `w` to "w/".
    """
    scopes = {parent for op in ops for parent in _parents(op.name)}
    depth = max((op.name.count("/") for op in ops), default=0)
    for most in range(depth + 1, 0, -1):

        def key(op: Operation, most: int = most) -> str:
            name = f"{op.name}/" if f"{op.name}/" in scopes else op.name
            parts = name.split("/")
            return "/".join(parts[:most]) + "/" if len(parts) > most else name

        if len(set(map(key, ops))) <= (_FEW_SCOPES if most > 1 else _MOST_SCOPES):
            return key
    return lambda op: f"{op.type} operations"


def _parents(name: str) -> list[str]:
    parts = name.split("/")
    return ["/".join(parts[:depth]) + "/" for depth in range(1, len(parts))]


class PlacedPicture:
    """A drawing of a placement, without coordinates.

    Args:
      explainer: of the placement. key_of: what is drawn as one node.

    Attributes:
      nodes, rooms: the nodes, and the device that each is on.
      members: the operations that a node stands for, by its key; copies stand for none.
      cut: what is not drawn, in a sentence; "" for nothing.
    """

    def __init__(self, explainer: Explainer, key_of: KeyOf = by_name):
        self.nodes: list[picture.PictureNode] = []
        self.rooms: list[str] = []
        self.members: dict[str, list[Operation]] = {}
        self.cut = ""
        self._explainer, self._places = explainer, explainer.places
        self._fetched = {tensor.op for tensor in explainer.fetched}
        self._index: dict[Operation | Tensor, int] = {}
        self._edges: dict[tuple[int, int, bool], picture.PictureEdge] = {}
        self._labels: dict[tuple[int, int, bool], str] = {}
        self._add_operations(list(explainer.ops.values()), key_of)
        copies = self._add_copies()
        for op in explainer.ops.values():
            for tensor, wanted in self._places.inputs_of(op):
                source = copies.get((tensor.op, tensor, wanted), self._source(tensor.op, tensor))
                closes = tensor.op.type.endswith("NextIteration")
                self._add_edge(
                    source, op, f"{picture.describe_tensor(tensor)}\nfor {op.name}", closes
                )
            here = Place(self._places.device_of(op))
            for control in op.control_inputs:
                source = copies.get((control, None, here), self._source(control, None))
                self._add_edge(source, op, f"{op.name} runs after {control.name}", None)

    # Nodes --------------------------------------------------------------------------------------

    def _room(self, op: Operation) -> str:
        return self._places.home if self._is_fed(op) else self._places.device_of(op)

    def _is_fed(self, op: Operation) -> bool:
        return bool(op.outputs) and op.outputs[0] in self._places.fed

    def _add(self, node: picture.PictureNode, room: str) -> int:
        self.nodes.append(node)
        self.rooms.append(room)
        return len(self.nodes) - 1

    def _add_operations(self, ops: Sequence[Operation], key_of: KeyOf) -> None:
        gathered: dict[tuple[str, str], list[Operation]] = {}
        for op in ops:
            gathered.setdefault((key_of(op), self._room(op)), []).append(op)
        hidden = sum(map(len, list(gathered.values())[MOST_OPERATIONS:]))
        if hidden:
            self.cut = f"{picture.plural(hidden, 'operation')} are not drawn."
        for (name, room), members in list(gathered.items())[:MOST_OPERATIONS]:
            node = self._node(name, room, members)
            self.members[node.key] = members
            self._index |= dict.fromkeys(members, self._add(node, room))
        for tensor in sorted(self._places.fed, key=lambda tensor: tensor.name):
            if tensor.op.name not in self._explainer.ops:
                self._index[tensor] = self._add(picture.feed_node(tensor), self._places.home)

    def _node(self, name: str, room: str, members: Sequence[Operation]) -> picture.PictureNode:
        if len(members) == 1:
            node = replace(picture.operation_node(members[0]), device="")
            if self._is_fed(members[0]):
                return replace(node, kind="fed")
            fetched = members[0] in self._fetched and room == self._places.home
            return replace(node, kind=f"{members[0].type}, fetched") if fetched else node
        types = Counter(op.type for op in members).most_common(8)
        title = f"{name}: " + ", ".join(f"{count} {kind}" for kind, count in types)
        kind = picture.plural(len(members), "operation")
        return picture.PictureNode(
            f"{name} on {room}", picture.shorten(name), kind, picture.Form.SCOPE, "", title
        )

    def _source(self, maker: Operation, tensor: Tensor | None) -> int | None:
        """The node that a value or the news that something ran comes from; None: not drawn."""
        found = self._index.get(tensor) if tensor is not None else None
        return self._index.get(maker) if found is None else found

    # What crosses -------------------------------------------------------------------------------

    def _add_copies(self) -> dict[tuple[Operation, Tensor | None, Place], int]:
        """What arrives at a place from one node; of a scope, all of it is one node."""
        cargo: dict[tuple[int, str, Place], list[Crossing]] = {}
        for crossing in self._explainer.crossings:
            source = self._source(crossing.maker, crossing.tensor)
            if source is not None:
                what = "" if self.nodes[source].form is picture.Form.SCOPE else crossing.name
                cargo.setdefault((source, what, crossing.target), []).append(crossing)
        copies = {}
        for (source, _, target), crossings in cargo.items():
            title = "\n".join(map(self._describe, crossings[:12]))
            copy = self._add(_copy_node(crossings, title), target.device)
            for crossing in crossings:
                copies[crossing.maker, crossing.tensor, target] = copy
            edge = (source, copy, all(crossing.tensor is None for crossing in crossings))
            crosses = self.rooms[source] != target.device
            self._edges[edge] = picture.PictureEdge(*edge, title, crosses=crosses)
            if crosses:
                self._labels[edge] = _total(crossings)
        return copies

    def _describe(self, crossing: Crossing) -> str:
        name, tensor = self._explainer.name, crossing.tensor
        text = (
            f"{crossing.maker.name} has run" if tensor is None else picture.describe_tensor(tensor)
        )
        users = [op.name for op in crossing.users[:4]] + ["the caller"] * crossing.is_fetched
        return (
            f"{text}: from {name(crossing.source.device)} to {name(crossing.target.device)}, "
            f"{crossing.amount}, for {', '.join(users)}"
        )

    def _add_edge(
        self, source: int | None, user: Operation, title: str, closes: bool | None
    ) -> None:
        """An edge inside a room; `closes` is None for control edges."""
        target = self._index.get(user)
        if source is None or target is None or source == target:
            return
        if self.rooms[source] == self.rooms[target]:
            edge = (source, target, closes is None)
            self._edges.setdefault(edge, picture.PictureEdge(*edge, title, bool(closes)))

    # The drawing --------------------------------------------------------------------------------

    def draw(self, label: str, marks: Mapping[str, svg.Mark], styled: bool = True) -> str:
        """The drawing as SVG; `label` is what a screen reader says, `marks` are by node."""
        used = set(self.rooms)
        every = len(self._explainer.devices) <= _MOST_ROOMS
        devices = sorted(
            (name for name in self._explainer.devices if every or name in used), key=_cpu_first
        )
        held = Counter(self._room(op) for members in self.members.values() for op in members)
        rooms = {name: (self._explainer.name(name), held[name]) for name in devices}
        what = self.nodes, self._edges, self._labels, self.rooms, rooms
        return draw_rooms(*what, label, marks, _STYLES if styled else ())


def draw_rooms(
    nodes: Sequence[picture.PictureNode],
    edges: Mapping[tuple[int, int, bool], picture.PictureEdge],
    labels: Mapping[tuple[int, int, bool], str],
    room_of: Sequence[str],
    rooms: Mapping[str, tuple[str, int]],
    label: str,
    marks: Mapping[str, svg.Mark] | None = None,
    styles: Sequence[str] = _STYLES,
) -> str:
    """Nodes in rooms as SVG.

    Args:
      edges: by (source, target, whether it is a control edge); one between rooms must be the only
        one that leads to its target. labels: of edges between rooms: it stands where they arrive.
      room_of: the room of each node. rooms: their titles, and how many operations are there.
      label: what a screen reader says. marks: by node. styles: the style sheets to put inside.
    """
    names, pairs = list(rooms), [edge[:2] for edge in edges]
    arriving = {edge[1]: text for edge, text in labels.items()}
    drawn = [replace(node, device=arriving.get(n, node.device)) for n, node in enumerate(nodes)]
    inside = [names.index(room) for room in room_of]
    all_edges = list(edges.values())
    closing = [n for n, edge in enumerate(all_edges) if edge.closes_loop]
    pieces = find_pieces([svg.size_of(node) for node in drawn], pairs, inside, closing)
    sizes = [
        (piece.room, round(piece.layout.width, 1), round(piece.layout.height, 1))
        for piece in pieces
    ]
    least = [max(110.0, 24 + 8.0 * len(title)) for title, _ in rooms.values()]
    plan = plan_floor(sizes, least, WIDTH)
    walls = [
        _room(room, name, *rooms[name], wide)
        for room, name, wide in zip(plan.rooms, names, least, strict=True)
    ]
    boxes, held = {}, []
    for piece, (room, *size), (x, y) in zip(pieces, sizes, plan.corners, strict=True):
        place = {node: at for at, node in enumerate(piece.nodes)}
        for node, box in zip(piece.nodes, piece.layout.boxes, strict=True):
            boxes[node] = replace(box, x=box.x + x, y=box.y + y)
        part = picture.Picture(
            tuple(drawn[node] for node in piece.nodes),
            tuple(
                replace(edge, source=place[edge.source], target=place[edge.target])
                for edge in map(all_edges.__getitem__, piece.edges)
            ),
        )
        held.append(
            f'<g class="tinytf-piece" data-in="{room}" data-size="{size[0]} {size[1]}" '
            f'transform="translate({x:.1f} {y:.1f})">'
            f"{''.join(svg.elements(part, piece.layout, marks))}</g>"
        )
    whole = picture.Picture(tuple(drawn), tuple(all_edges))
    between = [
        svg.draw_edge(whole, edge, *curve(boxes[edge.source], boxes[edge.target]))
        for edge in all_edges
        if inside[edge.source] != inside[edge.target]
    ]
    parts, scale = [*walls, *between, *held], min(1.0, WIDTH / plan.width)
    return svg.frame(parts, label, plan.width, plan.height, styles, scale)


def _room(room: Area, device: str, title: str, count: int, least: float) -> str:
    held = picture.plural(count, "operation") if count else "nothing"
    return (
        f'<g class="tinytf-room" data-room="{escape(device)}" data-least="{least}" '
        f'transform="translate({room.left:.1f} {room.top:.1f})"><title>{escape(device)}</title>'
        f'<rect width="{room.width:.1f}" height="{room.height:.1f}" rx="8"/>'
        f'<text class="tinytf-room-title" x="12" y="20">{escape(title)}</text>'
        f'<text class="tinytf-room-note" x="12" y="35">{held}</text></g>'
    )


def _cpu_first(name: str) -> tuple[str, str]:
    task, _, device = name.partition("/device:")
    return task, device


def _copy_node(crossings: Sequence[Crossing], title: str) -> picture.PictureNode:
    first = crossings[0]
    kind = "signal" if first.tensor is None else "received"
    if any(crossing.is_fetched for crossing in crossings):
        kind = "fetched"
    elif first.target.on_host:
        kind = "in host memory"
    label = first.name if len(crossings) == 1 else picture.plural(len(crossings), "tensor")
    key = f"copy of {first.name} on {first.target.device}, {kind}"
    return picture.PictureNode(key, picture.shorten(label), kind, picture.Form.COPY, "", title)


def _total(crossings: Sequence[Crossing]) -> str:
    """What is written at the wall: the bytes, as far as they are known."""
    if len(crossings) == 1:
        return crossings[0].amount
    known = [crossing.size for crossing in crossings if crossing.size is not None]
    total = readable(sum(known)) if known else "?"
    return total if len(known) == len(crossings) else f"{total} + ?"
