"""Every public method says what it does: in its own docstring, or in that of what it overrides.

ruff's rule for methods (D102) cannot see the second, and would have each override say "See `Base`".
"""

import contextlib
import importlib
import inspect
import pkgutil
from types import ModuleType
from typing import Any

import tinytf

#: Generated, or a program that runs when it is imported.
_LEFT_OUT = ("_pb2", "__main__", "pip_init")


def modules() -> list[ModuleType]:
    """All of tinytf, but for what needs a package that is not there."""
    found = []
    for info in pkgutil.walk_packages(tinytf.__path__, "tinytf."):
        if not info.name.endswith(_LEFT_OUT):
            with contextlib.suppress(ModuleNotFoundError):
                found.append(importlib.import_module(info.name))
    return found


def undocumented(module: Any) -> list[str]:
    """The public methods and properties of public classes that nothing says a word of."""
    kinds = (property, classmethod, staticmethod)
    return [
        f"{module.__name__}.{cls.__name__}.{name}"
        for cls in vars(module).values()
        if inspect.isclass(cls)
        and cls.__module__ == module.__name__
        and not cls.__name__.startswith("_")
        for name, value in vars(cls).items()
        if not name.startswith("_")
        and (inspect.isfunction(value) or isinstance(value, kinds))
        and not any(vars(base)[name].__doc__ for base in cls.__mro__ if name in vars(base))
    ]


def test_every_public_method_is_documented():
    assert [name for module in modules() for name in undocumented(module)] == []


def test_what_has_no_words_anywhere_is_found():
    module: Any = ModuleType("example")
    exec(  # noqa: S102  # classes of a module of their own
        "class Base:\n"
        "    def told(self):\n"
        "        'What it does.'\n"
        "    def untold(self): pass\n"
        "class Derived(Base):\n"
        "    def told(self): pass\n",
        vars(module),
    )
    assert undocumented(module) == ["example.Base.untold"]
