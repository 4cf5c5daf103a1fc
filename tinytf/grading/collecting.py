"""The source of an answer: the learner's function and what of the notebook it uses.

The answer runs in another process, so its source has to go there: the function, the functions
and classes of the notebook it calls, the modules it names, and plain constants.
"""

from __future__ import annotations

import ast
import dis
import inspect
import linecache
import sys
import textwrap
from collections.abc import Sequence
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from tinytf.framework.spelling import did_you_mean

#: More functions are not listed: a lesson defines many.
_MOST_NAMES = 8
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
    if not function.__name__.isidentifier():
        raise CannotCollectError("The answer must be a function with a name: write it with `def`.")
    parts: dict[str, str] = {}
    _collect_into(function, function.__name__, parts)
    return "\n\n".join(parts.values()) + "\n"


def missing(symbol: str, names: Sequence[str]) -> str:
    """That no function has this name, and which names there are.

    Example:
      >>> missing("where", ["wher"])
      "Define a function called where first. Defined here: wher. Did you mean 'wher'?"
    """
    text = f"Define a function called {symbol} first."
    if 0 < len(names) <= _MOST_NAMES:
        text += f" Defined here: {', '.join(names)}."
    return text + did_you_mean(symbol, names)


def functions_of(namespace: dict[str, Any]) -> list[str]:
    """The names of the functions that were defined in a namespace: not what it imports.

    Example:
      >>> functions_of({"__name__": "answer", "tau": 6.28})
      []
    """
    home = namespace.get("__name__")
    return [
        name
        for name, value in namespace.items()
        if isinstance(value, FunctionType) and value.__module__ == home and name[0] != "_"
    ]


def _collect_into(item: Any, name: str, parts: dict[str, str]) -> None:
    parts[name] = ""  # a place in the order: what it uses comes first, itself last
    source = _source_of(item, name)
    namespace = getattr(item, "__globals__", None) or vars(sys.modules[item.__module__])
    # The whole definition, compiled: decorators, defaults and base classes use names as well.
    for used in sorted(_names(compile(source, "<definition>", "exec"))):
        if used in parts or used not in namespace:
            continue
        value = namespace[used]
        if isinstance(value, ModuleType):
            parts[used] = f"import {value.__name__} as {used}"
        elif isinstance(value, FunctionType | type) and value.__module__ == item.__module__:
            _collect_into(value, used, parts)
        else:
            home = _home_of(value)
            parts[used] = home.format(used) if home else f"{used} = {_literal(used, value)}"
    del parts[name]
    own_name = item.__name__
    is_alias = own_name != name and own_name.isidentifier()
    parts[name] = f"{source}\n{name} = {own_name}" if is_alias else source


def _source_of(item: Any, name: str) -> str:
    try:
        source = _class_source(item) if isinstance(item, type) else ""
        source = textwrap.dedent(source or inspect.getsource(item))
        ast.parse(source)
    except (OSError, TypeError, SyntaxError):  # the last: a lambda in the middle of something
        raise CannotCollectError(
            f"The source of {name!r} is not available. Define it in a cell of the notebook, with "
            f"`def` or `class`."
        ) from None
    return source


def _class_source(item: type) -> str:
    """The source of a class by its methods, which know their cell; "" if that fails.

    A notebook is no file, so before Python 3.13 `inspect` finds no class of it.
    """
    for method in vars(item).values():
        code = getattr(method, "__code__", None)
        if code is None:
            continue
        lines = linecache.getlines(code.co_filename)
        for node in ast.walk(ast.parse("".join(lines))):
            if isinstance(node, ast.ClassDef) and node.name == item.__name__:
                first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
                if first <= code.co_firstlineno <= (node.end_lineno or first):
                    return "".join(lines[first - 1 : node.end_lineno])
    return ""


def _home_of(value: Any) -> str:
    """The import statement for what some module offers, with {} for the name; "" if none does."""
    name = getattr(value, "__name__", "")
    module = "numpy" if isinstance(value, np.ufunc) else getattr(value, "__module__", "")
    if name and getattr(sys.modules.get(str(module)), name, None) is value:
        return f"from {module} import {name} as {{}}"
    return ""


def _names(code: CodeType) -> set[str]:
    """The global names that code reads; not attributes, which may be called like one of them."""
    names = {
        instruction.argval
        for instruction in dis.get_instructions(code)
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME")
    }
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
