"""The parts of a step: its graph before and after Send and Recv, task by task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from html import escape
from importlib.util import find_spec
from typing import Any

from tinytf.jupyter import svg
from tinytf.jupyter.parts_model import Model, Transfer, read_parts
from tinytf.jupyter.parts_picture import PartsPicture, bytes_text, route_text, short_text
from tinytf.jupyter.picture import plural
from tinytf.jupyter.recording import given_session
from tinytf.jupyter.trace import with_texts
from tinytf.protos.config_pb2 import RunMetadata, RunOptions

_MOST_ROWS = 40
BEFORE, AFTER = "before Send and Recv", "after Send and Recv"
SHORT = "after, with 16-bit transfer"
NO_PARTS = (
    "There are no parts to show: the step left no partition graphs. Parts come from a session on a "
    "cluster, tf.Session(cluster.target('worker:0')). To show a step that has run, it must run "
    "with options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE, output_partition_graphs=True)"
)


class Parts:
    """The parts of a step that has run.

    Attributes:
      transfers: what travels between the parts: for each its `name`, `source` and `target`,
        `dtype`, `size` in bytes (None if unknown), `short_size` if float32 travelled as 16 bits,
        and whether it `is_signal` (a control edge, which carries no value).
      tasks: the names of the tasks: ["ps:0", "worker:0"].
      values: what the step fetched, if it was run for this. stats: its `StepStats`.

    Example:
      >>> shown = tinytf.jupyter.parts(loss, sess)  # doctest: +SKIP
      >>> sum(transfer.size for transfer in shown.transfers)  # doctest: +SKIP
    """

    def __init__(self, metadata: Any, graph: Any = None, values: Any = None):
        if not metadata.partition_graphs:
            raise ValueError(NO_PARTS)
        self.values, self.stats = values, metadata.step_stats
        self.model: Model = read_parts(metadata.partition_graphs, metadata.step_stats, graph)
        self.transfers: list[Transfer] = self.model.transfers
        self.tasks = self.model.tasks

    @cached_property
    def picture(self) -> PartsPicture:
        """What is drawn."""
        return PartsPicture(self.model)

    @cached_property
    def views(self) -> dict[str, tuple[str, str]]:
        """Of each view, what is said about it, and the drawing without style sheets."""
        kept, _ = self.model.before()
        count = f"{plural(len(kept), 'operation')} on {plural(len(self.tasks), 'task')}"
        cut = f" {self.picture.cut}" if self.picture.cut else ""
        texts = {
            BEFORE: f"The graph as it was placed: {count}. Thick edges lead to another task.{cut}",
            AFTER: f"{self.headline}{cut}",
            SHORT: f"{self._short()}{cut}",
        }
        picture = self.picture
        return {
            BEFORE: (texts[BEFORE], picture.before(texts[BEFORE], styled=False)),
            AFTER: (texts[AFTER], picture.after(texts[AFTER], styled=False)),
            SHORT: (texts[SHORT], picture.after(texts[SHORT], is_short=True, styled=False)),
        }

    def svg(self, is_after: bool = True) -> str:
        """The parts, or the graph before it was cut into them, as a complete SVG file."""
        draw = self.picture.after if is_after else self.picture.before
        return draw(self.headline)

    # Words --------------------------------------------------------------------------------------

    def _between_tasks(self) -> list[Transfer]:
        nodes = self.model.nodes
        return [t for t in self.transfers if nodes[t.send].task != nodes[t.recv].task]

    @property
    def headline(self) -> str:
        """What is shown, in a sentence."""
        between = self._between_tasks()
        tensors = [one for one in between if not one.is_signal]
        nodes = plural(len(self.model.nodes), "node")
        text = f"A step in {plural(len(self.tasks), 'part')}: {nodes}, "
        if not between:
            return text + "and nothing travels between tasks."
        text += f"{plural(len(tensors), 'tensor')} between tasks"
        if len(between) > len(tensors):
            text += f" and {plural(len(between) - len(tensors), 'signal')}"
        return f"{text}: {bytes_text(tensors)}." if tensors else f"{text}."

    def _short(self) -> str:
        tensors = [one for one in self._between_tasks() if not one.is_signal]
        full, short = bytes_text(tensors), bytes_text(tensors, True).removesuffix(" (16-bit)")
        if full == short:
            return f"The 16-bit transfer changes nothing here: {full}, none of it float32."
        return (
            f"With the 16-bit transfer {short} travel instead of {full}: of each float32 only the "
            "upper half (bfloat16: the sign, all 8 bits of the exponent, 7 of the fraction) is "
            "sent, and the rest is zero where it arrives. To do so: "
            "tf.GraphOptions(enable_bfloat16_sendrecv=True)."
        )

    def _lines(self) -> Iterable[str]:
        yield self.headline
        for task in self.tasks:
            rows = [n for n in self.model.nodes.values() if n.task == task]
            yield f"{task}: {plural(len(rows), 'node')}"
            for node in rows[:_MOST_ROWS]:
                yield f"  {node.title}" + ("" if node.role else f" ({node.op})")
            if len(rows) > _MOST_ROWS:
                yield f"  ... and {len(rows) - _MOST_ROWS} more"
        if self.transfers:
            yield "What travels:"
        for one in self.transfers[:_MOST_ROWS]:
            short = "" if one.short_size == one.size else f"; as 16 bits {short_text(one)}"
            yield f"  {route_text(one)}{short}"
        if len(self.transfers) > _MOST_ROWS:
            yield f"  ... and {len(self.transfers) - _MOST_ROWS} more"

    def __repr__(self) -> str:
        return "\n".join(self._lines())

    def explain(self, key: str) -> tuple[str, list[tuple[str, list[str]]]]:
        """Of a node of the drawings: what it is, and facts about it."""
        members = self.picture.members[key]
        if len(members) > 1:
            types = Counter(node.op for node in members).most_common(8)
            listed = [f"{count} {op}" for op, count in types]
            names = [node.title for node in members[:30]]
            return f"{key}: {len(members)} nodes", [("types", listed), ("nodes", names)]
        node = members[0]
        facts = [("task", [node.task]), ("device", [node.device])]
        inputs = [f"{'after ' if control else ''}{name}" for name, control in node.inputs]
        facts += [("inputs", inputs)] if inputs else []
        for one in self.transfers:
            if node.name in (one.send, one.recv):
                facts += [("travels", [route_text(one)])]
                if one.is_signal:
                    facts += [("why", [f"a control edge: what runs after {one.name} is elsewhere"])]
                elif one.short_size != one.size:
                    facts += [("as 16 bits", [short_text(one)])]
        if node.role:
            facts += [("node", [node.name])]
        return f"{node.title} ({node.op})", facts

    def as_html(self) -> str:
        """Drawings and words, for pages where widgets do not run."""
        drawings = "".join(
            f'<p class="tinytf-aside">{escape(text)}</p>{svg.in_page(drawing)}'
            for text, drawing in (
                (self.views[BEFORE][0], self.svg(False)),
                self.views[AFTER],  # the style sheets are in the page already
            )
        )
        words = f"<details><summary>In words</summary><pre>{escape(repr(self))}</pre></details>"
        return drawings + words

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        if find_spec("anywidget") is None:
            return {"text/plain": repr(self), "text/html": self.as_html()}, {}
        from tinytf.jupyter.parts_widget import PartsWidget

        self.widget = PartsWidget(self)
        return with_texts(self.widget._repr_mimebundle_(**kwargs), repr(self), self.as_html())


def parts(fetches: Any, session: Any = None, feed_dict: Any = None) -> Parts:
    """See `tinytf.jupyter.parts`."""
    session = given_session(session)
    if hasattr(fetches, "partition_graphs"):
        return Parts(fetches, None if session is None else session.graph)
    if session is None:
        raise ValueError(
            "parts() runs a step in a session of a cluster: pass it, as in "
            "parts(fetches, sess), or use `with tf.Session(cluster.target('worker:0')):`"
        )
    options = RunOptions(trace_level=RunOptions.FULL_TRACE, output_partition_graphs=True)
    metadata = RunMetadata()
    values = session.run(fetches, feed_dict, options=options, run_metadata=metadata)
    return Parts(metadata, session.graph, values)
