"""The steps that a worker knows of: those it runs a part of, and those it was asked about."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tinytf.distributed.limits import TOO_MANY_STEPS, Limits
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.requests import RecentNumbers
from tinytf.distributed.wire.wire_errors import mark_derived
from tinytf.distributed.worker.partial_part import PartialPart
from tinytf.distributed.worker.rendezvous import StepRendezvous
from tinytf.distributed.worker.rpc_log import RpcLog
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import AbortedError, OpError
from tinytf.framework.pending import Pending

#: How many steps that are over are remembered.
REMEMBERED_STEPS = 16_384


@dataclass(slots=True, eq=False)
class WorkerStep:
    """One step on this task.

    Attributes:
      rendezvous: its tensors on the way. cancellation: of its parts here.
      session: whose its part is. thread: what runs it.
      partial: its part of a partial run.
      begun: whether its part has begun here. done: whether that has ended well.
    """

    rendezvous: StepRendezvous
    cancellation: CancellationManager = field(default_factory=CancellationManager)
    session: str | None = None
    thread: int | None = None
    partial: PartialPart | None = None
    begun: bool = False
    done: bool = False


class WorkerSteps:
    """The steps of one task, by the numbers that masters gave them. Thread-safe; nothing waits.

    Args:
      peers: the other tasks. log: of tensors that are fetched. limits: how many.
    """

    def __init__(self, peers: Peers, log: RpcLog, limits: Limits):
        self._peers, self._log, self._limits = peers, log, limits
        self._lock = threading.Lock()
        self._steps: dict[int, WorkerStep] = {}  # guarded by self._lock
        self._over = RecentNumbers(REMEMBERED_STEPS)  # those that were cleaned up; likewise
        #: What the master of this task has on others: thread -> (number, all tasks); each is
        #: written by its own thread.
        self.led: dict[int, tuple[int, list[str]]] = {}

    def __len__(self) -> int:
        with self._lock:
            return len(self._steps)

    def thread_of(self, step_id: int) -> int | None:
        """Which thread runs the part of a step; None if it has not begun, or is over."""
        with self._lock:
            step = self._steps.get(step_id)
        return None if step is None or step.done else step.thread

    def begin(self, step_id: int, session: str, peers: Peers, task: str) -> WorkerStep:
        """A step whose part begins here; the last two are as its session has them."""
        step = self.get(step_id, task)
        step.rendezvous.peers, step.session, step.begun = peers, session, True
        step.thread = threading.get_ident()
        return step

    def get(self, step_id: int, task: str) -> WorkerStep:
        """A step, which exists from its first mention; AbortedError if it is over.

        Args:
          task: what this task is called in it.
        """
        with self._lock:
            found = self._steps.get(step_id)
            if found is None:
                if step_id in self._over:  # the clean-up was faster than this request
                    raise mark_derived(AbortedError(f"Cleanup {step_id}"))
                self._limits.check("steps", len(self._steps) + 1, *TOO_MANY_STEPS)
                found = self._steps[step_id] = self._new(step_id, task)
            return found

    def _new(self, step_id: int, task: str) -> WorkerStep:
        return WorkerStep(StepRendezvous(task, self._peers, partial(self._ask, step_id)))

    def _ask(
        self,
        step_id: int,
        peers: Peers,
        task: str,
        keys: Sequence[str],
        cancellation: CancellationManager,
    ) -> list[Pending]:
        """See `rendezvous.Ask`."""
        found = peers.receive(task, step_id, keys, cancellation)
        if self._log.is_on:
            return [self._logged(*each, step_id) for each in zip(found, keys, strict=True)]
        return found

    def _logged(self, pending: Pending, key: str, step_id: int) -> Pending:
        """A tensor on its way, which is written down when it comes."""
        since = time.time()

        def written(value: Any) -> Any:
            self._log.received(step_id, key, value, since)
            return value

        return pending.then(written)

    def forget(self, step_id: int) -> None:
        """A step is over on all tasks; a part of it that still runs is cancelled."""
        with self._lock:
            step = self._steps.pop(step_id, None)
            self._over.add(step_id)
        if step is not None:
            _end(step, AbortedError(f"Cleanup {step_id}"))

    def forget_if_idle(self, step_id: int, step: WorkerStep) -> None:
        """Forget a step whose part is over, when all it sent was taken; nobody asks for it again.

        Or one whose part has not begun, when who asked for tensors has gone: it may never begin.
        """
        with self._lock:
            is_over = step.done or not step.begun
            if is_over and step.rendezvous.is_idle and self._steps.get(step_id) is step:
                del self._steps[step_id]

    def forget_session(self, session: str) -> None:
        """Forget the steps of a session that is over."""
        with self._lock:
            numbers = [number for number, step in self._steps.items() if step.session == session]
        for number in numbers:
            self.forget(number)

    def end_all(self, reason: OpError) -> None:
        """Cancel all steps."""
        with self._lock:
            steps, self._steps = list(self._steps.values()), {}
        for step in steps:
            _end(step, reason)


def _end(step: WorkerStep, reason: OpError) -> None:
    step.cancellation.start_cancel(reason)
    step.rendezvous.abort(reason)
