"""The README's picture: a recorded step in the instruments, and the same step on three tasks.

cockpit.json has what happened (see cockpit_recording.py): the picture shows its order, its
counters, its threads and its bytes. Its clock is not the recording's: where everything is over
within microseconds, time is stretched until an eye can follow. Of the cluster it shows which
operation ran where and what crossed, with its bytes; when they do is taken from the threads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from math import log10
from pathlib import Path
from typing import Any

from canvas import SURFACES, Point, number
from cockpit_plans import NARROW, WIDE, Plan
from film import BACK, SOON, Film, Stops, between, turning

HERE = Path(__file__).parent
THEME = HERE.parents[1] / "tinytf" / "jupyter" / "static" / "theme.css"
DESCRIPTION = (
    "A recorded step, played in a loop. Above, a graph of ten operations and one fed value: each "
    "operation carries the number of inputs it still waits for, which goes down as tensors come "
    "along its edges. In the middle, the ready queue, which an operation joins when its number is "
    "0, and two threads that take operations from it: the two MatMul run side by side. Below, the "
    "same graph on a parameter server and two workers: three tensors of 1.44 MB cross from "
    "one process to another. Times are stretched, and the processes keep the threads' order."
)
#: Seconds: a tensor's way, the least time in the ready queue, from one event to the next.
WAY, QUEUED, NEXT = 0.28, 0.2, 0.06
#: The way from one process to another.
ACROSS = 0.55
#: Before the step begins, and after its end.
AHEAD, AFTER = 0.5, 2.6
STATES = ("waiting", "ready", "running", "done")


@cache
def recorded() -> dict[str, Any]:
    """What cockpit_recording.py wrote."""
    recording: dict[str, Any] = json.loads((HERE / "cockpit.json").read_text())
    return recording


@cache
def palette() -> dict[str, str]:
    """The instruments' colours: role -> hex."""
    return dict(re.findall(r"--tinytf-([a-z-]+): (#[0-9a-f]{6});", THEME.read_text()))


def mixed(colour: str, paper: str, share: float) -> str:
    """`share` of a colour on paper, as color-mix does it."""
    pairs = [(int(colour[n : n + 2], 16), int(paper[n : n + 2], 16)) for n in (1, 3, 5)]
    return "#" + "".join(f"{round(share * one + (1 - share) * two):02x}" for one, two in pairs)


@dataclass
class Clock:
    """When what happens in the picture, in its seconds.

    Attributes:
      taken, ended: of each operation. ready: when it joins the queue. counts: its counter, as it
        changes. thread: which one ran it. over: when the step is.
    """

    taken: dict[str, float]
    ended: dict[str, float]
    ready: dict[str, float]
    counts: dict[str, list[tuple[float, int]]]
    thread: dict[str, int]
    over: float


def way_of(tensor: str) -> float:
    """How long a tensor is on its way."""
    return ACROSS if tensor in crossings() else WAY


def crossings() -> dict[str, int]:
    """The tensors that go from one process to another, with their bytes."""
    return {tensor: size for tensor, _, _, size in recorded()["crossings"]}


def spent(node: str, microseconds: int) -> float:
    """How long an operation takes at least: its name is legible, what took longer is longer."""
    return 0.24 + 0.064 * len(node) + 0.22 * log10(max(microseconds / 100, 1))


def clock_of(recording: dict[str, Any]) -> Clock:
    """The recorded order, each event as early as a reader can follow it."""
    clock = Clock({}, {}, {}, {n: [(0.0, c)] for n, c in recording["counters"].items()}, {}, 0.0)
    free = dict.fromkeys(range(len(recording["threads"])), 0.0)
    began: dict[str, int] = {}
    now = AHEAD - NEXT
    for event in recording["events"]:
        node, now = event["node"], now + NEXT
        if event["kind"] == "take":
            now = max(now, clock.ready[node] + QUEUED, free[event["thread"]])
            clock.taken[node], clock.thread[node] = now, event["thread"]
            began[node] = event["microseconds"]
        elif event["kind"] == "run":
            now = max(now, clock.taken[node] + spent(node, event["microseconds"] - began[node]))
            clock.ended[node] = now
            free[clock.thread[node]] = now + NEXT
        arrives = now + (way_of(node) if event["kind"] == "run" else 0)
        clock.ready.update(dict.fromkeys(event["ready"], arrives))
        for changed, count in event["counters"].items():
            clock.counts[changed].append((arrives, count))
    clock.over = now
    return clock


