"""Where in the user's program something was built.

Errors out of a step must show the line the learner wrote, not a frame inside this package. The
frames are kept as (code object, instruction offset) and turned into file, line and text only
when somebody asks: an error, a repr.
"""

from __future__ import annotations

import linecache
import os
import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import NamedTuple

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
_DEPTH = 8

#: Set by tinytf.jupyter: turns the file name of a notebook cell into "In[3]", or returns None.
name_of_cell: Callable[[str], str | None] | None = None

Frames = tuple[tuple[CodeType, int], ...]
_known: dict[tuple[int, ...], Frames] = {}


class Line(NamedTuple):
    """One resolved frame: `file` is a path or a notebook cell such as "In[3]"."""

    file: str
    line: int
    function: str
    text: str

    def __str__(self) -> str:
        where = self.file if self.file.startswith("In[") else f'File "{self.file}"'
        place = f"{where}, line {self.line}"
        if self.function != "<module>":
            place += f", in {self.function}"
        return f"{place}\n    {self.text}" if self.text else place


def is_own(file: str) -> bool:
    """Whether a file is one of this package, and not of the user's program."""
    return file.startswith(_PACKAGE)


def shown(file: str) -> str:
    """What a file is called in messages: a notebook cell is "In[3]"."""
    return (name_of_cell and name_of_cell(file)) or file


def capture() -> Frames:
    """The innermost frames of the caller's program, innermost first, without this package's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    innermost = frame
    places: list[int] = []
    while frame is not None and len(places) < 2 * _DEPTH:
        places += (id(frame.f_code), frame.f_lasti)
        frame = frame.f_back
    # A program has few lines and builds many operations on each: they share one tuple. It keeps
    # its code objects alive, so their ids stay theirs.
    key = tuple(places)
    found = _known.get(key)
    if found is None:
        found = _known[key] = _frames_from(innermost)
    return found


def _frames_from(frame: FrameType | None) -> Frames:
    frames: list[tuple[CodeType, int]] = []
    while frame is not None and len(frames) < _DEPTH:
        frames.append((frame.f_code, frame.f_lasti))
        frame = frame.f_back
    return tuple(frames)


def resolve(frames: Frames) -> list[Line]:
    """The frames as lines, innermost first."""
    return [_resolve(code, offset) for code, offset in frames]


def user_line(frames: Frames) -> Line | None:
    """The line the user wrote: the innermost frame outside this package."""
    return _resolve(*frames[0]) if frames else None


def _resolve(code: CodeType, offset: int) -> Line:
    line = next(
        (number for start, end, number in code.co_lines() if start <= offset < end and number),
        code.co_firstlineno,
    )
    text = linecache.getline(code.co_filename, line).strip()
    cell = name_of_cell(code.co_filename) if name_of_cell is not None else None
    return Line(cell or code.co_filename, line, code.co_name, text)
