"""A fleet of trials as a table that follows it: who runs where, and how the scores rise."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from html import escape
from typing import Any

from tinytf.training.fleet import HEAD, Fleet, Trial

_MOST_BARS = 30
_COLOURS = {"runs": "#4285f4", "done": "#188038", "cancelled": "#b06000", "failed": "#c5221f"}


@dataclass(frozen=True, slots=True)
class FleetTable:
    """What `tinytf.jupyter.fleet` shows: a fleet as it is at the moment.

    Attributes:
      fleet: a `tinytf.training.fleet.Fleet`.
    """

    fleet: Fleet

    def __repr__(self) -> str:
        return repr(self.fleet)

    def _repr_html_(self) -> str:
        head = "".join(f"<th scope='col' style='text-align:left'>{one}</th>" for one in HEAD)
        rows = [
            "".join(f"<td style='text-align:left'>{escape(text)}</td>" for text in row)
            + f"<td style='text-align:left;white-space:nowrap'>{_bars(trial)}</td>"
            for row, trial in zip(self.fleet.rows(), self.fleet.trials, strict=True)
        ]
        table = "".join(f"<tr>{row}</tr>" for row in rows)
        last = "<th scope='col' style='text-align:left'>scores so far</th>"
        return f"<table class='tinytf-fleet'><tr>{head}{last}</tr>{table}</table>"


def _bars(trial: Trial) -> str:
    """A small bar for each of the latest scores, full height for 1."""
    colour = _COLOURS.get(trial.state, "#5f6368")
    return "".join(
        "<span aria-hidden='true' style='display:inline-block;width:6px;margin-right:1px;"
        f"background:{colour};height:{1 + round(21 * min(max(score, 0.0), 1.0))}px'></span>"
        for score in trial.scores[-_MOST_BARS:]
    )


def fleet(fleet: Fleet) -> FleetTable | None:
    """Show a fleet as a table that changes as its trials do, until all of them have ended.

    Interrupt the cell to stop looking; the fleet goes on. Outside of a notebook it only waits.

    Returns:
      the table as it is in the end; None in a notebook, which has shown it.

    Raises:
      TypeError: for anything else.

    Example:
      >>> tinytf.jupyter.fleet(fleet)  # doctest: +SKIP
    """
    if not isinstance(fleet, Fleet):
        raise TypeError(f"tinytf.jupyter.fleet(fleet) shows a Fleet, got {fleet!r}")
    table, seen = FleetTable(fleet), 0
    handle: Any = None
    ipython = sys.modules.get("IPython")
    if ipython is not None and ipython.get_ipython() is not None:
        from IPython.display import display

        handle = display(table, display_id=True)
    while not fleet.ended:
        seen = fleet.changed(seen)
        if handle is not None:
            handle.update(table)
    fleet.wait()
    if handle is None:
        return table
    handle.update(table)
    return None
