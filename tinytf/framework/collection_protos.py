"""How the items of a collection become messages in a MetaGraphDef, and come back from them.

Mirrors `register_proto_function` of tensorflow/python/framework/ops.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class CollectionProto:
    """For the items of a collection.

    Attributes:
      message: the protobuf class.
      to_proto: `(item, export_scope=...)` -> the message, or None for an item that is left out.
      from_proto: `(message, import_scope=...)` -> the item; its nodes are in the default graph.
    """

    message: Any
    to_proto: Callable[..., Any]
    from_proto: Callable[..., Any]


_by_collection: dict[str, CollectionProto] = {}


def register_collection(key: str, message: Any, to_proto: Any, from_proto: Any) -> None:
    """Say how the items of the collection `key` travel; see `CollectionProto`."""
    _by_collection[key] = CollectionProto(message, to_proto, from_proto)


def collection_proto(key: str) -> CollectionProto | None:
    """How the items of a collection travel; None if they do not as messages."""
    return _by_collection.get(key)


def strip_scope(name: str, scope: str | None) -> str:
    """A name as seen from inside a scope: "a/x:0" in "a" is "x:0"; also of "^a/x", "loc:@a/x".

    A name from outside stays as it is.
    """
    if not scope:
        return name
    mark, rest = _split_mark(name)
    inner = rest.removeprefix(scope.rstrip("/") + "/")
    return name if inner == rest else mark + inner.lstrip("/")


def prepend_scope(name: str, scope: str | None) -> str:
    """The opposite of `strip_scope`."""
    if not scope:
        return name
    mark, rest = _split_mark(name)
    return f"{mark}{scope.rstrip('/')}/{rest}"


def _split_mark(name: str) -> tuple[str, str]:
    for mark in ("^", "loc:@"):
        if name.startswith(mark):
            return mark, name[len(mark) :]
    return "", name
