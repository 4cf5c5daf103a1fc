"""Threads that a block of code left behind: which, what they run, and why that is no mistake.

A session's threads outlive a step on purpose: idle ones wait for the next step, and a kernel that
cannot be stopped runs on when its step is over (`tinytf.runtime.stragglers`). Everything else that
is still there after a while was forgotten: somebody started it, and nobody will end it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from tinytf.framework.operation import Operation
from tinytf.framework.thread_frames import frame_locals, thread_frames
from tinytf.runtime import intra_op, stragglers
from tinytf.runtime.codegen import SegmentFunction
from tinytf.runtime.plan import Unit
from tinytf.runtime.thread_pool import ElasticPool

#: How long threads may take to end, or to become idle, before they count as left behind.
PATIENCE_SECONDS = 5.0
#: Nothing tells when a thread of a pool becomes idle: it is looked at so often.
_LOOK_AGAIN_SECONDS = 0.002
_WAITS_FOR_WORK = {ElasticPool._next.__code__, intra_op._serve.__code__}
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class LeftThread:
    """A thread that was not there before the block and is there after it.

    Attributes:
      name: of the thread. op: what it computes, of an operation of a graph; None for others.
      where: what it runs, innermost call first.
      excuse: why it may stay, "" for none: "idle", "straggler".
    """

    name: str
    op: Operation | None
    where: tuple[str, ...]
    excuse: str = ""

    def __str__(self) -> str:
        excuse = f" ({self.excuse})" if self.excuse else ""
        lines = [f"the thread {self.name}{excuse} runs {self.where[0]}"]
        lines += [f"  called by {where}" for where in self.where[1:]]
        if self.op is not None:
            lines.append(f"  for {self.op.name} ({self.op.type}). {self.op.describe_origin()}")
        return "\n".join(lines)


@dataclass(slots=True)
class Leaks:
    """What a block left behind; complete when the block has ended.

    Attributes:
      threads: those that nothing excuses. excused: idle threads of pools, and stragglers.
    """

    threads: list[LeftThread] = field(default_factory=list)
    excused: list[LeftThread] = field(default_factory=list)

    def __str__(self) -> str:
        if not self.threads:
            return "No thread was left behind."
        return "Left behind:\n" + "\n".join(map(str, self.threads))


class LeakError(AssertionError):
    """A block left threads behind; the message says which, and what they run.

    Attributes:
      leaks: all of them, and those that are excused.
    """

    def __init__(self, leaks: Leaks):
        super().__init__(str(leaks))
        self.leaks = leaks


@contextmanager
def watch(patience: float = PATIENCE_SECONDS) -> Iterator[Leaks]:
    """Find the threads that the block starts and leaves behind.

    At the end of the block, threads that are about to end are waited for. Idle threads of pools
    that are open end by themselves after some seconds, or serve the next step: they are excused, as
    are kernels that run on though their steps are over, which are listed by their operations.

    Args:
      patience: how many seconds to wait at most.

    Returns:
      a context manager with a `Leaks`, filled in when the block ends, however it ends.

    Example:
      >>> with leaks.watch() as left, tf.Session() as sess:
      ...     sess.run(tf.constant(1.0))
      >>> print(left)
      No thread was left behind.
    """
    before = set(threading.enumerate())
    found = Leaks()
    try:
        yield found
    finally:
        found.threads, found.excused = _left(before, time.monotonic() + patience)


@contextmanager
def none_left(patience: float = PATIENCE_SECONDS) -> Iterator[Leaks]:
    """`watch`, for tests: raises if anything was left behind without an excuse.

    Raises:
      LeakError: at the end of a block that did not raise itself.

    Example:
      >>> with leaks.none_left(), tf.Session() as sess:
      ...     sess.run(tf.constant(1.0))
    """
    with watch(patience) as found:
        yield found
    if found.threads:
        raise LeakError(found)


def _left(
    before: set[threading.Thread], deadline: float
) -> tuple[list[LeftThread], list[LeftThread]]:
    """(those without an excuse, those with one)."""
    while True:
        threads = [t for t in threading.enumerate() if t not in before]
        this = threading.current_thread()
        threads = [t for t in threads if t is not this and t.ident is not None]
        found = [(t, left) for t in threads if (left := _look_at(t)) is not None]
        if all(left.excuse for _, left in found) or time.monotonic() >= deadline:
            return (
                [left for _, left in found if not left.excuse],
                [left for _, left in found if left.excuse],
            )
        # Not join: a thread that is just starting refuses it.
        time.sleep(_LOOK_AGAIN_SECONDS)  # noqa: TID251 - nothing tells when it has started or ended


def _look_at(thread: threading.Thread) -> LeftThread | None:
    """What a thread does now; None if it has ended."""
    frame = thread_frames().get(thread.ident or 0)
    if frame is None:
        return None
    frames = list(_callers(frame))
    ops = next((found for f in frames if (found := _operations(f))), [])
    excuse = ""
    if frame.f_code in _WAITS_FOR_WORK and not _is_over(frame):
        excuse = "idle"
    elif any(op in straggler.ops for op in ops for straggler in stragglers.still_running()):
        excuse = "straggler"
    where = tuple(map(_place, frames[:_DEEPEST]))
    return LeftThread(thread.name, ops[0] if ops else None, where, excuse)


def _callers(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _operations(frame: FrameType) -> list[Operation]:
    """What a function of the executor is about to compute, if it is one."""
    if not frame.f_code.co_filename.startswith(_RUNTIME):
        return []
    local = frame_locals(frame)
    segment, unit = local.get("segment"), local.get("unit")
    if isinstance(segment, SegmentFunction):
        return list(segment.ops)
    return list(unit.ops) if isinstance(unit, Unit) else []


_RUNTIME = str(Path(stragglers.__file__).parent)


def _is_over(frame: FrameType) -> bool:
    """Whether the pool for which a thread waits was closed: then it should be gone."""
    local = frame_locals(frame)
    pool = local.get("self")
    if pool is None:  # of the intra-op pool, whose threads hold it weakly
        pool = local["pool"]()
    return pool is None or bool(pool._closed)


def _place(frame: FrameType) -> str:
    return f"{frame.f_code.co_qualname} ({frame.f_code.co_filename}:{frame.f_lineno})"
