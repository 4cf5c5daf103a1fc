"""A small drawing module: boxes, arrows and words, in the one style of the course's figures.

A figure stands on a panel of its own, light or dark as the reader's browser asks for, so that its
contrast does not depend on the page around it. What something is shows in its shape, its outline
and its label; colour only repeats it, so a figure means the same in grey. Words stay words: they
can be searched, selected and read aloud.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

#: Role -> (on a light panel, on a dark panel). tests/notebooks/test_figures.py computes contrasts.
INKS = {
    "ink": ("#1d2733", "#eef1f4"),  # words
    "quiet": ("#566170", "#aeb8c4"),  # remarks, and what does not run
    "accent": ("#a8450f", "#f4a26b"),  # what a figure is about
    "line": ("#4b5866", "#9aa6b3"),  # outlines and arrows
    "value": ("#1b5e94", "#8cc4f2"),  # values that travel on arrows
}
SURFACES = {
    "panel": ("#ffffff", "#1b2027"),
    "region": ("#f4f5f6", "#262c34"),
    "op": ("#dcebf7", "#1f4360"),
    "constant": ("#f3e9d2", "#4d3f1c"),
    "variable": ("#dff0df", "#23492b"),
    "placeholder": ("#efe3f4", "#45305a"),
}
SANS = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', Verdana, sans-serif"
MONO = "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace"

Point = tuple[float, float]


def number(value: float) -> str:
    """At most one decimal, so that files are the same on every machine."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text


@dataclass(frozen=True)
class Box:
    """Something drawn that arrows can start from and lead to."""

    x: float  # of its centre
    y: float
    width: float
    height: float
    round: bool = False

    @property
    def centre(self) -> Point:
        """The middle."""
        return self.x, self.y

    def side(self, where: str, shift: float = 0.0) -> Point:
        """The middle of a side ("left", "right", "top", "bottom"), moved along it by `shift`."""
        dx, dy = {"left": (-1, 0), "right": (1, 0), "top": (0, -1), "bottom": (0, 1)}[where]
        along = (0, shift) if dx else (shift, 0)
        return self.x + dx * self.width / 2 + along[0], self.y + dy * self.height / 2 + along[1]

    def towards(self, target: Point) -> Point:
        """Where the line from the centre to `target` leaves the outline."""
        dx, dy = target[0] - self.x, target[1] - self.y
        if self.round:
            scale = 1 / math.hypot(2 * dx / self.width, 2 * dy / self.height)
        else:
            scale = 0.5 * min(
                self.width / abs(dx) if dx else math.inf, self.height / abs(dy) if dy else math.inf
            )
        return self.x + dx * scale, self.y + dy * scale


