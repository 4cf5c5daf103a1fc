"""The source of an answer: the learner's function and what of the notebook it uses.

The answer runs in another process, so its source has to go there: the function, the functions
and classes of the notebook it calls, the modules it names, and plain constants.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from types import CodeType, FunctionType, ModuleType
from typing import Any

_PLAIN = (int, float, complex, str, bytes, bool, type(None))


class CannotCollectError(ValueError):
    """The source of an answer cannot be had; the message says of what, and what to do."""


def collect(function: Any) -> str:
    """Source text that defines `function` and the names of its module it uses.

    Raises:
      CannotCollectError: if there is no source, or it uses a value that cannot be written down.
    """
    if not isinstance(function, FunctionType):
        raise CannotCollectError(f"The answer must be a function, not {type(function).__name__}.")
    parts: dict[str, str] = {}
    _collect_into(function, parts)
    return "\n\n".join(parts.values()) + "\n"


def _collect_into(item: Any, parts: dict[str, str]) -> None:
    parts[item.__name__] = ""  # a place in the order: what it uses comes first, itself last
    source = _source_of(item)
    code = item.__code__ if isinstance(item, FunctionType) else compile(source, "<class>", "exec")
    namespace = item.__globals__ if isinstance(item, FunctionType) else {}
    for name in sorted(_names(code)):
        if name in parts or name not in namespace or hasattr(builtins, name):
            continue
        value = namespace[name]
        if isinstance(value, ModuleType):
            parts[name] = f"import {value.__name__} as {name}"
        elif isinstance(value, FunctionType | type) and value.__module__ == item.__module__:
            _collect_into(value, parts)
        elif isinstance(value, FunctionType | type):
            parts[name] = f"from {value.__module__} import {value.__qualname__} as {name}"
        else:
            parts[name] = f"{name} = {_literal(name, value)}"
    del parts[item.__name__]
    parts[item.__name__] = source


def _source_of(item: Any) -> str:
    try:
        return textwrap.dedent(inspect.getsource(item))
    except (OSError, TypeError):
        raise CannotCollectError(
            f"The source of {item.__name__} is not available. Define it in a cell of the notebook."
        ) from None


def _names(code: CodeType) -> set[str]:
    names = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            names |= _names(constant)
    return names


def _literal(name: str, value: Any) -> str:
    text = repr(value)
    try:
        if isinstance(value, _PLAIN) or ast.literal_eval(text) == value:
            return text
    except (ValueError, SyntaxError):
        pass  # not a literal: explained below
    raise CannotCollectError(
        f"Your answer uses {name!r} of the notebook, a {type(value).__name__} that cannot be taken "
        f"to the process that checks it. Make it inside your function."
    )
