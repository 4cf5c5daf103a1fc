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
    Box,
    Group,
    TimelinePicture,
    arrow_ends,
    clocks_text,
    coarse,
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
_MOST_MARKS, _MOST_ARROWS = 160, 100
#: Names below a row: in so many lines, and of a row of so many boxes.
_MOST_LINES, _MOST_NAMED = 3, 24
_WIDEST_MARGIN = 220.0


@dataclass(slots=True)
class _Mark:
    """What is drawn of a row, in pixels.

    Attributes:
      box: the first of `count`. text: its name, if that has a place: from `x`, on `line`: 0 is that
        of the box, others are below it. inside: the attribute for a name in its box.
    """

    box: Box
    left: float
    right: float
    count: int
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
        parts += [self._arrow(*arrow) for arrow in self._picture.arrows[:_MOST_ARROWS]]
        for (at, lane), row in self._rows.items():
            parts += reversed([*self._row(row, self._tops[at][1][lane])])
        key, height = self._key()
        parts.append(key)
        if note := clocks_text(self._picture.clocks):
            height += _ROW
            text = f'<text class="tinytf-clocks" x="4" y="{_text(height)}">⚠ {escape(note)}</text>'
            parts.append(text)
        width, high = _text(self._width), _text(height + _MARGIN)
        head = (
            f'<svg class="tinytf-view tinytf-times" xmlns="http://www.w3.org/2000/svg" role="img" '
            f'aria-label="{escape(label)}" width="{width}" height="{high}" '
            f'viewBox="0 0 {width} {high}">'
            f"<style>{static_text('theme.css')}{static_text('timeline.css')}</style>"
        )
        return "\n".join([head, *parts, "</svg>"])

    def _x(self, step: int, time: float) -> float:
        scale = (self._right - self._gutter) / self._total
        return self._gutter + (self._offsets[step] + time) * scale

    # Rows --------------------------------------------------------------------------------------

    def _named_rows(self) -> dict[tuple[int, int], list[_Mark]]:
        """What is drawn of each lane: wider boxes join, too, until few enough are left."""
        narrow, marks = _MARK, list[_Mark]()
        while not marks or (len(marks) > _MOST_MARKS and narrow < self._width):
            tracks: dict[tuple[int, int, int], list[_Mark]] = defaultdict(list)
            for box in self._picture.boxes:
                left, right = (self._x(box.activity.step, time) for time in (box.start, box.end))
                _add(
                    tracks[box.group, box.lane, box.depth],
                    _Mark(box, left, right, box.count),
                    narrow,
                )
            marks = [mark for track in tracks.values() for mark in track]
            narrow *= 1.6
        rows: dict[tuple[int, int], list[_Mark]] = defaultdict(list)
        for group, lane, depth in sorted(tracks):
            rows[group, lane] += tracks[group, lane, depth]
        for row in rows.values():
            _name(row, self._gutter)
        return rows

    def _row(self, row: list[_Mark], y: float) -> Iterable[str]:
        crowds = ""
        depth = max(mark.box.depth for mark in row) + 1
        for mark in row:
            top = y + _ROW * mark.box.depth
            left, width = _text(mark.left), _text(max(mark.right - mark.left, _MARK))
            below = y + _ROW * depth + _LINE * mark.line - 3 if mark.line else top + 12.5
            name = f'x="{_text(mark.x)}" y="{_text(below)}">{escape(mark.text)}</text>'
            if mark.count > 1:
                crowds += f"M{left} {_text(top)}h{width}v{_BAR:.0f}h-{width}z"
                if mark.text:
                    yield f'<text class="tinytf-many"{mark.inside} {name}'
                continue
            written = f"<text {name}" if mark.text else ""
            if mark.text and not mark.inside:  # lines behind it do not touch a name
                size = f'width="{_text(len(mark.text) * _CHARACTER + 4)}" height="12"'
                at = f'x="{_text(mark.x - 2)}" y="{_text(below - 9)}"'
                written = f'<rect class="tinytf-paper" {at} {size}/>{written}'
            if mark.line:
                at = _text(mark.left + 1.5)
                way = f"M{at} {_text(top + _BAR)}V{_text(below)}"
                written = f'<path class="tinytf-leader" d="{way}"/>{written}'
            activity = mark.box.activity
            lasted = duration_text(mark.box.end - mark.box.start)
            narrow = ' data-narrow=""' if mark.right - mark.left <= _MARK else ""
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
            points = coarse(changes, self._total / (self._right - self._gutter))
            if points:
                d += f"M{_text(self._x(step, points[0][0]))} {_text(floor)}"
            for time, depth in points:
                d += f"H{_text(self._x(step, time))}V{_text(floor - depth * scale)}"
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
        turn, tip = f"{_text(x1 - bend)} {_text(y1)}", "l-7 -3.5v7z"
        if arrives > target.start:  # it was waiting: from above or below, to its end
            up = -1 if y0 < y1 else 1
            x1, y1 = x1 - 5, y1 + up * _BAR / 2
            turn, tip = f"{_text(x1)} {_text(y1 + up * 24)}", f"l-3.5 {7 * up}h7z"
        end = f"{_text(x1)} {_text(y1)}"
        d = f"M{_text(x0)} {_text(y0)}C{_text(x0 + bend)} {_text(y0)} {turn} {end}"
        head = f"M{end}{tip}"
        return f'<path class="tinytf-sent" d="{d}"/><path class="tinytf-sent-head" d="{head}"/>'

    def _key(self) -> tuple[str, float]:
        """What the colours mean, in lines; and where it ends."""
        crowded = any(mark.count > 1 for row in self._rows.values() for mark in row)
        x, y, parts = 4.0, self._bottom + 16, []
        for what in what_is_shown(self._picture, crowded):
            wide = 44 + len(MEANINGS[what]) * 5.8
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


