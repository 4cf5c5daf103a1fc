"""Threads for whatever comes: the calls to a server, the devices of a step.

The handler of a call may have to wait for another call (a dequeue for an enqueue), so a pool with
fewer threads than calls can deadlock. This one starts a thread whenever none is idle; idle ones
end after a while, and none keeps the process alive.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any

IDLE_SECONDS = 10.0

_Job = tuple["futures.Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class ElasticPool(futures.Executor):
    """See the module. `concurrent.futures`' own pool never shrinks, and is joined at exit.

    Args:
      name: of the threads.
    """

    def __init__(self, name: str):
        self._name = name
        self._lock = threading.Lock()
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._idle = 0  # guarded by self._lock; waiting threads that no job was queued for
        self._closed = False  # guarded by self._lock

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> futures.Future[Any]:
        """Run a function on an idle thread, or on a new one."""
        job: _Job = (futures.Future(), fn, args, kwargs)
        with self._lock:
            if self._closed:
                raise RuntimeError("cannot schedule new futures after shutdown")
            if self._idle > 0:
                self._idle -= 1
                self._jobs.put(job)
                return job[0]
        # A thread keeps its arguments as long as it lives: what is in the list it can let go.
        threading.Thread(target=self._work, args=([job],), name=self._name, daemon=True).start()
        return job[0]

    def _work(self, first: list[_Job]) -> None:
        job: _Job | None = first.pop()
        while job is not None:
            _run(*job)
            job = None
            with self._lock:
                if self._closed:
                    return
                self._idle += 1
            job = self._next()

    def _next(self) -> _Job | None:
        while True:
            try:
                return self._jobs.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                with self._lock:
                    try:  # jobs are queued with the lock held: there is one now, or none will come
                        return self._jobs.get_nowait()
                    except queue.Empty:
                        # Whoever queued a job and was interrupted may have counted it only.
                        self._idle = max(0, self._idle - 1)
                        return None

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End idle threads now, busy ones after their job."""
        with self._lock:
            self._closed = True
            for _ in range(self._idle):
                self._jobs.put(None)
            self._idle = 0


def _run(
    future: futures.Future[Any], fn: Callable[..., Any], args: Any, kwargs: dict[str, Any]
) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = fn(*args, **kwargs)
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
