"""Waits on other tasks: as JSON where they are, and waits again where somebody asks for them.

task's thread --of_thread--> [{"what": "1 element", "on": {...}}] --RemoteWaiter.learn--> Wait
"""

from __future__ import annotations

import contextvars
import time
from collections.abc import Mapping
from typing import Any

from tinytf.diagnosis.picture import serves
from tinytf.diagnosis.sync import Sync, is_of_sync
from tinytf.framework import waiting
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.waiting import Wait

#: What a part does that does not wait: it computes, it has ended, nobody knows.
RUNS, ENDED, SILENT = "runs", "ended", "silent"


def of_thread(thread: int | None) -> Any:
    """What a thread that runs a part waits for: a list; or `RUNS`; `ENDED` without a thread."""
    if thread is None:
        return ENDED
    entry = waiting.blocked_in(thread)
    waits = [] if entry is None else entry.waiter.waits()
    return [_as_json(wait) for wait in waits] or RUNS


def _as_json(wait: Wait) -> dict[str, Any]:
    """A wait, as `RemoteWaiter.learn` reads it."""
    is_transfer = wait.op is not None and wait.op.type in ("_Recv", "_HostRecv")
    found: dict[str, Any] = {
        "what": wait.what,
        "needs": wait.needs,
        "caller": wait.caller,
        "might_end": wait.might_end or (wait.on is None and not is_transfer),
        "is_transfer": is_transfer,
    }
    if wait.op is not None:
        found["op"], found["type"] = wait.op.name, wait.op.type
    if wait.on is not None:
        found["on"] = {
            "kind": wait.on.kind,
            "name": wait.on.name,
            "containers": getattr(wait.on, "containers", None),
            "text": wait.on.describe(),
            "served_by": {need: sorted(types) for need, types in wait.on.served_by.items()},
        }
    return found


class RemoteResource:
    """Something on a task that a step waits on; see `waiting.Waitable`."""

    def __init__(self, told: Mapping[str, Any], task: str, sync: Sync | None = None):
        self.sync = sync
        self.kind, self.name = str(told["kind"]), str(told["name"])
        self.served_by: Mapping[str, frozenset[str]] = {
            need: frozenset(types) for need, types in told["served_by"].items()
        }
        if told.get("containers") is not None:
            self.containers = tuple(map(str, told["containers"]))
        self._text = f"{told['text']}, on {task}"

    def describe(self) -> str:
        """Its state when the server was asked."""
        return self._text


class RemoteWaiter:
    """A step that a server runs; see `waiting.Waiter`.

    Args:
      request: the number of the call. graph: of the session.
    """

    #: The thread may run a part of the step itself: a server of this process does on its caller's.
    is_whole = True

    def __init__(self, request: int, graph: Graph):
        self.request, self._graph = request, graph
        self.context = contextvars.copy_context()  # notebooks know by it whose cell prints
        self.since = time.monotonic()
        self._waits: list[Wait] = []

    def waits(self) -> list[Wait]:
        """As the server last told."""
        return self._waits

    def is_in_step(self, op: Operation) -> bool:
        """Which operations the step has, only the server knows."""
        return False

    def learn(self, told: Mapping[str, Any]) -> None:
        """Take over what the server tells of the step."""
        parts = told["tasks"]
        texts = [part["waits"] for part in parts.values()]
        is_busy = told["others"] or any(isinstance(t, str) and t != ENDED for t in texts)
        tokens = [part["sync"] for part in parts.values() if part.get("sync")]
        sync = Sync(tokens[0], told["gone"]) if tokens else None
        found = []
        for task, part in parts.items():
            if part["waits"] == SILENT:
                found.append(Wait(f"{task}, which does not answer", might_end=True))
            elif isinstance(part["waits"], list):
                waits = [each for each in part["waits"] if not each["is_transfer"]]
                found += [self._wait(each, task, is_busy, sync) for each in waits]
        self._waits = found

    def _wait(self, told: Mapping[str, Any], task: str, is_busy: bool, sync: Sync | None) -> Wait:
        if sync is None or not is_of_sync(told) or not sync.is_over:
            sync = None
        else:
            is_busy = False
        on = RemoteResource(told["on"], task, sync) if "on" in told else None
        op = self._graph._by_name.get(told.get("op", ""))
        if op is None:
            what = f"{told['what']} on {task}"
            return Wait(what, on, told["needs"], might_end=True, caller=told["caller"])
        wait = Wait(told["what"], on, told["needs"], op, caller=told["caller"])
        # Unless this program has what could end it, somebody else must be meant to.
        can_help = any(serves(op, wait) for op in self._graph.get_operations())
        wait.might_end = is_busy or told["might_end"] or not can_help
        return wait
