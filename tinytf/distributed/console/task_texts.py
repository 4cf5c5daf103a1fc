"""What a task's cell says: errors with the cell's own lines, completions of a name."""

from __future__ import annotations

import builtins
import io
import keyword
import re
import sysconfig
import tokenize
import traceback
from collections.abc import Mapping
from typing import Any

from tinytf.framework import call_site
from tinytf.framework.errors import OpError

#: Their messages say what to do, and where in the learner's program; where inside tinytf they
#: come from is of no use. Other errors might be tinytf's own fault, and keep every line.
_TEACHING = (OpError, ValueError, TypeError, RuntimeError, KeyboardInterrupt, SystemExit)
_CELL = re.compile(r'  File "(In\[[^"]*)"')
_NAME = re.compile(r"[^\W\d][\w.]*$|$")
_ERROR_CLASS = re.compile(r"^tinytf\.errors\.", re.MULTILINE)
_LIBRARIES = ("<frozen ", *(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")))
_LONGEST_ERROR = 100_000
_LONGEST_SHORT = 160


def describe(error: BaseException, own_file: str) -> tuple[str, str]:
    """An error's traceback, and the same in one line.

    Args:
      error: what a cell raised. own_file: whose frames are left out: what runs the cells.
    """
    found = traceback.TracebackException.from_exception(error)
    left_out = _trim(found, own_file, isinstance(error, _TEACHING))
    text = _CELL.sub(r"  \1", "".join(found.format()))
    text = printable(_ERROR_CLASS.sub("tf.errors.", text))
    if left_out and not isinstance(error, (OpError, KeyboardInterrupt)):
        text += f"({left_out} calls inside tinytf are left out: traceback.print_last() has them.)\n"
    if isinstance(error, SystemExit):
        text += "The cell is over; the task itself goes on (%cluster kill ends it).\n"
    if len(text) > _LONGEST_ERROR:
        half = _LONGEST_ERROR // 2
        text = f"{text[:half]}\n[...]\n{text[-half:]}"
    return text, _in_short(error)


def _in_short(error: BaseException) -> str:
    try:
        lines = printable(str(error)).strip().splitlines() or [""]
        # "From /job:ps/replica:0/task:0:" alone is not what went wrong.
        message = " ".join(lines[:2]) if lines[0].endswith(":") else lines[0]
    except Exception as broken:  # the learner's own __str__
        message = f"<its text cannot be had: {type(broken).__name__}>"
    line = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return line if len(line) <= _LONGEST_SHORT else line[:_LONGEST_SHORT] + " ..."


def _trim(found: traceback.TracebackException, own_file: str, briefly: bool) -> int:
    """Leave out what the learner has not written; all frames of an error that is perhaps ours.

    Returns:
      how many of tinytf's are left out.
    """
    frames = [frame for frame in found.stack if frame.filename != own_file]
    if issubclass(found.exc_type or BaseException, SyntaxError) and not any(
        frame.filename.startswith("In[") for frame in frames
    ):
        frames = []  # it is the cell that cannot be read; who tried is of no interest
    kept = (_without_tinytf(frames) or frames) if briefly else frames
    found.stack = traceback.StackSummary.from_list(kept)
    for other in (found.__cause__, found.__context__, *(found.exceptions or ())):
        if other is not None:
            _trim(other, own_file, briefly)
    return len(frames) - len(kept)


def _without_tinytf(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """The frames of the program's own files: not tinytf's, nor of libraries that tinytf called."""
    kept, inside = [], False
    for frame in frames:
        file = frame.filename
        if call_site.is_own(file) or file.startswith("<tinytf "):  # the latter is generated code
            inside = True
        elif not (inside and file.startswith(_LIBRARIES)):
            inside = False
            kept.append(frame)
    return kept


def printable(text: str) -> str:
    """The text without halves of characters, which cannot be sent or shown."""
    return text if text.isascii() else text.encode(errors="backslashreplace").decode()


def ends_well(error: BaseException | None) -> bool:
    """Whether that is no failure of a cell: nothing, or `sys.exit()` at its end."""
    return error is None or (isinstance(error, SystemExit) and error.code in (None, 0))


def is_silenced(source: str) -> bool:
    """Whether a cell ends with a semicolon: then its value is not shown, as in a notebook."""
    last = ""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.OP or token.string.strip():
            last = last if token.type == tokenize.COMMENT else token.string
    return last == ";"


def complete(text: str, cursor: int, names: Mapping[str, Any]) -> tuple[int, list[str]]:
    """What the name before the cursor may become.

    Args:
      text: a cell. cursor: an offset in it. names: the cells' namespace.

    Returns:
      where the completed part begins, and what may stand there, in order.
    """
    cursor = max(0, min(cursor, len(text)))
    match = _NAME.search(text, 0, cursor)
    path = match.group() if match else ""
    before = text[: cursor - len(path)]
    owner, dot, part = path.rpartition(".")
    if not path or before.endswith("."):  # after a call or an index: nothing is known
        return cursor, []
    if not dot:
        known = {*list(names), *vars(builtins), *keyword.kwlist}
    else:
        known = _attributes(owner.split("."), names)
    matches = sorted(
        name
        for name in known
        if name.startswith(part) and (part.startswith("_") or not name.startswith("_"))
    )
    return cursor - len(part), matches


def _attributes(path: list[str], names: Mapping[str, Any]) -> set[str]:
    found = names.get(path[0], getattr(builtins, path[0], None))
    try:
        for name in path[1:]:
            found = getattr(found, name)
        return {name for name in dir(found) if isinstance(name, str)}
    except Exception:  # whatever a property of the learner's raises: there is nothing to offer
        return set()
