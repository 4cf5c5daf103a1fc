"""How many images a second each chapter trains with: the same network, faster from time to time."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

_WIDTH = 24  # of a bar of text


@dataclass(frozen=True, slots=True)
class Pace:
    """What `pace` gives: a bar for each chapter so far.

    Attributes:
      rows: chapter -> (how it trained, images per second). now: the chapter that was just added.

    Example:
      >>> from tinytf.jupyter import pace
      >>> pace("ch01", "one session", images=15_000, seconds=0.5).now
      'ch01'
    """

    rows: dict[str, tuple[str, float]]
    now: str

    @property
    def per_second(self) -> float:
        """Of the chapter that was just added."""
        return self.rows[self.now][1]

    def __repr__(self) -> str:
        most = max(value for _, value in self.rows.values())
        lines = ["images a second"]
        for chapter, (how, value) in self.rows.items():
            bar = "█" * max(1, round(_WIDTH * value / most))
            lines.append(f"{_number(chapter)}  {bar:<{_WIDTH}} {value:9,.0f}  {how}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        most = max(value for _, value in self.rows.values())
        rows = []
        for chapter, (how, value) in self.rows.items():
            opacity = 1 if chapter == self.now else 0.45
            bar = (
                f"<div style='background:#4285f4;opacity:{opacity};height:14px;border-radius:3px;"
                f"width:{max(0.5, 100 * value / most):.1f}%'></div>"
            )
            rows.append(
                f"<tr><th scope='row' style='text-align:left'>{_number(chapter)}"
                f"&ensp;{escape(how)}</th><td style='width:64%'>{bar}</td>"
                f"<td style='text-align:right'>{value:,.0f}</td></tr>"
            )
        return (
            "<table style='table-layout:auto;width:100%;max-width:80em'><caption style='text-align:"
            "left'>Images a second, chapter by chapter</caption>" + "".join(rows) + "</table>"
        )


def _number(chapter: str) -> str:
    return chapter.removeprefix("ch").lstrip("0") or "0"


#: What was measured in this kernel, for when nothing is remembered.
_here: dict[str, tuple[str, float]] = {}


def pace(chapter: str, how: str, images: int, seconds: float) -> Pace:
    """Note how fast a chapter trained, and compare it with the chapters before.

    Args:
      chapter: "ch03". how: in a few words. images: how many went through the network, each as often
        as it did. seconds: that took, measured with `time.perf_counter`.

    Returns:
      all chapters so far, with bars in a notebook. They are kept with the points of the exercises.

    Raises:
      ValueError: if no time has passed, or no image was seen.

    Example:
      >>> from tinytf.jupyter import pace
      >>> pace("ch01", "one session", images=15_000, seconds=0.5).per_second
      30000.0
    """
    from tinytf.grading.progress import kept, note_pace

    if images <= 0 or seconds <= 0:
        raise ValueError(f"pace: {images} images in {seconds} seconds give no pace.")
    _here[chapter] = how, images / seconds
    note_pace(chapter, how, images / seconds)
    return Pace(dict(sorted({**kept().paces, **_here}.items())), chapter)
