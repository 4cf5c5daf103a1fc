"""On which processor a thread runs, and on which it may: so that helpers are beside who calls them.

Linux wakes a thread where it ran last, or where the one runs that wakes it. On virtual machines of
few processors both are often one and the same, and stay so for milliseconds while another has
nothing to do: measured with two processors, four of five calls for a helper of 1 to 3 ms ran both
threads on one of them, one after the other. Who calls a helper has it kept off its own processor.
"""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Iterable

#: More threads have as many processors, of which the system finds a free one by itself; and each
#: call would have to move all of them.
_FEW_THREADS = 8


def _finder() -> Callable[[], int] | None:
    """The system's function for the processor that the calling thread is on, where it has one."""
    if not hasattr(os, "sched_setaffinity"):
        return None
    try:
        # A look at a page of memory, 0.1 us: not worth giving the interpreter's lock away.
        return ctypes.PyDLL(None).sched_getcpu
    except (AttributeError, OSError):
        return None


_find = _finder()


def current() -> int:
    """The number of the processor that the calling thread is on; -1 where it cannot be known.

    It may be on another one as soon as this returns.
    """
    return -1 if _find is None else _find()


def keep_off(processor: int, threads: Iterable[int]) -> None:
    """From now on these threads run on the calling thread's other processors; if it has others.

    Args:
      processor: as `current` gives it; -1 changes nothing.
      threads: native ids. Those that have ended are left out.

    Example:
      >>> keep_off(current(), [helper.native_id])
    """
    if processor < 0:
        return
    try:
        others = os.sched_getaffinity(0) - {processor}
        if others:
            for thread in threads:
                os.sched_setaffinity(thread, others)
    except OSError:  # a thread that has ended, or a system that does not allow it
        return


class Helpers:
    """Threads that others call, and that keep off the processor of who called them last.

    Example:
      >>> helpers.make_room()
      >>> jobs.put(job)
    """

    def __init__(self) -> None:
        self._threads: set[int] = set()  # native ids
        self._kept_off = -1

    def make_room(self) -> None:
        """Whatever they are given from now on, they do beside the calling thread."""
        here = current()
        if here != self._kept_off and len(self._threads) < _FEW_THREADS:
            keep_off(here, tuple(self._threads))
            self._kept_off = here

    def add_me(self) -> None:
        """The calling thread is one of them."""
        self._threads.add(threading.get_native_id())
        self._kept_off = -1  # this one is not, yet

    def discard_me(self) -> None:
        """The calling thread is no longer one of them."""
        self._threads.discard(threading.get_native_id())
