"""A recorded step as lanes: what waits in the ready queue, what each thread and stream runs.

One column for each event, as it is in order: a node takes microseconds, and watching it more: by
time, one long operation would leave nothing of all others. This is what stands where no widget is
shown; static/pools_lanes.js draws the same rows, in order and by time.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from tinytf.jupyter import svg
from tinytf.jupyter.recording import Recording, Run

_LABEL = 158.0
_PLOT = 700.0
_COLUMN = 26.0
_WIDEST = 12_000.0
_ROW = 24.0
_BAR = 18.0
_THIN = 7.0
_MOST_WAITING = 8
_MOST_SHARDS_DRAWN = 400
_CHARACTER = 6.6


@dataclass(frozen=True, slots=True)
class Span:
    """From when to when a run lasted, in numbers of events.

    Attributes:
      ready: when it joined the queue. taken: when a thread took it. held: until when it held the
        thread: to its end, unless its kernel waited. ended: its end.
    """

    ready: int
    taken: int
    held: int
    ended: int


def spans_of(recording: Recording) -> list[Span]:
    """The span of each run."""
    ready: dict[tuple[int, str], int] = {}
    taken: dict[int, int] = {}
    held: dict[int, int] = {}
    ended: dict[int, int] = {}
    for number, event in enumerate(recording.events):
        for item in event.ready:
            ready[item] = number
        if event.run < 0:
            continue
        if event.kind == "take":
            taken[event.run] = number
            continue
        taken.setdefault(event.run, number - 1)
        (held if event.kind == "block" else ended)[event.run] = number
    last = len(recording.events) - 1
    spans = []
    for number, run in enumerate(recording.runs):
        begin = taken.get(number, last)
        end = ended.get(number, last)
        over = held.get(number, begin if run.blocked else end)
        spans.append(Span(ready.get((run.node, run.iteration), 0), begin, over, end))
    return spans


@dataclass(slots=True)
class Row:
    """A lane of the drawing.

    Attributes:
      label: at its left. runs: the numbers of the runs in it. intra_op: the thread whose shards are
        in it instead, or -1. note: said in the lane if nothing is in it. is_title: of a device.
    """

    label: str
    runs: list[int] = field(default_factory=list)
    intra_op: int = -1
    note: str = ""
    is_title: bool = False


def rows_of(recording: Recording) -> list[Row]:
    """The lanes: for each device its inter-op threads, or its stream; then the intra-op threads."""
    rows = []
    for number, lane in enumerate(recording.lanes):
        own = [n for n, run in enumerate(recording.runs) if run.lane == number]
        rows.append(Row(lane.title, is_title=True))
        if lane.is_stream:
            rows.append(Row("stream", own))
            continue
        for thread, name in enumerate(recording.threads):
            runs = [n for n in own if recording.runs[n].thread == thread]
            if runs or number == 0:
                rows.append(Row(name, runs, note="" if runs else f"nothing to do on {lane.name}"))
        split = [n for n in own if recording.runs[n].shards]
        if not split and number == 0:
            rows.append(Row("intra-op threads", note="no kernel of this step was split"))
        for thread, name in enumerate(recording.intra_op if split else ()):
            rows.append(Row(name, split, intra_op=thread))
    return rows


class PoolsPicture:
    """The drawing of a recording, one column an event.

    Attributes:
      places: the x of each event.
    """

    def __init__(self, recording: Recording):
        self._recording = recording
        self._spans = spans_of(recording)
        self._rows = rows_of(recording)
        count = max(len(recording.events) - 1, 1)
        self._width = min(max(_PLOT, _COLUMN * count), _WIDEST)
        self.places = [_LABEL + self._width * n / count for n in range(count + 1)]

    def _ends(self, span: Span) -> tuple[float, float, float, float]:
        """The x at which a run is ready, is taken, lets go of its thread, and ends."""
        ready, taken, held, ended = span.ready, span.taken, span.held, span.ended
        return self.places[ready], self.places[taken], self.places[held], self.places[ended]

    def draw(self, label: str) -> str:
        """As an `<svg>` element. `label`: what a screen reader says in its place."""
        parts: list[str] = []
        y = self._draw_waiting(22.0, parts)
        for row in self._rows:
            y += 6 if row.is_title else 0
            self._draw_row(row, y, parts)
            y += _ROW
        width, height = _LABEL + self._width + 14, y + 6
        sheet = "".join(map(svg.static_text, ("theme.css", "lanes.css")))
        return (
            f'<svg class="tinytf-view tinytf-lanes" xmlns="http://www.w3.org/2000/svg" role="img" '
            f'aria-label="{escape(label)}" style="width: {_n(width)}px" height="{_n(height)}" '
            f'viewBox="0 0 {_n(width)} {_n(height)}"><style>{sheet}</style>'
            f"{self._ticks(y)}{''.join(parts)}</svg>"
        )

    # Parts ---------------------------------------------------------------------------------------

    def _ticks(self, bottom: float) -> str:
        count = len(self.places) - 1
        every = next(n for n in (1, 2, 5, 10, 20, 50, 100, 500) if n * self._width / count >= 30)
        parts = ['<text class="tinytf-tick-title" x="4" y="12">event</text>']
        for n in range(0, count + 1, every):
            x = self.places[n]
            parts.append(
                f'<line class="tinytf-grid" x1="{_n(x)}" x2="{_n(x)}" y1="16" y2="{_n(bottom)}"/>'
                f'<text class="tinytf-tick" x="{_n(x)}" y="12">{n}</text>'
            )
        return "".join(parts)

    def _draw_waiting(self, top: float, parts: list[str]) -> float:
        """The ready queue, and kernels that wait without a thread: thin bars below each other."""
        queued, kernels = [], []
        for number, (run, span) in enumerate(zip(self._recording.runs, self._spans, strict=True)):
            ready, taken, held, ended = self._ends(span)
            queued.append((ready, taken, number))
            if run.blocked:
                kernels.append((held, ended, number))
        bars: list[tuple[str, str, list[tuple[float, float, int]]]] = [
            ("ready queue", "wait", queued)
        ]
        if kernels:
            bars.append(("waiting kernels", "kernel", kernels))
        for label, kind, items in bars:
            rows, more = _stacked(items)
            height = max(_ROW, (_THIN + 2) * len(rows) + 6)
            parts.append(_label(label, top, height))
            for number, row in enumerate(rows):
                y = top + 4 + (_THIN + 2) * number
                for begin, end, own in row:
                    parts.append(
                        f'<rect class="tinytf-{kind}" data-run="{own}" x="{_n(begin)}" y="{_n(y)}" '
                        f'width="{_n(max(end - begin, 1))}" height="{_n(_THIN)}"/>'
                    )
            if more:
                parts.append(
                    f'<text class="tinytf-note" x="{_n(_LABEL + 4)}" '
                    f'y="{_n(top + height + 4)}">and up to {more} more at a time</text>'
                )
                height += 12
            top += height + 4
        return top

    def _draw_row(self, row: Row, top: float, parts: list[str]) -> None:
        if row.is_title:
            title = f'<text class="tinytf-lane-title" x="4" y="{_n(top + 16)}">'
            parts.append(f"{title}{escape(row.label)}</text>")
            return
        right = _LABEL + self._width
        parts.append(
            f'<rect class="tinytf-lane" x="{_n(_LABEL)}" y="{_n(top)}" '
            f'width="{_n(right - _LABEL)}" height="{_n(_ROW - 2)}"/>'
        )
        parts.append(_label(row.label, top, _ROW))
        if row.note:
            parts.append(
                f'<text class="tinytf-note" x="{_n(_LABEL + 8)}" y="{_n(top + 15)}">'
                f"{escape(row.note)}</text>"
            )
        for number in row.runs:
            shards = row.intra_op >= 0 and self._shards(number, top + 2, row.intra_op)
            parts.append(self._bar(number, top + 2) if shards is False else shards)

    def _bar(self, number: int, y: float) -> str:
        run = self._recording.runs[number]
        _, taken, held, _ = self._ends(self._spans[number])
        width = max(held - taken, 2.0)
        name = self._name(run)
        written = self._text(name, taken, y, width)
        own = self._shards(number, y, -1) if run.shards else ""
        return (
            f'<g class="tinytf-run" data-run="{number}" data-kind="{run.kind or "open"}">'
            f"<title>{escape(name)}</title>"
            f'<rect class="tinytf-bar" x="{_n(taken)}" y="{_n(y)}" width="{_n(width)}" '
            f'height="{_n(_BAR)}" rx="2"/>{own}{written}</g>'
        )

    def _text(self, name: str, x: float, y: float, width: float) -> str:
        """A name, as far as it fits into a bar."""
        room = int((width - 6) / _CHARACTER)
        text = name if len(name) <= room else f"{name[: room - 1]}…" if room >= 3 else ""
        return f'<text x="{_n(x + 3)}" y="{_n(y + 13)}">{escape(text)}</text>' if text else ""

    def _shards(self, number: int, y: float, lane: int) -> str:
        """The shards of a kernel that ran on an intra-op thread, or (-1) on its own."""
        run = self._recording.runs[number]
        _, taken, held, _ = self._ends(self._spans[number])
        scale = (held - taken) / max(run.ended - run.taken, 1)
        parts = []
        for shard in [s for s in run.shards if s.lane == lane][:_MOST_SHARDS_DRAWN]:
            x = taken + (shard.start - run.taken) * scale
            width = max((shard.end - shard.start) * scale, 1.0)
            top, height = (y + _BAR - 4, 4.0) if lane < 0 else (y, _BAR)
            parts.append(
                f'<rect class="tinytf-shard" data-run="{number}" x="{_n(x)}" y="{_n(top)}" '
                f'width="{_n(width)}" height="{_n(height)}"><title>a shard of '
                f"{escape(self._name(run))}</title></rect>"
            )
            if lane >= 0:
                parts.append(self._text(self._name(run), x, y, width))
        return "".join(parts)

    def _name(self, run: Run) -> str:
        mark = f" #{run.iteration}" if run.iteration else ""
        return self._recording.names[run.node] + mark


def _stacked(
    items: list[tuple[float, float, int]],
) -> tuple[list[list[tuple[float, float, int]]], int]:
    """Bars in rows in which none covers another; how many did not find room at the worst time."""
    rows: list[list[tuple[float, float, int]]] = []
    left: list[tuple[float, float, int]] = []
    for item in sorted(items):
        row = next((r for r in rows if r[-1][1] <= item[0] + 0.01), None)
        if row is not None:
            row.append(item)
        elif len(rows) < _MOST_WAITING:
            rows.append([item])
        else:
            left.append(item)
    worst = max((sum(a <= begin < b for a, b, _ in left) for begin, _, _ in left), default=0)
    return rows, worst


def _label(text: str, top: float, height: float) -> str:
    y = top + min(height, _ROW) / 2 + 4
    return f'<text class="tinytf-lane-label" x="12" y="{_n(y)}">{escape(text)}</text>'


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
