"""The TFRecord format: byte strings one after the other in a file, each with two checksums.

    length   8 bytes, little-endian
    masked CRC32C of these 8 bytes   4 bytes
    content  `length` bytes
    masked CRC32C of the content     4 bytes

Event files of `tf.summary` and data sets are in this format. Mirrors tensorflow/core/lib/io's
record_writer and record_reader.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Protocol

import numpy as np

from tinytf.framework.errors import DataLossError

_LENGTH = struct.Struct("<Q")
_CHECK = struct.Struct("<I")
HEADER_BYTES = _LENGTH.size + _CHECK.size
#: Read at a time, and at most at a time for a record that is longer.
_PIECE, _MOST = 1 << 18, 1 << 26


class Readable(Protocol):
    """What bytes can be read from: a file, or a stream that decompresses."""

    def read(self, size: int, /) -> bytes:
        """So many bytes, or fewer; none at the end."""


def _load_crc(content: bytes) -> int:
    """Imports google_crc32c at the first use: it is not needed to build and run graphs."""
    global _crc
    from google_crc32c import value

    _crc = value
    return value(content)


_crc: Callable[[bytes], int] = _load_crc


def masked_crc(content: bytes) -> int:
    """The CRC32C of some bytes, turned and shifted: checksums of checksums would be weak."""
    return masked(_crc(content))


def masked(crc: int) -> int:
    """A CRC32C, turned and shifted."""
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def masked_crcs(contents: Sequence[bytes]) -> np.ndarray:
    """`masked_crc` of each, uint32, little-endian."""
    crcs = np.fromiter(map(_crc, contents), "<u4", len(contents))
    return (crcs >> 15 | crcs << 17) + np.uint32(0xA282EAD8)


def record_header(size: int) -> bytes:
    """What stands before the content of a record: its length, and that one's checksum."""
    length = _LENGTH.pack(size)
    return length + _CHECK.pack(masked_crc(length))


def encode_records(contents: list[bytes]) -> bytes:
    """Records as they stand in a file, one after the other."""
    parts: list[bytes] = [b""] * (3 * len(contents))
    headers = {size: record_header(size) for size in set(map(len, contents))}
    parts[0::3] = map(headers.__getitem__, map(len, contents))
    parts[1::3] = contents
    checks = masked_crcs(contents).tobytes()
    parts[2::3] = [checks[place : place + 4] for place in range(0, len(checks), 4)]
    return b"".join(parts)


def encode_record(content: bytes) -> bytes:
    """A record as it stands in the file."""
    return b"".join([record_header(len(content)), content, _CHECK.pack(masked_crc(content))])


def read_records(file: Readable) -> Iterator[bytes]:
    """The records of a file that is open for reading, from where it stands.

    An unfinished header at the end is taken for the end, as in TensorFlow: somebody may be
    writing. `file` may be a stream that decompresses.

    Raises:
      DataLossError: "corrupted record at 12", "truncated record at 12": the byte where the
        record begins, or its content (of what is decompressed, in a compressed file).
    """
    return chain.from_iterable(read_blocks(file))


def read_blocks(file: Readable, piece_size: int = 0) -> Iterator[list[bytes]]:
    """The records of a file, those of a piece of it together; else like `read_records`."""
    piece_size = piece_size or _PIECE
    data, base, wanted = b"", 0, piece_size  # base: where `data` begins in the file
    while piece := _read(file, wanted):
        data = data + piece if data else piece
        try:
            contents, used, missing = _parse(data, base)
        except _Damaged as damage:
            yield damage.before
            raise damage.error from None
        yield contents
        data = data[used:]
        base += used
        wanted = max(piece_size, missing)
    if len(data) >= HEADER_BYTES:
        size, found = _size(data[:HEADER_BYTES], base), len(data) - HEADER_BYTES
        raise DataLossError(
            f"truncated record at {base}: {size} bytes were announced and 4 of a checksum, but the "
            f"file ends after {found} of them"
        )


class _Damaged(Exception):
    def __init__(self, before: list[bytes], error: DataLossError):
        super().__init__()
        self.before, self.error = before, error


def _parse(data: bytes, base: int) -> tuple[list[bytes], int, int]:
    """The whole records in `data`, where they end in it, and how many bytes the next one lacks.

    Raises:
      _Damaged: at a wrong checksum, with the records before it.
    """
    contents: list[bytes] = []
    checks: list[bytes] = []
    add_content, add_check, size_of = contents.append, checks.append, _sizes.get
    position, limit, missing, error = 0, len(data), 0, None
    while (begin := position + HEADER_BYTES) <= limit:
        header = data[position:begin]
        size = size_of(header)
        if size is None:
            try:
                size = _size(header, base + position)
            except DataLossError as found:
                error = found
                break
        end = begin + size
        if end + 4 > limit:
            missing = end + 4 - limit
            break
        add_content(data[begin:end])
        position = end + 4
        add_check(data[end:position])
    wrong = np.flatnonzero(masked_crcs(contents) != np.frombuffer(b"".join(checks), "<u4"))
    if wrong.size:
        first = int(wrong[0])
        place = base + sum(len(content) + 16 for content in contents[:first]) + HEADER_BYTES
        error = _corrupted(place, "the checksum of its content is wrong")
        contents = contents[:first]
    if error is not None:
        raise _Damaged(contents, error)
    return contents, position, missing


#: Headers of records that were seen and found right -> lengths: most files have few lengths.
_sizes: dict[bytes, int] = {}


def _size(header: bytes, position: int) -> int:
    """The length that a header tells.

    Raises:
      DataLossError: if its checksum is wrong: the length may be anything then.
    """
    if _CHECK.unpack(header[_LENGTH.size :])[0] != masked_crc(header[: _LENGTH.size]):
        if position == 0:
            reason = "a TFRecord file begins with a length and its checksum"
            if header.startswith(b"\x1f\x8b"):
                reason += ', and this like a gzip file: read it with options="GZIP"'
            raise _corrupted(0, reason, first=True)
        raise _corrupted(position, "the checksum of its length is wrong")
    if len(_sizes) >= 4096:
        _sizes.clear()
    size: int = _LENGTH.unpack(header[: _LENGTH.size])[0]
    _sizes[header] = size
    return size


def _corrupted(position: int, reason: str, first: bool = False) -> DataLossError:
    hint = " (Is this even a TFRecord file?)" if first else ""
    return DataLossError(f"corrupted record at {position}{hint}: crc: {reason}")


def _read(file: Readable, size: int) -> bytes:
    """So many bytes, or what there is: what a file merely announces is not to fill the memory."""
    if size <= _MOST:
        return file.read(size)
    pieces = []
    while size > 0 and (piece := file.read(min(size, _MOST))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
