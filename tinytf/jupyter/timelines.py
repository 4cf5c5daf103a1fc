"""When everything in a step happened: as a widget, a drawing, a table, and a file for Perfetto."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Sequence
from functools import cached_property
from html import escape
from importlib.util import find_spec
from typing import Any

from tinytf.devices.asking import readable
from tinytf.framework.errors import OpError
from tinytf.framework.files import write_file
from tinytf.framework.graph import Graph
from tinytf.framework.stacks import get_default_graph, get_default_session, session_for
from tinytf.jupyter import svg, timeline_picture
from tinytf.jupyter.picture import built_at, plural
from tinytf.jupyter.recording import given_session, graph_of
from tinytf.jupyter.timeline_svg import draw
from tinytf.protos.config_pb2 import RunMetadata, RunOptions
from tinytf.protos.step_stats_pb2 import StepStats
from tinytf.session.session import Session
from tinytf.tracing.chrome_trace import Timeline as ChromeTimeline
from tinytf.tracing.clocks import task_of
from tinytf.tracing.reading import step_stats_of

_MOST_ROWS = 40
OPTIMISED = (
    "Real steps of this session, as they were optimised: constants are folded, and what changes "
    "nothing is left out. Being traced makes a step slower."
)
GIVEN = "Being traced makes a step slower."


class Timeline:
    """Traced steps.

    Attributes:
      steps: their `StepStats` messages.
      values: what the last step fetched, if this was made from fetches.
      clock: instruments that show the same steps keep together by it.

    Example:
      >>> timeline = tinytf.jupyter.timeline(tf.add(3, tf.placeholder_with_default(5, [])))
      >>> timeline.save("trace.json")  # for ui.perfetto.dev or chrome://tracing
    """

    def __init__(
        self,
        steps: Any,
        graph: Graph | None = None,
        values: Any = None,
        remark: str = GIVEN,
        most: int = timeline_picture.MOST_BOXES,
        simulated: Sequence[str] = (),
    ):
        self.steps = step_stats_of(steps)
        starts = (n.all_start_nanos for s in self.steps for d in s.dev_stats for n in d.node_stats)
        self.clock = f"step {next(starts, 0)}"
        used = {device.device for stats in self.steps for device in stats.dev_stats}
        #: Devices that only play their part, in short: "GPU:0".
        self.simulated = [one.rpartition("device:")[2] for one in simulated if one in used]
        self.values = values
        self.remark = f"{remark} {self._what_is_simulated()}".rstrip()
        self._graph, self._most = graph, most

    @cached_property
    def picture(self) -> timeline_picture.TimelinePicture:
        """What is shown."""
        return timeline_picture.picture_of(self.steps, self._most)

    def save(self, path: str | os.PathLike[str], show_memory: bool = True) -> None:
        """Write all steps to one file in the Trace Event Format, at one stroke.

        Open it in ui.perfetto.dev (nothing is uploaded) or chrome://tracing. All boxes are in it,
        also those that the widget leaves out.

        Args:
          path: "trace.json", say. show_memory: whether with memory counters.

        Raises:
          tf.errors.OpError: if the file system refuses.
        """
        made = ChromeTimeline(self.steps).analyze_step_stats(show_memory=show_memory)
        write_file(path, made.chrome_trace.format_to_string().encode())

    def svg(self, width: int = 960) -> str:
        """All of it as one drawing: a complete SVG file, `width` pixels wide."""
        return draw(self.picture, self.headline, width)

    def line_of(self, name: str) -> str:
        """The user's line that built an operation; "" if it is not known."""
        for known in (name, name.rpartition("/_")[0]):  # a transfer goes by what it moves
            with contextlib.suppress(KeyError, ValueError):
                op = None if self._graph is None else self._graph.get_operation_by_name(known)
                break
        else:
            return ""
        line = None if op is None else built_at(op)
        if line is None:
            return ""
        return f"{line.file}, line {line.line}" + (f": {line.text}" if line.text else "")

    # Words --------------------------------------------------------------------------------------

    @property
    def headline(self) -> str:
        """What is shown, in a sentence; without times."""
        picture = self.picture
        if not picture.boxes:
            if self.remark.startswith(OPTIMISED):
                return "A timeline of no operations: all of them were folded into constants."
            return (
                "A timeline of no operations. Was the step traced? "
                "options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)"
            )
        counts = picture.counts
        runs = sum(ran for nodes in counts.values() for ran, _ in nodes.values())
        text = (
            f"Timeline of {plural(len(self.steps), 'step')}: {plural(runs, 'operation')} ran on "
            f"{plural(len(counts), 'device')}"
        )
        tasks = {task_of(device) for device in counts}
        if len(tasks) > 1:
            text += f" of {plural(len(tasks), 'task')}"
        if picture.arrows:
            text += f", {plural(len(picture.arrows), 'transfer')}"
        if picture.constants:
            text += f", {plural(len(picture.constants), 'constant')} took no time"
        return f"{text}."

    @property
    def clocks(self) -> str:
        """What was done about the clocks of several tasks, in a sentence; "" for nothing."""
        return timeline_picture.clocks_text(self.picture.clocks)

    def _what_is_simulated(self) -> str:
        if not self.simulated:
            return ""
        *others, last = self.simulated
        names = f"{', '.join(others)} and {last}" if others else last
        are = "is" if len(self.simulated) == 1 else "are"
        return f"{names} {are} simulated, by the processor: these are not the times of a GPU."

    @property
    def cut(self) -> str:
        """What is not shown one by one, in a sentence; "" if all is."""
        joined = [box.count for box in self.picture.boxes if box.count > 1]
        if not joined:
            return ""
        alone = len(self.picture.boxes) - len(joined)
        return (
            f"{alone + sum(joined):,} events: shown thinned. {alone:,} of them, the longest among "
            f"them, are boxes of their own; {sum(joined):,} shorter ones are drawn in "
            f"{len(joined):,} blocks. The file that .save() writes has every one."
        )

    def table(self) -> str:
        """Every run with its times, by step, device, thread and start: as text."""
        header = ("step", "device", "thread", "start", "waited", "took", "node", "type", "what")
        rows: list[tuple[str, ...]] = [header]
        groups, lasted = self.picture.groups, timeline_picture.duration_text
        order = sorted(
            self.picture.boxes, key=lambda b: (b.activity.step, b.group, b.lane, b.start, -b.end)
        )
        for box in order:
            a = box.activity
            group = groups[box.group]
            where = str(a.step + 1), group.title, group.lanes[box.lane].title
            waited = "" if a.scheduled is None else lasted(a.start - a.scheduled)
            when = f"+{lasted(box.start)}", waited, lasted(box.end - box.start)
            note = timeline_picture.note_of(a) if box.count == 1 else f"{box.count} runs"
            rows.append((*where, *when, "  " * box.depth + a.name, a.op, note))
        lines = list(_aligned(rows))
        return "\n".join([self.headline, *lines, *filter(None, [self.clocks, self.cut])])

    def _lines(self) -> Iterable[str]:
        """What ran where; which thread ran it and when is another each time."""
        yield self.headline
        if self.simulated:
            yield self._what_is_simulated()
        if self.clocks:
            yield self.clocks
        counts = self.picture.counts
        titles = timeline_picture.short_devices(list(counts))
        for device, nodes in counts.items():
            rows: list[tuple[str, ...]] = [(titles[device], "type", "ran", "bytes")]
            for (name, op), (ran, size) in list(nodes.items())[:_MOST_ROWS]:
                rows.append((f"  {name}", op, str(ran), readable(size)))
            yield from _aligned(rows)
            if len(nodes) > _MOST_ROWS:
                yield f"  ... and {len(nodes) - _MOST_ROWS} more"
        if self.cut:
            yield self.cut
        if self.picture.boxes:
            yield "With times: .table()  As a file for Perfetto: .save('trace.json')"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def as_html(self) -> str:
        """A drawing and words, for pages where widgets do not run."""
        words = (
            f"<details><summary>What ran where</summary><pre>{escape(repr(self))}</pre></details>"
        )
        said = (self.headline, self.remark, self.clocks, self.cut)
        aside = f'<p class="tinytf-aside">{escape(" ".join(filter(None, said)))}</p>'
        return (svg.in_page(self.svg()) if self.picture.boxes else "") + aside + words

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        plain = {"text/plain": repr(self), "text/html": self.as_html()}
        if not self.picture.boxes or find_spec("anywidget") is None:
            return plain, {}
        from tinytf.jupyter.timeline_widget import TimelineWidget

        self.widget = TimelineWidget(self)
        bundle = self.widget._repr_mimebundle_(**kwargs)
        data, metadata = bundle if isinstance(bundle, tuple) else (bundle or {}, {})
        return {**data, **plain}, metadata


