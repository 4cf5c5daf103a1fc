"""The widget that shows a cluster as it is, while programs run on it; see `live`."""

from __future__ import annotations

import weakref
from html import escape
from typing import Any

import anywidget
import traitlets

from tinytf.jupyter import cluster_view, svg
from tinytf.jupyter.cluster_picture import STYLES, draw
from tinytf.jupyter.live import Sampler
from tinytf.jupyter.trace import script, with_texts

#: Seconds between two looks: each asks every task.
INTERVAL = 1.0


class ClusterWidget(anywidget.AnyWidget):
    """Shows a cluster as it is; see `tinytf.jupyter.cluster`.

    Attributes:
      state: what the browser shows. It is looked at again until the widget is closed, or the
        local cluster that it shows is stopped or gone.
      seen: the same as plain values: "tasks", "sessions", "edges".
      selected: the task that is described; may be set from Python.
    """

    _esm = script("page.js", "live.js", "cluster.js")
    _css = script("live.css", *STYLES)
    state = traitlets.Dict().tag(sync=True)
    selected = traitlets.Unicode("").tag(sync=True)

    def __init__(self, of: Any, credentials: Any = None):
        self.seen: dict[str, Any] = {}
        looker = cluster_view.Looker(credentials=credentials)
        tasks = cluster_view.known_tasks(of, credentials)
        # Who only looks at a local cluster does not keep it alive.
        cluster = weakref.ref(of) if hasattr(of, "status") else None

        def look() -> dict[str, Any] | None:
            if cluster is None:
                return looker.look(tasks)
            now = cluster()
            if now is None:
                return None
            return looker.look(cluster_view.known_tasks(now))

        super().__init__()
        self._finish = weakref.finalize(self, looker.close)
        self._sampler = Sampler(self, look, _tell, INTERVAL)
        self._sampler.once(self)
        self._sampler.start()

    def close(self) -> None:
        """Look no more, and take the widget away."""
        self._sampler.close()
        self._finish()
        super().close()

    def __repr__(self) -> str:
        return cluster_view.as_text(self.seen)

    def as_html(self) -> str:
        """A drawing and words, for pages where widgets do not run."""
        words = f"<details><summary>In words</summary><pre>{escape(repr(self))}</pre></details>"
        aside = f'<p class="tinytf-aside">{escape(cluster_view.headline(self.seen))}</p>'
        return aside + svg.in_page(draw(self.seen)) + words

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self._sampler.once(self)
        return with_texts(super()._repr_mimebundle_(**kwargs), repr(self), self.as_html())


def _tell(widget: ClusterWidget, seen: dict[str, Any]) -> None:
    widget.seen = seen
    widget.state = {
        "headline": cluster_view.headline(seen),
        "svg": draw(seen, styled=False),
        "facts": cluster_view.facts_of(seen),
        "sessions": [cluster_view.session_text(session) for session in seen["sessions"]],
    }
