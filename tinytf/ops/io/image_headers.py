"""What the first bytes of an image file tell: its format and its size. No library is needed."""

from __future__ import annotations

import struct
from typing import NamedTuple

from tinytf.framework.errors import invalid

#: An image of more pixels is refused before anything is decoded: few bytes can announce many.
MOST_PIXELS = 1 << 26
#: What ends like this and is no longer than that is taken for a file's name.
_SUFFIXES = (b".jpg", b".jpeg", b".png", b".gif", b".bmp")
_LONGEST_NAME = 4096


class Header(NamedTuple):
    """format: "PNG", "JPEG", "GIF" or "BMP"; depth: bits of a value (PNG); channels: if known."""

    format: str
    height: int
    width: int
    channels: int = 0
    depth: int = 8


def header(contents: bytes) -> Header:
    """The header of an image file.

    Raises:
      InvalidArgumentError: "Input is empty.", "Unknown image file format. ...", or for an image
        that is too large.
    """
    if not contents:
        raise invalid("Input is empty.")
    try:
        found = _read(contents)
    except (struct.error, IndexError):
        found = Header("cut off", 0, 0)
    if found is None:
        text = (
            "Unknown image file format. One of JPEG, PNG, GIF, BMP required. The "
            f"{len(contents)} bytes begin with {contents[:8]!r}"
        )
        if contents.lower().endswith(_SUFFIXES) and len(contents) < _LONGEST_NAME:
            text += ": they look like the name of a file, which tf.read_file(name) reads"
        raise invalid(text)
    if found.height <= 0 or found.width <= 0:
        raise invalid(
            f"Invalid image data, size {len(contents)}: the header is damaged or cut off "
            "(jpeg::Uncompress failed. Invalid JPEG data or crop window.)"
        )
    if found.height * found.width > MOST_PIXELS:
        raise invalid(
            f"{found.format} size too large for int: {found.width} by {found.height}; at most "
            f"{MOST_PIXELS} pixels are decoded"
        )
    return found


def _read(data: bytes) -> Header | None:
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
        return Header("PNG", height, width, {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}.get(kind, 0), depth)
    if data.startswith((b"GIF87a", b"GIF89a")):
        width, height = struct.unpack("<HH", data[6:10])
        return Header("GIF", height, width, 3)
    if data.startswith(b"BM"):
        width, height, _, bits = struct.unpack("<iiHH", data[18:30])
        return Header("BMP", abs(height), width, bits // 8)
    if data.startswith(b"\xff\xd8\xff"):
        return _read_jpeg(data)
    return None


def _read_jpeg(data: bytes) -> Header:
    """Goes from marker to marker until the one that tells the size."""
    position = 2
    while True:
        if data[position] != 0xFF:
            return Header("JPEG", 0, 0)
        marker = data[position + 1]
        if marker == 0xFF:  # filling
            position += 1
            continue
        if marker in (0x01, *range(0xD0, 0xD9)):  # without content
            position += 2
            continue
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width, channels = struct.unpack(">HHB", data[position + 5 : position + 10])
            return Header("JPEG", height, width, channels)
        position += 2 + struct.unpack(">H", data[position + 2 : position + 4])[0]
