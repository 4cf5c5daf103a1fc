"""The cockpit: the instruments of one run of a step beside each other, played by one clock.

It draws nothing itself. The views are the widgets that also stand alone; static/cockpit.css puts
them side by side, and what static/cockpit.js tells the clock of the page moves them all.
"""

from __future__ import annotations

from typing import Any

import anywidget
import traitlets
from ipywidgets import Box

from tinytf.framework.stacks import default_sessions, session_for
from tinytf.jupyter import counters
from tinytf.jupyter.cluster_widget import ClusterWidget
from tinytf.jupyter.parts_widget import PartsWidget
from tinytf.jupyter.pools import PoolsWidget
from tinytf.jupyter.recording import graph_of
from tinytf.jupyter.step_parts import parts
from tinytf.jupyter.timeline_widget import TimelineWidget
from tinytf.jupyter.timelines import Timeline
from tinytf.jupyter.trace import script, with_texts
from tinytf.tracing.recorded import LOCAL, stats_of

REMARK = (
    "All views show the same run, and what is chosen in one is shown by all. To keep them beside "
    "the notebook: right-click, Create New View for Cell Output. "
)
_WATCHED = "The step ran unoptimised, and was watched, which takes time: that is in the gaps."
_TRACED = "The step was traced, which makes it slower."


class Transport(anywidget.AnyWidget):
    """What plays a cockpit: one button, one scrubber, and what happens in a sentence.

    Attributes:
      trace: the recording, or a traced step: its "runs" and the "nodes" that ran.
      frame: the event shown.
    """

    _esm = script("clock.js", "replay.js", "player.js", "cockpit.js")
    _css = script("theme.css", "player.css", "cockpit.css")
    trace = traitlets.Dict().tag(sync=True)
    frame = traitlets.Int(0, min=0).tag(sync=True)


class Cockpit(Box):
    """One run of a step in all instruments; see `tinytf.jupyter.cockpit`.

    Attributes:
      shown: what the views show, one after the other. values: what the step fetched.
      transport: what plays them; its `frame`, the event shown, may be set from Python.
    """

    def __init__(self, trace: dict[str, Any], views: list[Any], shown: list[Any]):
        self.shown, self.values = shown, shown[0].values
        self.transport = Transport(trace=trace)
        super().__init__([self.transport, *views, TimelineWidget(shown[-1])])
        self.add_class("tinytf-cockpit")

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.shown))

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        html = "".join(each.as_html() for each in self.shown)
        return with_texts(super()._repr_mimebundle_(**kwargs), repr(self), html)


def cockpit(fetches: Any, feed_dict: Any = None, session: Any = None, threads: int = 2) -> Cockpit:
    """See `tinytf.jupyter.cockpit`."""
    graph = graph_of(fetches)
    session = session or default_sessions.top()
    if getattr(session, "sess_str", ""):
        session = session_for(graph, session, "run a step", "cockpit()")
        return _of_cluster(fetches, feed_dict, session)
    watched = counters.watch(fetches, feed_dict, session, threads)
    recording = watched.recording
    trace = {key: watched.trace[key] for key in ("clock", "events", "complete")}
    simulated = [LOCAL + lane.name for lane in recording.lanes if lane.is_simulated]
    timeline = Timeline(stats_of(recording), graph, remark=REMARK + _WATCHED, simulated=simulated)
    timeline.clock = recording.clock
    views = [watched, PoolsWidget(recording)]
    return Cockpit(trace, views, [*views, timeline])


def _of_cluster(fetches: Any, feed_dict: Any, session: Any) -> Cockpit:
    """The step in parts, the cluster, and the timeline."""
    shown = parts(fetches, session, feed_dict)
    timeline = Timeline([shown.stats], session.graph, remark=REMARK + _TRACED)
    step = {
        "clock": timeline.clock,
        "runs": [[box.activity.name, box.start, box.end] for box in timeline.picture.boxes],
        "nodes": {name: [node.title, node.task] for name, node in shown.model.nodes.items()},
        "moved": [[f"{t.source} {t.target}", t.send, t.recv] for t in shown.transfers],
    }
    drawn, cluster = PartsWidget(shown), ClusterWidget(session.sess_str)
    drawn.content, cluster.step = drawn.content | {"step": step}, step
    return Cockpit(step, [drawn, cluster], [shown, cluster, timeline])
