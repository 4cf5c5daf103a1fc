"""The widgets of training by several workers while it goes on, asynchronous and synchronous.

See `lens_view` and static/lens.js, `barrier_view` and static/barrier.js; both pages share
static/lens_page.js.
"""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import traitlets

from tinytf.framework.errors import OpError
from tinytf.jupyter import barrier_view, lens_view
from tinytf.jupyter.barrier_view import Barrier
from tinytf.jupyter.live import History
from tinytf.jupyter.live_widgets import LiveWidget
from tinytf.jupyter.staleness_picture import staleness_map
from tinytf.jupyter.trace import script
from tinytf.training.staleness import StalenessLog, StalenessOptimizer

#: Seconds without news after which it is said once more: how many came in a second lately, 0.
_QUIET = 1.5


class LensWidget(LiveWidget):
    """Shows training by several workers as it is; see `tinytf.jupyter.lens`.

    Args:
      read: gives what there is to see, in a session. session: is held weakly.

    Attributes:
      state: what the browser shows, as it is until the widget or the session is closed.
      frame: which of the last events is shown.
    """

    frame = traitlets.Int(0).tag(sync=True)
    _css = script("theme.css", "player.css", "live.css", "lens.css")

    def __init__(self, read: Callable[[Any], Any], session: Any):
        history, of, numbers = History(), weakref.ref(session), self._numbers
        now = SimpleNamespace(seen=self._nothing(), since=0.0, why="")  # and not the widget itself

        def look() -> Any:
            session = of()
            if session is None or session._closed:
                return None
            try:
                seen = read(session)
            except (OpError, RuntimeError) as error:  # closed just now; or its server is gone
                now.why = "" if session._closed else str(error).partition("\n")[0]
                return None
            if numbers(seen) != numbers(now.seen):
                now.since = time.monotonic()
            now.seen = seen
            return numbers(seen), time.monotonic() - now.since > _QUIET

        def tell(widget: LensWidget, told: Any) -> None:
            history.add(list(told[0]))
            widget.state = widget._state() | {"history": list(history.moments)}

        def ended(widget: LensWidget) -> None:
            ending = f"It is looked at no more: {now.why}" if now.why else lens_view.CLOSED
            widget.state = (widget.state or widget._state()) | {"ended": ending}

        super().__init__()
        self._now = now
        self._follow(look, tell, ended=ended)

    @staticmethod
    def _nothing() -> Any:
        """What is shown before anything has been seen."""
        raise NotImplementedError

    @staticmethod
    def _numbers(seen: Any) -> tuple[int, ...]:
        """How many gradients have come, and what else there is news of."""
        raise NotImplementedError

    def _state(self) -> dict[str, Any]:
        """What the browser gets of what was seen."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return repr(self._now.seen)


class StalenessLens(LensWidget):
    """Of asynchronous training: which version each gradient is of."""

    _esm = script("page.js", "live.js", "player.js", "lens_page.js", "lens.js")

    @staticmethod
    def _nothing() -> StalenessLog:
        return StalenessLog((), 0)

    @staticmethod
    def _numbers(seen: StalenessLog) -> tuple[int, ...]:
        return seen.total, len(seen.gradients)

    def _state(self) -> dict[str, Any]:
        return lens_view.state_of(self._now.seen)

    def as_html(self) -> str:
        """A picture of the same, for pages where widgets do not run."""
        return staleness_map(self._now.seen)._repr_html_()


class BarrierLens(LensWidget):
    """Of synchronous training: who gave to which step, and who waited."""

    _esm = script("page.js", "live.js", "player.js", "lens_page.js", "barrier.js")

    @staticmethod
    def _nothing() -> Barrier:
        return Barrier((), {}, 0)

    @staticmethod
    def _numbers(seen: Barrier) -> tuple[int, ...]:
        return seen.total, seen.steps, seen.tokens

    def _state(self) -> dict[str, Any]:
        return barrier_view.state_of(self._now.seen)


def lens(optimizer: Any, session: Any) -> LensWidget:
    """See `tinytf.jupyter.lens`."""
    optimizer, session = lens_view.checked(optimizer, session)
    if isinstance(optimizer, StalenessOptimizer):
        optimizer.log(session)  # says so here if there is none
        return StalenessLens(optimizer.log, session)
    return BarrierLens(barrier_view.reader(optimizer), session)
