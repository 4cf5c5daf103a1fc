"""What the parts of a step wait for on all tasks: the server's side of `why_stuck` for clusters.

    client --Look(request)--> master --Look(step)--> other tasks
           <- waits by task -        <- its waits --

A client knows its step by the request that it sent, tasks by the number that the master chose.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from tinytf.diagnosis.remote import SILENT, of_thread
from tinytf.distributed import inspection
from tinytf.distributed.master.master import Master
from tinytf.distributed.server import sync_waits
from tinytf.distributed.worker.worker import Worker
from tinytf.framework.errors import OpError

#: How long the other tasks may take to say what they wait for.
ASK_SECONDS = 1.0


class StepWaits:
    """The view "waits" of a server. Thread-safe."""

    def __init__(self, master: Master, worker: Worker):
        self._master, self._worker = master, worker

    def view(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Sessions that are being opened; and the waits of a step, if one is asked for.

        Args:
          request: may have "request", the number of a RunStep that this master answers; or "step",
            the number of a step on this task; with "sessions", the handles of who asks.
        """
        found: dict[str, Any] = {"sessions": self._master.roll_calls.waits()}
        if "request" in request:
            found["step"] = self._all(request)
        elif "step" in request:
            found["step"] = self._own(request["step"], request)
        return found

    def _own(self, step_id: Any, request: Mapping[str, Any]) -> dict[str, Any]:
        """This task's part; and whether others than who asks have sessions here."""
        return self._part(self._worker.steps.thread_of(step_id), request)

    def _part(self, thread: int | None, request: Mapping[str, Any]) -> dict[str, Any]:
        found = {"waits": of_thread(thread), "others": self._has_others(request)}
        return {**found, "sync": sync_waits.of_worker(self._worker)}

    def _has_others(self, request: Mapping[str, Any]) -> bool:
        known = request.get("sessions", ())
        return any(session.handle not in known for session in self._master.sessions())

    def _all(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """All tasks that a session may use: for each what its part waits for, and "others".

        "gone" are those of the cluster that do not answer.
        """
        thread = self._master.thread_of(request["request"])
        led = self._worker.steps.led.get(thread or 0)
        own = self._part(thread, request)
        if led is None:
            return {"tasks": {self._worker.task: own}, "others": own["others"], "gone": []}
        step_id, tasks = led
        found = self._asked(step_id, list(request.get("sessions", ())))
        gone = [task for task, part in found.items() if part is None]
        found[self._worker.task] = own
        others = any(part is None or part["others"] for part in found.values())
        silent = {"waits": SILENT, "others": True}
        parts = {task: found.get(task) or silent for task in tasks}
        return {"tasks": parts, "others": others, "gone": gone}

    def _asked(self, step_id: int, sessions: list[str]) -> dict[str, Any]:
        """What the other tasks say of a step, by name; None: nothing."""
        peers = self._worker.peers
        tasks = [task for task in peers.tasks() if task != self._worker.task]
        found: dict[str, Any] = dict.fromkeys(tasks)
        left = threading.Semaphore(0)
        message = inspection.Json({"what": ["waits"], "step": step_id, "sessions": sessions})

        def ask(task: str) -> None:
            def done(answer: Any, error: OpError | None) -> None:
                found[task] = None if error is not None else answer["waits"].get("step")
                left.release()

            peers.of(task).start_call(inspection.PATH, message, inspection.parse, done, ASK_SECONDS)

        for task in tasks:
            ask(task)
        for _ in tasks:
            left.acquire(timeout=2 * ASK_SECONDS)
        return dict(found)
