"""A thread that a schedule controls, and how a schedule breaks."""

from __future__ import annotations

import _thread
import enum
import threading
import time
from collections.abc import Callable
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.testing.schedules.trace import Place

NEVER = float("inf")


def closed_gate() -> Any:
    """A real lock that somebody will wait for."""
    gate = _thread.allocate_lock()
    gate.acquire()
    return gate


def open_gate(gate: Any) -> None:
    """Let whoever waits there go on."""
    if gate.locked():
        gate.release()


class State(enum.Enum):
    """See the module."""

    READY = 0
    RUNNING = 1
    WAITING = 2
    SLEEPING = 3
    OUTSIDE = 4
    ENDED = 5


class ScheduleEnded(BaseException):
    """Raised in the threads of a schedule that has broken, so that they end."""


class Controlled:
    """A thread that waits for its turns."""

    def __init__(self, number: int, name: str, daemon: bool, weight: float):
        self.number = number
        self.name = name
        self.daemon = daemon
        self.weight = weight
        self.state = State.READY
        #: a real lock: released by whoever gives this thread the baton
        self.gate = closed_gate()
        self.ended = closed_gate()
        self.joiners: list[Any] = []
        #: when a wait or sleep is over at the latest, in virtual time
        self.wake_at = NEVER
        self.timed_out = False
        self.waits_for: Callable[[], str] = str
        #: what the call of the program that may wait is, if that is known
        self.doing: Callable[[], str] | None = None
        self.op: Callable[[], Operation | None] = lambda: None
        self.where: Place | None = None
        #: how deep it is in code that must not be scheduled
        self.bypass = 0
        #: whether it was told that the schedule has ended
        self.is_ending = False
        self.identity = 0
        self.native = 0
        self.processor_clock: int | None = None

    def begin(self) -> None:
        """Called on the thread itself."""
        self.identity = _thread.get_ident()
        self.native = threading.get_native_id()
        if hasattr(time, "pthread_getcpuclockid"):
            self.processor_clock = time.pthread_getcpuclockid(self.identity)


class Broken:
    """How a schedule broke: `kind` is "error", "deadlock", "endless" or "different result"."""

    def __init__(self, kind: str, text: str, thread: str, error: BaseException | None = None):
        self.kind = kind
        self.text = text
        self.thread = thread
        self.error = error

    def is_like(self, other: Broken | None) -> bool:
        """Whether another schedule broke in the same way."""
        return other is not None and (self.kind, type(self.error)) == (
            other.kind,
            type(other.error),
        )
