"""Where nodes and edges go when every node is in a room: rooms side by side, data flowing down.

All rooms share their layers, so that what is further down is later, in whichever room. An edge
from room to room runs straight across, in the gap below the layer of its source, and comes down
in the other room upon a node of its own (the copy that arrives there): its label is at the wall.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tinytf.jupyter.layout import (
    LAYER_GAP,
    MARGIN,
    Box,
    Grid,
    Layout,
    Point,
    Route,
    Size,
    find_back_edges,
    find_layers,
    stack,
)

_CORRIDOR = 56.0  # between rooms, at least
TITLE, _FOOT = 58.0, 16.0  # the heights of a room's title, above and below
_TRACK = 19.0  # between edges that cross in the same gap: the height of a label
_TURN = 14.0  # from the layer to the first of them


@dataclass(frozen=True, slots=True)
class Room:
    """A room's walls."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """The drawing; `labels`: for each edge that crosses, the middle of its label's baseline."""

    layout: Layout
    rooms: tuple[Room, ...]
    labels: dict[int, Point]


def lay_out_rooms(
    sizes: Sequence[Size],
    edges: Sequence[tuple[int, int]],
    room_of: Sequence[int],
    widths: Sequence[float],
    labels: float = 0.0,
    closing: Collection[int] = (),
) -> FloorPlan:
    """Place nodes in their rooms, and route the edges inside and between them.

    Args:
      sizes, edges, closing: as for `lay_out`. An edge between rooms must be the only one that
        leads to its target.
      room_of: the room of every node. widths: of the rooms' titles: no room is narrower.
      labels: the width of the widest label.

    Example:
      >>> plan = lay_out_rooms([(60, 30), (60, 30)], [(0, 1)], [0, 1], [80, 80])
      >>> plan.rooms[1].left > plan.rooms[0].left + plan.rooms[0].width
      True
    """
    across = [i for i, (a, b) in enumerate(edges) if room_of[a] != room_of[b]]
    back = find_back_edges(len(sizes), edges, closing)
    for crossing in back.intersection(across):  # it is what leaves the copy that goes back up
        back.remove(crossing)
        back |= {i for i, edge in enumerate(edges) if edge[0] == edges[crossing][1]}
    layers = _layers(len(sizes), edges, back, [edges[i][1] for i in across])
    rooms = [
        _Floor(sizes, edges, room_of, number, layers, back, width)
        for number, width in enumerate(widths)
    ]
    corridor = max(_CORRIDOR, labels + 12)
    left = MARGIN
    for room in rooms:
        room.left = left
        left += room.width + corridor
    tracks = _Tracks(sizes, edges, across, room_of, layers, rooms, corridor)
    count = max(layers, default=0) + 1
    heights = [max((room.heights.get(n, 0.0) for room in rooms), default=0.0) for n in range(count)]
    gaps = [LAYER_GAP + _TRACK * tracks.count(n) for n in range(count)]
    bands = stack(heights, MARGIN + TITLE + (LAYER_GAP / 2 if back else 0), gaps)
    boxes: dict[int, Box] = {}
    routes: dict[int, Route] = {}
    for room in rooms:
        room.finish(bands, boxes, routes)
    for number in across:
        routes[number] = tracks.route(number, boxes, bands)
    bottom = bands[-1][1] + MARGIN + _FOOT + (LAYER_GAP / 2 if back else 0)
    walls = tuple(Room(r.left, MARGIN, r.width, bottom - MARGIN) for r in rooms)
    ordered = tuple(routes[i] for i in range(len(edges)))
    layout = Layout(
        left - corridor + MARGIN,
        bottom + MARGIN,
        tuple(boxes[n] for n in range(len(sizes))),
        ordered,
    )
    return FloorPlan(layout, walls, {i: tracks.label(i, bands) for i in across})


def _layers(
    count: int, edges: Sequence[tuple[int, int]], back: set[int], copies: Sequence[int]
) -> list[int]:
    """Layers in which a copy comes right below its source.

    Sources move down next to what needs them, and take their copies along.
    """
    forward = [edge for i, edge in enumerate(edges) if i not in back]
    layers = find_layers(count, forward)
    targets: dict[int, list[int]] = defaultdict(list)
    for source, target in forward:
        targets[source].append(target)
    arrived, has_input = set(copies), {target for _, target in forward}
    for node in set(targets) - has_input:
        lowest = [
            min((layers[user] for user in targets[target]), default=layers[target] + 1) - 2
            if target in arrived
            else layers[target] - 1
            for target in targets[node]
        ]
        layers[node] = min(lowest)
        for target in arrived.intersection(targets[node]):
            layers[target] = layers[node] + 1
    return layers


class _Floor:
    """One room, laid out by itself."""

    left = 0.0

    def __init__(
        self,
        sizes: Sequence[Size],
        edges: Sequence[tuple[int, int]],
        room_of: Sequence[int],
        number: int,
        layers: Sequence[int],
        back: set[int],
        width: float,
    ):
        self.nodes = [n for n, room in enumerate(room_of) if room == number]
        self.edges = [i for i, edge in enumerate(edges) if {room_of[n] for n in edge} == {number}]
        self.x: dict[int, float] = {}
        self.heights: dict[int, float] = {}
        self.width = width
        if not self.nodes:
            return
        place = {node: index for index, node in enumerate(self.nodes)}
        own = [(place[edges[i][0]], place[edges[i][1]]) for i in self.edges]
        self._back = {index for index, i in enumerate(self.edges) if i in back}
        forward = [index for index in range(len(own)) if index not in self._back]
        own_layers = [layers[node] for node in self.nodes]
        self._grid = Grid([sizes[node] for node in self.nodes], own_layers, own, forward)
        self._grid.order()
        self._grid.place()
        self.heights = dict(enumerate(self._grid.heights()))
        inner = self._grid.finish(self._back).width
        self.width, self._shift = max(width, inner), max(0.0, (width - inner) / 2)
        self.x = {
            node: cell.x + self._shift
            for node, cell in zip(self.nodes, self._grid.cells, strict=False)
        }

    def finish(
        self, bands: Sequence[tuple[float, float]], boxes: dict[int, Box], routes: dict[int, Route]
    ) -> None:
        """Add what is in this room."""
        if not self.nodes:
            return
        layout, shift = self._grid.finish(self._back, bands), self.left + self._shift
        for node, box in zip(self.nodes, layout.boxes, strict=True):
            boxes[node] = Box(box.x + shift, box.y, box.width, box.height)
        for number, route in zip(self.edges, layout.routes, strict=True):
            points = tuple((x + shift, y) for x, y in route.points)
            routes[number] = Route(points, route.is_back)


class _Tracks:
    """The edges that cross, each on a track of its own where they would touch."""

    def __init__(
        self,
        sizes: Sequence[Size],
        edges: Sequence[tuple[int, int]],
        across: Sequence[int],
        room_of: Sequence[int],
        layers: Sequence[int],
        rooms: Sequence[_Floor],
        corridor: float,
    ):
        self._rooms, self._corridor = rooms, corridor
        self._ends: dict[int, tuple[float, float]] = {}
        self._edges, self._layers, self._room_of = edges, layers, room_of
        leaving: dict[tuple[int, bool], int] = defaultdict(int)
        for number in across:
            source, target = edges[number]
            a, b = room_of[source], room_of[target]
            # Beside the middle, where the edges inside the room leave.
            half = sizes[source][0] / 2
            reach = max(half * 0.76 - 7.0 * leaving[source, a < b], 8 - half)
            leaving[source, a < b] += 1
            start = rooms[a].left + rooms[a].x[source] + (reach if a < b else -reach)
            self._ends[number] = (start, rooms[b].left + rooms[b].x[target])
        self.track: dict[int, int] = {}
        taken: dict[int, list[float]] = defaultdict(list)  # layer -> right end of each track
        for number in sorted(across, key=lambda i: min(self._ends[i])):
            begin, end = sorted(self._ends[number])
            ends = taken[layers[edges[number][0]]]
            free = next((t for t, last in enumerate(ends) if last + 12 < begin), len(ends))
            ends[free : free + 1] = [end]
            self.track[number] = free
        self._taken = taken

    def count(self, layer: int) -> int:
        """How many tracks there are below a layer."""
        return len(self._taken.get(layer, ()))

    def _height(self, number: int, bands: Sequence[tuple[float, float]]) -> float:
        below = bands[self._layers[self._edges[number][0]]][1]
        return below + _TURN + _TRACK * (self.track[number] + 0.5)

    def route(
        self, number: int, boxes: dict[int, Box], bands: Sequence[tuple[float, float]]
    ) -> Route:
        """Down, across, down."""
        source, target = self._edges[number]
        (start, end), y = self._ends[number], self._height(number, bands)
        return Route(
            ((start, boxes[source].bottom), (start, y), (end, y), (end, boxes[target].top)), True
        )

    def label(self, number: int, bands: Sequence[tuple[float, float]]) -> Point:
        """At the wall of the room where it arrives."""
        source, target = self._edges[number]
        room = self._rooms[self._room_of[target]]
        comes_from_left = self._room_of[source] < self._room_of[target]
        side = room.left if comes_from_left else room.left + room.width
        x = side + (-self._corridor if comes_from_left else self._corridor) / 2
        return x, self._height(number, bands) - 4