def _aligned(rows: list[tuple[str, ...]]) -> Iterable[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        yield "  ".join(cells).rstrip()


# ----------------------------------------------------------------------------------- the one call


def timeline(
    what: Any,
    feed_dict: Any = None,
    session: Any = None,
    steps: int = 1,
    most: int = timeline_picture.MOST_BOXES,
) -> Timeline:
    """See `tinytf.jupyter.timeline`."""
    if steps < 1:
        raise ValueError(f"A timeline has at least one step. Got: steps={steps}")
    if _is_traced(what):
        graph = get_default_graph() if session is None else session.graph
        return Timeline(what, graph, most=most, simulated=_simulated(session))
    graph = graph_of(what)
    if given_session(session) is None:
        # Nothing was computed yet, so no session's variables can be meant: one for these does.
        with Session(graph=graph) as session:
            return timeline(what, feed_dict, session, steps, most)
    session = session_for(graph, session, "trace a step", "timeline()")
    options = RunOptions(trace_level=RunOptions.FULL_TRACE)
    traced, values = [], None
    for _ in range(steps):
        metadata = RunMetadata()
        values = session.run(what, feed_dict, options=options, run_metadata=metadata)
        traced.append(metadata)
    return Timeline(traced, graph, values, OPTIMISED, most, _simulated(session))


def _simulated(session: Any) -> list[str]:
    """The simulated devices of a session; without one that is open, nobody can tell."""
    session = session or get_default_session()
    with contextlib.suppress(OpError):
        devices = [] if session is None else session.list_devices()
        return [device.name for device in devices if "Simulated" in device.description]
    return []


def _is_traced(what: Any) -> bool:
    """Whether it is what a step has left, rather than what one should fetch."""
    listed = what if isinstance(what, list | tuple) and what else [what]
    return all(_is_stats(item) for item in listed)


def _is_stats(item: Any) -> bool:
    if isinstance(item, RunMetadata | StepStats):
        return True
    # A message of a real TensorFlow is of another class.
    return hasattr(item, "dev_stats") or hasattr(getattr(item, "step_stats", None), "dev_stats")