def _add(track: list[_Mark], mark: _Mark, narrow: float) -> None:
    """Put a mark behind those before it, or make it one with the last, if they crowd together."""
    if track:
        last = track[-1]
        near = mark.left < max(last.right, last.left + _MARK) + 1
        is_crowd = last.count > 1 or last.right - last.left < narrow
        if near and is_crowd and mark.right - mark.left < narrow:
            last.count += mark.count
            last.right = max(mark.right, last.left + _MARK)
            return
    track.append(mark)


def _name(row: list[_Mark], leftmost: float) -> None:
    """Give names their places: inside, beside, or below, without touching one another."""
    left_over = []
    free = leftmost
    for number, mark in enumerate(row):
        follows, before = (
            1e9,
            free if number and row[number - 1].box.depth == mark.box.depth else leftmost,
        )
        if number + 1 < len(row) and row[number + 1].box.depth == mark.box.depth:
            follows = row[number + 1].left
        free = max(mark.right, mark.left + _MARK)
        name = f"{mark.count:,} runs" if mark.count > 1 else mark.box.activity.name
        wide = len(name) * _CHARACTER
        if wide + 8 <= free - mark.left:
            mark.text, mark.x, mark.inside = name, mark.left + 4, ' data-inside=""'
        elif free + wide + 8 <= follows:
            mark.text, mark.x = name, free + 4
            free += wide + 8
        elif mark.count == 1 and mark.left - before >= wide + 14:
            mark.text, mark.x = name, mark.left - wide - 10
        elif mark.count == 1:
            left_over.append(mark)
    lines = [1e9] * _MOST_LINES
    for mark in sorted(left_over, key=lambda mark: -mark.left) if len(row) <= _MOST_NAMED else ():
        wide = len(mark.box.activity.name) * _CHARACTER + 11
        line = next((n for n, end in enumerate(lines) if mark.left + wide <= end), None)
        if line is not None:
            mark.text, mark.x, mark.line = mark.box.activity.name, mark.left + 5, line + 1
            lines[: line + 1] = [mark.left] * (line + 1)  # no name crosses its line


def _has_queue(group: Group) -> bool:
    return any(depth for steps in group.queue for _, depth in steps)


def _queue_title(group: Group) -> str:
    most = max((depth for steps in group.queue for _, depth in steps), default=0)
    return f"ready queue, up to {most:,}" if most else ""


def _text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
