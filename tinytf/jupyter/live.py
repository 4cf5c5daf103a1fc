"""Looking at something again and again while a program runs, for widgets that show it as it is.

A widget is told by a thread of its own, which may send to the browser while a cell runs: so a
queue can be watched filling up in the middle of a blocked `sess.run`. The thread looks ten times a
second, sends only what has changed, and ends with the widget.
"""

from __future__ import annotations

import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

#: Seconds between two looks.
INTERVAL = 0.1
#: How many moments a history keeps.
MOST_MOMENTS = 150


class Sampler:
    """Calls `look()` again and again, and `tell(what it gave)` when that is something else.

    Args:
      owner: ends with it, or with `close`.
      look: gives plain values, which are compared by `==`; None at the end.
      tell: is called with the owner and what `look` gave.
      interval: seconds between two looks; default: `INTERVAL`.
      ended: is called with the owner when there is nothing more to look at.
    """

    def __init__(
        self,
        owner: Any,
        look: Callable[[], Any],
        tell: Callable[[Any, Any], None],
        interval: float | None = None,
        ended: Callable[[Any], None] = lambda owner: None,
    ):
        self._owner = weakref.ref(owner, lambda _: self.close())
        self._look, self._tell, self._interval, self._at_end = look, tell, interval, ended
        self._ended = threading.Event()
        self._last: Any = None
        self._lock = threading.RLock()  # others, too, ask for a look: one after the other
        self._thread = threading.Thread(target=self._run, name="tinytf-live", daemon=True)

    def start(self) -> None:
        """Begin to look."""
        self._thread.start()

    def close(self) -> None:
        """Look no more."""
        self._ended.set()

    def _run(self) -> None:
        while not self._ended.wait(INTERVAL if self._interval is None else self._interval):
            owner = self._owner()
            if owner is None or not self.once(owner):
                return
            del owner

    def once(self, owner: Any) -> bool:
        """Look now, and tell if something has changed; False at the end."""
        with self._lock:
            seen = self._look()
            if seen is not None and seen != self._last:
                self._last = seen
                self._tell(owner, seen)
            elif seen is None and not self._ended.is_set():
                self._ended.set()
                self._at_end(owner)
            return seen is not None


class History:
    """Numbers over time: when they changed, in seconds since the first one.

    Example:
      >>> history = History()
      >>> history.add([3])
      >>> history.moments
      [[0.0, 3]]
    """

    def __init__(self) -> None:
        self._begun: float | None = None
        self.moments: list[list[float]] = []

    def add(self, numbers: list[float]) -> None:
        """Note numbers as they are now."""
        now = time.monotonic()
        if self._begun is None:
            self._begun = now
        self.moments.append([round(now - self._begun, 2), *numbers])
        if len(self.moments) > MOST_MOMENTS:  # of the older half every second one goes
            half = MOST_MOMENTS // 2
            self.moments = self.moments[:half:2] + self.moments[half:]
