"""Which threads matter to those who wait: the user's, apart from those of libraries.

A thread that does not wait may do anything sooner or later. But a notebook has a dozen threads of
Jupyter's, and some are tinytf's own: if these counted, nobody would ever be stuck. So it is looked
at what a thread runs at the moment. In doubt it counts: better silent than a false alarm.
"""

from __future__ import annotations

import functools
import os
import threading
from types import FrameType

from tinytf.framework import call_site
from tinytf.framework.thread_frames import frame_locals
from tinytf.framework.waiting import Wait

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_SESSION = os.path.join(_PACKAGE, "session", "")

_JOIN = threading.Thread.join.__code__
#: What the main thread runs when the program is over but for other threads.
_SHUTDOWN = getattr(getattr(threading, "_shutdown", None), "__code__", None)
#: Threads that run nothing of the user's in these are at leisure.
_POOLS = tuple(
    os.path.join(*path)
    for path in (("concurrent", "futures", "thread.py"), ("multiprocessing", "pool.py"))
)


def matters(thread: threading.Thread, frame: FrameType | None) -> bool:
    """Whether a thread that is not known to wait may do something for others.

    Args:
      frame: what it runs at the moment.
    """
    is_main = thread is threading.main_thread()
    is_ours = thread.name.startswith("tinytf-")
    only_python = True
    while frame is not None:
        code = frame.f_code
        if is_main and code is _SHUTDOWN:
            return False
        kind = _kind(code.co_filename)
        if is_ours and code.co_filename.startswith(_SESSION):
            kind = "tinytf's"  # a step with a deadline: who asked for it waits, and is known
        if kind == "user's":
            return True
        only_python = only_python and kind == "Python's"
        frame = frame.f_back
    # A threading.Timer, or one that is about to begin: nothing but Python's own code.
    return is_main or only_python


def waits_of(frame: FrameType | None) -> list[Wait]:
    """What a thread waits for in code that does not tell: in `Thread.join`, without a timeout."""
    while frame is not None and _kind(frame.f_code.co_filename) == "Python's":
        if frame.f_code is _JOIN:
            local = frame_locals(frame)
            thread, timeout = local.get("self"), local.get("timeout")
            if timeout is not None or thread is None or thread.ident is None:
                return []
            what = f"threads to end: {thread.name}"
            return [Wait(what, needs="end", threads=(thread.ident,))]
        frame = frame.f_back
    return []


def line_of(frame: FrameType | None) -> str:
    """The line of the user's program that a thread runs: "In[3], line 2: coord.join(threads)"."""
    while frame is not None:
        name = frame.f_code.co_filename
        if _kind(name) == "user's" and not name.startswith(_SESSION):
            line = call_site.resolve(((frame.f_code, frame.f_lasti),))[0]
            return f"{line.file}, line {line.line}: {line.text}"
        frame = frame.f_back
    return ""


@functools.lru_cache(maxsize=4096)
def _kind(filename: str) -> str:
    """Whose a file is: "user's", "Python's", "tinytf's", or that of a "library"."""
    if filename.startswith(_SESSION):
        return "user's"  # he runs a step on this thread
    if filename.startswith((_PACKAGE, "<tinytf")):  # the latter is generated code
        return "tinytf's"
    python, libraries = _folders()
    if filename.startswith(libraries) or filename.endswith(_POOLS):
        return "library"
    if filename.startswith((python, "<frozen")):
        return "Python's"
    return "user's"


@functools.cache
def _folders() -> tuple[str, tuple[str, ...]]:
    """Where Python's own library is, and where others are installed."""
    import sysconfig  # slow to import

    def path(name: str) -> str:
        return os.path.join(sysconfig.get_path(name), "")

    return path("stdlib"), (path("purelib"), path("platlib"))
