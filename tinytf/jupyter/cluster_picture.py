"""The drawing of a cluster: its tasks in two columns, and what was sent as arrows with bytes.

Parameter servers (or else the first job) stand on the left, all others on the right: an arrow
between the columns meets no box, and one inside a column swings around its outer side. An arrow's
bytes stand near its beginning, where arrows of one task have parted, or at the many's end of a fan.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from typing import Any

from tinytf.devices.asking import readable
from tinytf.jupyter.cluster_view import SIGNS, headline, holds
from tinytf.jupyter.svg import STYLES as DRAWING
from tinytf.jupyter.svg import static_text

_WIDTH, _LINE, _PAD = 190.0, 15.0, 10.0
_HEIGHT = 5 * _LINE + 2 * _PAD
# Between the boxes of a column there is room for a row of buttons.
_GAP, _BETWEEN, _NARROW, _SIDE, _HEAD = 46.0, 260.0, 96.0, 100.0, 24.0
STYLES = (*DRAWING, "cluster.css")

#: The middle of the left side, and of the top, of a box.
Place = tuple[float, float]


def draw(state: Mapping[str, Any], styled: bool = True, is_narrow: bool = False) -> str:
    """A cluster's state as SVG."""
    jobs = list(dict.fromkeys(_job(task["name"]) for task in state["tasks"]))
    left = next((job for job in jobs if job == "ps"), jobs[0] if jobs else "")
    columns = [[left], [job for job in jobs if job != left]]
    inside = _loops(state, left)
    x0 = 12.0 + (_SIDE if inside[0] else 0)
    between = _NARROW if is_narrow else _BETWEEN
    lefts = [x0, x0 + _WIDTH + between if columns[1] else x0]
    boxes: dict[str, Place] = {}
    parts: list[str] = []
    height = 0.0
    for x, column in zip(lefts, columns, strict=True):
        y = 8.0
        for job in column:
            parts.append(
                f'<text class="tinytf-job" x="{x:.1f}" y="{y + 14:.1f}">/job:{escape(job)}</text>'
            )
            y += _HEAD
            for task in state["tasks"]:
                if _job(task["name"]) == job:
                    boxes[task["name"]] = (x, y)
                    y += _HEIGHT + _GAP
        height = max(height, y)
    width = lefts[1] + _WIDTH + (_SIDE if inside[1] else 0) + 12
    edges = [e for e in state["edges"] if e["source"] in boxes and e["target"] in boxes]
    drawn = [_edge(edge, boxes, lefts) for edge in edges]
    parts += [way for way, _ in drawn]
    parts += [_task(task, *boxes[task["name"]]) for task in state["tasks"]]
    parts += [label for _, label in drawn]
    style = f"<style>{''.join(map(static_text, STYLES))}</style>" if styled else ""
    return (
        f'<svg class="tinytf-graph tinytf-cluster" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{escape(headline(state))}" width="{width:.0f}" height="{height:.0f}" '
        f'viewBox="0 0 {width:.0f} {height:.0f}">{style}{"".join(parts)}</svg>'
    )


def _job(name: str) -> str:
    return name.rpartition(":")[0]


def _loops(state: Mapping[str, Any], left: str) -> tuple[bool, bool]:
    """Whether there are arrows inside of the left, and inside of the right column."""
    sides = [(_job(e["source"]) == left, _job(e["target"]) == left) for e in state["edges"]]
    return (True, True) in sides, (False, False) in sides


def _task(task: Mapping[str, Any], x: float, y: float) -> str:
    master = f"master of {', '.join(task['master_of'])}" if task["master_of"] else ""
    lines = [
        ("name", task["name"]),
        ("kind", f"{SIGNS[task['state']]} {task['state']}"),
        ("kind", _short(", ".join(task["devices"]))),
        ("kind", holds(task)),
        ("device", _short(master)),
    ]
    texts = "".join(
        f'<text class="tinytf-{role}" x="{x + _WIDTH / 2:.1f}" '
        f'y="{y + _PAD + 11 + _LINE * row:.1f}">{escape(text)}</text>'
        for row, (role, text) in enumerate(lines)
    )
    title = escape(f"{task['name']}: {task['note'] or task['state']}")
    return (
        f'<g class="tinytf-node" data-node="{escape(task["name"])}" '
        f'data-task="{task["state"]}"><title>{title}</title><rect class="tinytf-shape" '
        f'x="{x:.1f}" y="{y:.1f}" width="{_WIDTH}" height="{_HEIGHT}" rx="7"/>{texts}</g>'
    )


