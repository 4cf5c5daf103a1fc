"""Examples as bytes, written by hand: the same for both libraries, and independent of either."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence


def varint(value: int) -> bytes:
    """A number, seven bits at a time."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while value > 127:
        digits.append(value & 127 | 128)
        value >>= 7
    return bytes([*digits, value])


def field(number: int, content: bytes) -> bytes:
    """A field of a message that has a length."""
    return bytes([number << 3 | 2]) + varint(len(content)) + content


def feature(values: Sequence[bytes | float | int]) -> bytes:
    """A `Feature`: of byte strings, floats or integers; without a kind if there are no values."""
    if not values:
        return b""
    if isinstance(values[0], bytes):
        return field(1, b"".join(field(1, value) for value in values))
    if isinstance(values[0], float):
        return field(2, field(1, struct.pack(f"<{len(values)}f", *values)))
    return field(3, field(1, b"".join(map(varint, values))))


def _map(number: int, entries: Mapping[str, bytes]) -> bytes:
    made = (field(1, field(1, key.encode()) + field(2, v)) for key, v in entries.items())
    return field(number, b"".join(made))


def example(**features: Sequence[bytes | float | int]) -> bytes:
    """An `Example` with these features."""
    return _map(1, {key: feature(values) for key, values in features.items()})


def sequence_example(
    context: Mapping[str, Sequence[bytes | float | int]],
    lists: Mapping[str, Sequence[Sequence[bytes | float | int]]],
) -> bytes:
    """A `SequenceExample` with this context and these feature lists."""
    steps = {
        key: b"".join(field(1, feature(values)) for values in column)
        for key, column in lists.items()
    }
    return _map(1, {key: feature(values) for key, values in context.items()}) + _map(2, steps)
