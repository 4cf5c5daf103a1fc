"""PNG files of 8 and 16 bits: written, and 16 bits read, with nothing but zlib and numpy.

(Pillow, which reads the others, has no colour images of 16 bits.)
"""

from __future__ import annotations

import struct
import zlib

import numpy as np

from tinytf.framework.errors import invalid

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_KINDS = {1: 0, 2: 4, 3: 2, 4: 6}
_CHANNELS = {kind: channels for channels, kind in _KINDS.items()}


def encode(pixels: np.ndarray, level: int = -1) -> bytes:
    """A PNG file of uint8 or uint16 pixels [height, width, channels]."""
    height, width, channels = pixels.shape
    depth = 8 * pixels.itemsize
    line = pixels.astype(pixels.dtype.newbyteorder(">")).reshape(height, -1).view(np.uint8)
    rows = np.empty((height, 1 + line.shape[1]), np.uint8)
    rows[:, 0] = 2  # each row as the difference from the one above: small numbers
    rows[:, 1:] = line
    rows[1:, 1:] -= line[:-1]
    head = struct.pack(">IIBBBBB", width, height, depth, _KINDS[channels], 0, 0, 0)
    return b"".join(
        [
            _SIGNATURE,
            _chunk(b"IHDR", head),
            _chunk(b"IDAT", zlib.compress(rows.tobytes(), level)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, content: bytes) -> bytes:
    checked = kind + content
    return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))


def decode_16_bits(data: bytes) -> np.ndarray:
    """The pixels of a file of 16 bits, uint16 [height, width, channels].

    Raises:
      InvalidArgumentError: for what is damaged, or interlaced.
    """
    width, height, _, kind, _, _, interlaced = struct.unpack(">IIBBBBB", data[16:29])
    channels = _CHANNELS.get(kind)
    if channels is None or interlaced:
        raise invalid("Invalid PNG data: interlaced files of 16 bits are not read")
    pixel = 2 * channels
    line = pixel * width
    needed = height * (line + 1)
    inflater = zlib.decompressobj()
    try:
        raw = inflater.decompress(b"".join(_contents(data)), needed)
    except (zlib.error, struct.error):
        raw = b""
    if len(raw) != needed:
        raise invalid(f"Invalid PNG data, size {len(data)}: it is damaged or cut off")
    rows = np.frombuffer(raw, np.uint8).reshape(height, line + 1)
    result = np.zeros((height, line), np.uint8)
    above = np.zeros(line, np.uint8)
    for number in range(height):
        above = _unfiltered(int(rows[number, 0]), rows[number, 1:], above, pixel)
        result[number] = above
    return result.view(">u2").astype(np.uint16).reshape(height, width, channels)


def _contents(data: bytes) -> list[bytes]:
    """The pieces of the compressed pixels."""
    position, found = 8, []
    while position + 8 <= len(data):
        (size,) = struct.unpack(">I", data[position : position + 4])
        kind = data[position + 4 : position + 8]
        content = data[position + 8 : position + 8 + size]
        if kind == b"IDAT":
            check = data[position + 8 + size : position + 12 + size]
            if check != struct.pack(">I", zlib.crc32(kind + content)):
                raise invalid("Invalid PNG data: the checksum (crc) of its pixels is wrong")
            found.append(content)
        position += 12 + size
    return found


def _unfiltered(kind: int, row: np.ndarray, above: np.ndarray, pixel: int) -> np.ndarray:
    """A row out of its differences from what is to the left and above."""
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, pixel), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return row + above
    if kind not in (3, 4):
        raise invalid(f"Invalid PNG data: a row has filter {kind}")
    values, upper = row.tolist(), above.tolist()
    for place in range(len(values)):
        left = values[place - pixel] if place >= pixel else 0
        corner = upper[place - pixel] if place >= pixel else 0
        up = upper[place]
        guess = (left + up) // 2 if kind == 3 else _nearest(left, up, corner)
        values[place] = values[place] + guess & 255
    return np.array(values, np.uint8)


def _nearest(left: int, up: int, corner: int) -> int:
    """Of the three, the one nearest to `left + up - corner` (Paeth's filter)."""
    to_left, to_up, to_corner = abs(up - corner), abs(left - corner), abs(left + up - 2 * corner)
    if to_left <= to_up and to_left <= to_corner:
        return left
    return up if to_up <= to_corner else corner
