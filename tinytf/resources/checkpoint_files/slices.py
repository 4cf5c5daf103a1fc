"""Slices: which part of a larger tensor, in text ("4 3 0,2:-") and in the keys of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from tinytf.framework.errors import invalid

#: For a length: the whole of the dimension, however long it is.
_ALL = -1
_ESCAPED = {0x00: b"\0\xff", 0xFF: b"\xff\0"}


@dataclass(frozen=True)
class Slice:
    """A box in a tensor.

    Attributes:
      starts, lengths: of the box in each dimension, as they were written: (0, -1) is all of it.
      shape: of the whole tensor.
    """

    starts: tuple[int, ...]
    lengths: tuple[int, ...]
    shape: tuple[int, ...]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The shape of the box."""
        pairs = zip(self.lengths, self.shape, strict=True)
        return tuple(size if length == _ALL else length for length, size in pairs)

    @property
    def elements(self) -> int:
        """How many it holds."""
        return math.prod(self.sizes)

    def common(self, other: Slice) -> tuple[tuple[slice, ...], tuple[slice, ...]] | None:
        """What two boxes share, as indices into this and into the other; None if nothing."""
        mine, its = [], []
        for a, n, b, m in zip(self.starts, self.sizes, other.starts, other.sizes, strict=True):
            low, high = max(a, b), min(a + n, b + m)
            if low >= high:
                return None
            mine.append(slice(low - a, high - a))
            its.append(slice(low - b, high - b))
        return tuple(mine), tuple(its)

    def write_to(self, message: Any) -> None:
        """Fill a `TensorSliceProto`."""
        for start, length in zip(self.starts, self.lengths, strict=True):
            extent = message.extent.add()
            if length != _ALL:
                extent.start, extent.length = start, length

    def key(self, name: bytes) -> bytes:
        """Under which a table has it: encoded so that the order of bytes is that of slices."""
        escaped = b"".join(_ESCAPED.get(byte) or bytes([byte]) for byte in name)
        parts = [b"\0", escaped, b"\0\x01", _unsigned(len(self.shape))]
        for start, length in zip(self.starts, self.lengths, strict=True):
            parts += [_signed(start), _signed(length)]
        return b"".join(parts)


def whole(shape: Iterable[int]) -> Slice:
    """The slice that is all of a tensor."""
    sizes = tuple(shape)
    return Slice((0,) * len(sizes), (_ALL,) * len(sizes), sizes)


def from_message(message: Any, shape: tuple[int, ...]) -> Slice:
    """The slice of a `TensorSliceProto`; ValueError if it does not lie in the shape."""
    extents = message.extent
    if len(extents) != len(shape):
        raise ValueError(f"a slice has {len(extents)} dimensions, its tensor {len(shape)}")
    lengths = tuple(e.length if e.HasField("length") else _ALL for e in extents)
    return _checked(Slice(tuple(extent.start for extent in extents), lengths, shape))


def parse(text: str) -> Slice:
    """The slice that "4 3 0,2:-" describes: of a (4, 3) matrix the rows 0 and 1, all columns.

    Raises:
      InvalidArgumentError: if it does not parse, or does not lie in the shape.
    """
    *sizes, ranges = text.split(" ")
    try:
        shape = tuple(map(int, sizes))
        parts = [(0, _ALL) if part == "-" else _pair(part) for part in ranges.split(":")]
        if len(parts) != len(shape):
            raise ValueError(f"it has {len(shape)} sizes and {len(parts)} ranges")
        starts, lengths = zip(*parts, strict=True)
        return _checked(Slice(starts, lengths, shape))
    except ValueError as error:
        raise invalid(
            f"Expected sizes and a slice as in '4 3 0,2:-' (of a (4, 3) tensor rows 0 and 1), got "
            f"'{text}': {error}"
        ) from None


def _pair(text: str) -> tuple[int, int]:
    start, length = map(int, text.split(","))
    return start, max(length, 0)


def _checked(found: Slice) -> Slice:
    for start, size, most in zip(found.starts, found.sizes, found.shape, strict=True):
        if start < 0 or size < 0 or start + size > most:
            raise ValueError(f"{size} elements from {start} on are not in a dimension of {most}")
    return found


# Numbers in the order of their bytes --------------------------------------------------------------


def _unsigned(value: int) -> bytes:
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    size = (value if value >= 0 else ~value).bit_length() // 7 + 1
    number = int.from_bytes(value.to_bytes(10, "big", signed=True)[-size:], "big")
    mark = ((1 << size) - 1) << (7 * size)  # as many bits as there are bytes
    return (number ^ mark).to_bytes(size, "big")
