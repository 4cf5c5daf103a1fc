"""The widget of asynchronous training while it goes on; see `lens_view` and static/lens.js."""

from __future__ import annotations

import weakref
from typing import Any

import traitlets

from tinytf.framework.errors import OpError
from tinytf.jupyter import lens_view
from tinytf.jupyter.live import History
from tinytf.jupyter.live_widgets import LiveWidget
from tinytf.jupyter.trace import script
from tinytf.training.staleness import StalenessLog, StalenessOptimizer


class LensWidget(LiveWidget):
    """Shows how stale gradients are as it is; see `tinytf.jupyter.lens`.

    Attributes:
      state: what the browser shows, as it is until the widget or the session is closed.
      frame: which of the last gradients is shown.
    """

    frame = traitlets.Int(0).tag(sync=True)
    _esm = script("page.js", "live.js", "player.js", "lens_page.js", "lens.js")
    _css = script("theme.css", "player.css", "live.css", "lens.css")

    def __init__(self, optimizer: StalenessOptimizer, session: Any):
        history, of = History(), weakref.ref(session)

        def look() -> StalenessLog | None:
            session = of()
            if session is None or session._closed:
                return None
            try:
                return optimizer.log(session)
            except (OpError, RuntimeError) as error:  # closed just now; or its server is gone
                self._why = "" if session._closed else str(error).partition("\n")[0]
                return None

        def tell(widget: LensWidget, log: StalenessLog) -> None:
            history.add([log.total])
            widget._log = log
            widget.state = lens_view.state_of(log) | {"history": list(history.moments)}

        def ended(widget: LensWidget) -> None:
            ending = f"It is looked at no more: {self._why}" if self._why else lens_view.CLOSED
            widget.state = (widget.state or lens_view.state_of(StalenessLog((), 0))) | {
                "ended": ending
            }

        super().__init__()
        self._why = ""
        self._log = StalenessLog((), 0)
        self._follow(look, tell, ended=ended)

    def __repr__(self) -> str:
        return repr(self._log)
