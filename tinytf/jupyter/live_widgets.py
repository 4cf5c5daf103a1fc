"""The widgets that show a queue and a pipeline while the program runs; see `live`."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from html import escape
from typing import Any

import anywidget
import traitlets

from tinytf.data import stages
from tinytf.framework.tensor import Tensor
from tinytf.jupyter import pipeline_view, queue_view
from tinytf.jupyter.live import History, Sampler
from tinytf.jupyter.trace import script, with_texts


class LiveWidget(anywidget.AnyWidget):
    """Shows something as it is, until it is closed.

    Attributes:
      state: what the browser shows.
    """

    state = traitlets.Dict().tag(sync=True)
    _sampler: Any = None

    def _follow(self, *given: Any, **more: Any) -> None:
        """Look now, and from now on; see `Sampler`."""
        self._sampler = Sampler(self, *given, **more)
        self._sampler.once(self)
        self._sampler.start()

    def close(self) -> None:
        """Look no more, and take the widget away."""
        if self._sampler is not None:
            self._sampler.close()
        super().close()

    def as_html(self) -> str:
        """What pages show where widgets do not run: by default, the words."""
        kind = type(self).__name__.removesuffix("Widget").lower()
        return f'<pre class="tinytf-{kind}-text">{escape(repr(self))}</pre>'

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        self._sampler.once(self)
        return with_texts(super()._repr_mimebundle_(**kwargs), repr(self), self.as_html())


class QueueWidget(LiveWidget):
    """Shows a queue of a session as it is; see `tinytf.jupyter.queue`.

    Attributes:
      state: what the browser shows. It is looked at again until the widget or the session is
        closed; then nobody waits any more.
    """

    _esm = script("page.js", "live.js", "queue.js")
    _css = script("theme.css", "live.css", "queue.css")

    def __init__(self, session: Any, handle: Tensor):
        history, of = History(), weakref.ref(session)

        def look() -> dict[str, Any] | None:
            session = of()
            if session is None or session._closed:
                return None
            return queue_view.state_of(handle.op, queue_view.queue_of(session, handle))

        def tell(widget: QueueWidget, state: dict[str, Any]) -> None:
            history.add([state["count"]])
            widget.state = state | {"history": list(history.moments)}

        def ended(widget: QueueWidget) -> None:
            before = widget.state or queue_view.state_of(handle.op, None)
            widget.state = before | queue_view.AT_THE_END

        super().__init__()
        self._follow(look, tell, ended=ended)

    def __repr__(self) -> str:
        return queue_view.as_text(self.state)


class PipelineWidget(LiveWidget):
    """Shows an input pipeline as it is; see `tinytf.jupyter.pipeline`.

    Attributes:
      state: what the browser shows: a row for each station.
    """

    _esm = script("page.js", "live.js", "pipeline.js")
    _css = script("theme.css", "live.css")

    def __init__(self, session: Any, stations: Sequence[pipeline_view.Station]):
        histories: dict[str, History] = {}
        of = weakref.ref(session)

        def look() -> list[dict[str, Any]] | None:
            session = of()
            if session is None or session._closed:
                return None
            return pipeline_view.rows_of(session, stations)

        def tell(widget: PipelineWidget, rows: list[dict[str, Any]]) -> None:
            for row in rows:
                history = histories.setdefault(row["key"], History())
                history.add([row["held"] or 0, row["made"] or 0])
            widget.state = {
                "rows": [row | {"history": list(histories[row["key"]].moments)} for row in rows]
            }

        super().__init__()
        with ExitStack() as watch:
            watch.enter_context(stages.watched())  # times of tf.data's stages
            self._watch = watch.pop_all()
        weakref.finalize(self, self._watch.close)
        self._follow(look, tell)

    def close(self) -> None:
        """Look no more, and take the widget away."""
        super().close()
        self._watch.close()

    def __repr__(self) -> str:
        return pipeline_view.as_text(self.state.get("rows", ()))
