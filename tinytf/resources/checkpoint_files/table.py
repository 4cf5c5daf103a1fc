"""Sorted tables in a file (LevelDB's format): what the index of a checkpoint is.

    block ...           entries; each shares the beginning of its key with the one before it
    block of blocks     the last key of each block (or shorter), and where it lies
    footer              where that block lies, and a number that says what this file is

An entry is: bytes shared with the key before, bytes of its own, bytes of the value (varints), then
those of its own and the value. After a block's entries come the offsets of those that share
nothing, their number, a byte for the compression and a checksum.

Mirrors tensorflow/core/lib/io/table.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from tinytf.framework.errors import DataLossError, UnimplementedError
from tinytf.resources.records import masked_crc

_MAGIC = struct.pack("<Q", 0xDB4775248B80FB57)
_FOOTER_BYTES = 48
_WORD = struct.Struct("<I")
#: A new block begins after so many bytes, a key in full after so many entries.
_BLOCK_BYTES, _RESTART = 1 << 18, 16
#: After a block: the compression, and the checksum.
_TRAILER_BYTES = 5


def varint(value: int) -> bytes:
    """A number in groups of seven bits, the lowest first."""
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)


def read_varint(data: bytes, place: int) -> tuple[int, int]:
    """(a number, where it ends); DataLossError if there is none."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            break
        byte = data[place]
        place += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, place
    raise DataLossError(f"there is no whole number before byte {place}")


# Writing ------------------------------------------------------------------------------------------


def encode_table(items: Iterable[tuple[bytes, bytes]]) -> bytes:
    """A table of (key, value) pairs, which are sorted by their keys."""
    parts: list[bytes] = []
    index: list[tuple[bytes, bytes]] = []
    place = 0

    def add(content: bytes) -> bytes:
        nonlocal place
        block = content + b"\0"
        parts.append(block + _WORD.pack(masked_crc(block)))
        handle = varint(place) + varint(len(content))
        place += len(parts[-1])
        return handle

    blocks = list(_blocks(items))
    for number, block in enumerate(blocks):
        after = blocks[number + 1][0][0] if number + 1 < len(blocks) else None
        index.append((_between(block[-1][0], after), add(_encode_block(block, _RESTART))))
    footer = add(_encode_block([], _RESTART)) + add(_encode_block(index, 1))
    return b"".join([*parts, footer.ljust(_FOOTER_BYTES - len(_MAGIC), b"\0"), _MAGIC])


def _blocks(items: Iterable[tuple[bytes, bytes]]) -> Iterator[list[tuple[bytes, bytes]]]:
    block: list[tuple[bytes, bytes]] = []
    size = 0
    for key, value in items:
        block.append((key, value))
        size += len(key) + len(value)
        if size >= _BLOCK_BYTES:
            yield block
            block, size = [], 0
    if block:
        yield block


def _encode_block(items: list[tuple[bytes, bytes]], restart: int) -> bytes:
    content = bytearray()
    restarts = [0]
    before = b""
    for number, (key, value) in enumerate(items):
        shared = 0
        if number % restart:
            while shared < min(len(key), len(before)) and key[shared] == before[shared]:
                shared += 1
        elif number:
            restarts.append(len(content))
        own = key[shared:]
        content += varint(shared) + varint(len(own)) + varint(len(value)) + own + value
        before = key
    return bytes(content) + b"".join(map(_WORD.pack, [*restarts, len(restarts)]))


def _between(key: bytes, after: bytes | None) -> bytes:
    """A short key that is not before `key`, and is before `after`."""
    if after is None:
        for place, byte in enumerate(key):
            if byte != 0xFF:
                return key[:place] + bytes([byte + 1])
        return key
    place = 0
    while place < min(len(key), len(after)) and key[place] == after[place]:
        place += 1
    if place < min(len(key), len(after)) and key[place] < 0xFF and key[place] + 1 < after[place]:
        return key[:place] + bytes([key[place] + 1])
    return key


# Reading ------------------------------------------------------------------------------------------


def is_table(data: bytes) -> bool:
    """Whether the bytes end as tables do."""
    return len(data) >= _FOOTER_BYTES and data.endswith(_MAGIC)


def decode_table(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    """The (key, value) pairs of a table, in order.

    Raises:
      DataLossError: if it is none, cut off or damaged: each block has a checksum.
      UnimplementedError: if it is compressed.
    """
    if not is_table(data):
        raise DataLossError(
            f"not an sstable (bad magic number): the last 8 of its {len(data)} bytes are not those "
            f"that every checkpoint ends with. It is cut off, or something else"
        )
    footer = data[-_FOOTER_BYTES:]
    place = read_varint(footer, read_varint(footer, 0)[1])[1]  # after the empty block's place
    before = b""
    for key, value in _entries(_block(data, *_handle(footer, place))):
        for item in _entries(_block(data, *_handle(value, 0))):
            if item[0] < before or item[0] > key:
                raise DataLossError(f"the key {item[0]!r} is not in its place")
            before = item[0]
            yield item


def _handle(data: bytes, place: int) -> tuple[int, int]:
    start, place = read_varint(data, place)
    return start, read_varint(data, place)[0]


def _block(data: bytes, start: int, size: int) -> bytes:
    end = start + size + 1
    if end + _TRAILER_BYTES - 1 > len(data) - _FOOTER_BYTES:
        raise DataLossError(f"truncated block read: it would end at byte {end} of {len(data)}")
    [crc] = _WORD.unpack_from(data, end)
    if crc != masked_crc(data[start:end]):
        raise DataLossError(f"block checksum mismatch at byte {start}")
    if data[end - 1]:
        raise UnimplementedError(
            "its blocks are compressed with Snappy, which is not supported: TensorFlow itself "
            "writes checkpoints without it. Save it again with TensorFlow"
        )
    return data[start : end - 1]


def _entries(block: bytes) -> Iterator[tuple[bytes, bytes]]:
    if len(block) < _WORD.size:
        raise DataLossError("bad block contents")
    [count] = _WORD.unpack_from(block, len(block) - _WORD.size)
    end = len(block) - _WORD.size * (count + 1)
    place, key = 0, b""
    while place < end:
        shared, place = read_varint(block, place)
        own, place = read_varint(block, place)
        size, place = read_varint(block, place)
        if shared > len(key) or place + own + size > end:
            break
        key = key[:shared] + block[place : place + own]
        place += own + size
        yield key, block[place - size : place]
    if place != end:
        raise DataLossError("bad entry in block")
