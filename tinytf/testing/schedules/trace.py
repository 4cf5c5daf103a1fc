"""What happened, line by line: who did what, and in which line of the program."""

from __future__ import annotations

import os
import sys
import sysconfig
from dataclasses import dataclass
from types import CodeType, FrameType

from tinytf.framework import call_site
from tinytf.framework.thread_frames import thread_frames

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))) + os.sep
_STDLIB = sysconfig.get_paths()["stdlib"] + os.sep
#: Code that belongs to whoever called it: tinytf, and the modules whose waits are scheduled.
_PASSED_OVER = (
    _PACKAGE,
    "<tinytf",
    f"{_STDLIB}threading.py",
    f"{_STDLIB}queue.py",
    f"{_STDLIB}concurrent{os.sep}futures{os.sep}",
)
#: Libraries: what they wait for among themselves is none of the schedule's business.
_LIBRARIES = (
    *(sysconfig.get_paths()[kind] + os.sep for kind in ("stdlib", "purelib", "platlib")),
    "<frozen ",
    _PACKAGE,
    "<tinytf",
)

Place = tuple[CodeType, int]


def is_program(frame: FrameType | None, skip: tuple[str, ...] = _PASSED_OVER) -> bool:
    """Whether the program itself called, or a library did; a thread's own start is the program."""
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(skip):
            return not name.startswith(_LIBRARIES)
        frame = frame.f_back
    return True


def is_called_by_program(frame: FrameType | None, is_direct: bool = False) -> bool:
    """The same, but what concurrent.futures does for the program is not the program.

    `is_direct`: nor is what anybody else does for it.
    """
    return is_program(frame, () if is_direct else _PASSED_OVER[:4])


def place() -> Place | None:
    """Where the program is: the innermost line of it on the calling thread."""
    return _place(sys._getframe(1))


def place_of_thread(identity: int) -> Place | None:
    """The same for another thread."""
    return _place(thread_frames().get(identity))


def _place(frame: FrameType | None) -> Place | None:
    while frame is not None:
        name = frame.f_code.co_filename
        if not name.startswith(_PASSED_OVER) and not name.startswith(_LIBRARIES):
            return frame.f_code, frame.f_lasti
        frame = frame.f_back
    return None


def show_place(where: Place | None) -> str:
    """As in "program.py:12  sess.run(x)"; nothing for None."""
    if where is None:
        return ""
    line = call_site.resolve((where,))[0]
    return f"{os.path.basename(line.file)}:{line.line}  {line.text}"


@dataclass(slots=True)
class Line:
    """One line of the trace."""

    turn: int
    thread: str
    what: str
    where: Place | None
    result: str = ""
    is_failure: bool = False

    def __str__(self) -> str:
        what = f"{self.what} = {self.result}" if self.result else self.what
        return f"{what:<58} {show_place(self.where)}".rstrip()


def show(lines: list[Line], last: int | None) -> str:
    """The trace as text; `last`: only so many lines of it, besides those marked."""
    shown = lines if last is None else lines[-last:]
    left_out = len(lines) - len(shown)
    marked = [line for line in lines[:left_out] if line.is_failure]
    width = max((len(line.thread) for line in lines), default=0)
    text = [f"  ... {left_out} lines before these"] if left_out else []
    for line in marked + shown:
        mark = "-->" if line.is_failure else "   "
        text.append(f"{mark}{line.turn:5}  {line.thread:<{width}}  {line}")
    return "\n".join(text)
