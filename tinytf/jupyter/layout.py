"""Where the nodes and edges of a small graph go on the page: a layered drawing, data flowing down.

The steps are Sugiyama's: find the back edges of loops, give every node a layer (longest path),
put invisible nodes where an edge passes a layer, order each layer by barycentres so that few
edges cross, choose x so that edges are short and straight, and route. Pure Python, no graph
types, deterministic: the same input gives the same picture.

What a layout guarantees: boxes do not overlap; an edge never runs through the box of a node that
is not its end; every edge has a route from its source to its target.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

NODE_GAP = 22.0
LAYER_GAP = 46.0
PASS_WIDTH = 10.0  # the room of an edge that passes a layer
LANE = 12.0  # between the back edges at the right-hand side
MARGIN = 12.0
_SWEEPS = 8

Size = tuple[float, float]
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Box:
    """A node's place: its centre and its size."""

    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> float:
        """The y of the upper side."""
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        """The y of the lower side."""
        return self.y + self.height / 2


@dataclass(frozen=True, slots=True)
class Route:
    """An edge's way.

    Attributes:
      points: from the source's border to the target's. Between an odd and an even one the edge
        swings from one x to another, inside a gap between layers; else it runs straight down.
      is_back: whether it closes a loop: such a route has right angles, and runs up the right side.
    """

    points: tuple[Point, ...]
    is_back: bool


@dataclass(frozen=True, slots=True)
class Layout:
    """The drawing: as many boxes as nodes, as many routes as edges, in their order."""

    width: float
    height: float
    boxes: tuple[Box, ...]
    routes: tuple[Route, ...]


def lay_out(
    sizes: Sequence[Size], edges: Sequence[tuple[int, int]], closing: Collection[int] = ()
) -> Layout:
    """Place nodes in layers, and route the edges between them.

    Args:
      sizes: (width, height) of every node. edges: (source, target), indexes of nodes; parallel
        edges, edges from a node to itself and cycles are allowed.
      closing: edges, by index, that are known to close a loop; others are found where needed.

    Returns:
      a layout in which all coordinates are positive.

    Example:
      >>> lay_out([(60, 30), (60, 30)], [(0, 1)]).boxes[1].y > 30
      True
    """
    if not sizes:
        return Layout(2 * MARGIN, 2 * MARGIN, (), ())
    back = find_back_edges(len(sizes), edges, closing)
    forward = [i for i in range(len(edges)) if i not in back]
    layer_of = find_layers(len(sizes), [edges[i] for i in forward])
    grid = Grid(sizes, layer_of, edges, forward)
    grid.order()
    grid.place()
    return grid.finish(back)


# --------------------------------------------------------------------------------------- layers


def find_back_edges(
    count: int, edges: Sequence[tuple[int, int]], closing: Collection[int]
) -> set[int]:
    """The edges that close a cycle, by a depth-first search in the order of the nodes."""
    outgoing: list[list[int]] = [[] for _ in range(count)]
    for index, (source, _) in enumerate(edges):
        if index not in closing:
            outgoing[source].append(index)
    back = set(closing)
    state = [0] * count  # 0 unseen, 1 on the path, 2 finished
    for start in range(count):
        if state[start]:
            continue
        state[start] = 1
        path = [(start, iter(outgoing[start]))]
        while path:
            node, rest = path[-1]
            number = next(rest, -1)
            if number < 0:
                state[node] = 2
                path.pop()
                continue
            target = edges[number][1]
            if state[target] == 1:
                back.add(number)
            elif state[target] == 0:
                state[target] = 1
                path.append((target, iter(outgoing[target])))
    return back


def find_layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """Longest path from the sources; then sources move down, next to what first needs them."""
    targets: list[list[int]] = [[] for _ in range(count)]
    missing = [0] * count
    for source, target in edges:
        targets[source].append(target)
        missing[target] += 1
    sources = [n for n in range(count) if missing[n] == 0]
    order = list(sources)
    layer = [0] * count
    for node in order:
        for target in targets[node]:
            layer[target] = max(layer[target], layer[node] + 1)
            missing[target] -= 1
            if missing[target] == 0:
                order.append(target)
    for node in sources:
        if targets[node]:
            layer[node] = min(layer[t] for t in targets[node]) - 1
    return layer


