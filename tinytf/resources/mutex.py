"""The mutex of a critical section: one operation at a time has it.

Whoever wants it stands in line. It is given back when its lock is consumed, and at the latest when
the step that took it is over, so that a step that fails keeps nobody out.
TensorFlow: core/kernels/mutex_ops.cc.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf.framework.waiting import is_handle_of
from tinytf.resources.queues.attempts import Attempt
from tinytf.resources.queues.lines import Request, Served


class Mutex(Served):
    """A lock that operations wait for. Thread-safe."""

    kind = "Mutex"
    served_by: Mapping[str, frozenset[str]] = {"lock": frozenset(["ConsumeMutexLock"])}

    def __init__(self, name: str):
        super().__init__(name)
        self._holder: MutexLock | None = None  # guarded by self._lock

    def lock(self, step: Any, operation: str) -> Any:
        """Take the lock.

        Args:
          step: who takes it; it gives it back at its end. operation: the name of the node.

        Returns:
          a `MutexLock`, or a `Pending` for it.
        """
        taken = MutexLock(self, operation, step.step_id)

        def serve(attempt: Attempt) -> bool:
            if self._holder not in (None, taken):
                return False
            self._holder = taken
            return attempt.end(taken)

        request = Request(serve, "lock", "the lock", "lock", "Lock acquisition cancelled.")
        step.cancellation.when_over(taken.release)
        return self._ask(request, step.cancellation)

    def release(self, lock: MutexLock) -> None:
        """Give it back; once, the next time nothing happens."""

        def free(ended: list[Attempt]) -> None:
            if self._holder is lock:
                self._holder = None

        if self._holder is lock:
            self._change(free, free)

    @property
    def holder(self) -> MutexLock | None:
        """Who has it."""
        return self._holder

    def is_served_by(self, op: Any) -> bool:
        """See `waiting.Waitable`."""
        lock = op.inputs[0].op if op.type == "ConsumeMutexLock" else None
        return bool(lock is not None and lock.inputs and is_handle_of(lock.inputs[0], self))

    def describe(self) -> str:
        holder = self._holder
        state = "free" if holder is None else f"held by {holder}"
        return f"the critical section '{self.name}' ({self.kind}), {state}"


class MutexLock:
    """The right to be in a critical section.

    Attributes:
      mutex: whose. operation: which node took it. step_id: in which step.
    """

    __slots__ = ("mutex", "operation", "step_id")

    def __init__(self, mutex: Mutex, operation: str, step_id: int):
        self.mutex = mutex
        self.operation = operation
        self.step_id = step_id

    def release(self) -> None:
        """Leave the section."""
        self.mutex.release(self)

    def __repr__(self) -> str:
        return f"{self.operation} of step {self.step_id}"
