"""What a thread that should have ended is doing: for messages.

It waits in an operation, or in a call that has said so (`tinytf.framework.waiting`), or it runs
the program's own code.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path

from tinytf.framework import call_site, waiting
from tinytf.framework.thread_frames import thread_frames

#: This package, and Python's own library: the lines that call them say more.
_NOT_THE_PROGRAMS = (
    str(Path(__file__).parents[1]) + os.sep,
    str(Path(threading.__file__).parent) + os.sep,
)


def what_it_does(thread: threading.Thread) -> str:
    """What comes after the thread's name: "waits in q_enqueue (QueueEnqueueV2) for room ...".

    For an operation with the line that built it; for a thread that waits for nothing that we know
    of, with the line that it runs; "has just ended" if it has.
    """
    entry = waiting.blocked_in(thread.ident)
    waits = entry.waiter.waits() if entry is not None else []
    if waits:
        return "; ".join(map(_describe, waits))
    line = _line_of(thread)
    return "has just ended" if line is None else f"runs {line}".replace("\n", "\n  ")


def _line_of(thread: threading.Thread) -> call_site.Line | None:
    """The innermost line of the program's own that a thread runs; None if it has ended."""
    innermost = frame = thread_frames().get(thread.ident or 0)
    while frame is not None and frame.f_code.co_filename.startswith(_NOT_THE_PROGRAMS):
        frame = frame.f_back
    shown = frame or innermost
    return None if shown is None else call_site.resolve(((shown.f_code, shown.f_lasti),))[0]


def _describe(wait: waiting.Wait) -> str:
    where = "" if wait.on is None else f" in {wait.on.describe()}"
    if wait.op is None:
        return f"waits for {wait.what}{where}"
    place = f"{wait.caller}{wait.op.name} ({wait.op.type})"
    origin = wait.op.describe_origin().replace("\n", "\n    ")
    return f"waits in {place} for {wait.what}{where}\n    {origin}"
