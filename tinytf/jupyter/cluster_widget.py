"""The widget that shows a cluster as it is, while programs run on it; see `live`.

It remembers what happened, to be played again, and lets tasks of a local cluster be killed and
started again.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

import traitlets

from tinytf.distributed.local_cluster import running_clusters
from tinytf.jupyter import cluster_view, svg
from tinytf.jupyter.cluster_history import MOST_FRAMES, STOPPED, frame_of
from tinytf.jupyter.cluster_picture import STYLES, draw
from tinytf.jupyter.live_widgets import LiveWidget
from tinytf.jupyter.trace import script

#: Seconds between two looks: each asks every task.
INTERVAL = 1.0


def _local_at(address: str) -> Any:
    """The local cluster of this program with a task at this address; None: there is none."""
    for cluster in running_clusters():
        if address.removeprefix("grpc://") in [status.address for status in cluster.status()]:
            return cluster
    return None


class ClusterWidget(LiveWidget):
    """Shows a cluster as it is; see `tinytf.jupyter.cluster`.

    Attributes:
      state: what the browser shows. It is looked at again until the widget is closed, or the
        local cluster that it shows is stopped or gone.
      frames: what happened so far; see `cluster_history`. frame: which of them is shown.
      seen: the same as `state` as plain values: "tasks", "sessions", "edges".
      selected: the task that is described; may be set from Python.
      step: of a cockpit: when tensors went from task to task, and where operations are.
    """

    _esm = script("clock.js", "page.js", "player.js", "live.js", "cluster.js")
    _css = script(*STYLES, "player.css", "choices.css", "live.css", "cluster_page.css")
    frames: Any = traitlets.List().tag(sync=True)
    frame = traitlets.Int(0).tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)
    step = traitlets.Dict().tag(sync=True)

    def __init__(self, of: Any, credentials: Any = None):
        self.seen: dict[str, Any] = {}
        self._ways: dict[tuple[str, str], dict[str, Any]] = {}
        looker = cluster_view.Looker(credentials=credentials)
        tasks = cluster_view.known_tasks(of, credentials)
        # Who only looks at a local cluster does not keep it alive.
        cluster: Callable[[], Any] | None = weakref.ref(of) if hasattr(of, "status") else None
        if isinstance(of, str) and _local_at(of) is not None:
            cluster = partial(_local_at, of)

        def look() -> dict[str, Any] | None:
            if cluster is None:
                return looker.look(tasks)
            now = cluster()
            if now is None or now.stopped:
                return None
            return looker.look(cluster_view.known_tasks(now))

        super().__init__()
        self._cluster, self._known = cluster, tasks
        self._finish = weakref.finalize(self, looker.close)
        self.on_msg(ClusterWidget._asked)
        self._follow(look, ClusterWidget._tell, INTERVAL, ClusterWidget._at_end)

    def close(self) -> None:
        """Look no more, and take the widget away."""
        super().close()
        if self._sampler is not None:  # else there was nothing to look at
            self._finish()

    def __repr__(self) -> str:
        return cluster_view.as_text(self.seen)

    def as_html(self) -> str:
        """A drawing and words, for pages where widgets do not run."""
        happened = "".join(f"<li>{escape(frame['text'])}</li>" for frame in self.frames[-20:])
        words = f"<details><summary>In words</summary><pre>{escape(repr(self))}</pre></details>"
        aside = f'<p class="tinytf-aside">{escape(self.state["headline"])}</p>'
        return svg.in_page(draw(self.seen)) + aside + f"<ol>{happened}</ol>" + words

    # What is seen -------------------------------------------------------------------------------

    def _tell(self, seen: dict[str, Any]) -> None:
        before, self.seen = self.seen, seen
        frame = frame_of(seen, before or None)
        # All ways that were ever taken are in the drawing: it is the same for all frames.
        self._ways |= {(edge["source"], edge["target"]): edge for edge in seen["edges"]}
        drawn = seen | {"edges": [self._ways[ends] for ends in sorted(self._ways)]}
        self.state = {
            "headline": cluster_view.headline(seen),
            "svg": draw(drawn, styled=False),
            "narrow": draw(drawn, styled=False, is_narrow=True),
            "facts": cluster_view.facts_of(seen),
            "sessions": [cluster_view.session_text(session) for session in seen["sessions"]],
            "steers": self._cluster is not None,
        }
        if frame["text"]:
            self._add(frame)
        elif self.frames:  # nothing to tell, but the picture may be another
            now = {key: frame[key] for key in ("tasks", "edges")}
            self.frames = [*self.frames[:-1], self.frames[-1] | now]

    def _add(self, frame: dict[str, Any]) -> None:
        gone = MOST_FRAMES // 4 if len(self.frames) >= MOST_FRAMES else 0
        is_last = self.frame >= len(self.frames) - 1
        self.frames = [*self.frames[gone:], frame]
        self.frame = len(self.frames) - 1 if is_last else max(self.frame - gone, 0)

    def _at_end(self) -> None:
        """The cluster is stopped, or nobody has it any more."""
        before = self.seen or cluster_view.state_of([(task, {}) for task in self._known])
        ended = {"state": cluster_view.ENDED, "told": False, "variables": [], "bytes": 0}
        ended |= {"note": "", "master_of": [], "work": {}}
        tasks = [task | ended for task in before["tasks"]]
        self._tell(before | {"tasks": tasks, "sessions": []})
        self.state = self.state | {"headline": STOPPED, "ended": True, "steers": False}
        if self.frames:
            self.frames = [*self.frames[:-1], self.frames[-1] | {"text": STOPPED}]

    # What is asked for --------------------------------------------------------------------------

    def _asked(self, content: dict[str, Any], _: Any) -> None:
        """A button was pressed: {"do": "kill" or "restart", "task": its name}; or "hello"."""
        if content.get("do") == "hello":
            self.send({"ready": threading.current_thread() is not threading.main_thread()})
        cluster = self._cluster() if self._cluster is not None else None
        act = {"kill": "kill", "restart": "restart"}.get(content.get("do", ""))
        if cluster is None or act is None:
            return

        def run() -> None:
            try:
                getattr(cluster, act)(content["task"])
            except (ValueError, RuntimeError, OSError) as error:
                self.send({"failed": str(error).splitlines()[0]})
            self._sampler.once(self)
            self.send({"done": content["task"]})

        # Starting a task takes a second: the kernel does not wait for it.
        threading.Thread(target=run, name="tinytf-steer", daemon=True).start()
