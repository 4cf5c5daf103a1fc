"""A value that is not there yet: what a kernel returns when it has to wait.

A blocking kernel never holds a thread. It returns a `Pending`, leaves it with whoever will have
the value (a queue, a rendezvous), and registers with the step's cancellation. Completing it only
*posts* to the step that waits: no work of that step runs on the completing thread, so locks held
there cannot meet locks taken here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any


class Pending:
    """A promise of a kernel's result; completed exactly once, by value or by error.

    Thread-safe. The first completion wins; later ones return False and change nothing, so a
    value and a cancellation may race.

    Args:
      waiting_for: for reports, what it waits for: "3 elements".
      on: what it waits on, a `waiting.Waitable`; or, of a function that waits, its executor.
      needs: what it needs of it: "elements".
    """

    __slots__ = ("_done", "_lock", "_on_done", "error", "needs", "on", "result", "waiting_for")

    def __init__(self, waiting_for: str = "", on: Any = None, needs: str = ""):
        self._lock = threading.Lock()
        self._done = False
        self._on_done: Callable[[Pending], None] | None = None
        self.result: Any = None
        self.error: BaseException | None = None
        self.waiting_for = waiting_for
        self.on = on
        self.needs = needs

    @property
    def done(self) -> bool:
        """Whether it was completed."""
        return self._done

    def set_result(self, value: Any) -> bool:
        """Complete with a value; False if it was completed before."""
        return self._complete(value, None)

    def set_error(self, error: BaseException) -> bool:
        """Complete with an error; False if it was completed before."""
        return self._complete(None, error)

    def _complete(self, value: Any, error: BaseException | None) -> bool:
        with self._lock:
            if self._done:
                return False
            self.result, self.error = value, error
            self._done = True
            listener, self._on_done = self._on_done, None  # who listens often has the promise
        if listener is not None:
            listener(self)
        return True

    def when_done(self, listener: Callable[[Pending], None]) -> None:
        """Call `listener(self)` on completion, or now if it is complete. One listener only."""
        with self._lock:
            if not self._done:
                self._on_done = listener
                return
        listener(self)

    def then(self, function: Callable[[Any], Any]) -> Pending:
        """A promise of `function(value)`, made on the thread that completes this one.

        It waits for the same. An error is passed on; what `function` raises becomes its error.
        Like a listener, of which there is one only, `function` must not wait.

        Example:
          >>> def square(x):
          ...     return x * x if not isinstance(x, Pending) else x.then(square)
        """
        following = Pending(self.waiting_for, self.on, self.needs)

        def arrived(pending: Pending) -> None:
            if pending.error is not None:
                following.set_error(pending.error)
                return
            try:
                result = function(pending.result)
            except Exception as error:
                following.set_error(error)
            else:
                following.set_result(result)

        self.when_done(arrived)
        return following

    def get(self) -> Any:
        """The value, or raise the error, of a completed Pending."""
        if self.error is not None:
            raise self.error
        return self.result
