"""The drawings of a simulated training: how it scales, what the workers do, what is stale.

Three drawings beside each other, and one below: each stands for itself, so that a page may lay
them out as it likes. The lanes are in percent of the width, and their letters never shrink.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from tinytf.jupyter.picture import plural
from tinytf.jupyter.svg import in_page, static_text
from tinytf.simulation.training_result import APPLY, SERVER, Span, Training

#: Published speed-ups, of clusters of other kinds: (workers, speed-up, whose).
PUBLISHED = (
    (8, 6.0, "translation"),
    (50, 32.0, "Inception"),
    (100, 56.0, "Inception, TensorFlow 0.8"),
    (500, 300.0, "RankBrain"),
)
#: What happens, in the order of a step.
MEANINGS = {
    "fetch": "fetches the values",
    "compute": "computes",
    "send": "sends the gradients",
    "wait": "waits at the barrier",
    "apply": "the server adds up, or applies",
}
_WIDTH, _HEIGHT = 400, 262
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 20, 12, 40
_MOST_WORKERS = 1000
_LANE, _GUTTER = 24, 11.0  # px; percent of the width
_BINS = 24


@dataclass(frozen=True, slots=True)
class Curve:
    """Speed-ups by the number of workers; `now` is the training that is looked at."""

    points: tuple[tuple[int, float], ...]
    now: Training


def figure(curve: Curve, published: bool) -> str:
    """All drawings, as HTML."""
    now = curve.now
    ages = _ages(now) if not now.cluster.synchronous else _waits(now)
    return (
        f'<div class="tinytf-scaling-panels">{speed_up(curve, published)}{ages}{_parts(now)}</div>'
        f"{lanes(now)}"
    )


def static_figure(curve: Curve, published: bool, sentence: str) -> str:
    """The same for pages where widgets do not run."""
    styles = "".join(map(static_text, ("theme.css", "scaling.css")))
    drawn = f'<style>{styles}</style><div class="tinytf-view tinytf-scaling">'
    drawn += f"{figure(curve, published)}</div>"
    return in_page(drawn) + f"<p>{escape(sentence)}</p>"


# ---------------------------------------------------------------------------------------- curve


def speed_up(curve: Curve, published: bool) -> str:
    """Speed-up over workers, both by powers of ten, with the ideal and the current point."""
    now = curve.now
    running, reached = now.cluster.running, now.speed_up
    label = f"Speed-up by the number of workers: {reached:.3g} with {running}. " + ", ".join(
        f"{n}: {value:.3g}" for n, value in curve.points
    )
    parts = [_axes()]
    parts.append(
        f'<path class="tinytf-ideal" d="M{_x(1):.1f} {_y(1):.1f}L{_x(1000):.1f} {_y(1000):.1f}"/>'
        f'<text class="tinytf-quiet" x="{_x(190):.1f}" y="{_y(300):.1f}" text-anchor="end">'
        "ideal</text>"
    )
    places = [(_x(n), _y(value)) for n, value in curve.points if value > 0]
    line = "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
    parts.append(f'<path class="tinytf-speed" d="M{line}"/>')
    for n, value in curve.points:
        if value > 0:
            parts.append(
                f'<circle class="tinytf-dot" cx="{_x(n):.1f}" cy="{_y(value):.1f}" r="3">'
                f"<title>{n} workers: {value:.3g} times</title></circle>"
            )
    if published:
        parts += [_published(*point) for point in PUBLISHED]
    parts.append(_current(running, reached))
    unit = "speed-up by workers" + (", ◇ published" if published else "")
    return _panel("How it scales", unit, label, "".join(parts))


def _x(workers: float) -> float:
    share = math.log(max(workers, 1)) / math.log(_MOST_WORKERS)
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * share


def _y(value: float) -> float:
    """From a third, for clusters that are slower than one machine, to the most workers."""
    low = math.log(1 / 3)
    share = (math.log(max(value, 1 / 3)) - low) / (math.log(_MOST_WORKERS) - low)
    return _HEIGHT - _BOTTOM - (_HEIGHT - _TOP - _BOTTOM) * share


def _axes() -> str:
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    parts = []
    for n in (1, 10, 100, 1000):
        parts.append(
            f'<path class="tinytf-grid" d="M{_x(n):.1f} {_TOP}V{bottom}'
            f'M{_LEFT} {_y(n):.1f}H{right}"/>'
            f'<text class="tinytf-quiet" x="{_x(n):.1f}" y="{bottom + 16}" text-anchor="middle">'
            f"{n}</text>"
            f'<text class="tinytf-quiet" x="{_LEFT - 6}" y="{_y(n) + 4:.1f}" text-anchor="end">'
            f"{n}×</text>"
        )
    parts.append(
        f'<text class="tinytf-quiet" x="{right}" y="{bottom + 32}" text-anchor="end">workers</text>'
    )
    return "".join(parts)


def _published(workers: int, value: float, whose: str) -> str:
    x, y = _x(workers), _y(value)
    return (
        f'<g class="tinytf-published"><path d="M{x:.1f} {y - 6:.1f}l6 6l-6 6l-6 -6z"/>'
        f"<title>published, {escape(whose)}: {value:g} times with {workers}</title></g>"
    )


def _current(workers: int, value: float) -> str:
    x, y = _x(workers), _y(value)
    side, dx = ("end", -12) if x > _WIDTH * 0.62 else ("start", 12)
    return (
        f'<g class="tinytf-current"><circle cx="{x:.1f}" cy="{y:.1f}" r="6.5"/>'
        f'<text x="{x + dx:.1f}" y="{y + 20:.1f}" text-anchor="{side}">'
        f"{value:.3g}× with {workers}</text></g>"
    )


# ------------------------------------------------------------------------------------ histograms


def _ages(now: Training) -> str:
    """How stale the gradients are."""
    values = [(float(age), often) for age, often in now.staleness.items()]
    expected = now.cluster.workers - 1
    mean = now.mean_staleness
    label = (
        f"Staleness of the gradients: {mean:.3g} updates on average; {expected} would be one of "
        f"every other worker"
    )
    marks = [(mean, f"mean {mean:.3g}", ""), (float(expected), f"N − 1 = {expected}", "5 4")]
    return _histogram("How stale the gradients are", "updates missed", label, values, marks)


def _waits(now: Training) -> str:
    """How long the workers wait at the barrier."""
    count = len(now.waits) or 1
    mean = sum(now.waits) / count
    label = f"Waiting at the barrier: {_seconds(mean)} on average, {now.waited:.0%} of all the time"
    marks = [(mean, f"mean {_seconds(mean)}, {now.waited:.0%} of the time", "")]
    values = [(wait, 1) for wait in now.waits]
    return _histogram("How long they wait", "at the barrier", label, values, marks, _seconds)


def _histogram(
    title: str,
    unit: str,
    label: str,
    values: Sequence[tuple[float, int]],
    marks: Sequence[tuple[float, str, str]],
    text: object = None,
) -> str:
    """Bars from 0 to the largest value, and lines at the marks."""
    top = max([value for value, _ in values] + [at for at, _, _ in marks] + [1e-9])
    is_count = text is None
    width = max(1.0, math.ceil((top + 1) / _BINS)) if is_count else top / _BINS or 1.0
    counts = [0] * (math.floor(top / width) + 1)
    for value, often in values:
        counts[min(len(counts) - 1, math.floor(value / width))] += often
    right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
    left, roof = 8, 54
    step = (right - left) / len(counts)
    most = max(counts) or 1
    parts = []
    for number, count in enumerate(counts):
        height = (bottom - roof) * count / most
        if count:
            start = number * width
            of = f"{start:g} to {start + width - 1:g}" if is_count else f"from {_seconds(start)}"
            parts.append(
                f'<rect class="tinytf-age" x="{left + step * number + 1:.1f}" '
                f'y="{bottom - height:.1f}" width="{max(step - 2, 1):.1f}" height="{height:.1f}">'
                f"<title>{of}: {count:,}</title></rect>"
            )
    parts.append(f'<path class="tinytf-base" d="M{left} {bottom}H{right}"/>')
    for row, (at, words, dash) in enumerate(marks):
        offset = 0.5 if is_count else 0.0
        x = min(right, left + step * (at / width + offset))
        side = "end" if x > _WIDTH / 2 else "start"
        parts.append(
            f'<path class="tinytf-mark" stroke-dasharray="{dash}" d="M{x:.1f} '
            f"{roof - 42 + 17 * row}V"
            f'{bottom}"/><text x="{x + (-6 if side == "end" else 6):.1f}" '
            f'y="{roof - 32 + 17 * row}" text-anchor="{side}">{escape(words)}</text>'
        )
    last = f"{top:.3g}" if is_count else _seconds(top)
    parts.append(
        f'<text class="tinytf-quiet" x="{left}" y="{bottom + 16}">0</text>'
        f'<text class="tinytf-quiet" x="{right}" y="{bottom + 16}" text-anchor="end">{last}</text>'
    )
    return _panel(title, unit, label, "".join(parts))


def _parts(now: Training) -> str:
    """What a step is made of, as bars."""
    whole = sum(now.parts.values()) or 1.0
    order = ("compute", "stragglers", "ps network", "ps CPU", "worker network", "latency")
    label = "What a step is made of: " + ", ".join(
        f"{name} {_seconds(now.parts[name])}" for name in order
    )
    rows = []
    for number, name in enumerate(order):
        y = 20 + 41 * number
        width = (_WIDTH - 16) * now.parts[name] / whole
        kind = " tinytf-narrowest" if name == now.bottleneck else ""
        rows.append(
            f'<g class="tinytf-part{kind}" data-part="{name}">'
            f'<text x="8" y="{y}">{name}{" ◂ bottleneck" if kind else ""}</text>'
            f'<text class="tinytf-quiet" x="{_WIDTH - 8}" y="{y}" text-anchor="end">'
            f"{_seconds(now.parts[name])}, {now.parts[name] / whole:.0%}</text>"
            f'<rect x="8" y="{y + 5}" width="{max(width, 1.5):.1f}" height="12" rx="2"/></g>'
        )
    return _panel("What a step is made of", f"{_seconds(whole)} on average", label, "".join(rows))


def _panel(title: str, unit: str, label: str, inside: str) -> str:
    return (
        f'<figure class="tinytf-panel"><figcaption><b>{title}</b> <span>{escape(unit)}</span>'
        f'</figcaption><svg xmlns="http://www.w3.org/2000/svg" role="img" '
        f'aria-label="{escape(label)}" viewBox="0 0 {_WIDTH} {_HEIGHT}">{inside}</svg></figure>'
    )


# ------------------------------------------------------------------------------------------ lanes


def lanes(now: Training) -> str:
    """What the first workers do, and the busiest parameter server, for about three steps."""
    start, end = _window(now)
    shown = [span for span in now.spans if span.end > start and span.start < end]
    numbers = sorted({span.worker for span in now.spans if span.worker != SERVER})
    rows = [*numbers, SERVER]
    place = {worker: row for row, worker in enumerate(rows)}
    height = _LANE * len(rows) + 26
    scale = (100 - _GUTTER - 1) / ((end - start) or 1.0)
    parts = []
    for worker in rows:
        y = _LANE * place[worker]
        name = "server" if worker == SERVER else f"worker {worker}"
        parts.append(
            f'<text x="0" y="{y + 16}">{name}</text><rect class="tinytf-lane" x="{_GUTTER}%" '
            f'y="{y + 2}" width="{99 - _GUTTER:.0f}%" height="{_LANE - 4}" rx="3"/>'
        )
    for span in shown:
        parts.append(_bar(span, start, end, scale, _LANE * place[span.worker]))
    base = _LANE * len(rows) + 18
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        at = _GUTTER + (99 - _GUTTER) * share
        parts.append(
            f'<text class="tinytf-quiet" x="{at}%" y="{base}" text-anchor="{anchor}">'
            f"{_seconds(start + (end - start) * share)}</text>"
        )
    label = f"What {plural(len(numbers), 'worker')} of {now.cluster.running} do in {_seconds(end)}"
    key = "".join(
        f'<span data-what="{what}">{text}</span>'
        for what, text in MEANINGS.items()
        if any(span.what == what for span in shown)
    )
    return (
        f'<figure class="tinytf-lanes-of"><figcaption><b>What they do</b> <span>in virtual time, '
        f"{len(numbers)} of {now.cluster.running} workers</span> "
        f'<span class="tinytf-scaling-key">{key}</span></figcaption>'
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label="{escape(label)}" '
        f'width="100%" height="{height}">{"".join(parts)}</svg></figure>'
    )


def _window(now: Training) -> tuple[float, float]:
    """About three steps, after the first ones."""
    length = 3.2 * max(now.median, 1e-9)
    start = max(0.0, min(now.seconds - length, 2 * now.median))
    return start, start + length


def _bar(span: Span, start: float, end: float, scale: float, y: float) -> str:
    left, right = max(span.start, start), min(span.end, end)
    inset = 6 if span.what in ("wait", APPLY) else 3
    return (
        f'<rect class="tinytf-did" data-what="{span.what}" '
        f'x="{_GUTTER + (left - start) * scale:.3f}%" '
        f'y="{y + inset}" width="{max((right - left) * scale, 0.02):.3f}%" '
        f'height="{_LANE - 2 * inset}"><title>{MEANINGS[span.what]}, '
        f"{_seconds(span.end - span.start)}</title></rect>"
    )


def _seconds(value: float) -> str:
    """A time in a few letters."""
    if value >= 1:
        return f"{value:.3g} s"
    return f"{value * 1e3:.3g} ms" if value >= 1e-3 else f"{value * 1e6:.3g} µs"
