"""Who waits, what for, and who could end it: what `tinytf.why_stuck()` and its report go by.

    thread --waits in--> operation --on--> Waitable (a queue, ...) <--served by-- operations
                                                                        ^
                                        producers (QueueRunners) and other threads run these

A *wait* is a `Wait`: an operation, or a call such as `Coordinator.join`, that cannot go on. What it
waits on is a `Waitable`; it says which types of operations on it would help. The table of waiting
threads is written only by threads that are about to block, so nothing here costs a step that does
not wait. `tinytf.diagnosis` draws the conclusions.
"""

from __future__ import annotations

import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tinytf.framework.cancellation import CancellationManager, remaining
from tinytf.framework.errors import DeadlineExceededError
from tinytf.framework.thread_frames import thread_frames

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

#: How long a wait may last before it is asked whether anybody could end it.
patience_seconds = 2.0


def is_scheduled() -> bool:
    """Whether a schedule has the calling thread (`tinytf.testing`): it tells who is stuck."""
    return False  # replaced while one runs


class Waitable(Protocol):
    """What an operation can wait on: a queue, an accumulator, a buffer.

    Attributes:
      kind: what it is: "FIFOQueue". name: of the resource.
      served_by: for each need ("elements", "room"), the types of the operations that may help.
    """

    kind: str
    name: str
    served_by: Mapping[str, frozenset[str]]

    def describe(self) -> str:
        """Its state in one line: "the queue 'q' (FIFOQueue), 0 of 10 elements, open".

        Whoever asks holds no lock, and must not be kept waiting.
        """


@dataclass(slots=True)
class Wait:
    """One thing that cannot go on.

    Attributes:
      what: for the reader: "3 elements", "room for 1 element", "threads to end: reader".
      on: what it waits on; None if unknown, then nothing is concluded from it.
      needs: a key of `on.served_by`; "end" for the end of threads.
      op: the operation, if it is one.
      threads: the identifiers of those who might end it, beside those who serve `on`.
      might_end: whether it ends by itself or by somebody who cannot be known.
      caller: the functions that it is in: "outer: inner: ".
    """

    what: str
    on: Waitable | None = None
    needs: str = ""
    op: Operation | None = None
    threads: tuple[int, ...] = ()
    might_end: bool = False
    caller: str = ""


def is_handle_of(handle: Any, resource: Waitable) -> bool:
    """Whether a tensor may be the handle of a resource: by its container, and the name in there."""
    shared = handle.op.attrs.get("shared_name")
    if shared is None:  # chosen from a list, for example: that is known only when it runs
        return handle.dtype.base_dtype.name in ("resource", "string") and bool(handle.op.inputs)
    if not is_in_container_of(handle.op, resource):
        return False
    if shared:
        return bool(resource.name == shared.decode())
    return resource.name.endswith(f"_{handle.op.name}")


def is_in_container_of(op: Any, resource: Any) -> bool:
    """Whether what an operation makes or means is in a resource's container, if that is known."""
    container = op.attrs.get("container", b"").decode()
    return container in getattr(resource, "containers", (container,))


class Waiter(Protocol):
    """Whatever blocks a thread: an executor, a join."""

    def waits(self) -> list[Wait]:
        """What has to happen: one of these is enough to go on. Empty: it is not stuck at all.

        Called by other threads at any time; it must not wait for anybody.
        """

    def is_in_step(self, op: Operation) -> bool:
        """Whether an operation is part of the step that waits."""


