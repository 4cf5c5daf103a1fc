"""A picture as SVG: the outlines, the lines, and where the text goes.

The style is in static/theme.css and graph.css: the hues of all instruments, the ink of JupyterLab
or of the page. Colour never carries meaning alone. Each node has `data-node` and `data-form`, and
in a drawing with counters `data-count` and `data-state`: scripts and tests find them by these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise

from tinytf.jupyter.layout import Box, Layout, Point, Route, lay_out
from tinytf.jupyter.picture import Form, Picture, PictureEdge, PictureNode

#: The style sheets of a drawing: what a colour means, and the outlines.
STYLES = ("theme.css", "graph.css")
_NAME_WIDTH = 7.3  # of a character of the first line, at 12 px in a monospaced font
_KIND_WIDTH = 6.3  # at 10.5 px
_SIDES = {Form.PLACEHOLDER: 40, Form.CONTROL_FLOW: 40, Form.CONSTANT: 36, Form.SIDE_EFFECT: 38}

#: Shows a drawing of `in_page`, and takes away what stands there instead.
_SHOWN = (
    ".tinytf-instead{display:none}"
    ".tinytf-scroll{display:block!important;overflow-x:auto;padding:4px 0}"
)
INSTEAD = (
    "There is a drawing here, which this page does not show. In JupyterLab, run the cell, or trust "
    "the notebook (View, Activate Command Palette, Trust Notebook)."
)

#: What an outline means, for the key under a drawing.
MEANINGS = {
    Form.OPERATION: "operation",
    Form.CONSTANT: "constant",
    Form.PLACEHOLDER: "placeholder (a value to feed)",
    Form.STATE: "state that outlives a run (a variable, a queue)",
    Form.SIDE_EFFECT: "stateful operation: running it has an effect",
    Form.CONTROL_FLOW: "control flow (decides what runs)",
    Form.SCOPE: "name scope (several operations)",
    Form.COPY: "what arrives from another device",
}


@dataclass(frozen=True, slots=True)
class Mark:
    """What a drawing shows at a node, besides its name.

    Attributes:
      count: how many inputs it still waits for. state: one of recording's states; "" outside steps.
      badge: the text at its corner, "" for no badge.
      note: at the other corner, such as "#2" for iteration 2.
    """

    count: int = 0
    state: str = ""
    badge: str = ""
    note: str = ""


@cache
def static_text(name: str) -> str:
    """A file of tinytf/jupyter/static."""
    return files("tinytf.jupyter").joinpath("static", name).read_text(encoding="utf-8")


def size_of(node: PictureNode) -> tuple[float, float]:
    """Width and height of a node, so that its text fits."""
    text = max(
        len(node.label) * _NAME_WIDTH, len(node.kind) * _KIND_WIDTH, len(node.device) * _KIND_WIDTH
    )
    width = max(64.0, text + _SIDES.get(node.form, 28))
    lines = 1 + bool(node.kind) + bool(node.device)
    return round(width, 1), 20.0 + 14.0 * lines + (8 if node.form is Form.STATE else 0)


def layout_of(picture: Picture) -> Layout:
    """Where everything goes."""
    return lay_out(
        [size_of(node) for node in picture.nodes],
        [(edge.source, edge.target) for edge in picture.edges],
        [number for number, edge in enumerate(picture.edges) if edge.closes_loop],
    )


def draw(
    picture: Picture,
    label: str,
    marks: Mapping[str, Mark] | None = None,
    styles: Sequence[str] = STYLES,
) -> str:
    """The picture as an `<svg>` element.

    Args:
      label: what a screen reader says in its place.
      marks: node -> its counter, for drawings of a running step.
      styles: the style sheets to put inside.
    """
    layout = layout_of(picture)
    parts = elements(picture, layout, marks)
    return frame(parts, label, layout.width, layout.height, styles)


def frame(
    parts: Sequence[str],
    label: str,
    width: float,
    height: float,
    styles: Sequence[str],
    scale: float = 1.0,
) -> str:
    """An `<svg>` element of this size, in px, around its parts; see `draw`."""
    size = f'width="{_number(width * scale)}" height="{_number(height * scale)}"'
    head = (
        f'<svg class="tinytf-graph" xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{escape(label)}" {size} '
        f'viewBox="0 0 {_number(width)} {_number(height)}">'
    )
    style = f"<style>{''.join(map(static_text, styles))}</style>" if styles else ""
    return "\n".join(filter(None, [head, style, *parts, "</svg>"]))


def elements(
    picture: Picture, layout: Layout, marks: Mapping[str, Mark] | None = None
) -> list[str]:
    """The edges and the nodes of a picture."""
    parts = []
    for edge, route in zip(picture.edges, layout.routes, strict=True):
        line = _way_back(route) if route.is_back else _way_down(route)
        x, y = route.points[-1]
        parts.append(draw_edge(picture, edge, line, [(x, y), (x - 4, y - 8), (x + 4, y - 8)]))
    for node, box in zip(picture.nodes, layout.boxes, strict=True):
        parts.append(_node(node, box, marks.get(node.key) if marks is not None else None))
    return parts


def in_page(drawing: str) -> str:
    """A drawing as HTML that also does for pages which strip `<svg>` and `<style>`.

    JupyterLab does so in notebooks that are not trusted, and so do sites that show notebooks. All
    that is left of a drawing then are its words, one after the other: hidden, because it takes
    the style sheet to show them; and a sentence, which the style sheet hides, stands instead.
    """
    return (
        f"<style>{_SHOWN}</style>"
        f'<p class="tinytf-instead"><em>{INSTEAD}</em></p>'
        f'<div class="tinytf-scroll" style="display: none">{drawing}</div>'
    )


def key_to(forms: list[Form]) -> str:
    """A line of HTML that says what the outlines mean; "" where all look the same."""
    if len(forms) < 2:
        return ""
    items = []
    for form in forms:
        shape = _outline(form, Box(15, 10, 26, 14))
        items.append(
            f'<span class="tinytf-key-item"><svg class="tinytf-graph" width="30" height="20" '
            f'aria-hidden="true"><g class="tinytf-node" data-form="{form}">{shape}</g></svg> '
            f"{MEANINGS[form]}</span>"
        )
    return f'<div class="tinytf-key" style="display: none">{" ".join(items)}</div>'


# ---------------------------------------------------------------------------------------- nodes


def _node(node: PictureNode, box: Box, mark: Mark | None) -> str:
    data = f'data-node="{escape(node.key)}" data-form="{node.form}"'
    if mark is not None and mark.state:
        data += f' data-count="{mark.count}" data-state="{mark.state}"'
    third = "bytes" if node.form is Form.COPY else "device"
    texts = [("name", node.label), ("kind", node.kind), (third, node.device)]
    lines = [(role, text) for role, text in texts if text]
    first = box.y - 7.0 * (len(lines) - 1) + 4 + (4 if node.form is Form.STATE else 0)
    written = "".join(
        f'<text class="tinytf-{role}" x="{_number(box.x)}" y="{_number(first + 14 * row)}">'
        f"{escape(text)}</text>"
        for row, (role, text) in enumerate(lines)
    )
    return (
        f'<g class="tinytf-node" {data}><title>{escape(node.title)}</title>'
        f"{_outline(node.form, box)}{written}{_badge(box, mark)}</g>"
    )


def _badge(box: Box, mark: Mark | None) -> str:
    if mark is None:
        return ""
    x, y = box.x - box.width / 2 + 2, box.top + 1
    badge = (
        f'<circle class="tinytf-badge" cx="{_number(x)}" cy="{_number(y)}" r="10"/>'
        f'<text class="tinytf-count" x="{_number(x)}" y="{_number(y + 4)}">{escape(mark.badge)}'
        f"</text>"
    )
    note = (
        f'<text class="tinytf-note" x="{_number(box.x + box.width / 2 + 6)}" '
        f'y="{_number(box.top - 3)}">{escape(mark.note)}</text>'
    )
    return (badge if mark.badge else "") + (note if mark.note or mark.state else "")


def _outline(form: Form, box: Box) -> str:
    left, right = box.x - box.width / 2, box.x + box.width / 2
    top, bottom = box.top, box.bottom
    if form is Form.CONSTANT:
        return _rectangle(box, box.height / 2)
    if form is Form.PLACEHOLDER:
        slant = min(12.0, box.width / 4)
        return _polygon(
            [(left + slant, top), (right, top), (right - slant, bottom), (left, bottom)]
        )
    if form is Form.CONTROL_FLOW:
        slant = min(12.0, box.width / 4)
        upper = [(left, box.y), (left + slant, top), (right - slant, top)]
        lower = [(right, box.y), (right - slant, bottom), (left + slant, bottom)]
        return _polygon([*upper, *lower])
    if form is Form.STATE:
        return _cylinder(left, right, top, bottom)
    if form is Form.SIDE_EFFECT:
        inset = min(5.0, box.width / 5)
        bars = "".join(
            f'<path class="tinytf-line" d="M{_number(x)} {_number(top)}V{_number(bottom)}"/>'
            for x in (left + inset, right - inset)
        )
        return _rectangle(box, 2) + bars
    if form is Form.SCOPE:
        d = f"M{_number(left + 5)} {_number(top)}v-4h{_number(box.width - 1)}"
        d += f"v{_number(box.height)}h-4"
        return f'<path class="tinytf-line" d="{d}"/>' + _rectangle(box, 5)
    if form is Form.COPY:
        tip = [(right, bottom - 6), (box.x, bottom), (left, bottom - 6)]
        return _polygon([(left, top), (right, top), *tip])
    return _rectangle(box, 5)


def _rectangle(box: Box, radius: float) -> str:
    return (
        f'<rect class="tinytf-shape" x="{_number(box.x - box.width / 2)}" y="{_number(box.top)}" '
        f'width="{_number(box.width)}" height="{_number(box.height)}" rx="{_number(radius)}"/>'
    )


def _polygon(points: list[tuple[float, float]]) -> str:
    text = " ".join(f"{_number(x)},{_number(y)}" for x, y in points)
    return f'<polygon class="tinytf-shape" points="{text}"/>'


def _cylinder(left: float, right: float, top: float, bottom: float) -> str:
    rx, ry = (right - left) / 2, min(6.0, (bottom - top) / 4)
    arc = f"A{_number(rx)} {_number(ry)} 0 0 "
    a, b = f"{_number(left)} {_number(top + ry)}", f"{_number(right)} {_number(top + ry)}"
    body = f"M{a}{arc}1 {b}V{_number(bottom - ry)}{arc}1 {_number(left)} {_number(bottom - ry)}Z"
    return f'<path class="tinytf-shape" d="{body}"/><path class="tinytf-line" d="M{a}{arc}0 {b}"/>'


# ---------------------------------------------------------------------------------------- edges


def draw_edge(picture: Picture, edge: PictureEdge, line: str, tip: list[Point]) -> str:
    """An edge: `line` is its path, `tip` the corners of its head."""
    head = _polygon(tip).replace("shape", "head")
    source, target = picture.nodes[edge.source].key, picture.nodes[edge.target].key
    crosses = ' data-crosses="true"' if edge.crosses else ""
    return (
        f'<g class="tinytf-edge" data-source="{escape(source)}" data-target="{escape(target)}" '
        f'data-control="{str(edge.is_control).lower()}"{crosses}>'
        f"<title>{escape(edge.title)}</title>"
        f'<path class="tinytf-reach" d="{line}"/><path class="tinytf-way" d="{line}"/>{head}</g>'
    )


def _way_down(route: Route) -> str:
    """Curves between the layers, straight lines inside them."""
    points = [*route.points[:-1], (route.points[-1][0], route.points[-1][1] - 4)]
    d = f"M{_number(points[0][0])} {_number(points[0][1])}"
    for number, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if number % 2 == 0 or abs(x0 - x1) < 0.05:
            d += f"L{_number(x1)} {_number(y1)}"
        else:
            middle = _number((y0 + y1) / 2)
            d += f"C{_number(x0)} {middle} {_number(x1)} {middle} {_number(x1)} {_number(y1)}"
    return d


def _way_back(route: Route) -> str:
    """Straight lines with rounded corners."""
    points = route.points
    d = f"M{_number(points[0][0])} {_number(points[0][1])}"
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter, leave = _towards(corner, before, 6), _towards(corner, after, 6)
        d += f"L{_number(enter[0])} {_number(enter[1])}Q{_number(corner[0])} {_number(corner[1])} "
        d += f"{_number(leave[0])} {_number(leave[1])}"
    return d + f"L{_number(points[-1][0])} {_number(points[-1][1] - 4)}"


def _towards(
    start: tuple[float, float], end: tuple[float, float], distance: float
) -> tuple[float, float]:
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = abs(dx) + abs(dy)  # one of them is zero
    share = min(distance, length / 2) / length if length else 0
    return start[0] + dx * share, start[1] + dy * share


def _number(value: float) -> str:
    """A coordinate: one decimal is a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")
