"""Which modules are the user's program, and which only what it imports."""

from __future__ import annotations

import functools
import os
import sysconfig
from collections.abc import Mapping
from typing import Any

#: Folders that packages are installed in, wherever they are.
_INSTALLED = {"site-packages", "dist-packages"}
#: Python's own modules, and tinytf's.
_OTHERS = tuple(
    os.path.join(os.path.realpath(folder), "")
    for folder in (
        sysconfig.get_path("stdlib"),
        sysconfig.get_path("platstdlib"),
        os.path.dirname(os.path.dirname(os.path.dirname(__file__))),
    )
)


def is_users(space: Mapping[str, Any] | None) -> bool:
    """Whether a module is part of the user's program, by its global names.

    A cell, `python -c` and what is typed in have no file, and are `__main__`.
    """
    if space is None:
        return False
    file = space.get("__file__")
    if file is None:
        return space.get("__name__", "__main__") == "__main__"
    return isinstance(file, str) and _is_users_file(file)


@functools.cache
def _is_users_file(file: str) -> bool:
    path = os.path.abspath(file)
    if _INSTALLED.intersection(path.split(os.sep)):
        return False
    return not os.path.realpath(path).startswith(_OTHERS)
