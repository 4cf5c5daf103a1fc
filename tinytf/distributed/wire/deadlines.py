"""What is to be done at a certain moment, unless it is over by then: one thread for a process."""

from __future__ import annotations

import heapq
import itertools
import logging
import os
import threading
import time
from collections.abc import Callable

_log = logging.getLogger(__name__)
#: So many entries are kept before it is looked which are over.
_AT_LEAST = 256
_Entry = tuple[float, int, "Deadline"]


class Deadline:
    """One such moment; made by `at`."""

    __slots__ = ("_late",)

    def __init__(self, late: Callable[[], None]):
        self._late: Callable[[], None] | None = late

    def cancel(self) -> None:
        """It is over: nothing is to be done."""
        self._late = None

    @property
    def is_cancelled(self) -> bool:
        """Whether nothing is to be done any more."""
        return self._late is None

    def pass_by(self) -> None:
        """The moment has come."""
        late, self._late = self._late, None
        if late is not None:
            late()


class _Clock:
    """The thread, and what it looks after."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._entries: list[_Entry] = []  # a heap; guarded by self._changed
        self._numbers = itertools.count()
        self._most = _AT_LEAST  # entries, before those that are over are thrown away; guarded too
        self._is_running = False  # guarded by self._changed

    def add(self, moment: float, deadline: Deadline) -> None:
        with self._changed:
            if len(self._entries) >= self._most:
                self._entries = [entry for entry in self._entries if not entry[2].is_cancelled]
                heapq.heapify(self._entries)
                self._most = max(_AT_LEAST, 2 * len(self._entries))
            heapq.heappush(self._entries, (moment, next(self._numbers), deadline))
            if not self._is_running:
                threading.Thread(target=self._work, name="tinytf-deadlines", daemon=True).start()
                self._is_running = True  # an interrupt before this makes two threads, not none
            elif self._entries[0][2] is deadline:
                self._changed.notify()

    def _work(self) -> None:
        while True:
            with self._changed:
                while self._entries and self._entries[0][2].is_cancelled:
                    heapq.heappop(self._entries)
                if not self._entries:
                    if not self._changed.wait(1.0) and not self._entries:
                        self._is_running = False
                        return
                    continue
                moment = self._entries[0][0]
                left = moment - time.monotonic()
                if left > 0:
                    self._changed.wait(min(left, threading.TIMEOUT_MAX))
                    continue
                deadline = heapq.heappop(self._entries)[2]
            try:
                deadline.pass_by()
            except Exception as mistake:  # others have deadlines, too
                _log.error("What was to be done in time has failed", exc_info=mistake)


_clock = _Clock()


def _after_fork() -> None:
    """In a child by fork: the thread, and the calls that it looked after, are the parent's."""
    global _clock
    _clock = _Clock()


os.register_at_fork(after_in_child=_after_fork)


def at(moment: float, late: Callable[[], None]) -> Deadline:
    """Have `late` called at a moment of `time.monotonic`, on a thread that must not wait.

    Example:
      >>> deadline = at(time.monotonic() + 3.0, call.cancel)
      >>> deadline.cancel()  # it was in time
    """
    deadline = Deadline(late)
    _clock.add(moment, deadline)
    return deadline
