"""While a schedule runs, `threading`, `queue` and `time` do as it says, on its threads only.

Every name that is replaced looks first whether a controlled thread calls it, and on behalf of the
program: what other threads do, and what libraries do among themselves, stays as it is. Everything
is put back at the end, whatever happened.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import queue
import sys
import threading
import time
from collections.abc import Callable, Generator
from typing import Any

from tinytf.framework import waiting
from tinytf.testing.schedules.baton import TICK, Baton
from tinytf.testing.schedules.controlled import Controlled, ScheduleEnded, State
from tinytf.testing.schedules.primitives import Inbox, Lock, RLock
from tinytf.testing.schedules.trace import is_called_by_program, is_program, place

_THREADING = (threading.__file__,)


@contextlib.contextmanager
def patched(baton: Baton) -> Generator[None]:
    """The modules do as `baton` says, inside of the block."""
    replaced: list[tuple[Any, str, Any]] = []
    try:
        for owner, name, make in _PATCHES:
            original = getattr(owner, name)
            replaced.append((owner, name, original))
            setattr(owner, name, make(baton, original))
        yield
    finally:
        for owner, name, original in reversed(replaced):
            setattr(owner, name, original)


# Threads ------------------------------------------------------------------------------------------


def _start(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def start(self: threading.Thread) -> None:
        me = baton.me()
        if me is None or not is_program(sys._getframe(1)):
            original(self)
            return
        by_program = is_called_by_program(sys._getframe(1))
        thread = baton.add(self.name, self.daemon or not by_program)
        run = self.run
        self._scheduled = thread  # type: ignore[attr-defined]
        self.run = lambda: _run(baton, thread, self, run)  # type: ignore[method-assign]
        me.bypass += 1
        try:
            original(self)
        except BaseException:
            thread.state = State.ENDED  # the system has no more threads
            thread.ended.release()
            raise
        finally:
            me.bypass -= 1
        baton.note(f"starts {self.name}", place())
        if by_program and is_called_by_program(sys._getframe(1), is_direct=True):
            baton.turn()  # not where tinytf starts one of its own: it may hold a lock

    return start


def _run(baton: Baton, thread: Controlled, real: threading.Thread, run: Callable[[], None]) -> None:
    vars(real).pop("run", None)
    try:
        baton.first_turn(thread)
        run()
        baton.note("ends", None)
    except (ScheduleEnded, SystemExit):
        pass
    except Exception as error:
        baton.fail(thread, error)
    finally:
        baton.end(thread)


def _join(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def join(self: threading.Thread, timeout: float | None = None) -> None:
        me, other = baton.me(), getattr(self, "_scheduled", None)
        if me is None or other is None or other is me or other not in baton.threads:
            original(self, timeout)
            return
        if is_called_by_program(sys._getframe(1)):
            baton.turn()
        has_ended = baton.wait_until(
            lambda: other.state is State.ENDED,
            other.joiners,
            lambda: f"for {other.name} to end",
            timeout,
        )
        if has_ended:
            with _unscheduled(me):
                original(self)

    return join


def _is_alive(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def is_alive(self: threading.Thread) -> bool:
        other = getattr(self, "_scheduled", None)
        if baton.me() is None or other not in baton.threads:
            return bool(original(self))
        return other.state is not State.ENDED

    return is_alive


@contextlib.contextmanager
def _unscheduled(me: Controlled) -> Generator[None]:
    me.bypass += 1
    try:
        yield
    finally:
        me.bypass -= 1


# Waits --------------------------------------------------------------------------------------------


def _calls(what: str, waits_for: str) -> Callable[[Baton, Callable[..., Any]], Callable[..., Any]]:
    """A method that may wait for others, or let them go on: a switching point."""

    def make(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def call(*args: Any, **kwargs: Any) -> Any:
            me = baton.me()
            if me is None or me.doing is not None or not is_called_by_program(sys._getframe(1)):
                return original(*args, **kwargs)
            baton.turn()
            baton.note(what, place())
            me.doing = lambda: waits_for
            try:
                return original(*args, **kwargs)
            finally:
                me.doing = None

        return call

    return make


def _condition_wait(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    scheduled = _calls("waits for a Condition", "for a Condition")(baton, original)

    @functools.wraps(original)
    def wait(self: Any, timeout: float | None = None) -> bool:
        me = baton.me()
        if me is None or me.doing is not None or isinstance(self._lock, Lock):
            return bool(scheduled(self, timeout))
        # A lock that is not the schedule's (tinytf's own): whoever has it must not stop here, or
        # others would wait for it outside of the schedule.
        me.doing = lambda: "for a Condition"
        try:
            return bool(original(self, timeout))
        finally:
            me.doing = None

    return wait


def _is_scheduled(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    return lambda: baton.me() is not None


def _lock(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    def lock() -> Any:  # those inside of an Event, a Queue: never held at a switching point
        frame = sys._getframe(1)
        scheduled = baton.me() is not None and not _is_by_library(frame)
        return Lock(baton, True) if scheduled else original()

    return lock


def _is_by_library(frame: Any) -> bool:
    return frame.f_code.co_filename in (*_THREADING, queue.__file__) or not is_called_by_program(
        frame, is_direct=True
    )


def _rlock(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    def rlock(*args: Any) -> Any:
        frame = sys._getframe(1)
        while frame.f_back is not None and frame.f_code.co_filename in _THREADING:
            frame = frame.f_back  # a Condition makes its own
        if baton.me() is None or not is_called_by_program(frame, is_direct=True):
            return original(*args)
        return RLock(baton, True)

    return rlock


def _waiter(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    def allocate_lock() -> Any:  # what Condition.wait waits for
        scheduled = baton.me() is not None and is_program(sys._getframe(1))
        return Lock(baton, False) if scheduled else original()

    return allocate_lock


def _simple_queue(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    def simple_queue() -> Any:
        scheduled = baton.me() is not None and is_program(sys._getframe(1))
        return Inbox(baton) if scheduled else original()

    return simple_queue


# Time ---------------------------------------------------------------------------------------------


def _sleep(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    def sleep(seconds: float) -> None:
        if baton.me() is None or not is_program(sys._getframe(1)):
            original(seconds)
        elif seconds < 0:
            raise ValueError("sleep length must be non-negative")
        else:
            baton.sleep(seconds)

    return sleep


def _clock(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    start = original()
    in_nanoseconds = isinstance(start, int)

    @functools.wraps(original)
    def clock() -> Any:
        if baton.me() is None or not is_program(sys._getframe(1)):
            return original()
        baton.clock += TICK
        return start + int(baton.clock * 1e9) if in_nanoseconds else start + baton.clock

    return clock


def _count(baton: Baton, original: Callable[..., Any]) -> Callable[..., Any]:
    return itertools.count(1).__next__


_PATCHES: list[tuple[Any, str, Callable[[Baton, Any], Any]]] = [
    (threading.Thread, "start", _start),
    (threading.Thread, "join", _join),
    (threading.Thread, "is_alive", _is_alive),
    (threading, "Lock", _lock),
    (threading, "RLock", _rlock),
    (threading, "_allocate_lock", _waiter),
    (threading, "_counter", _count),
    (threading, "_time", _clock),
    (threading.Event, "set", _calls("sets an Event", "")),
    (threading.Event, "wait", _calls("looks at an Event", "for an Event to be set")),
    (threading.Condition, "wait", _condition_wait),
    (threading.Semaphore, "acquire", _calls("takes from a Semaphore", "for a Semaphore")),
    (threading.Barrier, "wait", _calls("comes to a Barrier", "for the others at a Barrier")),
    (queue.Queue, "put", _calls("puts into a queue.Queue", "for a place in a full queue.Queue")),
    (queue.Queue, "get", _calls("takes from a queue.Queue", "for an item of a queue.Queue")),
    (queue.Queue, "join", _calls("joins a queue.Queue", "for the items of a queue.Queue")),
    (queue, "SimpleQueue", _simple_queue),
    (waiting, "is_scheduled", _is_scheduled),
    (queue, "time", _clock),
    (time, "sleep", _sleep),
    (time, "monotonic", _clock),
    (time, "monotonic_ns", _clock),
    (time, "perf_counter", _clock),
    (time, "time", _clock),
    (time, "time_ns", _clock),
]
