"""Waiting for what others make ready and nobody announces: look, pause, look again.

TensorFlow sleeps for `recovery_wait_secs` between two looks. Here the pauses are short at first,
since the others are often ready a moment later; the user can interrupt them; and a wait that lasts
says once what it waits for.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable

from tinytf.framework import waiting
from tinytf.framework.errors import DeadlineExceededError

_FIRST_PAUSE_SECONDS = 0.25


class Clock:
    """The time, and pauses; tests have one of their own."""

    def now(self) -> float:
        """Seconds since some moment."""
        return time.monotonic()

    def pause(self, seconds: float, what: str) -> None:
        """Do nothing for a while, waiting for `what`. Ctrl-C ends it, `why_stuck()` shows it."""
        condition = threading.Condition()
        wait = waiting.Wait(what, might_end=True)
        with condition:
            try:
                deadline = time.monotonic() + seconds
                waiting.wait_until(lambda: False, condition, lambda: [wait], deadline=deadline)
            except DeadlineExceededError:
                return  # it was to last so long


class Looks:
    """Looks at something until it is ready, for a limited time.

    Args:
      clock: for the time and the pauses.
      every: seconds from one look to the next; the first ones follow sooner.
      at_most: seconds in all.

    Attributes:
      waited: for how many seconds.
      was_told: whether the user was told of the wait.
    """

    def __init__(self, clock: Clock, every: float, at_most: float = math.inf):
        self._clock, self._every, self._at_most = clock, every, at_most
        self._began = clock.now()
        self.was_told = False

    @property
    def waited(self) -> float:
        """Seconds since the first look."""
        return self._clock.now() - self._began

    def again(self, what: str, explain: Callable[[], str]) -> bool:
        """Pause; whether to look again then. False at once if the time is over.

        Args:
          what: it waits for, in one line.
          explain: makes the text for the user; asked once, when the wait is about to become long.
        """
        left = self._at_most - self.waited
        if left <= 0:
            return False
        pause = min(max(_FIRST_PAUSE_SECONDS, self.waited / 4), self._every, left)
        if not self.was_told and self.waited + pause > waiting.patience_seconds:
            self.was_told = True
            print(explain(), flush=True)
        self._clock.pause(pause, what)
        return True
