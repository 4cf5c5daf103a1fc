"""The widget that plays a recorded step: counters count down, nodes join the queue and run.

The drawing is laid out in Python; the trace is sent once and played in the browser, so it runs
while the kernel is busy, and in a saved page without one. Python holds only `frame`. Where widgets
are not shown, the output has the final drawing and a table of events.
"""

from __future__ import annotations

from html import escape
from typing import Any

import anywidget
import traitlets

from tinytf.jupyter import svg
from tinytf.jupyter.picture import plural
from tinytf.jupyter.recording import (
    BLOCKED,
    DONE,
    FAILED,
    FED,
    SKIPPED,
    Event,
    Recording,
    record,
)

REMARK = (
    "A real step of this session, unoptimised and one operation at a time, so that it can be "
    "watched. Each number says how many inputs an operation still waits for; at 0 it joins the "
    "ready queue."
)
_REMARK_ON_LOOPS = " In a loop, every iteration starts over; #2 marks a counter of iteration 2."
_BADGES = {DONE: "✓", SKIPPED: "✕", BLOCKED: "…", FAILED: "!", FED: "in"}
_MOST_ROWS = 40


class CountersWidget(anywidget.AnyWidget):
    """Plays a `Recording`.

    Attributes:
      frame: the event shown, 0 to the last; may be set from Python.
      recording: what is played. values: what the step fetched.
    """

    _esm = svg.static_text("counters.js")
    _css = svg.static_text("graph.css") + svg.static_text("counters.css")
    trace = traitlets.Dict().tag(sync=True)
    frame = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(self, recording: Recording):
        self.recording = recording
        super().__init__(trace=trace_of(recording))

    @property
    def values(self) -> Any:
        """The fetched values, in the structure of the fetches."""
        return self.recording.values

    def __repr__(self) -> str:
        return _headline(self.recording)

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        if bundle is None:
            return None
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
        data = {**data, "text/plain": as_text(self.recording), "text/html": as_html(self.recording)}
        return data, metadata


def watch(fetches: Any, feed_dict: Any = None, session: Any = None) -> CountersWidget:
    """See `tinytf.jupyter.watch`."""
    recording = record(fetches, feed_dict, session)
    widget = CountersWidget(recording)
    if recording.error is not None:
        from IPython.display import display

        display(widget)
        raise recording.error
    return widget


def trace_of(recording: Recording) -> dict[str, Any]:
    """The recording as the browser gets it; see stateAt in static/counters.js."""
    marks = _marks(recording, 0)
    return {
        "names": recording.names,
        "counters": recording.counters,
        "fed": recording.fed,
        "svg": svg.draw(recording.picture, _headline(recording), marks, styles=()),
        "remark": _remark(recording),
        "events": [
            {
                "kind": event.kind,
                "node": event.node,
                "iteration": event.iteration,
                "changes": [[c.node, c.count, c.iteration] for c in event.changes],
                "ready": [list(item) for item in event.ready],
                "values": list(event.values),
                "text": event.text,
            }
            for event in recording.events
        ],
    }


def _marks(recording: Recording, number: int) -> dict[str, svg.Mark]:
    counts, states = recording.counts_after(number), recording.states_after(number)
    return {
        name: svg.Mark(counts.get(name, 0), state, _BADGES.get(state, str(counts.get(name, 0))))
        for name, state in states.items()
    }


# ------------------------------------------------------------------------- where nothing can play


def as_text(recording: Recording) -> str:
    """The events as plain text, without values: the same whatever was computed."""
    rows = [("event", "what", "operation", "ready next")]
    for number, event in _shown(recording):
        rows.append((str(number), event.kind, *_row(recording, event)))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    lines = [
        "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    lines.append(_rest(recording))
    return "\n".join([_headline(recording), *(line.rstrip() for line in lines)])


def as_html(recording: Recording) -> str:
    """The last drawing and the events, for pages where widgets do not run."""
    last = len(recording.events) - 1
    drawing = svg.draw(recording.picture, _headline(recording), _marks(recording, last))
    items = "".join(
        f'<li value="{number}">{escape(event.text)}</li>' for number, event in _shown(recording)
    )
    rest = f"<p>{_rest(recording)}</p>" if len(recording.events) > _MOST_ROWS else ""
    return (
        f'<p class="tinytf-aside">{escape(_headline(recording))} {escape(_remark(recording))} '
        f"The drawing shows the end; run the cell to play it.</p>"
        f"{svg.in_page(drawing)}<ol>{items}</ol>{rest}"
    )


def _remark(recording: Recording) -> str:
    has_loop = any(event.iteration for event in recording.events)
    return REMARK + (_REMARK_ON_LOOPS if has_loop else "")


def _headline(recording: Recording) -> str:
    operations = plural(len(recording.names), "operation")
    return f"Dependency counters of {operations}, {plural(len(recording.events), 'event')}."


def _shown(recording: Recording) -> list[tuple[int, Event]]:
    return list(enumerate(recording.events))[:_MOST_ROWS]


def _rest(recording: Recording) -> str:
    more = len(recording.events) - _MOST_ROWS
    return f"... and {plural(more, 'event')} more" if more > 0 else recording.events[-1].text


def _row(recording: Recording, event: Event) -> tuple[str, str]:
    name = recording.names[event.node] if event.node >= 0 else ""
    if event.iteration:
        name += f" (iteration {event.iteration})"
    return name, ", ".join(recording.names[node] for node, _ in event.ready)
