"""The devices of a cluster, as the master of one task finds them when a session begins.

It asks every task that the session may use for its devices, again and again until all have
answered, as TensorFlow's masters do. Who is waited for can be asked meanwhile (`RollCalls.waits`):
so the client, who waits for the session, can say it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from tinytf.devices.device import Device
from tinytf.devices.messages import device_of
from tinytf.distributed.cluster import task_advice
from tinytf.distributed.cluster.propagation import renamed_device
from tinytf.distributed.tasks.own_worker import OwnWorker
from tinytf.distributed.tasks.peers import Peers
from tinytf.framework.cancellation import CancellationManager, deadline_after, remaining
from tinytf.framework.errors import DeadlineExceededError, OpError, UnauthenticatedError
from tinytf.placement.partial_devices import check_device_filters, parse
from tinytf.protos import config_pb2, worker_pb2

#: How long one question waits for its answer; then the task counts as silent, and is asked again.
ATTEMPT_SECONDS = 2.0
#: After how long a task that refused is asked again.
RETRY_SECONDS = 0.1
#: How long it is tried to find out whether certificates are in the way of a task.
HANDSHAKE_SECONDS = 0.5


class RollCalls:
    """The sessions that a master is about to open, each waiting for its tasks. Thread-safe."""

    def __init__(self) -> None:
        self._open: set[RollCall] = set()  # changed by single operations only

    def devices(
        self, worker: OwnWorker, config: config_pb2.ConfigProto, withdrawn: CancellationManager
    ) -> list[Device]:
        """The devices of the other tasks that a session may use; waits until all of these answer.

        Args:
          worker: of the own task, as the session has it; a task that a session's own cluster names
            may have another name by itself.
          config: of the session: its `device_filters` leave tasks out, its
            `operation_timeout_in_ms` ends the wait. withdrawn: ends it, too.

        Raises:
          DeadlineExceededError: naming the tasks that have not answered. UnauthenticatedError: if
          certificates are the reason. The cancellation's reason.
        """
        tasks = filtered(worker.peers.tasks(), worker.task, config.device_filters)
        call = RollCall(
            worker.peers, tasks, config.device_filters, renames=bool(config.cluster_def.job)
        )
        self._open.add(call)
        try:
            return call.devices(withdrawn, config.operation_timeout_in_ms)
        finally:
            self._open.discard(call)

    def waits(self) -> list[dict[str, Any]]:
        """What `Look` tells of them: for each its filters, and the tasks that it waits for."""
        found = [
            {"filters": call.filters, "seconds": call.lasted(), "tasks": call.missing()}
            for call in self._open.copy()
        ]
        return [each for each in found if each["tasks"]]


class RollCall:
    """Asks tasks for their devices until all have answered.

    Args:
      tasks: full names. filters: why only these.
      renames: whether a task that calls itself otherwise is meant, too.
    """

    def __init__(
        self, peers: Peers, tasks: Sequence[str], filters: Sequence[str] = (), renames: bool = False
    ):
        self._peers, self.filters, self._renames = peers, list(filters), renames
        self._since = time.monotonic()
        self._changed = threading.Condition()
        # All below guarded by self._changed.
        self._missing = {task: _Missing() for task in tasks}
        self._answers: dict[str, worker_pb2.GetStatusResponse] = {}

    def lasted(self) -> float:
        """For how many seconds it has waited."""
        return time.monotonic() - self._since

    def devices(self, withdrawn: CancellationManager, timeout_in_ms: int) -> list[Device]:
        """See `RollCalls.devices`."""
        deadline = deadline_after(timeout_in_ms)
        try:
            with withdrawn.on_cancel(self._notify):
                while self._ask_again(withdrawn, deadline):
                    self._give_up_on_strangers()
        finally:
            with self._changed:
                calls = [each.call for each in self._missing.values() if each.call is not None]
            for call in calls:
                call.cancel()
        if withdrawn.is_cancelled and self._missing:
            raise withdrawn.reason or OpError("The session was given up.")
        return [
            Device(device_of(message))
            for task in sorted(self._answers)
            for message in self._answers[task].device_attributes
            if message.name.startswith(f"{task}/")
        ]

    def _ask_again(self, withdrawn: CancellationManager, deadline: float | None) -> bool:
        """Ask whom it is time to ask, and wait for something to change; False: it is over."""
        with self._changed:
            now = time.monotonic()
            due = [t for t, each in self._missing.items() if not each.is_asked and each.at <= now]
            for task in due:
                self._missing[task].is_asked = True
        for task in due:
            left = remaining(deadline)
            self._ask(task, ATTEMPT_SECONDS if left is None else min(left + 0.01, ATTEMPT_SECONDS))
        with self._changed:
            if not self._missing or withdrawn.is_cancelled:
                return False
            if remaining(deadline) != 0.0:
                waiting = [each.at for each in self._missing.values() if not each.is_asked]
                ends = [] if deadline is None else [deadline]
                until = min([*waiting, *ends], default=None)
                self._changed.wait(None if until is None else max(0.0, until - time.monotonic()))
                return True
        raise DeadlineExceededError(
            f"Deadline Exceeded: the session could not be created within "
            f"{self.lasted():.1f} seconds.\n{task_advice.of_missing(self.missing())}"
        )

    def _give_up_on_strangers(self) -> None:
        """UnauthenticatedError if certificates keep us and a task apart: no patience helps."""
        with self._changed:
            hung_up = [task for task, each in self._missing.items() if each.hung_up]
            for task in hung_up:
                self._missing[task].hung_up = False
            refusal = next((e.refusal for e in self._missing.values() if e.refusal), None)
        for task in hung_up:
            refusal = refusal or self._peers.of(task).obstacle(HANDSHAKE_SECONDS)
        if refusal is not None:
            raise refusal

    def _ask(self, task: str, timeout: float) -> None:
        request, answered = worker_pb2.GetStatusRequest(), partial(self._answered, task)
        call = self._peers.start(task, "GetStatus", request, answered, timeout)
        with self._changed:
            if task in self._missing:
                self._missing[task].call = call

    def _answered(self, task: str, answer: Any, error: OpError | None) -> None:
        with self._changed:
            missing = self._missing[task]
            missing.is_asked, missing.call = False, None
            self._changed.notify_all()
            if error is not None:
                if isinstance(error, UnauthenticatedError):
                    missing.refusal = error
                missing.state = task_advice.how(error)
                # Who does not like our certificate hangs up, or seems to be silent.
                is_silent = missing.state == task_advice.SILENT and not missing.was_silent
                missing.hung_up = is_silent or "Socket closed" in error.message
                missing.was_silent = missing.was_silent or is_silent
                missing.details = task_advice.details_of(error)
                wait = 0.0 if missing.state == task_advice.SILENT else RETRY_SECONDS
                missing.at = time.monotonic() + wait
                return
            found = answer.device_attributes
            for message in found if self._renames else ():
                message.name = renamed_device(message.name, task)
            names = sorted({d.name.rpartition("/device:")[0] for d in found})
            if task not in names:
                missing.state = task_advice.WRONG
                missing.details = f"{' and '.join(names) or 'nobody'} listens there"
                missing.at = time.monotonic() + RETRY_SECONDS
                return
            del self._missing[task]
            self._answers[task] = answer
        incarnation = next(d.incarnation for d in found if d.name.startswith(f"{task}/"))
        self._peers.introduced(task, answer.runtime, incarnation)

    def _notify(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def missing(self) -> list[dict[str, Any]]:
        """The tasks that have not answered: who, where, how so, and what starts them."""
        seconds = self.lasted()
        with self._changed:
            missing = [(task, each.state, each.details) for task, each in self._missing.items()]
        found = []
        for task, state, details in missing:
            address = self._peers.address(task)
            if state != task_advice.WRONG and task_advice.somebody_listens(address):
                state = task_advice.SILENT
            if state == task_advice.WRONG:
                advice = task_advice.how_to_part(self._peers.cluster, task, address)
            else:
                advice = task_advice.how_to_start(self._peers.cluster, task)
            row = {"task": task, "address": address, "state": state, "seconds": seconds}
            row |= {"details": task_advice.in_words(state, details), "advice": advice}
            found.append(row)
        return found


class _Missing:
    """A task that has not answered yet."""

    __slots__ = "at call details hung_up is_asked refusal state was_silent".split()

    def __init__(self) -> None:
        self.refusal: UnauthenticatedError | None = None
        self.hung_up = self.was_silent = False
        self.state, self.details = task_advice.SILENT, ""
        self.at, self.is_asked = 0.0, False
        self.call: Any = None


def filtered(tasks: Iterable[str], own: str, filters: Sequence[str]) -> list[str]:
    """The other tasks that a session may use: those which some filter, if there is any, names.

    Raises:
      InvalidArgumentError: for a filter that names no device.
    """
    check_device_filters(filters)
    return [
        task
        for task in tasks
        if task != own and (not filters or any(_matches(text, task) for text in filters))
    ]


def _matches(text: str, task: str) -> bool:
    wanted, have = parse(text), parse(task)
    if wanted is None or have is None:
        return wanted is None  # "GPU:0", of whatever task
    return all(want in (None, got) for want, got in zip(wanted[:3], have[:3], strict=True))
