"""Curves of event files, drawn where the cell is: a first look, without TensorBoard."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tinytf.jupyter.picture import plural
from tinytf.jupyter.svg import in_page
from tinytf.summary.reading import summary_iterator

_WIDTH, _HEIGHT = 440, 170
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 26, 24
#: Lines of several runs differ in hue (theme.css) and in their dashes, not only in their names.
_LINES = (("#4285f4", ""), ("#d98a00", "7 4"), ("#0d9a8c", "2 4"), ("#e0455e", "9 3 2 3"))
_STYLE = (
    ".tinytf-curve{color:var(--jp-content-font-color1,currentColor);font:11px "
    "var(--jp-code-font-family,ui-monospace,monospace)}.tinytf-curve text{fill:currentColor}"
    ".tinytf-curve path{fill:none;stroke:currentColor}.tinytf-curve .tinytf-axis{opacity:.45}"
    ".tinytf-curve .tinytf-values{stroke-width:2.2}"
    ".tinytf-curves{display:flex;flex-wrap:wrap;gap:8px 20px}"
    ".tinytf-curve{flex:1 1 400px;height:auto;max-width:660px;min-width:0}"
)


@dataclass(frozen=True, slots=True)
class Curve:
    """The numbers of one tag in one run.

    Attributes:
      tag, run: their names; the run's is its folder, "." for the one that was asked for.
      points: (step, value), by step.

    Example:
      >>> tinytf.jupyter.Curve("loss", ".", ((0, 2.0), (1, 1.0))).points[-1]
      (1, 1.0)
    """

    tag: str
    run: str
    points: tuple[tuple[int, float], ...]


class Curves:
    """What `curves` shows.

    Attributes:
      logdir: the folder. curves: its `Curve`s, by tag and run.

    Example:
      >>> curve = tinytf.jupyter.Curve("loss", ".", ((0, 2.0), (1, 1.0)))
      >>> tinytf.jupyter.Curves("logs", [curve])
      1 curve in logs.
      loss (.): 2 points, from 2 at step 0 to 1 at step 1
    """

    def __init__(self, logdir: str, curves: list[Curve]):
        self.logdir, self.curves = logdir, curves

    def __repr__(self) -> str:
        lines = [self._headline()]
        for curve in self.curves:
            (first, start), (last, end) = curve.points[0], curve.points[-1]
            lines.append(
                f"{curve.tag} ({curve.run}): {plural(len(curve.points), 'point')}, from "
                f"{_short(start)} at step {first} to {_short(end)} at step {last}"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        charts = "\n".join(self._chart(tag) for tag in dict.fromkeys(c.tag for c in self.curves))
        drawn = f'<style>{_STYLE}</style><div class="tinytf-curves">{charts}</div>'
        shown = in_page(drawn) if charts else ""
        return f'{shown}<p class="tinytf-aside">{escape(self._headline())}</p>'

    def _headline(self) -> str:
        tags = len({curve.tag for curve in self.curves})
        if not tags:
            return f"No curves in {self.logdir}: no event file there holds a scalar summary."
        return f"{plural(tags, 'curve')} in {self.logdir}."

    def _chart(self, tag: str) -> str:
        """All runs of a tag in one chart."""
        found = [curve for curve in self.curves if curve.tag == tag]
        finite = [p for curve in found for p in curve.points if math.isfinite(p[1])]
        steps = [step for curve in found for step, _ in curve.points]
        low, high = (f(value for _, value in finite) for f in (min, max)) if finite else (0.0, 0.0)
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        x = _scale(min(steps), max(steps), _LEFT, right)
        y = _scale(low, high, bottom - 6, _TOP + 6)
        label = f"{tag}: from {_short(low)} to {_short(high)}, steps {min(steps)} to {max(steps)}"
        parts = [
            f'<svg class="tinytf-curve" xmlns="http://www.w3.org/2000/svg" role="img" '
            f'aria-label="{escape(label)}" data-tag="{escape(tag)}" width="{_WIDTH}" '
            f'height="{_HEIGHT}" viewBox="0 0 {_WIDTH} {_HEIGHT}">',
            f'<text x="{_LEFT}" y="16" font-weight="bold">{escape(tag)}</text>',
            f'<path class="tinytf-axis" d="M{_LEFT} {_TOP}V{bottom}H{right}"/>',
            _text(_LEFT - 6, y(low) + 4, _short(low), "end"),
            _text(_LEFT, _HEIGHT - 8, str(min(steps)), "middle"),
            _text(right, _HEIGHT - 8, str(max(steps)), "end"),
        ]
        if high > low:
            parts.append(_text(_LEFT - 6, y(high) + 4, _short(high), "end"))
        for number, curve in enumerate(found):
            hue, dash = _LINES[number % len(_LINES)]
            line = f'<path class="tinytf-values" style="stroke:{hue}" stroke-dasharray="{dash}" d='
            d = _line([(x(s), y(v)) if math.isfinite(v) else None for s, v in curve.points])
            parts.append(f'{line}"{d}"><title>{escape(curve.run)}</title></path>')
            if len(found) > 1:
                parts.append(_legend(curve.run, line, right - 100 * number))
        return "".join([*parts, "</svg>"])


def curves(logdir: str | os.PathLike[str], tags: Collection[str] | None = None) -> Curves:
    """Draw the scalar summaries of event files: a first look, without TensorBoard.

    Args:
      logdir: a folder that a `tf.summary.FileWriter` has written to, or one above it: each folder
        with event files is a run, and runs share the chart of a tag.
      tags: the names of those that are drawn; None for all.

    Returns:
      the curves, drawn as the result of a cell; their `repr` says the same in words.

    Raises:
      DataLossError: if an event file is damaged.

    Example:
      >>> import tempfile
      >>> folder = tempfile.mkdtemp()
      >>> with tf.summary.FileWriter(folder) as writer:
      ...     for step in range(3):
      ...         value = tf.Summary.Value(tag="loss", simple_value=1 / (step + 1))
      ...         writer.add_summary(tf.Summary(value=[value]), step)
      >>> [curve.tag for curve in tinytf.jupyter.curves(folder).curves]
      ['loss']
    """
    found: dict[tuple[str, str], dict[int, float]] = {}
    for run, path in _event_files(Path(logdir)):
        for event in summary_iterator(path):
            for value in event.summary.value:
                if tags is not None and value.tag not in tags:
                    continue
                if value.WhichOneof("value") == "simple_value":
                    points = found.setdefault((value.tag, run), {})
                    points[event.step] = value.simple_value  # a step that ran again counts once
    return Curves(
        os.fspath(logdir),
        [Curve(tag, run, tuple(sorted(found[tag, run].items()))) for tag, run in sorted(found)],
    )


def _event_files(logdir: Path) -> Iterator[tuple[str, Path]]:
    """(run, file), older files first."""
    for path in sorted(logdir.rglob("*tfevents*")):
        if path.is_file():
            yield path.parent.relative_to(logdir).as_posix(), path


def _scale(low: float, high: float, start: float, end: float) -> Any:
    """The function that takes `low` to `start` and `high` to `end`."""
    size = high - low
    return lambda value: start + (end - start) * ((value - low) / size if size > 0 else 0.5)


def _line(places: list[tuple[float, float] | None]) -> str:
    """A path through places; where one is missing, it has a gap."""
    parts, drawing = [], False
    for place in places:
        if place is not None:
            parts.append(f"{'L' if drawing else 'M'}{place[0]:.1f} {place[1]:.1f}")
        drawing = place is not None
    return "".join(parts)


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return f'<text x="{x:g}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def _legend(run: str, line: str, right: float) -> str:
    """A piece of a run's line, and its name."""
    return f'{line}"M{right - 28} 12h28"/>' + _text(right - 34, 16, run, "end")


def _short(value: float) -> str:
    return f"{value:.3g}"
