"""A timeline as one SVG drawing, for files and for pages where widgets do not run."""

from __future__ import annotations

from collections import defaultdict
from html import escape

from tinytf.jupyter.svg import static_text
from tinytf.jupyter.timeline_picture import (
    Box,
    Group,
    TimelinePicture,
    arrow_ends,
    clocks_text,
    duration_text,
    hue_of,
    kind_of,
)

_GUTTER = 170.0
_MARGIN = 8.0
_AXIS = 24.0
_TITLE, _ROW, _QUEUE, _GAP = 20.0, 18.0, 26.0, 8.0
_CHARACTER = 6.6
_LONGEST_TITLE = 24
#: What is narrower than this is drawn together with its neighbours.
_NARROW = 1.2


def draw(picture: TimelinePicture, label: str, width: float = 960) -> str:
    """The whole of a picture, steps one after another, time from left to right."""
    return _Drawing(picture, width).draw(label)


class _Drawing:
    def __init__(self, picture: TimelinePicture, width: float):
        self._picture, self._width = picture, width
        total = max(sum(picture.lengths), 1)
        gap = total / 40
        self._offsets, time = [], 0.0
        for length in picture.lengths:
            self._offsets.append(time)
            time += length + gap
        self._total = max(time - gap, 1.0)
        self._scale = (width - _GUTTER - _MARGIN) / self._total
        #: the top of each group's title, of its lanes, and of its queue
        self._tops: list[tuple[float, list[float], float]] = []
        y = _AXIS
        for group in picture.groups:
            top, lanes = y, []
            y += _TITLE
            for lane in group.lanes:
                lanes.append(y)
                y += _ROW * lane.depth + 3
            self._tops.append((top, lanes, y))
            y += (_QUEUE if _has_queue(group) else 0) + _GAP
        self._note = clocks_text(picture.clocks)
        self._height = y + _MARGIN + (_ROW if self._note else 0)

    def draw(self, label: str) -> str:
        width, height = _text(self._width), _text(self._height)
        parts = [
            f'<svg class="tinytf-times" xmlns="http://www.w3.org/2000/svg" role="img" '
            f'aria-label="{escape(label)}" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}">',
            f"<style>{static_text('timeline.css')}</style>",
            *self._axis(),
        ]
        for number, group in enumerate(self._picture.groups):
            parts += self._group(number, group)
        by_row: dict[tuple[int, int, int], list[Box]] = defaultdict(list)
        for box in self._picture.boxes:
            by_row[box.group, box.lane, box.depth].append(box)
        for boxes in by_row.values():
            parts += self._boxes(boxes)
        parts += [self._arrow(*arrow) for arrow in self._picture.arrows]
        if self._note:
            parts.append(
                f'<text class="tinytf-clocks" x="2" y="{_text(self._height - _MARGIN)}">'
                f"⚠ {escape(self._note)}</text>"
            )
        return "\n".join([*parts, "</svg>"])

    def _x(self, step: int, time: float) -> float:
        return _GUTTER + (self._offsets[step] + time) * self._scale

    def _axis(self) -> list[str]:
        parts = []
        for step, length in enumerate(self._picture.lengths):
            left, right = self._x(step, 0), self._x(step, length)
            name = f"step {step + 1}, " if len(self._picture.lengths) > 1 else ""
            texts = (f"{name}{duration_text(length)}", f"step {step + 1}", f"{step + 1}", "")
            text = next(t for t in texts if len(t) * _CHARACTER <= max(right - left, 0) or not t)
            parts.append(
                f'<path class="tinytf-tick" d="M{_text(left)} 18V{_text(self._height - _MARGIN)}"/>'
                f'<text class="tinytf-when" x="{_text(left + 3)}" y="14">{text}</text>'
                f'<path class="tinytf-tick" d="M{_text(left)} 18H{_text(right)}"/>'
            )
        return parts

    def _group(self, number: int, group: Group) -> list[str]:
        top, lanes, queue = self._tops[number]
        right = _text(self._width - _MARGIN)
        opens = ' data-opens="true"' if group.opens else ""
        parts = [
            f'<path class="tinytf-rule"{opens} d="M0 {_text(top)}H{right}"/>'
            f'<text class="tinytf-device-name" x="2" y="{_text(top + 14)}">'
            f"{escape(group.title)}</text>"
        ]
        for lane, y in zip(group.lanes, lanes, strict=True):
            title = lane.title
            if len(title) > _LONGEST_TITLE:
                title = title[: _LONGEST_TITLE - 1] + "…"
            parts.append(
                f'<text class="tinytf-thread" x="10" y="{_text(y + 13)}">{escape(title)}'
                f"<title>{escape(lane.title)}</title></text>"
            )
        if _has_queue(group):
            parts.append(self._queue(group, queue))
        return parts

    def _queue(self, group: Group, y: float) -> str:
        most = max(depth for steps in group.queue for _, depth in steps)
        scale = (_QUEUE - 6) / most
        floor = y + _QUEUE - 3
        d = ""
        for step, changes in enumerate(group.queue):
            if not changes:
                continue
            d += f"M{_text(self._x(step, changes[0][0]))} {_text(floor)}"
            for time, depth in changes:
                d += f"H{_text(self._x(step, time))}V{_text(floor - depth * scale)}"
            d += f"V{_text(floor)}Z"
        return (
            f'<text class="tinytf-thread" x="10" y="{_text(y + 16)}">ready, at most {most}</text>'
            f'<path class="tinytf-depth" d="{d}"/>'
        )

    def _boxes(self, boxes: list[Box]) -> list[str]:
        """Boxes of one row; crowds of narrow ones as one."""
        parts, crowd = [], list[float]()

        def flush() -> None:
            if crowd:
                parts.append(_rectangle(crowd[0], crowd[2], max(crowd[1] - crowd[0], 1), "many"))
                crowd.clear()

        for box in boxes:
            step = box.activity.step
            left, right = self._x(step, box.start), self._x(step, box.end)
            y = self._tops[box.group][1][box.lane] + _ROW * box.depth
            if right - left < _NARROW:
                if crowd and left > crowd[1] + 1:
                    flush()
                crowd[:] = [crowd[0] if crowd else left, max(right, left + 1), y]
                continue
            flush()
            parts.append(self._box(box, left, right - left, y))
        flush()
        return parts

    def _box(self, box: Box, x: float, width: float, y: float) -> str:
        activity = box.activity
        title = f"{activity.name} ({activity.op}), {duration_text(box.end - box.start)}"
        room = int((width - 6) / _CHARACTER)
        text = ""
        if room >= 2:
            name = activity.name if len(activity.name) <= room else activity.name[: room - 1] + "…"
            text = f'<text x="{_text(x + 3)}" y="{_text(y + 12.5)}">{escape(name)}</text>'
        return (
            f'<g data-node="{escape(activity.name)}" data-kind="{kind_of(activity)}" '
            f'data-hue="{hue_of(activity.op)}"><title>{escape(title)}</title>'
            f'<rect x="{_text(x)}" y="{_text(y)}" width="{_text(width)}" '
            f'height="{_text(_ROW - 2)}" rx="2"/>{text}</g>'
        )

    def _arrow(self, sender: int, receiver: int) -> str:
        source, target = self._picture.boxes[sender], self._picture.boxes[receiver]
        leaves, arrives = arrow_ends(source, target)
        x0, x1 = self._x(source.activity.step, leaves), self._x(target.activity.step, arrives)
        y0, y1 = (
            self._tops[b.group][1][b.lane] + _ROW * b.depth + _ROW / 2 - 1 for b in (source, target)
        )
        bend = max(12.0, abs(x1 - x0) / 2)
        d = (
            f"M{_text(x0)} {_text(y0)}C{_text(x0 + bend)} {_text(y0)} "
            f"{_text(x1 - bend)} {_text(y1)} {_text(x1)} {_text(y1)}"
        )
        head = f"M{_text(x1)} {_text(y1)}l-7 -3.5v7z"
        return f'<path class="tinytf-sent" d="{d}"/><path class="tinytf-sent-head" d="{head}"/>'


def _has_queue(group: Group) -> bool:
    return any(depth for steps in group.queue for _, depth in steps)


def _rectangle(x: float, y: float, width: float, kind: str) -> str:
    return (
        f'<g data-kind="{kind}"><rect x="{_text(x)}" y="{_text(y)}" width="{_text(width)}" '
        f'height="{_text(_ROW - 2)}"/></g>'
    )


def _text(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