def _short(text: str) -> str:
    return text if len(text) <= 28 else f"{text[:27]}…"


def _edge(
    edge: Mapping[str, Any], boxes: Mapping[str, Place], lefts: list[float]
) -> tuple[str, str]:
    """An arrow, and its label."""
    (xa, ya), (xb, yb) = boxes[edge["source"]], boxes[edge["target"]]
    if xa == xb:
        outer = xa == lefts[1] and lefts[0] != lefts[1]
        x, swing = (xa + _WIDTH, _SIDE) if outer else (xa, -_SIDE)
        # There and back leave and arrive at different heights, so that both can be seen.
        a, b = (_HEIGHT * 0.3, _HEIGHT * 0.42) if ya < yb else (_HEIGHT * 0.58, _HEIGHT * 0.7)
        points = [(x, ya + a), (x + swing, ya + a), (x + swing, yb + b), (x, yb + b)]
        share, toward, beside = 0.35, -1.0 if outer else 1.0, -5.0
    else:
        is_forth = xa < xb
        begin, end = (xa + _WIDTH, xb) if is_forth else (xa, xb + _WIDTH)
        a, b, bend = ya + _HEIGHT / 2, yb + _HEIGHT / 2, (end - begin) / 3
        a, b = (a - 9, b - 9) if is_forth else (a + 9, b + 9)
        points = [(begin, a), (begin + bend, a), (end - bend, b), (end, b)]
        # Where all arrows of the left column are of one task, they are apart at their other ends.
        is_fan = sum(x == lefts[0] for x, _ in boxes.values()) == 1
        share, toward = 38 / abs(end - begin) if is_fan else 0.3, 1.0 if is_forth else -1.0
        share = 1 - share if is_fan and is_forth else share
        beside = 14.0 if is_fan and not is_forth else -5.0
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = points
    path = f"M{x0:.1f} {y0:.1f}C{x1:.1f} {y1:.1f} {x2:.1f} {y2:.1f} {x3 - 6 * toward:.1f} {y3:.1f}"
    head = (
        f"{x3:.1f},{y3:.1f} {x3 - 9 * toward:.1f},{y3 - 4:.1f} {x3 - 9 * toward:.1f},{y3 + 4:.1f}"
    )
    size = edge["bytes"]
    thick = 1.2 + min(math.log10(size), 9) / 2 if size else 1.2
    names = "\n".join(f"{name}: {times} times, {readable(n)}" for name, times, n in edge["tensors"])
    way = (
        f'<g class="tinytf-edge" data-source="{escape(edge["source"])}" '
        f'data-target="{escape(edge["target"])}" data-control="{str(not size).lower()}">'
        f"<title>{escape(edge['source'])} to {escape(edge['target'])}\n{escape(names)}</title>"
        f'<path class="tinytf-reach" d="{path}"/><path class="tinytf-way" d="{path}" '
        f'style="stroke-width: {thick:.1f}"/><polygon class="tinytf-head" points="{head}"/></g>'
    )
    x = _at(share, x0, x1, x2, x3)
    y = _at(share, y0, y1, y2, y3) + beside
    text = readable(size) if size else "signals"
    ends = f'data-from="{escape(edge["source"])}" data-to="{escape(edge["target"])}"'
    return way, f'<text class="tinytf-bytes" {ends} x="{x:.1f}" y="{y:.1f}">{escape(text)}</text>'


def _at(share: float, a: float, b: float, c: float, d: float) -> float:
    """A coordinate of a cubic Bezier curve."""
    rest = 1 - share
    return rest**3 * a + 3 * rest**2 * share * b + 3 * rest * share**2 * c + share**3 * d