class Blocked:
    """A thread that waits, as a context manager around the wait.

    Args:
      thread: its identifier. waiter: what it waits in.
      graph: of the step; None outside steps.
      deadline: when the wait ends anyhow, by `time.monotonic`; None for never.

    Attributes:
      since: when it began, by `time.monotonic`. is_reported: whether a report has told of it.
      suspicion: what a look has found; a report is made if the next one finds the same.
    """

    __slots__ = """
        _before _place deadline graph is_reported since suspicion thread waiter
    """.split()

    def __init__(
        self, thread: int, waiter: Waiter, graph: Any = None, deadline: float | None = None
    ):
        self.thread, self.waiter, self.graph, self.deadline = thread, waiter, graph, deadline
        self.since = time.monotonic()
        self.is_reported = False
        self.suspicion: Any = None
        self._before: Blocked | None = None
        self._place = (0, 0)

    @property
    def patience(self) -> float:
        """How many seconds it may last until it is looked at (again)."""
        if self.suspicion is None or self.is_reported:
            return patience_seconds
        return patience_seconds / 8

    def __enter__(self) -> None:
        """The thread is about to block."""
        before = _blocked.get(self.thread)
        self._place = threading.get_ident(), id(sys._getframe(1))
        self._before = before if before is None or before.lasts() else None
        _blocked[self.thread] = self

    def lasts(self) -> bool:
        """Whether the code that waits still runs: Ctrl-C may come just when it takes itself out."""
        thread, place = self._place
        frame = thread_frames().get(thread)
        while frame is not None and id(frame) != place:
            frame = frame.f_back
        return frame is not None

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        """It goes on; of a wait that Ctrl-C ended, the picture is kept."""
        try:
            if kind is KeyboardInterrupt:
                keep_picture()
        finally:
            if self._before is None:
                _blocked.pop(self.thread, None)
            else:
                _blocked[self.thread] = self._before


_lock = threading.Lock()
_blocked: dict[int, Blocked] = {}  # by thread; each written by its own thread only
#: Who ran operations that others may wait for; by graph, then by name. Guarded by _lock.
_runs: weakref.WeakKeyDictionary[Any, dict[str, Run]]
_runs = weakref.WeakKeyDictionary()
_local = threading.local()


class Diagnosis(Protocol):
    """Who draws the conclusions: `tinytf.diagnosis.stuck`, bound late."""

    def report(self, thread: int) -> bool:
        """Print why a thread is stuck, if it is and nobody has said so; whether it did."""

    def keep(self) -> None:
        """A wait of this thread is interrupted: keep what it looks like."""


_diagnosis: Diagnosis | None = None


def diagnosed_by(diagnosis: Diagnosis) -> None:
    """Waits that last, or are interrupted, are told to `diagnosis` from now on."""
    global _diagnosis
    _diagnosis = diagnosis


# Waits ------------------------------------------------------------------------------------------


def blocked() -> list[Blocked]:
    """The threads that wait at the moment, those that began first in front."""
    lasting = [one for one in _blocked.copy().values() if one.lasts()]
    return sorted(lasting, key=lambda one: one.since)


def blocked_in(thread: int | None) -> Blocked | None:
    """What a thread waits in at the moment; None if it does not."""
    entry = _blocked.get(thread or 0)
    return entry if entry is not None and entry.lasts() else None


def whole(entry: Blocked) -> Blocked:
    """The wait of a whole step, of which a thread runs a part itself: what its user asked for."""
    around = entry._before
    return around if around is not None and getattr(around.waiter, "is_whole", False) else entry


def look_at(thread: int) -> None:
    """A wait has lasted: say so, once, if nobody could end it."""
    if _diagnosis is not None and not is_background():
        _diagnosis.report(thread)


def keep_picture() -> None:
    """Ctrl-C ends a wait of this thread: `why_stuck()` shows what it looked like."""
    if _diagnosis is not None:
        _diagnosis.keep()


@contextmanager
def in_background() -> Iterator[None]:
    """Waits of this thread, inside the block, are reported by whoever waits for it."""
    before, _local.background = is_background(), True
    try:
        yield
    finally:
        _local.background = before


def is_background() -> bool:
    """Whether this thread leaves reports to others."""
    return getattr(_local, "background", False)


class _Given:
    """A wait outside kernels; see `wait_until` for the arguments."""

    def __init__(
        self,
        is_over: Callable[[], Any],
        condition: threading.Condition,
        waits: Callable[[], list[Wait]],
    ):
        self._is_over, self._condition, self._waits = is_over, condition, waits

    def waits(self) -> list[Wait]:
        if not self._condition.acquire(blocking=False):
            return []  # somebody changes it at the moment
        try:
            return [] if self._is_over() else self._waits()
        finally:
            self._condition.release()

    def is_in_step(self, op: Operation) -> bool:
        return False


