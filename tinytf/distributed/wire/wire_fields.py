"""protobuf's wire format, as far as messages with tensors are walked over without protobuf."""

from __future__ import annotations

from collections.abc import Iterator

from tinytf.ops.io.example_wire import MalformedError, number_at

# protobuf's wire types, and the sizes of those that have one.
VARINT, LENGTH = 0, 2
_FIXED_SIZES = {1: 8, 5: 4}


#: The bytes are malformed, or well-formed in a way that nobody writes.
Unusual = MalformedError
#: A field: its number, its wire type, where it, its payload and the next field begin.
Field = tuple[int, int, int, int, int]


def key_of(number: int, wire_type: int) -> bytes:
    """What a field begins with."""
    return varint(number << 3 | wire_type)


def varint(value: int) -> bytes:
    """A number, not negative, of any size."""
    if value < 0x80:
        return _SINGLE[value]
    result = bytearray()
    while value >= 0x80:
        result.append(value & 0x7F | 0x80)
        value >>= 7
    result.append(value)
    return bytes(result)


_SINGLE = [bytes([value]) for value in range(0x80)]


def fields_of(data: bytes, position: int, end: int, limit: int) -> Iterator[Field]:
    """The fields between two positions, which they must fill."""
    for _ in range(limit):
        if position == end:
            return
        start = position
        key, position = number_at(data, position, end)
        payload, wire_type = position, key & 7
        if wire_type == LENGTH:
            size, payload = number_at(data, position, end)
            position = payload + size
        elif wire_type == VARINT:
            _, position = number_at(data, position, end)
        elif wire_type in _FIXED_SIZES:
            position += _FIXED_SIZES[wire_type]
        else:  # groups, which end somewhere, and types that do not exist
            raise Unusual
        if position > end:
            raise Unusual
        yield key >> 3, wire_type, start, payload, position
    raise Unusual
