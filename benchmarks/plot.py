"""The picture of a suite: each row's ratio beside TensorFlow, and how it changed over commits."""

import math
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any

Line = dict[str, Any]
#: Pixels: the width of the labels, of the axis, of the numbers, of the history.
LABELS, AXIS, NUMBERS, PAST = 330, 380, 70, 160
WIDTH, MARGIN, LINE, HEAD = LABELS + AXIS + NUMBERS + PAST + 60, 20, 19, 34
TICKS = (0.03, 0.1, 0.3, 1, 3, 10)
#: What is farther off is an arrow at the edge.
FAR = 0.03, 20.0
#: A history spans at least so many times its middle, up and down: less is noise.
LEAST_SPAN = 1.6
STYLE = """
:root { --ink: #1f2328; --quiet: #656d76; --rule: #d8dee4; --band: #f6f8fa; --page: #ffffff;
  --better: #1a7f64; --worse: #c2410c; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --quiet: #9198a1; --rule: #30363d; --band: #161b22; --page: #0d1117;
    --better: #3fb68b; --worse: #f0883e; }
}
text { font: 12px system-ui, "Segoe UI", Helvetica, Arial, sans-serif; fill: var(--ink);
  font-variant-numeric: tabular-nums; }
.title { font-size: 19px; font-weight: 600; } .room { font-size: 13px; font-weight: 600; }
.quiet { fill: var(--quiet); font-size: 11px; } .end { text-anchor: end; }
.middle { text-anchor: middle; } .page { fill: var(--page); } .band { fill: var(--band); }
.rule { stroke: var(--rule); } .one { stroke: var(--ink); stroke-width: 1.25; }
.past { fill: none; stroke: var(--quiet); stroke-width: 1; opacity: .7; }
.better { fill: var(--better); } .worse { fill: var(--worse); }
.span { stroke-width: 5; stroke-linecap: round; opacity: .35; }
.span.better { stroke: var(--better); } .span.worse { stroke: var(--worse); }
.target { fill: none; stroke: var(--quiet); stroke-width: 1.5; }
"""


def colour(ratio: float) -> str:
    """Better, or worse, than the other side."""
    return "better" if ratio <= 1 else "worse"


class Axis:
    """Ratios to pixels, by their logarithms."""

    def __init__(self, values: Sequence[float]):
        low, high = max(FAR[0], min([*values, 0.5])), min(FAR[1], max([*values, 2.0]))
        self._low, self._high = math.log(low / 1.15), math.log(high * 1.15)
        self.ticks = [tick for tick in TICKS if low / 1.15 <= tick <= high * 1.15]

    def x(self, ratio: float) -> float:
        """Where a ratio is."""
        share = (math.log(ratio) - self._low) / (self._high - self._low)
        return MARGIN + LABELS + AXIS * min(max(share, 0.0), 1.0)


def rooms_of(run: Sequence[Line]) -> dict[str, list[Line]]:
    """The rows beside TensorFlow, by what stands before the colon, the best first."""
    found: dict[str, list[Line]] = {}
    for line in run:
        if "ratio" in line and "tensorflow" in line["values"]:
            room = line["row"].partition(":")[0].partition(",")[0]
            found.setdefault(room, []).append(line)

    def order(line: Line) -> float:
        return 0 if "series" in line else line["ratio"]  # what grows stays in its order

    return {room: sorted(lines, key=order) for room, lines in found.items()}


def label_of(line: Line, room: str) -> str:
    """The name of a row below the name of its room."""
    text = line["row"].removeprefix(room).lstrip(":, ") or room
    return text.replace("_", " ")


def row(line: Line, room: str, axis: Axis, y: float) -> Iterator[str]:
    """The name of a row, its bar from the least ratio to the largest, its median, its target."""
    low, high = (axis.x(value) for value in line["spread"])
    kind, middle = colour(line["ratio"]), y - 4
    yield f'<text x="{MARGIN + 10}" y="{y}">{escape(label_of(line, room))}</text>'
    yield f'<line class="span {kind}" x1="{low:.1f}" x2="{high:.1f}" y1="{middle}" y2="{middle}"/>'
    x, ratio = axis.x(line["ratio"]), line["ratio"]
    if FAR[0] <= ratio <= FAR[1]:
        yield f'<circle class="{kind}" cx="{x:.1f}" cy="{middle}" r="4.2"/>'
    else:
        tip = -8 if ratio < 1 else 8
        yield f'<path class="{kind}" d="M{x:.1f} {middle - 4.5}v9l{tip} -4.5z"/>'
    if line.get("target", 1) != 1:
        x = axis.x(line["target"])
        yield f'<path class="target" d="M{x:.1f} {middle - 6}v12"/>'
    x = MARGIN + LABELS + AXIS + NUMBERS - 12
    yield f'<text class="{kind} end" x="{x}" y="{y}">{line["ratio"]:.3g}</text>'


