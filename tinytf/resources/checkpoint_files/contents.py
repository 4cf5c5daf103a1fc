"""The bytes of tensors in data files, and their checksums.

Numbers lie there as in memory. Of strings there are first the lengths (varints), a checksum of
them, and then the strings one after the other.
"""

from __future__ import annotations

import functools
import mmap
import struct
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import DataLossError, UnimplementedError
from tinytf.resources.checkpoint_files.table import read_varint, varint
from tinytf.resources.records import masked, masked_crc

#: Copied, summed up and written at a time.
_PIECE = 1 << 20
_WORD = struct.Struct("<I")


class Content:
    """The bytes of one tensor as they go to a file; iterate once.

    Each piece is copied before it counts for the checksum: another step may change the variable.

    Attributes:
      shape: of the tensor.
      size, crc: its bytes and their masked checksum, once all pieces were taken.
    """

    def __init__(self, value: Any, dtype: dtypes.DType):
        if dtype in (dtypes.resource, dtypes.variant):
            raise UnimplementedError(f"Tensors of type {dtype.name} cannot be saved")
        self._strings = dtype is dtypes.string
        self._value = np.asarray(value, object if self._strings else None)
        self.shape: tuple[int, ...] = self._value.shape
        self.size, self.crc = 0, 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._of_strings() if self._strings else self._of_numbers():
            self.size += len(piece)
            yield piece

    def _of_numbers(self) -> Iterator[bytes]:
        from google_crc32c import extend

        flat = np.ascontiguousarray(self._value).reshape(-1).view(np.uint8)
        crc = 0
        for start in range(0, len(flat), _PIECE):
            piece = flat[start : start + _PIECE].tobytes()
            crc = extend(crc, piece)
            yield piece
        self.crc = masked(crc)

    def _of_strings(self) -> Iterator[bytes]:
        strings = self._value.reshape(-1).tolist()
        lengths = list(map(len, strings))
        check = _WORD.pack(masked_crc(_summed(lengths)))
        content = b"".join(strings)
        self.crc = masked_crc(_summed(lengths) + check + content)
        yield b"".join(map(varint, lengths)) + check + content


def _summed(lengths: list[int]) -> bytes:
    """Lengths of strings as they count for checksums."""
    return b"".join(struct.pack("<I" if n < 1 << 32 else "<Q", n) for n in lengths)


#: Larger arrays get memory from the system every time (`runtime.memory`), and numpy asks for huge
#: pages; what one asks not to get them (sys/mman.h).
_FROM_SYSTEM, _NO_HUGE_PAGES = 64 << 20, 15


@functools.cache
def _advise() -> Callable[..., int] | None:
    """madvise, where a process can say what pages it wants."""
    if sys.platform != "linux":
        return None
    import ctypes

    advise = getattr(ctypes.CDLL(None), "madvise", None)
    if advise is not None:
        advise.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    return advise


def fresh(shape: Sequence[int], dtype: Any) -> np.ndarray:
    """An array to read into; a large one has pages of the usual size.

    A virtual machine that gives back what it does not use has to get every huge page from its host
    again: 400 MB then take more than a second of a processor, and a third of one in small pages.
    Where huge pages are at hand they would take half of that.
    """
    array = np.empty(shape, dtype)
    if array.nbytes > _FROM_SYSTEM and (advise := _advise()) is not None:
        start = -(-array.ctypes.data // mmap.PAGESIZE) * mmap.PAGESIZE
        length = (array.ctypes.data + array.nbytes - start) // mmap.PAGESIZE * mmap.PAGESIZE
        advise(start, length, _NO_HUGE_PAGES)  # if it does not want to, they are huge
    return array


def read_into(file: BinaryIO, data: np.ndarray) -> int:
    """Fill an array of bytes from a file; returns their masked checksum.

    Raises:
      DataLossError: if the file ends before.
    """
    from google_crc32c import extend

    view: Any = memoryview(data)  # type: ignore[arg-type]
    fixed = data.view()
    fixed.flags.writeable = False  # the checksum takes nothing else
    crc = place = 0
    while place < len(data):
        got = file.readinto(view[place : place + _PIECE])  # type: ignore[attr-defined]
        if not got:
            raise DataLossError(f"the file ends after {place} of its {len(data)} bytes")
        crc = extend(crc, fixed[place : place + got])
        place += got
    return masked(crc)


def strings_of(data: bytes, count: int, crc: int) -> np.ndarray:
    """The strings that these bytes are.

    Raises:
      DataLossError: if they do not have this checksum, or are no strings.
    """
    place, lengths = 0, []
    for _ in range(count):
        length, place = read_varint(data, place)
        lengths.append(length)
    sums, content = data[place : place + 4], data[place + 4 :]
    if len(sums) != 4 or sum(lengths) != len(content):
        raise DataLossError(f"the lengths of its {count} strings are not those of its bytes")
    summed = _summed(lengths)
    check(int.from_bytes(sums, "little"), masked_crc(summed))
    check(crc, masked_crc(summed + sums + content))
    result, start = np.empty(count, object), 0
    for number, length in enumerate(lengths):
        result[number] = content[start : start + length]
        start += length
    return result


def check(stored: int, found: int) -> None:
    """DataLossError if a checksum is not the one that was stored."""
    if stored != found:
        raise DataLossError(
            f"Checksum does not match: stored {stored} vs. calculated on the restored bytes {found}"
        )
