"""Notebook cells by the number the learner sees.

IPython compiles a cell under a file name of its own; its compiler knows which cell that was. With
this, the origin of an operation reads "In[3], line 2".
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

from tinytf.framework import call_site


def namer(shell: Any) -> Callable[[str], str | None]:
    """For an IPython shell: the function from a file name to "In[3]", or None for real files."""

    def name_of_cell(file: str) -> str | None:
        described = shell.compile.format_code_name(file)
        return described[1] if described else None

    return name_of_cell


def running(shell: Any) -> int:
    """The number of the cell that calls a magic.

    Some versions of IPython have counted it when it runs, others count it after.
    """
    frame: Any = sys._getframe(1)
    while frame is not None:
        match = re.match(r"In\[(\d+)\]", call_site.shown(frame.f_code.co_filename))
        if match:
            return int(match[1])
        frame = frame.f_back
    return int(shell.execution_count)


def attach(shell: Any) -> None:
    """Let origins name the cells of `shell`."""
    if hasattr(shell.compile, "format_code_name"):
        call_site.name_of_cell = namer(shell)


def detach() -> None:
    """Let origins name files again."""
    call_site.name_of_cell = None
