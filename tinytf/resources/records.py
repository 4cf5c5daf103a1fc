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
from collections.abc import Iterator
from typing import BinaryIO

from tinytf.framework.errors import DataLossError

_LENGTH = struct.Struct("<Q")
_CHECK = struct.Struct("<I")
HEADER_BYTES = _LENGTH.size + _CHECK.size
#: Read at a time: what a file merely announces is not to fill the memory.
_PIECE = 1 << 26


def masked_crc(content: bytes) -> int:
    """The CRC32C of some bytes, turned and shifted: checksums of checksums would be weak."""
    import google_crc32c  # not needed to build and run graphs

    crc = google_crc32c.value(content)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def encode_record(content: bytes) -> bytes:
    """A record as it stands in the file."""
    length = _LENGTH.pack(len(content))
    return b"".join(
        [length, _CHECK.pack(masked_crc(length)), content, _CHECK.pack(masked_crc(content))]
    )


def read_records(file: BinaryIO) -> Iterator[bytes]:
    """The records of a file that is open for reading.

    An unfinished header at the end is taken for the end, as in TensorFlow: somebody may be
    writing.

    Raises:
      DataLossError: "corrupted record at 12", "truncated record at 12": the byte where the
        record begins, or its content.
    """
    position = 0
    while len(header := file.read(HEADER_BYTES)) == HEADER_BYTES:
        length = header[: _LENGTH.size]
        if _CHECK.unpack(header[_LENGTH.size :])[0] != masked_crc(length):
            hint = " (Is this even a TFRecord file?)" if position == 0 else ""
            raise DataLossError(None, None, f"corrupted record at {position}{hint}")
        size = _LENGTH.unpack(length)[0]
        content, check = _read(file, size), file.read(_CHECK.size)
        if len(content) < size or len(check) < _CHECK.size:
            raise DataLossError(
                None, None,
                f"truncated record at {position}: {size} bytes were announced, but the file ends "
                f"after {len(content)} of them",
            )  # fmt: skip
        if _CHECK.unpack(check)[0] != masked_crc(content):
            raise DataLossError(None, None, f"corrupted record at {position + HEADER_BYTES}")
        yield content
        position += HEADER_BYTES + size + _CHECK.size


def _read(file: BinaryIO, size: int) -> bytes:
    """So many bytes, or what there is."""
    if size <= _PIECE:
        return file.read(size)
    pieces = []
    while size > 0 and (piece := file.read(min(size, _PIECE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)
