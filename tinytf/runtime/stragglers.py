"""Kernels that go on running after their step has ended: no thread can be killed.

A step that fails, is cancelled or runs out of time ends at once for its caller. What another thread
is in the middle of is left to end by itself; nearly always that takes milliseconds. What is still
running after a while is reported once, with its operation and line.
"""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tinytf.framework.operation import Operation

#: How long a kernel may take to end by itself before it is reported.
GRACE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Straggler:
    """A kernel that runs on though its step is over.

    Attributes:
      number: of the report. ops: one operation, or several whose code runs as one.
      thread: the name of the thread. since: when it began, by `time.perf_counter`.
    """

    number: int
    ops: Sequence[Operation]
    thread: str
    since: float

    def __str__(self) -> str:
        seconds = time.perf_counter() - self.since
        if not self.ops:
            return f"A step is still being prepared after {seconds:.1f} s, though it is over."
        op = self.ops[0]
        more = ("", " or the one that follows it")[min(len(self.ops), 2) - 1]
        if len(self.ops) > 2:
            more = f" or one of the {len(self.ops) - 1} that follow it"
        return (
            f"{op.name} ({op.type}){more} is still running after {seconds:.1f} s, in the thread "
            f"{self.thread}, though its step is over. A kernel cannot be stopped from outside; "
            f"what it gives will be dropped.\n{op.describe_origin()}"
        )


_numbers = itertools.count(1)
_lock = threading.Lock()
#: With what will report it. Guarded by _lock.
_running: dict[int, tuple[Straggler, threading.Timer]] = {}


def still_running() -> list[Straggler]:
    """The kernels that have not ended though their steps have.

    Example:
      >>> still_running()
      []
    """
    with _lock:
        return [straggler for straggler, _ in _running.values()]


def left_behind(thread: int, ops: Sequence[Operation], since: float) -> Straggler:
    """Take note that a step ended while a thread was in the middle of `ops`."""
    name = next((t.name for t in threading.enumerate() if t.ident == thread), f"thread {thread}")
    straggler = Straggler(next(_numbers), ops, name, since)
    timer = threading.Timer(GRACE_SECONDS, _report, [straggler])
    timer.daemon = True
    timer.name = "tinytf-stragglers"
    with _lock:
        _running[straggler.number] = straggler, timer
    timer.start()
    return straggler


def ended(straggler: Straggler | None) -> None:
    """It has come to its end after all."""
    if straggler is not None:
        with _lock:
            _, timer = _running.pop(straggler.number, (None, None))
        if timer is not None:
            timer.cancel()  # one thread each: thousands of steps may be cancelled in a second


def _report(straggler: Straggler) -> None:
    with _lock:
        is_running = straggler.number in _running
    if is_running:
        print(straggler, flush=True)
