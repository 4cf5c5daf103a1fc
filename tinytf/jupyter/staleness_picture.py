"""A picture of asynchronous training: from which version to which each gradient goes, and how old.

A lane for each worker, the versions of the variables from left to right, as in `lens_widget`; but
drawn once and for all, so that it stays in pages without widgets, and several trainings can stand
under each other with the same scales. Places are in percent of the width, so letters never shrink.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

from tinytf.jupyter.lens_view import told
from tinytf.jupyter.picture import plural
from tinytf.jupyter.svg import in_page, static_text
from tinytf.training.staleness import Gradient, StalenessLog

#: How many versions the lanes show, and how many bars a histogram has, at most.
SPAN, MOST_BARS = 48, 24
_LANE, _LANES, _BAR, _FOOT = 34, 128, 20, 24  # px: of a lane at least, of few lanes together
_HEIGHT, _TOP = 128, 30  # of a histogram
_KEY = (
    "A bar goes from the version that a worker read to the one that its gradient changed; the "
    "number is how many updates came between. ✕ with a dotted outline: too old, and dropped. "
    "┆ what is to be expected of N workers of one speed. ▲ the mean of those that were applied."
)


@dataclass(frozen=True)
class StalenessMap:
    """What `tinytf.jupyter.staleness_map` shows.

    Attributes:
      logs: name -> log. first: the version that the lanes begin with; None: the last ones.

    Example:
      >>> from tinytf.training.staleness import Gradient, StalenessLog
      >>> log = StalenessLog([Gradient(0, 0, 0)], total=1)
      >>> tinytf.jupyter.StalenessMap({"": log})
      1 gradient of 1 worker were on average 0.00 updates old (N - 1 = 0), at most 0.
        0 updates old:      1  ████████████████████
    """

    logs: Mapping[str, StalenessLog]
    first: int | None = None

    def __repr__(self) -> str:
        return "\n".join(
            f"{name}: {log!r}" if name else f"{log!r}" for name, log in self.logs.items()
        )

    def _repr_html_(self) -> str:
        if not any(log.gradients for log in self.logs.values()):
            return f"<p>{escape(repr(self))}</p>"
        styles = "".join(map(static_text, ("theme.css", "lens.css")))
        drawn = "".join(self._row(name, log) for name, log in self.logs.items() if log.gradients)
        drawn = (
            f'<style>{styles}</style><div class="tinytf-view tinytf-lens tinytf-staleness">'
            f'{drawn}<p class="tinytf-quiet tinytf-key">{_KEY}</p></div>'
        )
        words = f"<details><summary>In words</summary><pre>{escape(repr(self))}</pre></details>"
        return in_page(drawn) + words

    def _row(self, name: str, log: StalenessLog) -> str:
        """One training: lanes, and the histogram beside them."""
        title = f"<b>{escape(name)}</b>" if name else ""
        key = [f"┆ N − 1 = {log.workers - 1}"]
        key += [f"▲ mean {log.mean:.2f}"] if log.mean == log.mean else []
        key += [f"✕ {log.dropped} dropped"] if log.dropped else []
        shown = "".join(f"<span>{text}</span>" for text in key)
        return (
            f'<section data-log="{escape(name)}"><p class="tinytf-heading">{title}'
            f'<span>{escape(log.headline)}</span></p><div class="tinytf-parts"><div>'
            f"{_lanes(log, *self._window(log))}</div><div>{_ages(log, *self._scales)}"
            f'<div class="tinytf-quiet tinytf-key">{shown}</div></div></div></section>'
        )

    def _window(self, log: StalenessLog) -> tuple[int, int]:
        """The first version that the lanes show, and how many: the same number in all lanes."""
        ends = [_reached(each) for each in self.logs.values()]
        span = min(SPAN, max(12, *(end - (self.first or 0) for end in ends)))
        return (max(0, _reached(log) - span) if self.first is None else self.first), span

    @property
    def _scales(self) -> tuple[int, float]:
        """The greatest age of all logs, and the greatest share of one bar: all have the same."""
        logs = [log for log in self.logs.values() if log.gradients]
        oldest = max(max(log.workers - 1, *(g.staleness for g in log.gradients), 1) for log in logs)
        width = _width(oldest)
        shares = (
            max(Counter(g.staleness // width for g in log.gradients).values()) / len(log.gradients)
            for log in logs
        )
        return oldest, max(shares)


def staleness_map(
    logs: StalenessLog | Mapping[str, StalenessLog], first: int | None = None
) -> StalenessMap:
    """Draw asynchronous training: which version each gradient is of, and which one it changed.

    A lane for each worker, the versions from left to right; beside it how many gradients were how
    old, their mean and N - 1. What was dropped is dotted and has a cross. Several trainings stand
    under each other with the same scales: to see what a remedy does.

    Args:
      logs: what `StalenessOptimizer.log(sess)` gives; or several of them, by the names they shall
        have in the picture.
      first: the version that the lanes begin with; default: so that they show the last ones.

    Returns:
      the picture, drawn as the result of a cell, without a widget; its `repr` says it in words.

    Raises:
      TypeError: for anything that is no log. ValueError: for a negative version.

    Example:
      >>> from tinytf.training.staleness import Gradient, StalenessLog
      >>> log = StalenessLog([Gradient(0, 0, 0), Gradient(1, 0, 1)], total=2)
      >>> tinytf.jupyter.staleness_map({"as it is": log})
      as it is: 2 gradients of 2 workers were on average 0.50 updates old (N - 1 = 1), at most 1.
        0 updates old:      1  ████████████████████
        1 update old:       1  ████████████████████
    """
    named = logs if isinstance(logs, Mapping) else {"": logs}
    for name, log in named.items():
        if not isinstance(log, StalenessLog):
            raise TypeError(
                f"staleness_map draws what `StalenessOptimizer.log(sess)` gives, alone or in a "
                f"dict by names; got {log!r}" + (f" for {name!r}" if name else "")
            )
    if first is not None and first < 0:
        raise ValueError(f"first must be a version from 0 on, not {first}")
    return StalenessMap({str(name): log for name, log in named.items()}, first)


def _reached(log: StalenessLog) -> int:
    """The version after the last gradient."""
    return max((g.now + (not g.dropped) for g in log.gradients), default=0)


def _lanes(log: StalenessLog, start: int, span: int) -> str:
    """From which version to which the gradients go, for so many versions."""
    workers = sorted({gradient.worker for gradient in log.gradients})
    lane = max(_LANE, _LANES // max(2, len(workers)))
    height = lane * len(workers)
    parts = []
    every = 10 if span > 24 else 5 if span > 12 else 2
    for version in range(-(-start // every) * every, start + span, every):
        x = f"{_percent(version - start + 0.5, span)}%"
        parts.append(
            f'<line class="tinytf-grid" x1="{x}" x2="{x}" y1="0" y2="{height}"/>'
            f'<text class="tinytf-tick" x="{x}" y="{height + 16}" text-anchor="middle">{version}'
            "</text>"
        )
    parts.append(f'<text class="tinytf-tick" x="-78" y="{height + 16}">version</text>')
    for row, worker in enumerate(workers):
        y = lane * (row + 1) - 0.5
        parts.append(
            f'<line class="tinytf-lane" x1="-8" x2="100%" y1="{y}" y2="{y}"/>'
            f'<text class="tinytf-lane-title" x="-78" y="{y - lane / 2 + 4.5}">worker {worker}'
            "</text>"
        )
    oldest = max(gradient.staleness for gradient in log.gradients) or 1
    shown = [g for g in log.gradients if g.now >= start and g.read < start + span]
    for gradient in shown:
        top = lane * workers.index(gradient.worker) + (lane - _BAR) / 2
        parts.append(_bar(gradient, start, span, top, gradient.staleness / oldest))
    label = (
        f"{plural(len(shown), 'gradient')} of {plural(len(workers), 'worker')}, "
        f"from version {start} on"
    )
    return (
        f'<svg class="tinytf-lanes" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" '
        f'aria-label="{label}" height="{height + _FOOT}">{"".join(parts)}</svg>'
    )


def _bar(gradient: Gradient, start: int, span: int, top: float, share: float) -> str:
    """One gradient. `share`: how old it is, beside the oldest."""
    left = max(gradient.read - start, -0.1) + 0.1
    right = min(gradient.now - start + (-0.1 if gradient.dropped else 0.9), span)
    age = gradient.staleness
    state, word = ("dropped", "✕") if gradient.dropped else ("done", str(age) if age else "")
    word = word if right - left > 1.2 else ""  # there is no room for it
    middle = _percent((left + right) / 2, span)
    text = f'<text x="{middle}%" y="{top + 14}" text-anchor="middle">{word}</text>'
    return (
        f'<g class="tinytf-gradient" data-state="{state}" data-age="{age}" '
        f'style="--share: {12 + 40 * share:.0f}%"><title>{escape(told(gradient))}</title>'
        f'<rect x="{_percent(left, span)}%" y="{top}" width="{_percent(right - left, span)}%" '
        f'height="{_BAR}" rx="4"/>{text if word else ""}</g>'
    )


def _percent(versions: float, span: int) -> str:
    return f"{100 * versions / span:.2f}"


def _width(oldest: int) -> int:
    """How many ages share a bar of the histogram."""
    return math.ceil((oldest + 1) / MOST_BARS)


def _ages(log: StalenessLog, oldest: int, most: float) -> str:
    """How many gradients were how old: those that were applied, and on top those that were not."""
    width = _width(oldest)
    bars = oldest // width + 1
    applied = Counter(g.staleness // width for g in log.gradients if not g.dropped)
    dropped = Counter(g.staleness // width for g in log.gradients if g.dropped)
    bottom = _HEIGHT - 26
    unit = (bottom - _TOP) / (most * len(log.gradients))  # px of a gradient
    step = 100 / bars
    x = f"{step * ((log.workers - 1) / width + 0.5):.2f}%"
    parts = [f'<line class="tinytf-expected" x1="{x}" x2="{x}" y1="2" y2="{bottom}"/>']
    for bar in range(bars):
        y = float(bottom)
        x, wide = f"{step * (bar + 0.5):.2f}%", step * 0.72
        for kind, count in (("age", applied[bar]), ("late", dropped[bar])):
            if count:
                y -= count * unit
                parts.append(
                    f'<rect class="tinytf-{kind}" x="{step * (bar + 0.5) - wide / 2:.2f}%" '
                    f'y="{y:.1f}" width="{wide:.2f}%" height="{count * unit:.1f}"/>'
                )
        if count := applied[bar] + dropped[bar]:
            late = "✕" if dropped[bar] else ""
            parts.append(_tick(x, y - 4, f"{count}{late}"))
        if bars <= 12 or bar % 4 == 0:
            parts.append(_tick(x, _HEIGHT - 6, str(bar * width)))
    parts.append(f'<line class="tinytf-lane" x1="0" x2="100%" y1="{bottom}" y2="{bottom}"/>')
    if log.mean == log.mean:
        x = f"{step * (log.mean / width + 0.5):.2f}%"
        parts.append(
            f'<svg x="{x}" y="{bottom + 1}" overflow="visible">'
            '<path class="tinytf-mean" d="M0 0l5 8h-10z"/></svg>'
        )
    ages = (
        f"{plural(count, 'gradient')} {plural(age, 'update')} old"
        for age, count in log.histogram.items()
    )
    label = ", ".join([*ages, *([f"{log.dropped} dropped"] if log.dropped else [])])
    return (
        '<div class="tinytf-quiet tinytf-caption">how many were so many updates old</div>'
        f'<svg class="tinytf-ages" xmlns="http://www.w3.org/2000/svg" role="img" width="100%" '
        f'aria-label="{label}" height="{_HEIGHT}">{"".join(parts)}</svg>'
    )


def _tick(x: str, y: float, words: str) -> str:
    return f'<text class="tinytf-tick" x="{x}" y="{y:.1f}" text-anchor="middle">{words}</text>'