class Cockpit(Film):
    """The picture in one theme and one plan."""

    def __init__(self, plan: Plan, theme: str) -> None:
        name = f"{plan.name}_{theme}"
        title = "tinytf: a step of a graph, on two threads and on three tasks"
        super().__init__(name, plan.width, plan.height, title, DESCRIPTION, theme)
        self.plan, self.clock = plan, clock_of(recorded())
        self.length = self.clock.over + AFTER + BACK
        self.still = self.clock.ended["Sigmoid"] + ACROSS / 2
        self.dark = theme == "dark"
        self.paper = SURFACES["panel"][self.dark]
        for x, y, words in plan.headings:
            self.text(x, y, words, size=14 if plan.downwards else 17, bold=True)
        if not plan.downwards:
            words = "recorded; time is stretched"
            self.text(plan.width - 28, 42, words, "quiet", size=13, anchor="end")
        self.draw_graph()
        self.draw_threads()
        self.draw_cluster()

    # ------------------------------------------------------------------------------- pieces

    def fill(self, state: str) -> str:
        """What a box is filled with."""
        share = {"waiting": 0.08, "ready": 0.18, "running": 0.26, "done": 0.18}.get(state, 0.18)
        return mixed(palette()[state], self.paper, share)

    def states(self, node: str) -> dict[str, Stops]:
        """How a box of an operation turns."""
        clock = self.clock
        times = (0.0, clock.ready[node], clock.taken[node], clock.ended[node])
        turns = list(zip(times, STATES, strict=True))
        return {
            "fill": turning([(second, self.fill(state)) for second, state in turns]),
            "stroke": turning([(second, palette()[state]) for second, state in turns]),
        }

    def box(self, x: float, y: float, width: float, height: float, radius: float, how: str) -> None:  # type: ignore[override]
        """A box given by its middle."""
        self._add(
            f'<rect {how} x="{number(x - width / 2)}" y="{number(y - height / 2)}" '
            f'width="{number(width)}" height="{number(height)}" rx="{number(radius)}"/>'
        )

    def words(
        self, x: float, y: float, words: str, size: int = 14, bold: bool = False, how: str = ""
    ) -> None:
        """Words of a moving part, in the middle."""
        weight = " bold" if bold else ""
        self._add(
            f'<g {how}><text class="ink-text mono{weight}" data-on="panel" x="{number(x)}" '
            f'y="{number(y + 0.35 * size)}" font-size="{size}" text-anchor="middle">'
            f"{escape(words)}</text></g>"
        )

    def token(self, points: Sequence[Point], start: float, way: float, colour: str) -> None:
        """A tensor that goes along points."""
        origin = points[0]
        stops = [
            (start + way * n / (len(points) - 1), (x - origin[0], y - origin[1]))
            for n, (x, y) in enumerate(points)
        ]
        how = self.moving(opacity=between(start - SOON, start + way), translate=[*stops])
        self.box(
            *origin, 15, 15, 4, f'{how} fill="{colour}" stroke="{self.paper}" stroke-width="1.5"'
        )

    # -------------------------------------------------------------------------------- graph

    def draw_graph(self) -> None:
        """Edges, operations with their counters, and the tensors that travel."""
        curves = {(a, b): self.curve_between(a, b) for a, b in recorded()["edges"]}
        for (source, _), points in curves.items():
            self._add(f'<path {self.edge(source)} d="{_path(points)}" fill="none"/>')
        for name in self.plan.nodes:
            self.draw_node(name)
        for (source, _), points in curves.items():
            if source in self.clock.ended:
                colour = palette()["transfer" if source in crossings() else "running"]
                self.token(_sampled(points), self.clock.ended[source], way_of(source), colour)

    def edge(self, source: str) -> str:
        """How an edge turns: nothing has come, something is on its way, it is there."""
        if source not in self.clock.ended:
            fed = mixed(palette()["placeholder"], self.paper, 0.7)
            return f'stroke="{fed}" stroke-width="2"'
        start, on_the_way = self.clock.ended[source], palette()["running"]
        if source in crossings():
            on_the_way = palette()["transfer"]
        turns = [(0.0, self.line), (start, on_the_way), (start + way_of(source), palette()["done"])]
        dashes = ' stroke-dasharray="2 5" stroke-linecap="round"' if source in crossings() else ""
        return f'{self.moving(stroke=turning(turns))} stroke-width="2.4"{dashes}'

    @property
    def line(self) -> str:
        """The colour of an edge along which nothing has come."""
        return mixed(palette()["waiting"], self.paper, 0.75)

    def curve_between(self, source: str, target: str) -> tuple[Point, Point, Point, Point]:
        """An edge: from the side of one operation to the side of another."""
        (x, y), (u, v) = self.plan.nodes[source], self.plan.nodes[target]
        if self.plan.downwards:
            y, v = y + 17, v - 17
            return (x, y), (x, (y + v) / 2), (u, (y + v) / 2), (u, v)
        x, u = x + _wide(source) / 2, u - _wide(target) / 2
        return (x, y), ((x + u) / 2, y), ((x + u) / 2, v), (u, v)

    def draw_node(self, name: str) -> None:
        """An operation with its counter; a fed value, which waits for nothing."""
        (x, y), wide = self.plan.nodes[name], _wide(name)
        if name not in self.clock.ended:
            colour = palette()["placeholder"]
            how = f'fill="{self.fill("placeholder")}" stroke="{colour}" stroke-width="2"'
            self.box(x, y, wide, 34, 17, how)
            self.words(x, y, name)
            return
        self.box(x, y, wide, 34, 8, f'{self.moving(**self.states(name))} stroke-width="2"')
        self.words(x, y, name)
        self.draw_counter(name, x + wide / 2 - 2, y - 17)

    def draw_counter(self, name: str, x: float, y: float) -> None:
        """How many inputs an operation waits for; a tick once it has run."""
        clock = self.clock
        stroke = self.states(name)["stroke"]
        pulses: list[tuple[float, float]] = [(0.0, 1.0)]
        for second, _ in [*clock.counts[name][1:], (clock.ended[name], 0)]:
            pulses += [(second, 1.0), (second + 0.1, 1.35), (second + 0.3, 1.0)]
        origin = f"transform-origin:{number(x)}px {number(y)}px;"
        ring = self.moving(stroke=stroke, grow=pulses).replace('style="', f'style="{origin}')
        self._add(
            f'<circle {ring} fill="{self.paper}" stroke-width="2" cx="{number(x)}" '
            f'cy="{number(y)}" r="10"/>'
        )
        shown = [*((s, str(c)) for s, c in clock.counts[name]), (clock.ended[name], "✓")]
        ends = [second for second, _ in shown[1:]] + [self.length]
        for (second, words), end in zip(shown, ends, strict=True):
            stops = between(second, end) if end < self.length else between(second, end)[:-2]
            self.words(x, y, words, 13, True, self.moving(opacity=stops))

    # ------------------------------------------------------------------------------ threads

    def draw_threads(self) -> None:
        """The ready queue, and the lanes that fill."""
        left, right, tops = self.plan.lanes
        start, above = (20, -10) if self.plan.downwards else (28, 20)
        self.text(start, self.plan.queue[1] + 5, "ready queue", role="quiet", size=13)
        track = mixed(palette()["waiting"], self.paper, 0.12)
        for top, thread in zip(tops, recorded()["threads"], strict=True):
            self.text(start, top + above, thread, role="quiet", size=13)
            self.box((left + right) / 2, top + 15, right - left, 30, 6, f'fill="{track}"')
        for name in self.clock.taken:
            self.draw_bar(name)
        for name, slots in self.slots().items():
            self.draw_chip(name, slots)
        ends = [(AHEAD, (0.0, 0.0)), (self.clock.over, (self.at(self.clock.over) - left, 0.0))]
        how = self.moving(translate=ends, opacity=between(AHEAD - 0.3, self.clock.over))
        accent = palette()["running"]
        self._add(
            f'<path {how} stroke="{accent}" stroke-width="2" '
            f'd="M{number(left)} {number(tops[0] - 5)}V{number(tops[-1] + 35)}"/>'
        )

    def at(self, second: float) -> float:
        """Where a moment stands in the lanes."""
        left, right, _ = self.plan.lanes
        return left + (right - left) * (second - AHEAD) / (self.clock.over - AHEAD)

    def draw_bar(self, name: str) -> None:
        """What a thread spends on an operation."""
        taken, ended = self.clock.taken[name], self.clock.ended[name]
        start, end = self.at(taken), self.at(ended)
        top = self.plan.lanes[2][self.clock.thread[name]]
        turns = [(0.0, "running"), (ended, "done")]
        how = self.moving(
            widen=[(taken, 0.0), (ended, 1.0)],
            opacity=[(taken - 0.01, 0.0), (taken, 1.0)],
            fill=turning([(second, self.fill(state)) for second, state in turns]),
            stroke=turning([(second, palette()[state]) for second, state in turns]),
        ).replace('style="', f'style="transform-origin:{number(start)}px 0px;')
        size = 13
        self.box((start + end) / 2, top + 15, end - start, 26, 4, f'{how} stroke-width="1.6"')
        if end - start > 0.62 * size * len(name):
            shown = self.moving(opacity=[(taken + 0.2, 0.0), (taken + 0.3, 1.0)])
            self.words((start + end) / 2, top + 15, name, size, how=shown)

    def slots(self) -> dict[str, list[tuple[float, float]]]:
        """Of each operation: from when it stands where in the queue."""
        clock, waiting = self.clock, list[str]()
        moments = sorted(
            [(second, 1, name) for name, second in clock.ready.items()]
            + [(second, 0, name) for name, second in clock.taken.items()]
        )
        places: dict[str, list[tuple[float, float]]] = {}
        for second, joins, name in moments:
            if joins:
                waiting.append(name)
            else:
                waiting.remove(name)
            x = self.plan.queue[0]
            for one in waiting:
                places.setdefault(one, []).append((second, x))
                x += _wide(one) + 8
        return places

    def draw_chip(self, name: str, slots: list[tuple[float, float]]) -> None:
        """An operation in the queue, until it goes to its lane."""
        y, taken, wide = self.plan.queue[1], self.clock.taken[name], _wide(name)
        origin = self.plan.queue[0]
        moves = turning([(second, (x - origin, 0.0)) for second, x in slots])
        down = self.plan.lanes[2][self.clock.thread[name]] + 15 - y
        goal = max(self.at(taken) - origin, 0)
        moves = [*moves, (taken - 0.02, moves[-1][1]), (taken + 0.24, (goal, down))]
        seen = between(slots[0][0] - SOON, taken + 0.12)
        self._add(f"<g {self.moving(translate=moves, opacity=seen)}>")
        colour = f'fill="{self.fill("ready")}" stroke="{palette()["ready"]}" stroke-width="2"'
        self.box(origin + wide / 2, y, wide, 26, 13, colour)
        self.words(origin + wide / 2, y, name)
        self._add("</g>")

    # ------------------------------------------------------------------------------ cluster

    def draw_cluster(self) -> None:
        """Three tasks with their operations, and what crosses."""
        transfer = palette()["transfer"]
        for tensor, (points, named, sized) in self.plan.ways.items():
            self._add(
                f'<path d="{_path(points)}" fill="none" stroke="{transfer}" stroke-width="2.4" '
                'stroke-dasharray="2 5" stroke-linecap="round"/>'
            )
            self.text(*named, tensor, size=13, anchor="middle", mono=True)
            size = f"{crossings()[tensor] / 1e6:.2f} MB"
            self.text(*sized, size, "quiet", size=13, anchor="middle")
        for task, (x, y, wide, high) in self.plan.cards.items():
            edge = f'class="region" stroke="{self.line}" stroke-width="1.4"'
            self.box(x + wide / 2, y + high / 2, wide, high, 8, edge)
            self.text(x + 12, y + 21, task, on="region", size=14, bold=True)
            self.draw_operations(task, x + 12, y + 48, x + wide)
        for tensor, (points, _, _) in self.plan.ways.items():
            self.token(_sampled(points), self.clock.ended[tensor], ACROSS, transfer)

    def draw_operations(self, task: str, x: float, y: float, right: float) -> None:
        """What a task runs, each as it stands with it."""
        left = x
        for name in recorded()["tasks"][task]:
            wide = _wide(name, 12)
            if x + wide > right:
                x, y = left, y + 36
            how = f'{self.moving(**self.states(name))} stroke-width="1.6"'
            self.box(x + wide / 2, y, wide, 28, 6, how)
            self.words(x + wide / 2, y, name)
            x += wide + 8


def _wide(name: str, more: int = 24) -> float:
    return max(more + 8.5 * len(name), 30)


def _path(points: Sequence[Point]) -> str:
    start, *rest = (f"{number(x)} {number(y)}" for x, y in points)
    return f"M{start}C{' '.join(rest)}"


def _sampled(points: Sequence[Point], parts: int = 8) -> list[Point]:
    """Points along a curve; only the two ends of one that is straight."""
    if len({x for x, _ in points}) == 1 or len({y for _, y in points}) == 1:
        return [points[0], points[-1]]
    a, b, c, d = points
    ways = []
    for t in (n / parts for n in range(parts + 1)):
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        ways.append(
            tuple(sum(w * p[n] for w, p in zip(weights, (a, b, c, d), strict=True)) for n in (0, 1))
        )
    return ways  # type: ignore[return-value]


FIGURES = tuple(
    lambda plan=plan, theme=theme: Cockpit(plan, theme)
    for plan in (WIDE, NARROW)
    for theme in ("light", "dark")
)
