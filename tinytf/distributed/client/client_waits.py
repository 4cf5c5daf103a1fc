"""What a client's step waits for, when a server runs it: the client's side of `why_stuck`.

A call that lasts is looked at from time to time, by one thread for all sessions on servers: it asks
the master what the parts of the step wait for, and then, as for any other wait, `diagnosis` decides
whether anybody could end it. Of other clients nobody here knows what they will do: as long as
there are any on the cluster, and while a task computes, a wait counts as healthy.
"""

from __future__ import annotations

import os
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from tinytf.diagnosis.remote import RemoteWaiter
from tinytf.distributed import inspection
from tinytf.framework import waiting
from tinytf.framework.errors import OpError
from tinytf.framework.graph import Graph
from tinytf.framework.waiting import Blocked

#: How often the calls that last are looked at.
LOOK_SECONDS = 1.0
#: How long a master may take to say what a step waits for.
ASK_SECONDS = 3.0
#: Other programs may be about to start: a step on a cluster gets more time than one of this
#: process before it is said that nobody can end its wait. In units of `waiting.patience_seconds`.
PATIENCE = 3.0

_lock = threading.Lock()
_watched: weakref.WeakSet[Calls] = weakref.WeakSet()  # guarded by _lock
_watcher: threading.Thread | None = None  # guarded by _lock
_changed = threading.Event()


def _after_fork() -> None:
    """In a child by fork: the sessions, and the thread that looks at them, are the parent's."""
    global _lock, _watched, _watcher, _changed
    _lock, _changed = threading.Lock(), threading.Event()
    _watched, _watcher = weakref.WeakSet(), None


os.register_at_fork(after_in_child=_after_fork)


class Calls:
    """The steps of one session on a server that are under way.

    Args:
      transport: to the server. graph: of the session. handles: those of this program's sessions.
    """

    def __init__(self, transport: Any, graph: Graph):
        self._transport, self._graph = transport, graph
        self.handle = ""
        self._open: dict[int, tuple[RemoteWaiter, Blocked]] = {}  # by thread, its own only

    def run(self, request: int, deadline: float | None, call: Callable[[], Any]) -> Any:
        """What a call that may last returns; `deadline` is by `time.monotonic`, or None."""
        thread = threading.get_ident()
        waiter = RemoteWaiter(request, self._graph)
        blocked = Blocked(thread, waiter, self._graph, deadline)
        with blocked:
            self._open[thread] = waiter, blocked
            try:
                return call()
            finally:
                self._open.pop(thread, None)

    def look(self) -> None:
        """Look at those that last."""
        now = time.monotonic()
        for thread, (waiter, blocked) in self._open.copy().items():
            if now - waiter.since < waiting.patience_seconds or blocked.is_reported:
                continue
            try:
                which = {"request": waiter.request, "sessions": _handles()}
                seen = inspection.look_through(self._transport, ["waits"], ASK_SECONDS, **which)
                waiter.learn(seen["waits"]["step"])
            except (OpError, KeyError, TypeError, AttributeError):
                continue  # a server that does not know; or that is gone, which the call will tell
            if now - waiter.since >= PATIENCE * waiting.patience_seconds:
                waiter.context.run(waiting.look_at, thread)


def _handles() -> list[str]:
    with _lock:
        return [calls.handle for calls in _watched if calls.handle]


def watch(calls: Calls) -> None:
    """Look at the calls of a session from now on, until `leave`."""
    global _watcher
    with _lock:
        _watched.add(calls)
        if _watcher is None:
            _watcher = threading.Thread(target=_work, name="tinytf-waits", daemon=True)
            _watcher.start()


def leave(calls: Calls) -> None:
    """The session is closed."""
    with _lock:
        _watched.discard(calls)
        is_last = not _watched
    if is_last:
        _changed.set()


def _work() -> None:
    global _watcher
    while True:
        _changed.wait(LOOK_SECONDS)
        with _lock:
            _changed.clear()
            watched = list(_watched)
            if not watched:
                _watcher = None
                return
        for calls in watched:
            calls.look()
        del watched
