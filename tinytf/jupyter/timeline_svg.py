"""A timeline as one SVG drawing, for files and for pages where widgets do not run.

A name is written whole: in its box, beside it, or below it at the end of a thin line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape

from tinytf.jupyter.svg import static_text
from tinytf.jupyter.timeline_picture import (
    MEANINGS,
    Block,
    Box,
    Group,
    TimelinePicture,
    arrow_ends,
    clocks_text,
    duration_text,
    kind_of,
    meaning_of,
)

_MARGIN = 8.0
_AXIS = 26.0
_TITLE, _ROW, _BAR, _LINE, _QUEUE, _GAP = 24.0, 20.0, 17.0, 13.0, 28.0, 8.0
_CHARACTER = 6.7
_SANS_CHARACTER = 6.4
#: No box is narrower; what is nearer to its neighbours than that is drawn together with them.
_MARK = 3.0
_MOST_BOXES, _MOST_CROWDS = 100, 400
_MOST_LINES = 3
_WIDEST_MARGIN = 220.0


@dataclass(slots=True)
class _Mark:
    """What is drawn of a row, in pixels.

    Attributes:
      box: None for a crowd of `count`. text: the name, if it has a place: from `x`, on `line`: 0 is
        that of the box, others are below it. inside: the attribute for a name in its box.
    """

    box: Box | None
    depth: int
    left: float
    right: float
    count: int = 1
    text: str = ""
    x: float = 0.0
    line: int = 0
    inside: str = ""


def draw(picture: TimelinePicture, label: str, width: float = 960) -> str:
    """The whole of a picture, steps one after another, time from left to right."""
    return _Drawing(picture, width).draw(label)


class _Drawing:
    def __init__(self, picture: TimelinePicture, width: float):
        self._picture, self._width = picture, width
        titles = [lane.title for group in picture.groups for lane in group.lanes]
        titles += [_queue_title(group) for group in picture.groups]
        self._gutter = max(map(len, titles), default=0) * _SANS_CHARACTER + 24
        total = max(sum(picture.lengths), 1)
        gap = total / 40
        self._offsets, time = [], 0.0
        for length in picture.lengths:
            self._offsets.append(time)
            time += length + gap
        self._total = max(time - gap, 1.0)
        self._right = width - _MARGIN
        self._rows = self._named_rows()
        out = [m.x + len(m.text) * _CHARACTER for row in self._rows.values() for m in row]
        if max(out, default=0) > self._right:  # names beside what is last need some room
            self._right -= min(max(out) - self._right, _WIDEST_MARGIN)
            self._rows = self._named_rows()
        #: the top of each group's title, of its lanes, and of its queue
        self._tops: list[tuple[float, list[float], float]] = []
        y = _AXIS
        for number, group in enumerate(picture.groups):
            top, lanes = y, []
            y += _TITLE
            for place, lane in enumerate(group.lanes):
                lanes.append(y)
                lines = max((mark.line for mark in self._rows.get((number, place), ())), default=0)
                y += _ROW * lane.depth + _LINE * lines + (5 if lines else 0)
            self._tops.append((top, lanes, y))
            y += (_QUEUE if _has_queue(group) else 0) + _GAP
        self._bottom = y

    def draw(self, label: str) -> str:
        parts = [*self._axis()]
        for number, group in enumerate(self._picture.groups):
            parts += self._group(number, group)
        parts += [self._arrow(*arrow) for arrow in self._picture.arrows[:_MOST_CROWDS]]
        for (at, lane), row in self._rows.items():
            parts += reversed([*self._row(row, self._tops[at][1][lane])])
        key, height = self._key()
        parts.append(key)
        if note := clocks_text(self._picture.clocks):
            height += _ROW
            text = f'<text class="tinytf-clocks" x="4" y="{_text(height)}">⚠ {escape(note)}</text>'
            parts.append(text)
        size = f"{_text(self._width)} {_text(height + _MARGIN)}"
        width, _, high = size.partition(" ")
        return "\n".join(
            [
                f'<svg class="tinytf-view tinytf-times" xmlns="http://www.w3.org/2000/svg" '
                f'role="img" aria-label="{escape(label)}" width="{width}" height="{high}" '
                f'viewBox="0 0 {size}">',
                f"<style>{static_text('theme.css')}{static_text('timeline.css')}</style>",
                *parts,
                "</svg>",
            ]
        )

    def _x(self, step: int, time: float) -> float:
        scale = (self._right - self._gutter) / self._total
        return self._gutter + (self._offsets[step] + time) * scale

    # Rows --------------------------------------------------------------------------------------

    def _named_rows(self) -> dict[tuple[int, int], list[_Mark]]:
        """What is drawn of each lane: wider boxes join, too, until few enough are left."""
        found: dict[tuple[int, int, int], list[tuple[float, float, Box | Block]]]
        found = defaultdict(list)
        for box in self._picture.boxes:
            step = box.activity.step
            ends = self._x(step, box.start), self._x(step, box.end), box
            found[box.group, box.lane, box.depth].append(ends)
        for block in self._picture.blocks:
            block_ends = self._x(block.step, block.start), self._x(block.step, block.end), block
            found[block.group, block.lane, block.depth].append(block_ends)
        for row in found.values():
            row.sort(key=lambda ends: ends[0])
        narrow, few = _MARK, False
        while not few:
            rows: dict[tuple[int, int], list[_Mark]] = defaultdict(list)
            for (group, lane, depth), items in found.items():
                rows[group, lane] += _marks(items, depth, narrow)
            marks = [mark for row in rows.values() for mark in row]
            boxes = sum(mark.box is not None for mark in marks)
            few = boxes <= _MOST_BOXES and len(marks) - boxes <= _MOST_CROWDS
            narrow *= 1.6
        for (group, lane), named in rows.items():
            _name(named, self._picture.groups[group].lanes[lane].depth, self._gutter)
        return rows

    def _row(self, row: list[_Mark], y: float) -> Iterable[str]:
        crowds = ""
        depth = max(mark.depth for mark in row) + 1
        for mark in row:
            top = y + _ROW * mark.depth
            left, width = _text(mark.left), _text(max(mark.right - mark.left, _MARK))
            below = y + _ROW * depth + _LINE * mark.line - 3 if mark.line else top + 12.5
            name = f'x="{_text(mark.x)}" y="{_text(below)}">{escape(mark.text)}</text>'
            if mark.box is None:
                crowds += f"M{left} {_text(top)}h{width}v{_BAR:.0f}h-{width}z"
                if mark.text:
                    yield f'<text class="tinytf-many"{mark.inside} {name}'
                continue
            written = f"<text {name}" if mark.text else ""
            if mark.line:
                at = _text(mark.left + 1.5)
                way = f"M{at} {_text(top + _BAR)}V{_text(below)}"
                written = f'<path class="tinytf-leader" d="{way}"/>{written}'
            activity = mark.box.activity
            lasted = duration_text(mark.box.end - mark.box.start)
            narrow = " data-narrow=''" if mark.right - mark.left <= _MARK else ""
            yield (
                f'<g data-node="{escape(activity.name)}" data-kind="{kind_of(activity)}" '
                f'data-what="{meaning_of(activity)}"{mark.inside}{narrow}><title>'
                f"{escape(f'{activity.name} ({activity.op}), {lasted}')}</title>"
                f'<rect x="{left}" y="{_text(top)}" width="{width}" '
                f'height="{_BAR:.0f}" rx="2"/>{written}</g>'
            )
        if crowds:  # below what is written in them
            yield f'<path class="tinytf-crowd" data-kind="many" d="{crowds}"/>'

    # Around them -------------------------------------------------------------------------------

    def _axis(self) -> list[str]:
        parts = []
        for step, length in enumerate(self._picture.lengths):
            left, right = self._x(step, 0), self._x(step, length)
            name = f"step {step + 1}, " if len(self._picture.lengths) > 1 else ""
            texts = (f"{name}{duration_text(length)}", f"step {step + 1}", f"{step + 1}", "")
            text = next(t for t in texts if len(t) * _CHARACTER <= max(right - left, 0) or not t)
            parts.append(
                f'<path class="tinytf-tick" d="M{_text(left)} 20V{_text(self._bottom)}"/>'
                f'<text class="tinytf-when" x="{_text(left + 3)}" y="14">{text}</text>'
                f'<path class="tinytf-tick" d="M{_text(left)} 20H{_text(right)}"/>'
            )
        return parts

    def _group(self, number: int, group: Group) -> list[str]:
        top, lanes, queue = self._tops[number]
        opens = ' data-opens="true"' if group.opens else ""
        parts = [
            f'<path class="tinytf-rule"{opens} d="M0 {_text(top)}H{_text(self._width)}"/>'
            f'<text class="tinytf-device-name" x="4" y="{_text(top + 16)}">'
            f"{escape(group.title)}</text>"
        ]
        parts += [
            f'<text class="tinytf-thread" x="12" y="{_text(y + 12.5)}">{escape(lane.title)}</text>'
            for lane, y in zip(group.lanes, lanes, strict=True)
        ]
        if _has_queue(group):
            parts.append(self._queue(group, queue))
        return parts

    def _queue(self, group: Group, y: float) -> str:
        scale = (_QUEUE - 8) / max(depth for steps in group.queue for _, depth in steps)
        floor = y + _QUEUE - 4
        d = ""
        for step, changes in enumerate(group.queue):
            points: list[tuple[float, int, int]] = []  # where, how many at most, how many then
            for time, depth in changes:
                x = self._x(step, time)
                if points and x - points[-1][0] < 1:
                    points[-1] = (points[-1][0], max(points[-1][1], depth), depth)
                else:
                    points.append((x, depth, depth))
            if points:
                d += f"M{_text(points[0][0])} {_text(floor)}"
            for x, high, depth in points:
                d += f"H{_text(x)}V{_text(floor - high * scale)}"
                d += f"V{_text(floor - depth * scale)}" if depth != high else ""
        return (
            f'<text class="tinytf-thread" x="12" y="{_text(y + 17)}">{_queue_title(group)}</text>'
            f'<path class="tinytf-depth" d="{d}"/>'
        )

    def _arrow(self, sender: int, receiver: int) -> str:
        source, target = self._picture.boxes[sender], self._picture.boxes[receiver]
        leaves, arrives = arrow_ends(source, target)
        x0, x1 = self._x(source.activity.step, leaves), self._x(target.activity.step, arrives)
        y0, y1 = (
            self._tops[b.group][1][b.lane] + _ROW * b.depth + _BAR / 2 for b in (source, target)
        )
        bend = max(12.0, abs(x1 - x0) / 2)
        d = (
            f"M{_text(x0)} {_text(y0)}C{_text(x0 + bend)} {_text(y0)} "
            f"{_text(x1 - bend)} {_text(y1)} {_text(x1)} {_text(y1)}"
        )
        head = f"M{_text(x1)} {_text(y1)}l-7 -3.5v7z"
        return f'<path class="tinytf-sent" d="{d}"/><path class="tinytf-sent-head" d="{head}"/>'

    def _key(self) -> tuple[str, float]:
        """What the colours mean, in lines; and where it ends."""
        crowded = any(mark.box is None for row in self._rows.values() for mark in row)
        x, y, parts = 4.0, self._bottom + 16, []
        for what in what_is_shown(self._picture, crowded):
            wide = 46 + len(MEANINGS[what]) * _SANS_CHARACTER
            if x + wide > self._width and x > 4:
                x, y = 4.0, y + 18
            shape = f'<rect x="{_text(x)}" y="{_text(y - 9)}" width="16" height="10" rx="2"/>'
            if what == "sent":
                shape = f'<path class="tinytf-sent" d="M{_text(x)} {_text(y - 4)}h11"/>'
                shape += f'<path class="tinytf-sent-head" d="M{_text(x + 16)} {_text(y - 4)}'
                shape += 'l-7 -3.5v7z"/>'
            parts.append(
                f'<g class="tinytf-key-mark" data-kind="{what}" data-what="{what}">{shape}</g>'
                f'<text class="tinytf-thread" x="{_text(x + 21)}" y="{_text(y)}">'
                f"{MEANINGS[what]}</text>"
            )
            x += wide
        return "".join(parts), y


def what_is_shown(picture: TimelinePicture, crowded: bool = True) -> list[str]:
    """Which of the `MEANINGS` occur in a drawing, in their order."""
    found = {meaning_of(box.activity) for box in picture.boxes}
    found |= {"shard"} if any(box.activity.shard for box in picture.boxes) else set()
    found |= ({"sent"} if picture.arrows else set()) | ({"many"} if crowded else set())
    found |= {"ready"} if any(map(_has_queue, picture.groups)) else set()
    return [what for what in MEANINGS if what in found]


def _marks(
    items: list[tuple[float, float, Box | Block]], depth: int, narrow: float
) -> Iterable[_Mark]:
    """What is drawn of the boxes of a row: those that crowd together become one."""
    marks: list[_Mark] = []
    for left, right, item in items:
        count = item.count if isinstance(item, Block) else 1
        before = marks[-1] if marks else None
        near = before is not None and left < max(before.right, before.left + _MARK) + 1
        small = right - left < narrow
        if (
            before is not None
            and near
            and small
            and (before.right - before.left < narrow or before.box is None)
        ):
            before.box, before.count = None, before.count + count
            before.right = max(right, before.right, before.left + _MARK)
        else:
            marks.append(_Mark(None if count > 1 else item, depth, left, right, count))  # type: ignore[arg-type]
    return marks


def _name(row: list[_Mark], depths: int, leftmost: float) -> None:
    """Give names their places: inside, beside, or below, without touching one another."""
    left_over = []
    for depth in range(depths):
        marks = [mark for mark in row if mark.depth == depth]
        free = leftmost
        for number, mark in enumerate(marks):
            follows = marks[number + 1].left if number + 1 < len(marks) else 1e9
            end = max(mark.right, mark.left + _MARK)
            name = mark.box.activity.name if mark.box else f"{mark.count:,} runs"
            wide = len(name) * _CHARACTER
            if wide + 8 <= end - mark.left:
                mark.text, mark.x, mark.inside = name, mark.left + 4, " data-inside=''"
            elif end + wide + 8 <= follows:
                mark.text, mark.x = name, end + 4
                end += wide + 8
            elif mark.box and mark.left - free >= wide + 14:
                mark.text, mark.x = name, mark.left - wide - 10
            elif mark.box:
                left_over.append(mark)
            free = end
    lines = [1e9] * _MOST_LINES
    for mark in sorted(left_over, key=lambda mark: -mark.left):  # so that no line crosses a name
        name = mark.box.activity.name if mark.box else ""
        x = mark.left + 5
        for line, free in enumerate(lines):
            if x + len(name) * _CHARACTER + 6 <= free:
                mark.text, mark.x, mark.line = name, x, line + 1
                lines[line] = mark.left
                break


def _has_queue(group: Group) -> bool:
    return any(depth for steps in group.queue for _, depth in steps)


def _queue_title(group: Group) -> str:
    most = max((depth for steps in group.queue for _, depth in steps), default=0)
    return f"ready queue, up to {most:,}" if most else ""


def _text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
