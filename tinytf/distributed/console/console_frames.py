"""Messages over a pipe between a notebook's kernel and the processes of its tasks.

A message is its length (four bytes, the highest first) and a JSON object in UTF-8. Both ends are
of one program on one machine, but what arrives is checked all the same: a process that is broken,
or wrote to the wrong descriptor, must give an error that says so.
"""

from __future__ import annotations

import json
import os
import struct
from typing import Any

#: A longer message is none; what a program prints is cut into pieces long before.
MAX_BYTES = 64 << 20
_LENGTH = struct.Struct(">I")
#: How much of what is no message an error shows.
_SHOWN = 60

Message = dict[str, Any]


class FrameError(Exception):
    """What arrived is not a message; the text says what it was instead."""


def send(fd: int, message: Message) -> None:
    """Write a whole message.

    Raises:
      ValueError: if it is too long. BrokenPipeError: if nobody has the other end.
    """
    data = json.dumps(message).encode()
    if len(data) > MAX_BYTES:
        raise ValueError(f"A message of {len(data):,} bytes; the limit is {MAX_BYTES:,}.")
    rest = memoryview(_LENGTH.pack(len(data)) + data)
    while rest:
        rest = rest[os.write(fd, rest) :]


def receive(fd: int) -> Message | None:
    """Wait for a message; None when the other end was closed.

    Raises:
      FrameError: for anything else.
    """
    head = _read(fd, _LENGTH.size)
    if not head:
        return None
    if len(head) < _LENGTH.size:
        raise FrameError(f"it ended in the middle of a message's length: {head!r}")
    (size,) = _LENGTH.unpack(head)
    if size > MAX_BYTES:
        raise FrameError(f"a message of {size:,} bytes was announced (by {head!r})")
    data = _read(fd, size)
    if len(data) < size:
        raise FrameError(f"it ended after {len(data):,} of a message's {size:,} bytes")
    try:
        message = json.loads(data)
    except (ValueError, RecursionError):  # also bytes that are not UTF-8; brackets without end
        raise FrameError(f"this is not JSON: {data[:_SHOWN]!r}") from None
    if not isinstance(message, dict):
        raise FrameError(f"this is not a JSON object: {data[:_SHOWN]!r}")
    return message


def field(message: Message, name: str, kind: type) -> Any:
    """A field of a message; FrameError if it is not there, or not of that type."""
    value = message.get(name)
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise FrameError(f"{name!r} is not {kind.__name__} in this message: {str(message)[:200]}")
    return value


def _read(fd: int, size: int) -> bytes:
    """`size` bytes, fewer at the end of the pipe; memory grows with what arrives."""
    parts = []
    while size and (part := os.read(fd, min(size, 1 << 20))):
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