class Figure:
    """One SVG file.

    Args:
        name: the file's name without its suffix.
        width, height: in pixels, as shown.
        title: its name, for readers that do not see it.
        description: what it shows, in sentences.
        theme: "both" follows the reader's browser; "light" and "dark" are fixed.
    """

    def __init__(
        self, name: str, width: int, height: int, title: str, description: str, theme: str = "both"
    ) -> None:
        self.name, self.width, self.height = name, width, height
        self.title, self.description, self.theme = title, description, theme
        self._parts: list[str] = []

    # ------------------------------------------------------------------------------- boxes

    def box(
        self,
        x: float,
        y: float,
        text: str | Sequence[str],
        kind: str = "op",
        width: float = 0,
        height: float = 0,
        idle: bool = False,
        mono: bool = True,
        size: int = 14,
    ) -> Box:
        """A node, centred on (x, y), whose `kind` shows in its outline.

        An operation is rounded, a constant round, a variable has a double outline, a placeholder
        is slanted. `idle` draws what does not run: dashed and grey.
        """
        lines = [text] if isinstance(text, str) else list(text)
        longest = max(len(line) for line in lines)
        width = width or max(64, longest * size * (0.62 if mono else 0.58) + 28)
        height = height or 22 + 1.3 * size * len(lines)
        if kind == "constant":
            width = height = max(min(width, 60), 48)
        shape = Box(x, y, width, height, round=kind == "constant")
        surface = "panel" if idle else kind
        line = "outline idle" if idle else "outline"
        self._outline(shape, kind, f"{surface} {line}")
        first = y + 0.35 * size - 0.65 * size * (len(lines) - 1)
        for index, words in enumerate(lines):
            small = size if index == 0 or not mono else size - 2
            self.text(
                x,
                first + 1.3 * size * index,
                words,
                role="quiet" if idle else "ink",
                on=surface,
                size=small,
                anchor="middle",
                mono=mono,
            )
        return shape

    def _outline(self, box: Box, kind: str, classes: str) -> None:
        left, top = box.x - box.width / 2, box.y - box.height / 2
        if kind == "constant":
            self._add(
                f'<circle class="{classes}" cx="{number(box.x)}" cy="{number(box.y)}" '
                f'r="{number(box.width / 2)}"/>'
            )
        elif kind == "placeholder":
            slant = 12
            points = [
                (left + slant, top),
                (left + box.width + slant / 2, top),
                (left + box.width - slant, top + box.height),
                (left - slant / 2, top + box.height),
            ]
            self._polygon(points, classes)
        else:
            radius = {"op": 9, "variable": 3, "region": 6}[kind]
            self._rect(left, top, box.width, box.height, radius, classes)
            if kind == "variable":
                inset = f"{classes.split()[0]} outline"
                self._rect(left + 4, top + 4, box.width - 8, box.height - 8, 1, inset)

    def region(
        self, x: float, y: float, width: float, height: float, label: str = "", role: str = "quiet"
    ) -> Box:
        """A part of the picture with a name, given by its top left corner; returned as a box."""
        self._rect(x, y, width, height, 8, "region faint")
        if label:
            self.text(x + 12, y + 21, label, role=role, on="region", size=13, bold=True)
        return Box(x + width / 2, y + height / 2, width, height)

    def bar(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        kind: str = "op",
        label: str = "",
        idle: bool = False,
    ) -> None:
        """A part of something that has a length, given by its top left corner; `idle`: nothing."""
        line = "panel outline idle" if idle else f"{kind} outline"
        self._rect(x, y, width, height, 3, line)
        if label:
            self.text(
                x + width / 2,
                y + height / 2 + 5,
                label,
                on="panel" if idle else kind,
                size=13,
                anchor="middle",
                mono=True,
            )

    # ------------------------------------------------------------------------------ arrows

    def arrow(
        self,
        start: Box | Point,
        end: Box | Point,
        style: str = "line",
        bend: float = 0.0,
        both: bool = False,
    ) -> Point:
        """An arrow between two boxes or points; returns the middle, for a label.

        `style` is "line", "accent", "idle" (dashed: nothing travels) or "control" (dotted: order
        only). `bend` moves the middle to the left of the arrow's direction.
        """
        tail = start.towards(_goal(end)) if isinstance(start, Box) else start
        tip = end.towards(_goal(start)) if isinstance(end, Box) else end
        dx, dy = tip[0] - tail[0], tip[1] - tail[1]
        length = math.hypot(dx, dy)
        knee = (
            (tail[0] + tip[0]) / 2 + bend * dy / length,
            (tail[1] + tip[1]) / 2 - bend * dx / length,
        )
        # The line ends inside the head, so that it does not show beside the tip.
        stop = _short_of(tip, knee if bend else tail, 7)
        begin = _short_of(tail, knee if bend else tip, 7) if both else tail
        middle = f"Q {_pair(knee)} " if bend else "L "
        self._add(f'<path class="way {style}" d="M {_pair(begin)} {middle}{_pair(stop)}"/>')
        self._head(tip, knee if bend else tail, style)
        if both:
            self._head(tail, knee if bend else tip, style)
        return (knee[0] + (tail[0] + tip[0]) / 2) / 2, (knee[1] + (tail[1] + tip[1]) / 2) / 2

    def curve(self, points: Sequence[Point], style: str = "line") -> None:
        """A line through points; `style` as for arrows."""
        rest = " ".join(f"L {_pair(point)}" for point in points[1:])
        self._add(f'<path class="way {style}" d="M {_pair(points[0])} {rest}"/>')

    def _head(self, tip: Point, origin: Point, style: str) -> None:
        base = _short_of(tip, origin, 10)
        across = (-(tip[1] - base[1]) * 0.45, (tip[0] - base[0]) * 0.45)
        corners = [
            tip,
            (base[0] + across[0], base[1] + across[1]),
            (base[0] - across[0], base[1] - across[1]),
        ]
        self._polygon(corners, f"head {style}")

    # ------------------------------------------------------------------------------- words

    def text(
        self,
        x: float,
        y: float,
        words: str,
        role: str = "ink",
        on: str = "panel",
        size: int = 14,
        anchor: str = "start",
        mono: bool = False,
        bold: bool = False,
    ) -> None:
        """Words with their base line at y. `role` is their ink, `on` the surface under them."""
        classes = f"{role}-text" + (" mono" if mono else "") + (" bold" if bold else "")
        place = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._add(
            f'<text class="{classes}" data-on="{on}" x="{number(x)}" y="{number(y)}" '
            f'font-size="{size}"{place} xml:space="preserve">{escape(words)}</text>'
        )

    def value(
        self, at: Point, words: str, dx: float = 0, dy: float = -7, on: str = "panel"
    ) -> None:
        """What travels on an arrow, written beside its middle."""
        self.text(
            at[0] + dx,
            at[1] + dy,
            words,
            role="value",
            on=on,
            size=13,
            anchor="middle",
            mono=True,
            bold=True,
        )

    def code(self, x: float, y: float, lines: Sequence[str], on: str = "panel") -> None:
        """Lines of a program."""
        for index, line in enumerate(lines):
            self.text(x, y + 20 * index, line, on=on, size=13, mono=True)

    def note(self, x: float, y: float, lines: Sequence[str], on: str = "panel") -> None:
        """A remark, in smaller words."""
        for index, line in enumerate(lines):
            self.text(x, y + 18 * index, line, role="quiet", on=on, size=13)

    def badge(self, x: float, y: float, words: str) -> None:
        """A number in a ring, to refer to."""
        self._add(f'<circle class="panel ring" cx="{number(x)}" cy="{number(y)}" r="11"/>')
        self.text(x, y + 4.5, words, role="accent", size=13, anchor="middle", bold=True)

    # -------------------------------------------------------------------------------- file

    def svg(self) -> str:
        """The whole file."""
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" '
            f'width="{self.width}" height="{self.height}" viewBox="0 0 {self.width} {self.height}">'
        )
        panel = f'<rect class="panel" width="{self.width}" height="{self.height}" rx="10"/>'
        lines = [
            head,
            f'<title id="title">{escape(self.title)}</title>',
            f'<desc id="desc">{escape(self.description)}</desc>',
            f"<style>\n{self._style()}</style>",
            panel,
            *self._parts,
            "</svg>",
        ]
        return "\n".join(lines) + "\n"

    def _style(self) -> str:
        rules = (
            f"text {{ font-family: {SANS}; }}\n"
            f".mono {{ font-family: {MONO}; }}\n.bold {{ font-weight: 600; }}\n"
            ".outline { stroke-width: 1.6; } .faint { stroke-width: 1; }\n"
            ".ring { stroke-width: 1.6; }\n"
            ".way { fill: none; stroke-width: 1.8; } .way.accent { stroke-width: 2.6; }\n"
            ".idle { stroke-dasharray: 5 4; } .control { stroke-dasharray: 2 4; }\n"
            ".head { stroke: none; }\n"
        )
        if self.theme != "both":
            return rules + _colours(("light", "dark").index(self.theme))
        dark = "".join(f"  {line}\n" for line in _colours(1).splitlines())
        return f"{rules}{_colours(0)}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"

    def _add(self, part: str) -> None:
        self._parts.append(part)

    def _rect(
        self, x: float, y: float, width: float, height: float, radius: float, classes: str
    ) -> None:
        self._add(
            f'<rect class="{classes}" x="{number(x)}" y="{number(y)}" width="{number(width)}" '
            f'height="{number(height)}" rx="{number(radius)}"/>'
        )

    def _polygon(self, points: Sequence[Point], classes: str) -> None:
        corners = " ".join(_pair(point) for point in points)
        self._add(f'<polygon class="{classes}" points="{corners}"/>')


def _colours(theme: int) -> str:
    """The rules that differ between light (0) and dark (1)."""
    lines = [f".{role} {{ fill: {both[theme]}; }}" for role, both in SURFACES.items()]
    lines += [f".{role}-text {{ fill: {both[theme]}; }}" for role, both in INKS.items()]
    line, quiet, accent = (INKS[role][theme] for role in ("line", "quiet", "accent"))
    lines += [
        f".outline, .faint, .way {{ stroke: {line}; }}",
        f".outline.idle, .way.idle {{ stroke: {quiet}; }}",
        f".way.accent, .ring {{ stroke: {accent}; }}",
        f".head {{ fill: {line}; }} .head.idle {{ fill: {quiet}; }}",
        f".head.accent {{ fill: {accent}; }}",
    ]
    return "\n".join(lines) + "\n"


def _goal(target: Box | Point) -> Point:
    return target.centre if isinstance(target, Box) else target


def _pair(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _short_of(tip: Point, origin: Point, distance: float) -> Point:
    """The point `distance` before `tip` on the way from `origin`."""
    dx, dy = tip[0] - origin[0], tip[1] - origin[1]
    length = math.hypot(dx, dy)
    return tip[0] - dx * distance / length, tip[1] - dy * distance / length