# ----------------------------------------------------------------------------- order and position


@dataclass(slots=True)
class _Cell:
    """Something that takes room in a layer: a node, or an edge on its way."""

    layer: int
    width: float
    node: int  # -1 for an edge on its way
    above: list[int] = field(default_factory=list)
    below: list[int] = field(default_factory=list)
    x: float = 0.0


class Grid:
    """Cells in layers. `order` them, `place` them, then `finish`."""

    def __init__(
        self,
        sizes: Sequence[Size],
        layer_of: list[int],
        edges: Sequence[tuple[int, int]],
        forward: list[int],
    ):
        self.sizes, self.edges = sizes, edges
        self.cells = [_Cell(layer_of[n], size[0], n) for n, size in enumerate(sizes)]
        #: edge -> its cells, from the source to the target
        self.chains: dict[int, list[int]] = {}
        for number in forward:
            self.chains[number] = self._chain(*edges[number])
        self.rows: list[list[int]] = [[] for _ in range(max(layer_of) + 1)]
        for index, cell in enumerate(self.cells):
            self.rows[cell.layer].append(index)

    def _chain(self, source: int, target: int) -> list[int]:
        chain = [source]
        for layer in range(self.cells[source].layer + 1, self.cells[target].layer):
            chain.append(len(self.cells))
            self.cells.append(_Cell(layer, PASS_WIDTH, -1))
        chain.append(target)
        for upper, lower in pairwise(chain):
            self.cells[upper].below.append(lower)
            self.cells[lower].above.append(upper)
        return chain

    def order(self) -> None:
        """Sweep up and down; keep the order with the fewest crossings."""
        best, fewest = [row.copy() for row in self.rows], self._crossings()
        for sweep in range(_SWEEPS):
            if fewest == 0:
                break
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                place = self._places()
                keys = {
                    index: _mean([place[n] for n in self._neighbours(index, down)], place[index])
                    for index in row
                }
                row.sort(key=keys.__getitem__)  # stable: ties stay as they are
            crossings = self._crossings()
            if crossings < fewest:
                best, fewest = [row.copy() for row in self.rows], crossings
        self.rows = best

    def _neighbours(self, index: int, above: bool) -> list[int]:
        return self.cells[index].above if above else self.cells[index].below

    def _places(self) -> dict[int, int]:
        return {index: place for row in self.rows for place, index in enumerate(row)}

    def _crossings(self) -> int:
        place, total = self._places(), 0
        for row in self.rows:
            seen: list[int] = []
            for index in row:
                lower = sorted(place[n] for n in self.cells[index].below)
                total += sum(len(seen) - bisect_right(seen, position) for position in lower)
                for position in lower:
                    insort(seen, position)
        return total

    def place(self) -> None:
        """Choose x: every cell close to its neighbours, none on top of another."""
        for row in self.rows:
            self._settle(row, dict.fromkeys(row, 0.0))
        for sweep in range(2 * _SWEEPS):
            down = sweep % 2 == 0
            for row in self.rows if down else reversed(self.rows):
                wanted = {}
                for index in row:
                    near = self._neighbours(index, down) or self._neighbours(index, not down)
                    wanted[index] = _mean([self.cells[n].x for n in near], self.cells[index].x)
                self._settle(row, wanted)
        left = min(cell.x - cell.width / 2 for cell in self.cells)
        for cell in self.cells:
            cell.x += MARGIN - left

    def _settle(self, row: list[int], wanted: dict[int, float]) -> None:
        """The positions nearest to the wanted ones (least squares) that keep the gaps.

        Pool adjacent violators: neighbours that want to overlap become a block, which goes where
        its members want to be on average.
        """
        offsets = [0.0]
        for a, b in pairwise(row):
            offsets.append(offsets[-1] + (self.cells[a].width + self.cells[b].width) / 2 + NODE_GAP)
        blocks: list[tuple[float, float, int]] = []  # (position, weight, cells)
        for index, offset in zip(row, offsets):
            cell = self.cells[index]
            # An edge on its way is pulled harder: a straight line reads better than a bent one.
            block = (wanted[index] - offset, 1.0 if cell.node >= 0 else 4.0, 1)
            while blocks and blocks[-1][0] > block[0]:
                position, weight, count = blocks.pop()
                total = weight + block[1]
                mean = (position * weight + block[0] * block[1]) / total
                block = (mean, total, count + block[2])
            blocks.append(block)
        positions = [position for position, _, count in blocks for _ in range(count)]
        for index, offset, position in zip(row, offsets, positions):
            self.cells[index].x = position + offset

    # Routes -------------------------------------------------------------------------------------

    def _bands(self, top: float) -> list[tuple[float, float]]:
        """Top and bottom of each layer."""
        bands = []
        for row in self.rows:
            nodes = [self.cells[index].node for index in row]
            height = max((self.sizes[node][1] for node in nodes if node >= 0), default=0.0)
            bands.append((top, top + height))
            top += height + LAYER_GAP
        return bands

    def finish(self, back: set[int]) -> Layout:
        """Coordinates of everything; `back`: the edges that close a loop."""
        bands = self._bands(MARGIN + (LAYER_GAP / 2 if back else 0))
        boxes = tuple(
            Box(cell.x, sum(bands[cell.layer]) / 2, *size)
            for cell, size in zip(self.cells, self.sizes)
        )
        right = first = max(cell.x + cell.width / 2 for cell in self.cells)
        leaves, enters = self._ports(boxes, back)
        routes: list[Route] = []
        for number, (source, target) in enumerate(self.edges):
            start = (leaves[number], boxes[source].bottom)
            end = (enters[number], boxes[target].top)
            if number in back:  # right in the gap below, up a lane, left in the gap above
                shift = 5.0 * (int((right - first) / LANE) % 3)
                right += LANE
                lower, upper = bands[self.cells[source].layer], bands[self.cells[target].layer]
                below, above = lower[1] + LAYER_GAP / 3 + shift, upper[0] - LAYER_GAP / 3 - shift
                turns = [(start[0], below), (right, below), (right, above), (end[0], above)]
                routes.append(Route((start, *turns, end), True))
            else:
                routes.append(Route((start, *self._way(number, start, end, bands), end), False))
        height = bands[-1][1] + (LAYER_GAP / 2 if back else 0) + MARGIN
        return Layout(right + MARGIN, height, boxes, tuple(routes))

    def _way(
        self, number: int, start: Point, end: Point, bands: Sequence[tuple[float, float]]
    ) -> list[Point]:
        """From layer to layer. Inside one, edges run straight: no curve beside a box."""
        chain = [self.cells[index] for index in self.chains[number]]
        points = [(start[0], bands[chain[0].layer][1])]
        for cell in chain[1:-1]:
            points += [(cell.x, y) for y in bands[cell.layer]]
        points.append((end[0], bands[chain[-1].layer][0]))
        return points

    def _ports(
        self, boxes: tuple[Box, ...], back: set[int]
    ) -> tuple[dict[int, float], dict[int, float]]:
        """Where each edge leaves its source and enters its target: spread, by direction."""
        leaving: dict[int, list[tuple[float, int]]] = {}
        entering: dict[int, list[tuple[float, int]]] = {}
        for number, (source, target) in enumerate(self.edges):
            if number in back:  # to and from the right-hand side
                leaving.setdefault(source, []).append((float("inf"), number))
                entering.setdefault(target, []).append((float("inf"), number))
                continue
            chain = self.chains[number]
            leaving.setdefault(source, []).append((self.cells[chain[1]].x, number))
            entering.setdefault(target, []).append((self.cells[chain[-2]].x, number))
        return _spread(leaving, boxes), _spread(entering, boxes)


def _spread(ends: dict[int, list[tuple[float, int]]], boxes: tuple[Box, ...]) -> dict[int, float]:
    places: dict[int, float] = {}
    for node, items in ends.items():
        box = boxes[node]
        step = min(18.0, box.width * 0.6 / len(items))
        for position, (_, number) in enumerate(sorted(items)):
            places[number] = box.x + (position - (len(items) - 1) / 2) * step
    return places


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise
