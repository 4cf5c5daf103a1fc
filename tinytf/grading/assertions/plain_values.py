"""An answer as plain values: what a check may compare and show without asking the answer.

An answer may be anything: an object that says it equals everything, a list that contains itself, a
class whose `repr` ends the process. `plain` takes values out of it by the methods of Python's and
numpy's own types, never by those of the answer, so what it returns can be trusted.
"""

from __future__ import annotations

import reprlib
from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np

_EXACT = (type(None), bool, int, float, complex, str, bytes)
#: How many lists, arrays and the like an answer may consist of, and how deep they may be nested.
MOST_ITEMS = 100_000
_DEEPEST = 40
_type_name = type.__dict__["__name__"].__get__
_dtype_of = np.generic.__dict__["dtype"].__get__


class Strange:
    """Stands for what is no plain value.

    Attributes:
      kind: the name of its type, or what is wrong with it. value: itself, for `is` and `type`.
    """

    def __init__(self, kind: str, value: Any = None):
        self.kind = kind
        self.value = value

    def __repr__(self) -> str:
        return f"a {self.kind}"


class _Left:
    """How many items may still be looked at."""

    def __init__(self) -> None:
        self.items = MOST_ITEMS


def plain(value: Any) -> Any:
    """An answer's value, so that a check may compare it itself: `==` asks the answer.

    Returns:
      None, exact numbers, strings and bytes; exact lists, tuples, dictionaries and sets; arrays of
      numpy's own class. A numpy scalar becomes an array without dimensions, which keeps its dtype.
      What is nothing of this, at whatever place, becomes an object that is equal to itself only.

    Example:
      >>> class Liar(str):
      ...     def __eq__(self, other):
      ...         return True
      >>> Liar("no") == "yes", tinytf.grading.plain(Liar("no")) == "yes"
      (True, False)
    """
    return _plain(value, _Left(), 0)


def _plain(value: Any, left: _Left, depth: int) -> Any:
    kind = type(value)
    if any(kind is exact for exact in _EXACT):  # `in` would ask the type whether it is equal
        return value
    left.items -= 1
    if left.items < 0 or depth > _DEEPEST:
        return Strange("value that has too many parts, or contains itself")

    def each(items: Iterable[Any]) -> Iterable[Any]:
        return (_plain(item, left, depth + 1) for item in items)

    if issubclass(kind, np.ndarray):
        return _plain_array(value, left, depth)
    if issubclass(kind, np.generic):
        item = np.generic.item(value)
        return item if type(item) in (str, bytes) else np.array(item, dtype=_dtype_of(value))
    # Of a subclass: what its base has in it, by the method of the base.
    for base, take in _NUMBERS:
        if issubclass(kind, base):
            return take(value)
    if issubclass(kind, list):
        return list(each(list.__iter__(value)))
    if issubclass(kind, tuple):
        return tuple(each(tuple.__iter__(value)))
    if issubclass(kind, dict):
        return {_key(k): v for k, v in each(dict.items(value))}
    for of_these in (set, frozenset):
        if issubclass(kind, of_these):
            return {_key(item) for item in each(of_these.__iter__(value))}
    return Strange(_type_name(kind), value)


_NUMBERS: tuple[tuple[type, Any], ...] = (
    (int, int.__pos__),
    (float, float.__pos__),
    (complex, complex.__pos__),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
)


def _plain_array(value: Any, left: _Left, depth: int) -> Any:
    array = np.ndarray.view(value, np.ndarray)
    if array.dtype.type is np.void:
        return Strange("structured array", value)
    if array.dtype.kind in "biufcV":
        return array
    items = np.empty(array.size, object)
    for number, item in enumerate(array.ravel().tolist()):
        items[number] = _plain(item, left, depth + 1)
    return items[0] if array.shape == () else items.reshape(array.shape)


def _key(value: Any) -> Hashable:
    """A plain value that can be looked up."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return tuple(map(_key, value))
    return value if isinstance(value, Hashable) else Strange(type(value).__name__, value)


class _Short(reprlib.Repr):
    """Long values cut short; an array as the numbers it holds."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = 12
        self.maxstring = self.maxother = 120

    def repr_ndarray(self, value: Any, level: int) -> str:
        """Its numbers, and where there are too many its shape."""
        if value.size > 40:
            return f"an array of shape {list(value.shape)}, {value.dtype.name}"
        return self.repr1(value.tolist(), level)


def shown(value: Any) -> str:
    """A plain value as text, cut short."""
    return _Short().repr(value)