def wait_until(
    is_over: Callable[[], Any],
    condition: threading.Condition,
    waits: Callable[[], list[Wait]],
    cancellation: CancellationManager | None = None,
    deadline: float | None = None,
) -> None:
    """Block this thread until something is so; for waits outside kernels.

    Ctrl-C, a cancellation and a deadline end it; a wait that lasts is looked at.

    Args:
      is_over: asked with `condition` held, after each notification; any thread may ask.
      condition: held by the caller; released while it waits. With an RLock, as by default.
      waits: what it waits for, for reports; likewise.
      deadline: by `time.monotonic`.

    Raises:
      DeadlineExceededError: past the deadline, with what it waited for. The cancellation's reason.

    Example:
      >>> with buffer.changed:
      ...     wait_until(lambda: buffer.elements, buffer.changed, buffer.waits)
    """
    if is_over():
        return
    cancellation = cancellation or CancellationManager()
    thread = threading.get_ident()
    blocked = Blocked(thread, _Given(is_over, condition, waits), deadline=deadline)
    with cancellation.on_cancel(lambda: _notify(condition)), blocked:
        while not is_over():
            cancellation.check()
            left = remaining(deadline)
            if left == 0.0:
                raise DeadlineExceededError("Timed out: " + "; ".join(map(describe, waits())))
            is_last = is_scheduled() or (left is not None and left <= patience_seconds)
            in_time = condition.wait(left if is_last else patience_seconds)
            if not (in_time or is_last or is_background()):
                condition.release()  # a report asks everybody, this one too
                try:
                    look_at(thread)
                finally:
                    condition.acquire()


def _notify(condition: threading.Condition) -> None:
    with condition:
        condition.notify_all()


def describe(wait: Wait) -> str:
    """A wait in one line: "q/dequeue (QueueDequeueV2) waits for 1 element in the queue 'q' ..."."""
    who = "" if wait.op is None else f"{wait.op.name} ({wait.op.type}) "
    where = "" if wait.on is None else f" in {wait.on.describe()}"
    return f"{wait.caller}{who}waits for {wait.what.removeprefix('for ')}{where}"


def what_for(thread: int) -> str:
    """What a thread waits for, in one line; "" if it does not."""
    entry = _blocked.get(thread)
    return "" if entry is None else "; ".join(map(describe, entry.waiter.waits()))


# Who ran what -----------------------------------------------------------------------------------


class Run:
    """Who last ran an operation that others may wait for. Texts only: they keep nothing alive.

    Attributes:
      thread: the name of the thread; "" if nobody has.
      failed_in: of the thread in which a run of it last failed. error: with what, by type and text.
    """

    __slots__ = ("error", "failed_in", "thread")

    def __init__(self) -> None:
        self.thread = self.failed_in = ""
        self.error = ("", "")


def runs_of(graph: Any, ops: Iterable[Operation]) -> list[Run]:
    """Where steps with these operations note who runs them."""
    if graph is None:  # a plan that is run by itself
        return []
    with _lock:
        known = _runs.setdefault(graph, {})
        # By name: the operations of a plan are copies of the graph's.
        return [known.setdefault(op.name, Run()) for op in ops]


def note_run(runs: Iterable[Run]) -> None:
    """This thread begins a step with the operations of `runs_of`."""
    name = threading.current_thread().name
    for run in runs:
        run.thread = name


def note_failure(runs: Iterable[Run], error: BaseException) -> None:
    """A step of this thread with the operations of `runs_of` has failed."""
    name = threading.current_thread().name
    for run in runs:
        run.failed_in, run.error = name, (type(error).__name__, str(error))


def run_of(op: Operation) -> Run | None:
    """Who last ran an operation; None if no step with it was ever made."""
    with _lock:
        return _runs.get(op.graph, {}).get(op.name)


# Why something was closed -----------------------------------------------------------------------


@contextmanager
def because_of(error: BaseException | None) -> Iterator[None]:
    """What is closed inside the block, on this thread, is closed because of an error.

    Whoever finds a queue closed is then told the reason.

    Example:
      >>> with because_of(error):
      ...     session.run(runner.cancel_op)
    """
    before = reason()
    _local.reason = error
    try:
        yield
    finally:
        _local.reason = before


def reason() -> BaseException | None:
    """The error because of which this thread closes things; None if it just does."""
    return getattr(_local, "reason", None)
