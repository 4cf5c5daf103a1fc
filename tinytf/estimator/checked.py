"""Named tuples whose fields are checked when they are made."""

from __future__ import annotations

import inspect
from typing import Any


class Checked:
    """To be derived from together with a named tuple of the fields: `class A(Checked, _Fields)`.

    `_checked` gets the fields as they were given, and returns them as they are to be.
    """

    __slots__ = ()

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        fields: Any = cls.__bases__[1]
        return tuple.__new__(cls, cls._checked(fields(*args, **kwargs)))  # type: ignore[type-var]

    def __init_subclass__(cls) -> None:
        setattr(cls, "__signature__", inspect.signature(cls.__bases__[1]))  # noqa: B010

    @classmethod
    def _checked(cls, given: Any) -> Any:
        return given

    def _replace(self, **kwargs: Any) -> Any:
        """A changed copy, checked again."""
        return type(self)(**{**self._asdict(), **kwargs})  # type: ignore[attr-defined]
