"""Where rooms go, and what is in them: a room is as high as what it holds.

What hangs together inside a room is a piece, laid out by itself. Pieces are packed into their room,
and rooms into the page, by one rule for the width that there is; static/rooms_plan.js does the same
again for the width of a window. An edge from room to room is a curve of its own.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from tinytf.jupyter.layout import Box, Layout, Point, Size, lay_out

#: px: between rooms, of a room's title, and below and beside its pieces.
GAP, TITLE, PAD = 34.0, 40.0, 4.0
#: Room for curves at the edge of the drawing.
EDGE = 12.0
#: How small a drawing may be drawn so that it fits.
SMALLEST = 0.8


@dataclass(frozen=True, slots=True)
class Piece:
    """Nodes of one room that hang together; `edges` by index, and where all are in the piece."""

    room: int
    nodes: tuple[int, ...]
    edges: tuple[int, ...]
    layout: Layout


@dataclass(frozen=True, slots=True)
class Area:
    """A rectangle."""

    left: float
    top: float
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class FloorPlan:
    """The drawing: its size, the walls of the rooms, and the upper left corner of each piece."""

    width: float
    height: float
    rooms: tuple[Area, ...]
    corners: tuple[Point, ...]


def find_pieces(
    sizes: Sequence[Size],
    edges: Sequence[tuple[int, int]],
    room_of: Sequence[int],
    closing: Collection[int] = (),
) -> list[Piece]:
    """Lay out what hangs together inside a room.

    Args:
      sizes, edges, closing: as for `lay_out`; edges between rooms tie nothing together.
      room_of: the room of every node.

    Example:
      >>> len(find_pieces([(60, 30)] * 3, [(0, 1), (1, 2)], [0, 0, 1]))
      2
    """
    leader = list(range(len(sizes)))

    def find(node: int) -> int:
        while leader[node] != node:
            node = leader[node]
        return node

    inside = [n for n, (a, b) in enumerate(edges) if room_of[a] == room_of[b]]
    for number in inside:
        a, b = sorted(map(find, edges[number]))
        leader[b] = a
    members: dict[int, list[int]] = {}
    for node in range(len(sizes)):
        members.setdefault(find(node), []).append(node)
    pieces = []
    for first, nodes in members.items():
        own = [number for number in inside if find(edges[number][0]) == first]
        place = {node: at for at, node in enumerate(nodes)}
        layout = lay_out(
            [sizes[node] for node in nodes],
            [(place[edges[number][0]], place[edges[number][1]]) for number in own],
            [at for at, number in enumerate(own) if number in closing],
        )
        # Where tensors from other rooms arrive: on the side that they come from, mostly.
        arrive = [(a, b) for a, b in edges if b in place and room_of[a] != room_of[b]]
        beside = [_lean(layout.boxes, place[b]) for _, b in arrive]
        forth = [1 if room_of[a] < room_of[b] else -1 for a, b in arrive]
        pull = sum(map(operator.mul, beside, forth))
        if pull > 0.5 and not any(route.is_back for route in layout.routes):
            layout = _mirrored(layout)
        pieces.append(Piece(room_of[first], tuple(nodes), tuple(own), layout))
    return pieces


def _lean(boxes: Sequence[Box], at: int) -> float:
    """How far a node stands to the right of the middle of its row."""
    row = [box.x for box in boxes if abs(box.y - boxes[at].y) < 1]
    return boxes[at].x - sum(row) / len(row)


def _mirrored(layout: Layout) -> Layout:
    wide = layout.width
    boxes = tuple(replace(box, x=wide - box.x) for box in layout.boxes)
    ways = (tuple((wide - x, y) for x, y in route.points) for route in layout.routes)
    routes = zip(layout.routes, ways, strict=True)
    return replace(layout, boxes=boxes, routes=tuple(replace(r, points=way) for r, way in routes))


def pack(sizes: Iterable[Size], width: float, gap: float = 0.0) -> list[Area]:
    """Put rectangles as high up as they fit, then as far to the left.

    Example:
      >>> [(area.left, area.top) for area in pack([(50, 20), (40, 30), (50, 10)], 100)]
      [(0.0, 0.0), (50.0, 0.0), (0.0, 20.0)]
    """
    placed: list[Area] = []
    for wide, high in sizes:
        best: Point | None = None
        for x in sorted({0.0, *(area.left + area.width + gap for area in placed)}):
            if x and x + wide > width:
                continue
            above = (
                area.top + area.height + gap
                for area in placed
                if area.left < x + wide + gap and x < area.left + area.width + gap
            )
            y = max(above, default=0.0)
            if best is None or y < best[1]:
                best = x, y
        assert best is not None  # at the left it always fits
        placed.append(Area(*best, wide, high))
    return placed


def plan_floor(
    pieces: Sequence[tuple[int, float, float]], least: Sequence[float], width: float
) -> FloorPlan:
    """Rooms with their pieces in a drawing that is as low as it can be.

    It may be a little wider than told, and is then to be drawn smaller, if that makes it lower.

    Args:
      pieces: the room, the width and the height of each. least: the width of each room's title.
    """
    plans = [
        _plan(pieces, least, wide - 2 * EDGE, columns)
        for wide in (width, width / 0.9, width / SMALLEST)
        for columns in (1, 2, 3, 4)
    ]

    def cost(plan: FloorPlan) -> tuple[float, float]:
        scale = min(1.0, width / plan.width)
        return max(SMALLEST - scale - 0.001, 0.0), plan.height / scale**0.5

    return min(plans, key=cost)


def _plan(
    pieces: Sequence[tuple[int, float, float]], least: Sequence[float], width: float, columns: int
) -> FloorPlan:
    """The plan with rooms of at most this share of the width."""
    limit = (width - GAP * (columns - 1)) / columns - 2 * PAD
    sizes: list[Size] = []
    inside: dict[int, Area] = {}
    for room, title in enumerate(least):
        own = [at for at, piece in enumerate(pieces) if piece[0] == room]
        areas = pack([pieces[at][1:] for at in own], limit)
        right = max((area.left + area.width for area in areas), default=0.0)
        low = max((area.top + area.height for area in areas), default=0.0)
        sizes.append((max(title, right + 2 * PAD), TITLE + low + PAD))
        inside.update(zip(own, areas, strict=True))
    rooms = pack(sizes, width, GAP)
    walls = tuple(Area(r.left + EDGE, r.top + EDGE, r.width, r.height) for r in rooms)
    corners = tuple(
        (walls[piece[0]].left + PAD + inside[at].left, walls[piece[0]].top + TITLE + inside[at].top)
        for at, piece in enumerate(pieces)
    )
    right = max((r.left + r.width for r in walls), default=EDGE)
    low = max((r.top + r.height for r in walls), default=EDGE)
    return FloorPlan(right + EDGE, low + EDGE, walls, corners)


def curve(a: Box, b: Box) -> tuple[str, list[Point]]:
    """The curve from one node to another in another room, and the corners of its head.

    It leaves and arrives on the sides that look at each other.
    """
    across = abs(b.x - a.x) - (a.width + b.width) / 2
    down = abs(b.y - a.y) - (a.height + b.height) / 2
    is_down = down > across
    ends = [(box.y, box.x, box.height) if is_down else (box.x, box.y, box.width) for box in (a, b)]
    (x0, y0, size0), (x1, y1, size1) = ends
    to = 1.0 if x1 > x0 else -1.0
    x0, x1, bend = x0 + to * size0 / 2, x1 - to * size1 / 2, to * max(down / 2, across / 2, 24.0)
    line = [(x0, y0), (x0 + bend, y0), (x1 - bend, y1), (x1 - 6 * to, y1)]
    head = [(x1, y1), (x1 - 9 * to, y1 - 4.5), (x1 - 9 * to, y1 + 4.5)]
    if is_down:
        line, head = ([(x, y) for y, x in points] for points in (line, head))
    start, *rest = (f"{x:.1f} {y:.1f}" for x, y in line)
    return f"M{start}C{' '.join(rest)}", head