def history(ratios: Sequence[float | None], y: float) -> Iterator[str]:
    """The ratios of a row in all runs, as a line; None where a run has none."""
    known = [ratio for ratio in ratios if ratio]
    centre = math.sqrt(min(known) * max(known))
    span = max(math.log(LEAST_SPAN), math.log(max(known) / centre))
    end, step = MARGIN + LABELS + AXIS + NUMBERS + 14 + PAST, PAST / max(1, len(ratios) - 1)
    points = [
        (
            end - (len(ratios) - 1 - number) * step,
            y - 4 - 6.5 * math.log(ratio / centre) / span,
            ratio,
        )
        for number, ratio in enumerate(ratios)
        if ratio
    ]
    if len(points) > 1:
        path = " ".join(f"{x:.1f},{up:.1f}" for x, up, _ in points)
        yield f'<polyline class="past" points="{path}"/>'
    for number, (x, up, ratio) in enumerate(points):
        radius = 2.8 if number == len(points) - 1 else 1.8
        yield f'<circle class="{colour(ratio)}" cx="{x:.1f}" cy="{up:.1f}" r="{radius}"/>'


def head(runs: Sequence[Sequence[Line]], axis: Axis, height: float) -> Iterator[str]:
    """The title, the axis with its lines, and what the columns are."""
    right = MARGIN + LABELS + AXIS + NUMBERS
    yield f'<text class="title" x="{MARGIN}" y="36">tinytf beside TensorFlow</text>'
    yield (
        f'<text class="quiet" x="{MARGIN}" y="56">time of a row as a share of TensorFlow\'s: '
        "median of pairs, from the least to the largest; a stroke: a target that is not 1</text>"
    )
    one = axis.x(1)
    yield f'<text class="better end" x="{one - 10:.1f}" y="80">◂ faster</text>'
    yield f'<text class="worse" x="{one + 10:.1f}" y="80">slower ▸</text>'
    for tick in axis.ticks:
        x, kind = axis.x(tick), "one" if tick == 1 else "rule"
        yield f'<line class="{kind}" x1="{x:.1f}" x2="{x:.1f}" y1="104" y2="{height - 16}"/>'
        yield f'<text class="quiet middle" x="{x:.1f}" y="98">{tick:g}</text>'
    yield f'<text class="quiet end" x="{right - 12}" y="98">ratio</text>'
    commits = [run[-1]["commit"] for run in runs]
    if len(commits) > 1:
        yield f'<text class="quiet" x="{right + 10}" y="98">{escape(commits[0])}</text>'
    x = right + 14 + PAST
    yield f'<text class="quiet end" x="{x}" y="98">{escape(commits[-1])}</text>'
    yield f'<text class="quiet" x="{right + 10}" y="80">over commits</text>'


def picture(runs: Sequence[Sequence[Line]], target_of: Callable[[Line], float | None]) -> str:
    """An SVG of the newest line of each row, with those of older runs beside it."""
    latest = {line["row"]: line for run in runs for line in run}
    rooms = rooms_of(list(latest.values()))
    lines = [line for group in rooms.values() for line in group]
    axis = Axis([value for line in lines for value in line["spread"]])
    by_run = [{line["row"]: line.get("ratio") for line in run} for run in runs]
    past = {name: [found.get(name) for found in by_run] for name in latest}
    height = 104 + HEAD * len(rooms) + LINE * len(lines) + 24
    body, y = [], 104
    for room, group in rooms.items():
        y += HEAD
        name = escape(room.replace("_", " "))
        body.append(f'<text class="room" x="{MARGIN}" y="{y - 8}">{name}</text>')
        for number, line in enumerate(group):
            y += LINE
            target = {"target": target_of(line) or 1}
            if number % 2 == 0:
                box = f'x="{MARGIN}" y="{y - 14}" width="{WIDTH - 2 * MARGIN}" height="{LINE}"'
                body.insert(0, f'<rect class="band" {box}/>')
            body += row(line | target, room, axis, y)
            body += history(past[line["row"]], y)
    bands = [part for part in body if part.startswith("<rect")]
    rest = [part for part in body if not part.startswith("<rect")]
    parts = [*bands, *head(runs, axis, height), *rest]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}">\n<title>tinytf beside TensorFlow</title>\n'
        f'<style>{STYLE}</style>\n<rect class="page" width="100%" height="100%"/>\n'
        + "\n".join(parts)
        + "\n</svg>\n"
    )
