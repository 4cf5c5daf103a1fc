"""The widget of the thread pools: which thread runs what, and what waits for one.

It plays the same recording as the dependency counters: made from a watched step, both show the same
event. See `pools_picture` for the drawing.
"""

from __future__ import annotations

from html import escape
from typing import Any

from tinytf.jupyter import svg
from tinytf.jupyter.counters import RecordedWidget, shown_at_once
from tinytf.jupyter.picture import plural
from tinytf.jupyter.pools_picture import PoolsPicture, Row, Span, rows_of, spans_of
from tinytf.jupyter.recording import Recording, record
from tinytf.jupyter.trace import script, trace_of
from tinytf.jupyter.words import cut_text, ending, listed

REMARK = (
    "This is a real step of this session, run unoptimised so that it can be watched. An operation "
    "whose inputs are all there waits in the ready queue until a thread is free. An inter-op "
    "thread runs one operation at a time; a kernel with much to do hands parts of its work to "
    "intra-op threads. The columns are events in their order; by time one sees how long each took, "
    "and that watching takes time, too: it is in the gaps."
)
#: With more, nobody can tell them apart; and the drawing gets slow.
MOST_DRAWN = 1500
SCRIPTS = ("clock.js", "replay.js", "player.js", "pools_lanes.js", "pools.js")


class PoolsWidget(RecordedWidget):
    """Plays a `Recording` as lanes; see `tinytf.jupyter.threads`."""

    _esm = script(*SCRIPTS)
    _css = script("theme.css", "player.css", "choices.css", "pools.css")

    def __init__(self, recording: Recording):
        self._links: list[Any] = []
        made = as_text, as_html
        super().__init__(recording, pools_trace(recording), _headline(recording), *made)

    def follow(self, other: Any) -> None:
        """Show the same event as another widget of the same recording, in the browser."""
        import ipywidgets

        self.frame = other.frame
        self._links.append(ipywidgets.jslink((other, "frame"), (self, "frame")))


def threads(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 2, order: Any = None
) -> PoolsWidget:
    """See `tinytf.jupyter.threads`."""
    if isinstance(fetches, Recording):
        return PoolsWidget(fetches)
    if isinstance(fetches, RecordedWidget):
        if feed_dict is not None or session is not None or order is not None:
            raise ValueError(
                "This step was watched already, and is not run again: feeds, session and order "
                "belong to the call that watches it, watch(fetches, feed_dict, session, order=...)"
            )
        widget = PoolsWidget(fetches.recording)
        widget.follow(fetches)
        return widget
    return shown_at_once(PoolsWidget(record(fetches, feed_dict, session, threads, order)))


def pools_trace(recording: Recording) -> dict[str, Any]:
    """The trace with its lanes: what the widget sends to the browser."""
    drawn = _is_drawn(recording)
    return trace_of(recording) | {
        "remark": _remark(recording),
        "types": recording.types,
        "rows": [_row(row) for row in rows_of(recording)] if drawn else [],
        "spans": [_phases(recording, span) for span in spans_of(recording)] if drawn else [],
    }


def _row(row: Row) -> dict[str, Any]:
    known = {"label": row.label, "title": row.is_title, "note": row.note}
    return known | {"runs": row.runs, "intraOp": row.intra_op}


def _phases(recording: Recording, span: Span) -> list[int]:
    """The events with which a run is ready, taken, lets go of its thread, and ends."""
    # On one thread, nodes are taken without an event of its own: waiting, then over.
    taken = span.taken if len(recording.threads) > 1 else span.held
    return [span.ready, taken, span.held, span.ended]


def _is_drawn(recording: Recording) -> bool:
    return 0 < len(recording.runs) <= MOST_DRAWN


def as_text(recording: Recording) -> str:
    """What was done, in numbers that are the same each time."""
    if recording.error is not None:
        end = f"The step failed with {type(recording.error).__name__}."
    elif recording.cut:
        end = f"The recording was cut after {plural(len(recording.events) - 1, 'event')}."
    else:
        end = ending(recording.count("run"), recording.count("skip"))
    return f"{_headline(recording)}\n{end}"


def as_html(recording: Recording) -> str:
    """The lanes, for pages where widgets do not run."""
    picture = PoolsPicture(recording).draw(_headline(recording)) if _is_drawn(recording) else ""
    return (
        f"{svg.in_page(picture) if picture else ''}<p>{escape(recording.events[-1].text)}</p>"
        f'<p class="tinytf-aside">{escape(_headline(recording))} {escape(_remark(recording))}</p>'
    )


def _headline(recording: Recording) -> str:
    threads = plural(len(recording.threads), "inter-op thread")
    lanes = listed([lane.title for lane in recording.lanes])
    return f"Thread pools: {plural(len(recording.names), 'operation')}, {threads}, on {lanes}."


def _remark(recording: Recording) -> str:
    text = REMARK
    if any(lane.is_stream for lane in recording.lanes):
        text += " A GPU has no threads here: what it runs goes to its stream, one after the other."
    if recording.order:
        text += f" What ran next was steered: by the {recording.order} that was given."
    if recording.cut:
        text += " " + cut_text(len(recording.events) - 1, recording.cut)
    if not recording.names:
        text += " This step has no operations: all that is fetched is fed."
    elif len(recording.runs) > MOST_DRAWN:
        text += (
            f" {len(recording.runs):,} bars are too many to draw (up to {MOST_DRAWN:,} are). "
            f"Record a part: fetch something that needs fewer operations, or fewer iterations."
        )
    return text
