"""Partial device names, and merging them: what the placer computes with.

A partial name is a tuple (job, replica, task, type, index) with None for what is left open.
`tf.device` merges names by one overriding the other (`tinytf.framework.device_spec`); the placer
has to satisfy all of them at once, so its merging finds conflicts. TensorFlow:
core/util/device_name_utils.cc.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
from typing import Any

from tinytf.framework.errors import InvalidArgumentError

#: (job, replica, task, type, index)
Partial = tuple[str | None, int | None, int | None, str | None, int | None]

#: Any device at all.
ANYWHERE: Partial = (None, None, None, None, None)

_PARTS = ("jobs", "replicas", "tasks", "types", "ids")
_NUMBER = r"(\*|[0-9]+)"
_PIECE = re.compile(
    rf"/job:(?P<job>\*|[A-Za-z][A-Za-z0-9_]*)(?=/|$)|/replica:(?P<replica>{_NUMBER})"
    rf"|/task:(?P<task>{_NUMBER})"
    rf"|/device:(?P<type>\*|[A-Za-z][A-Za-z0-9_]*)(?::(?P<index>{_NUMBER}))?"
    rf"|/(?P<short>cpu|CPU|gpu|GPU):(?P<number>{_NUMBER})"
)


class Conflict(Exception):
    """Two partial names that no device has at once; its text says which parts differ."""


@functools.lru_cache(maxsize=4096)
def parse(name: str) -> Partial | None:
    """A device name as a tuple; None if the runtime cannot read it.

    It is stricter than `tf.DeviceSpec`: a job is letters, digits and underscores, for example.
    """
    parts: dict[str, Any] = {}
    at = 0
    while at < len(name) and name != "/":
        found = _PIECE.match(name, at)
        if found is None:
            return None
        at = found.end()
        given = {key: value for key, value in found.groupdict().items() if value is not None}
        if "short" in given:
            given = {"type": given["short"].upper(), "index": given["number"]}
        parts.update({key: None if value == "*" else value for key, value in given.items()})

    def number(key: str) -> int | None:
        return None if parts.get(key) is None else int(parts[key])

    return parts.get("job"), number("replica"), number("task"), parts.get("type"), number("index")


_LOCAL = re.compile(r"[A-Za-z][A-Za-z0-9_]*:[0-9]+")


def check_device_filters(filters: Iterable[str]) -> None:
    """Raise InvalidArgumentError unless all `device_filters` of a `ConfigProto` name devices.

    Besides partial names, a type and a number, "GPU:0", are fine.
    """
    for text in filters:
        if parse(text) is None and not _LOCAL.fullmatch(text):
            raise InvalidArgumentError(
                f"Invalid device filter: {text}. The device_filters of a tf.ConfigProto are names "
                f"of devices or parts of them, such as '/job:ps' or '/job:worker/task:0'."
            )


def text_of(partial: Partial) -> str:
    """The name in canonical form: "/job:worker/device:GPU:*" for example; "" for anywhere."""
    job, replica, task, kind, index = partial
    text = "" if job is None else f"/job:{job}"
    text += "" if replica is None else f"/replica:{replica}"
    text += "" if task is None else f"/task:{task}"
    if kind is not None:
        text += f"/device:{kind}:{'*' if index is None else index}"
    return text


def matches(pattern: Partial, full: Partial) -> bool:
    """Whether a full name has all parts that a partial one gives."""
    return all(p is None or p == f for p, f in zip(pattern, full, strict=True))


def compatible(first: Partial, second: Partial) -> bool:
    """Whether no part is given differently by both."""
    return all(a is None or b is None or a == b for a, b in zip(first, second, strict=True))


def merge(target: Partial, other: Partial, soft: bool = False) -> Partial:
    """The name that has all parts of both.

    Args:
      soft: soft placement: a type or index that both give differently is left open instead.

    Raises:
      Conflict: if a part is given differently, in TensorFlow's words.
    """
    if target == other or other == ANYWHERE:
        return target
    merged: Any = list(target)
    for part, value in enumerate(other):
        if value is None:
            continue
        if merged[part] is None or merged[part] == value:
            merged[part] = value
        elif soft and part >= 3:
            # An index means nothing without its type.
            return (*merged[:part], None, None)[:5]
        else:
            raise Conflict(
                f"Cannot merge devices with incompatible {_PARTS[part]}: "
                f"'{text_of(tuple(merged))}' and '{text_of(other)}'"
            )
    return tuple(merged)


def override(target: Partial, by: Partial) -> Partial:
    """The first name with every part that the second gives."""
    if by == ANYWHERE:
        return target
    return tuple(t if b is None else b for t, b in zip(target, by, strict=True))  # type: ignore[return-value]
