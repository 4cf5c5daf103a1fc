"""What an answer must leave as it is: the functions and classes that the checks rely on.

An answer that replaces `numpy.allclose`, `print` or a method of the session would be judged by its
own rules. So what the modules hold is noted before the answer is loaded, and compared afterwards.
This catches what is replaced by name. It is no wall: whoever runs in one process with the checks
can deceive them, and what an answer may reach is decided by the sandbox.
"""

from __future__ import annotations

import builtins
import sys
from collections.abc import Iterator
from types import ModuleType
from typing import Any

_HOMES = ("tinytf", "numpy", "exercise_checks", "threading", "json", "os")


class Guard:
    """Notes the functions and classes that are loaded, and says later which were replaced.

    Example:
      >>> guard = Guard()
      >>> numpy.allclose = lambda *_: True
      >>> guard.put_back()
      ['numpy.allclose']
    """

    def __init__(self) -> None:
        # All that can be called: to look at each name is slower, and few ever change.
        self._known = [
            (place, {name: value for name, value in list(vars(place).items()) if callable(value)})
            for place in _places()
        ]

    def put_back(self) -> list[str]:
        """Put back what was replaced; return the names."""
        changed = [
            (place, name, value)
            for place, known in self._known
            for there in (vars(place),)
            for name, value in known.items()
            if there.get(name) is not value and _counts(name)
        ]
        for place, name, value in changed:
            setattr(place, name, value)
        return [f"{_name(place)}.{name}" for place, name, _ in changed]


def _counts(name: str) -> bool:
    """Whether a name stays what it is: those with an underscore may be bound late."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def _places() -> Iterator[Any]:
    """The modules, and the classes of tinytf and of the checks."""
    yield builtins
    for name, module in list(sys.modules.items()):
        home = name.partition(".")[0]
        if not isinstance(module, ModuleType) or home not in _HOMES:
            continue
        yield module
        for value in list(vars(module).values()):
            if isinstance(value, type) and value.__module__ == name and home == "tinytf":
                yield value


def _name(place: Any) -> str:
    return str(place.__name__) if isinstance(place, ModuleType) else str(place.__qualname__)
