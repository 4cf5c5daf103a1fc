"""Calls to several tasks at once.

When one fails, the others are withdrawn. But an error may be a consequence of another that is still
on its way: a task waits in vain for a tensor because the one that should send it has failed. So
after a consequence the others are given a moment to say what really happened.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from functools import partial
from typing import Any

from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.wire_errors import is_derived
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError, DeadlineExceededError, OpError, from_code

#: How long after a consequence its cause may take to arrive.
PATIENCE_SECONDS = 0.5
#: In the text of a step that was too slow: the type of what waits there, or was about to.
_HELD_UP = re.compile(r"\((\w+)\) waits for |(?:finished:|running, at) \S+ \((\w+)\)")
_TRANSFERS = {"_Recv", "_HostRecv"}


class Calls:
    """Calls to several tasks at once, waited for together; the first failure ends all."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        # All below guarded by self._lock.
        self._calls: dict[str, Any] = {}
        self._open = 0
        self._errors: list[OpError] = []
        self._failed: set[str] = set()
        self._on_failure: list[Callable[[], None]] = []
        self._timer: threading.Timer | None = None
        self._is_withdrawn = False
        self.answers: dict[str, Any] = {}
        self.tasks: list[str] = []
        #: those that had not answered when they were given up
        self.given_up: list[str] = []

    def when_failed(self, listener: Callable[[], None]) -> None:
        """Call `listener` once, with the first failure."""
        self._on_failure.append(listener)

    def start(
        self, peers: Peers, task: str, method: str, request: Any, timeout: float | None
    ) -> None:
        """Begin a call to a task."""
        with self._lock:
            self._open += 1
            self.tasks.append(task)
        try:
            call = peers.start(task, method, request, partial(self._done, peers, task), timeout)
        except BaseException:
            with self._lock:
                self._open -= 1
            raise
        with self._lock:
            if task not in self.answers and task not in self._failed:
                self._calls[task] = call
            is_withdrawn = self._is_withdrawn
        if is_withdrawn:  # just when it began
            call.cancel()

    def _done(self, peers: Peers, task: str, answer: Any, error: OpError | None) -> None:
        if error is None:
            message = answer.message if isinstance(answer, Parcel) else answer
            code = getattr(message, "status_code", 0)
            if code:
                error = peers.told(task, from_code(code, message.status_error_message))
        if error is not None:
            with self._lock:
                self._failed.add(task)
            self.failed(error)  # before the call counts as over: who waits must see the error
        with self._lock:
            self._open -= 1
            self._calls.pop(task, None)  # it has this object, too: nobody else would free the two
            if error is None:
                self.answers[task] = answer
            if not self._open:  # nobody waits for less
                self._changed.notify_all()

    def failed(self, error: OpError) -> None:
        """Take note of an error; the first one ends the other calls, see the module."""
        with self._lock:
            self._errors.append(error)
            if is_consequence(error) and self._timer is None:
                # Not by the thread that waits: it may have a part of the step to run itself.
                self._timer = threading.Timer(PATIENCE_SECONDS, self._give_up)
                self._timer.daemon = True
                self._timer.start()
        if not is_consequence(error):
            self._give_up()

    def _give_up(self) -> None:
        with self._lock:
            listeners, self._on_failure = self._on_failure, []
            if listeners:
                over = {*self.answers, *self._failed}
                self.given_up = [task for task in self.tasks if task not in over]
        for listener in listeners:
            listener()

    def first_error(self) -> OpError | None:
        """What really happened, as far as it is known: no copy, and no consequence of another."""
        with self._lock:
            errors = list(self._errors)
        if not errors:
            return None
        return min(errors, key=is_consequence)

    @property
    def is_well(self) -> bool:
        """Whether nothing has failed, and nothing is under way."""
        with self._lock:
            return not self._errors and not self._open

    def cancel(self) -> None:
        """Withdraw all calls, and those that are still to come."""
        with self._lock:
            self._is_withdrawn = True
            calls = list(self._calls.values())
        for call in calls:
            call.cancel()

    def wait(self, cancellation: CancellationManager | None = None) -> None:
        """Until all have ended; raises what really happened if one failed.

        Args:
          cancellation: withdraws all calls.
        """
        withdrawn = CancellationManager() if cancellation is None else cancellation
        try:
            with withdrawn.on_cancel(self.cancel), self._lock:
                while self._open:
                    self._changed.wait()
        except BaseException:  # an interrupt
            self.cancel()
            raise
        finally:
            self._on_failure.clear()
            if self._timer is not None:
                self._timer.cancel()
        error = self.first_error()
        if error is not None:
            raise error


def is_consequence(error: OpError) -> int:
    """0: the error is what happened; else the higher, the less it says."""
    if isinstance(error, CancelledError):
        return 3
    if is_derived(error):
        return 2
    return int(isinstance(error, DeadlineExceededError) and _only_receives(error.message))


def _only_receives(text: str) -> bool:
    """Whether a part that was too slow just waited for tensors from other tasks."""
    types = {found[found.lastindex or 0] for found in _HELD_UP.finditer(text)}
    return bool(types) and types <= _TRANSFERS


def ignored(answer: Any, error: OpError | None) -> None:
    """For calls that only let a task forget something: one that is gone has nothing to forget."""
