"""What each thread runs at the moment."""

from __future__ import annotations

import gc
import sys
import threading
from types import FrameType

# Also held when a handler of signals asks once more, in the midst of it.
_lock = threading.RLock()
#: Whether the collector was switched off here, and not on again: an interrupt may come in between.
_is_off = False


def thread_frames() -> dict[int, FrameType]:
    """The innermost frame of every thread, by the thread's identifier.

    `sys._current_frames()` without collecting garbage meanwhile: it makes frames while it holds the
    lock of the interpreter's list of threads, and up to Python 3.11 that may collect. A destructor
    that wants the lock too, as that of a thread's locals does, would then wait for ever.

    Example:
      >>> thread_frames()[threading.get_ident()].f_code.co_name
      '<module>'
    """
    global _is_off
    with _lock:
        _is_off = collects = gc.isenabled() or _is_off
        try:
            if collects:  # else whoever switches it on meanwhile would find it off again, for good
                gc.disable()
            return sys._current_frames()
        finally:
            if collects:
                gc.enable()
            _is_off = False
