"""What each thread runs at the moment."""

from __future__ import annotations

import contextlib
import gc
import sys
import threading
from collections.abc import Generator, Mapping
from types import FrameType
from typing import Any

# Also held when a handler of signals asks once more, in the midst of it.
_lock = threading.RLock()
#: Whether the collector was switched off here, and not on again: an interrupt may come in between.
_is_off = False


def thread_frames() -> dict[int, FrameType]:
    """The innermost frame of every thread, by the thread's identifier.

    `sys._current_frames()` without collecting garbage meanwhile: it makes frames while it holds the
    lock of the interpreter's list of threads, and up to Python 3.11 that may collect. A destructor
    that wants the lock too, as that of a thread's locals does, would then wait for ever.

    The callers are looked at here as well: `f_back` too makes the frame that it returns, the first
    time. If that collected, a destructor would let the other thread go on and leave the function
    whose frame is being made: Python 3.11 then takes for a frame whatever lies there, or crashes.
    From here on `f_back` makes nothing; for what the frames hold there is `frame_locals`.

    Example:
      >>> thread_frames()[threading.get_ident()].f_code.co_name
      '<module>'
    """
    with _without_collecting():
        frames = sys._current_frames()
        for innermost in frames.values():
            frame: FrameType | None = innermost
            while frame is not None:
                frame = frame.f_back
        return frames


def frame_locals(frame: FrameType) -> Mapping[str, Any]:
    """`frame.f_locals` of a frame of another thread: they are copied, with the same danger."""
    with _without_collecting():
        return frame.f_locals


@contextlib.contextmanager
def _without_collecting() -> Generator[None]:
    global _is_off
    with _lock:
        _is_off = collects = gc.isenabled() or _is_off
        try:
            if collects:  # else whoever switches it on meanwhile would find it off again, for good
                gc.disable()
            yield
        finally:
            if collects:
                gc.enable()
            _is_off = False
