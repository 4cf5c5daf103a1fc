"""Locks and queues whose waits are a schedule's: what `threading` and `queue` are made of.

`threading.Event`, `Condition`, `Semaphore`, `Barrier` and `queue.Queue` are Python, and wait for
plain locks; so they wait as the schedule says when those locks do. Threads that no schedule
controls may use these too, also when the schedule is over: then they wait in real time.
"""

from __future__ import annotations

import _thread
import queue
from collections import deque
from typing import Any

from tinytf.testing.schedules.baton import Baton
from tinytf.testing.schedules.trace import place, show_place


class Lock:
    """`threading.Lock`.

    Args:
      is_program: whether the program made it, so that taking it is a switching point.
    """

    def __init__(self, baton: Baton, is_program: bool):
        self._baton = baton
        self._is_program = is_program
        self._made = place() if is_program else None
        self._number = baton.number_of_lock() if is_program else 0
        self._holder = ""  # for reports
        self._locked = False
        self._waiters: list[Any] = []

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        """See `threading.Lock`."""
        if not blocking and timeout != -1:
            raise ValueError("can't specify a timeout for a non-blocking call")
        if self._is_program and blocking and self._baton.me() is not None:
            self._baton.turn()
            if not self._locked:
                self._baton.note(f"takes {self._name()}", place())
        limit = 0.0 if not blocking else None if timeout == -1 else timeout
        return self._baton.wait_until(self._take, self._waiters, self._what, limit)

    def release(self) -> None:
        """See `threading.Lock`."""
        if not self._locked:
            raise RuntimeError("release unlocked lock")
        self._locked = False
        self._baton.wake(self._waiters)

    def locked(self) -> bool:
        """See `threading.Lock`."""
        return self._locked

    def _take(self) -> bool:
        if self._locked:
            return False
        self._locked = True
        if self._is_program:
            me = self._baton.me()
            self._holder = "another thread" if me is None else me.name
        return True

    def _name(self) -> str:
        where = show_place(self._made).partition("  ")[0]
        return f"lock {self._number} (made at {where})" if where else "a lock"

    def _what(self) -> str:
        return f"for {self._name()}, which {self._holder} has" if self._is_program else "for a lock"

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *details: object) -> None:
        self.release()


class RLock(Lock):
    """`threading.RLock`, with what `threading.Condition` asks of one."""

    def __init__(self, baton: Baton, is_program: bool):
        super().__init__(baton, is_program)
        self._owner = 0
        self._count = 0

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:
        if self._owner == _thread.get_ident():
            self._count += 1
            return True
        if not super().acquire(blocking, timeout):
            return False
        self._owner, self._count = _thread.get_ident(), 1
        return True

    def release(self) -> None:
        if self._owner != _thread.get_ident():
            raise RuntimeError("cannot release un-acquired lock")
        self._count -= 1
        if not self._count:
            self._owner = 0
            super().release()

    def _is_owned(self) -> bool:
        return self._owner == _thread.get_ident()

    def _release_save(self) -> int:
        count, self._count, self._owner = self._count, 0, 0
        super().release()
        return count

    def _acquire_restore(self, count: int) -> None:
        self._baton.wait_until(self._take, self._waiters, self._what, is_gentle=True)
        self._locked = True
        self._owner, self._count = _thread.get_ident(), count


class Inbox:
    """`queue.SimpleQueue`."""

    def __init__(self, baton: Baton):
        self._baton = baton
        self._items: deque[Any] = deque()
        self._taken: list[Any] = []
        self._waiters: list[Any] = []

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        """See `queue.SimpleQueue`: never waits."""
        self._items.append(item)
        self._baton.wake(self._waiters)

    def get(self, block: bool = True, timeout: float | None = None) -> Any:
        """See `queue.SimpleQueue`."""
        if timeout is not None and timeout < 0:
            raise ValueError("'timeout' must be a non-negative number")
        found: list[Any] = []

        def take() -> bool:
            if self._items:
                found.append(self._items.popleft())
            return bool(found)

        limit = timeout if block else 0.0
        what = "for an item of a queue"
        if not self._baton.wait_until(take, self._waiters, lambda: what, limit):
            raise queue.Empty
        return found[0]

    def put_nowait(self, item: Any) -> None:
        """See `queue.SimpleQueue`."""
        self.put(item)

    def get_nowait(self) -> Any:
        """See `queue.SimpleQueue`."""
        return self.get(block=False)

    def empty(self) -> bool:
        """See `queue.SimpleQueue`."""
        return not self._items

    def qsize(self) -> int:
        """See `queue.SimpleQueue`."""
        return len(self._items)
