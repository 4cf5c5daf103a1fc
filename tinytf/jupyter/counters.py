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
from tinytf.jupyter.graph_view import GraphView
from tinytf.jupyter.graph_view_nodes import Node
from tinytf.jupyter.picture import MOST_NODES, plural
from tinytf.jupyter.recording import (
    BLOCKED,
    DONE,
    FAILED,
    FED,
    RUNNING,
    SKIPPED,
    Event,
    Recording,
    record,
)
from tinytf.jupyter.trace import script, trace_of, with_texts
from tinytf.runtime.frames import MERGE

REMARK = (
    "A real step of this session, unoptimised and one operation at a time{threads}, so that it can "
    "be watched. Each number says how many inputs an operation still waits for; at 0 it joins the "
    "ready queue."
)
_REMARK_ON_LOOPS = " In a loop, every iteration starts over; #2 marks a counter of iteration 2."
_REMARK_ON_MERGES = (
    " A Merge counts differently: it waits for one live input, whichever comes, and not for all."
)
#: A drawing with more operations is of no use, and slow.
MOST_DRAWN = 300
_BADGES = {DONE: "✓", SKIPPED: "✕", BLOCKED: "…", FAILED: "!", FED: "in", RUNNING: "▶"}
_MOST_ROWS = 40
SCRIPTS = """
    clock.js replay.js player.js guess.js schedule.js scheduler.js graph_view_state.js
    graph_view_layout.js graph_view_draw.js graph_view_map.js graph_stage.js graph_search.js
    motion.js counters_stage.js counters.js
""".split()


class RecordedWidget(anywidget.AnyWidget):
    """Plays a `Recording`.

    Attributes:
      frame: the event shown, 0 to the last; may be set from Python.
      recording: what is played. values: what the step fetched.
    """

    trace = traitlets.Dict().tag(sync=True)
    frame = traitlets.Int(0, min=0).tag(sync=True)

    def __init__(self, recording: Recording, trace: dict[str, Any], headline: str, *made: Any):
        self.recording, self._headline = recording, headline
        self._text, self._html = made
        super().__init__(trace=trace)

    @property
    def values(self) -> Any:
        """The fetched values, in the structure of the fetches."""
        return self.recording.values

    def __repr__(self) -> str:
        return self._headline

    def as_html(self) -> str:
        """What pages show where widgets do not run."""
        html: str = self._html(self.recording)
        return html

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        bundle = super()._repr_mimebundle_(**kwargs)
        return with_texts(bundle, self._text(self.recording), self.as_html())


class CountersWidget(RecordedWidget):
    """Plays a `Recording` as a graph with counters; see `tinytf.jupyter.watch`."""

    _esm = script(*SCRIPTS)
    _css = script(*svg.STYLES, "graph_stage.css", "player.css", "counters.css")

    def __init__(self, recording: Recording):
        made = as_text, as_html
        super().__init__(recording, counters_trace(recording), _headline(recording), *made)


def watch(
    fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 1, order: Any = None
) -> CountersWidget:
    """See `tinytf.jupyter.watch`."""
    return shown_at_once(CountersWidget(record(fetches, feed_dict, session, threads, order)))


def shown_at_once(widget: Any) -> Any:
    """A widget to return; if the step failed, it is shown first, and the error raised.

    Args:
      widget: with a `recording`.
    """
    if widget.recording.error is not None:
        from IPython.display import display

        display(widget)
        raise widget.recording.error
    return widget


def counters_trace(recording: Recording) -> dict[str, Any]:
    """The trace with its drawing: what the widget sends to the browser."""
    graph = _view_of(recording).content() if _is_drawn(recording) else None
    return {**trace_of(recording), "graph": graph, "remark": _remark(recording)}


def _view_of(recording: Recording) -> GraphView:
    """The picture with its name scopes: what the browser lays out and opens."""
    nodes = []
    for shown in recording.picture.nodes:
        path = shown.key.removeprefix("feed of ")
        nodes.append(Node(shown.key, shown.kind or shown.label, shown.form, path=path))
    for edge in recording.picture.edges:
        if edge.is_control:
            nodes[edge.target].controls.append(edge.source)
            continue
        outputs = nodes[edge.source].outputs
        outputs += [""] * (edge.output + 1 - len(outputs))
        outputs[edge.output] = edge.carries
        nodes[edge.target].inputs.append((edge.source, edge.output))
    return GraphView(nodes, _headline(recording))


def _is_drawn(recording: Recording) -> bool:
    return 0 < len(recording.names) <= MOST_DRAWN


def _marks(recording: Recording, number: int) -> dict[str, svg.Mark]:
    counts, states = recording.counts_after(number), recording.states_after(number)
    return {
        name: svg.Mark(counts.get(name, 0), state, _BADGES.get(state, str(counts.get(name, 0))))
        for name, state in states.items()
    }


# ------------------------------------------------------------------------- where nothing can play


def as_text(recording: Recording) -> str:
    """The events as plain text, without values: the same whatever was computed.

    With several threads the order is another one each time: then only what was done is told.
    """
    if len(recording.threads) > 1:
        return f"{_headline(recording)}\n{recording.events[-1].text}"
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
    drawing = shows = ""
    if _is_drawn(recording):
        if len(recording.names) > MOST_NODES:
            drawing = svg.in_page(_view_of(recording).svg())
            shows = "The drawing shows the outermost scopes; run the cell to open and to play them."
        else:
            marks = _marks(recording, last)
            drawing = svg.in_page(svg.draw(recording.picture, _headline(recording), marks))
            shows = "The drawing shows the end; run the cell to play it."
    items = "".join(
        f'<li value="{number}">{escape(event.text)}</li>' for number, event in _shown(recording)
    )
    rest = f"<p>{_rest(recording)}</p>" if len(recording.events) > _MOST_ROWS else ""
    return (
        f'<p class="tinytf-aside">{escape(_headline(recording))} {escape(_remark(recording))} '
        f"{shows}</p>{drawing}<ol>{items}</ol>{rest}"
    )


def _remark(recording: Recording) -> str:
    count = len(recording.threads)
    text = REMARK.format(threads=f" on each of {count} threads" if count > 1 else "")
    if any(event.iteration for event in recording.events):
        text += _REMARK_ON_LOOPS
    if any(kind in MERGE for kind in recording.types):
        text += _REMARK_ON_MERGES
    if recording.order:
        text += f" What ran next was steered: by the {recording.order} that was given."
    if len(recording.names) > MOST_DRAWN:
        text += (
            f" {len(recording.names):,} operations are too many to draw. Watch a part: fetch "
            f"something that needs fewer, or feed what lies between (up to {MOST_DRAWN} are drawn)."
        )
    return text


def _headline(recording: Recording) -> str:
    operations = plural(len(recording.names), "operation")
    if len(recording.threads) > 1:
        return f"Dependency counters of {operations}, {len(recording.threads)} threads."
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
