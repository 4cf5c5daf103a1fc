"""The bytes of a file, plain or compressed (zlib, gzip), a piece at a time."""

from __future__ import annotations

import os
from typing import Any, Protocol

from tinytf.framework.errors import DataLossError, InvalidArgumentError, OpError
from tinytf.framework.files import as_op_error

#: What zlib is told to expect.
_WINDOW_BITS = {"ZLIB": 15, "GZIP": 31}


class ByteSource(Protocol):
    """Where bytes come from."""

    @property
    def size(self) -> int | None:
        """Of the whole, in bytes; None if it is not known."""

    def read(self, size: int, /) -> bytes:
        """Some bytes, `size` at most; none at the end."""

    def close(self) -> None:
        """Let go of the file. May be called again."""


def checked_compression(compression: str | bytes | None) -> str:
    """The name of a compression, "" for none; InvalidArgumentError if there is no such thing."""
    name = compression.decode() if isinstance(compression, bytes) else compression or ""
    if name and name not in _WINDOW_BITS:
        raise InvalidArgumentError(
            f"Unsupported compression_type: {name!r}. There are '' (none), 'ZLIB' and 'GZIP'."
        )
    return name


def open_bytes(path: str | bytes, compression: str | bytes | None = "") -> ByteSource:
    """Open a file for reading.

    Args:
      path: the file. compression: "", "ZLIB" or "GZIP".

    Raises:
      tf.errors.OpError: "path; No such file or directory" as NotFoundError, and so on.
      InvalidArgumentError: for another compression.
    """
    name = checked_compression(compression)
    plain = _PlainFile(path)
    return _InflatedFile(plain, _WINDOW_BITS[name]) if name else plain


class _PlainFile:
    """A file as it is. What the operating system refuses is an `OpError` that names it."""

    __slots__ = ("_descriptor", "path", "size")

    def __init__(self, path: str | bytes):
        self.path = os.fsdecode(path)
        self._descriptor = -1
        try:
            self._descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
            found = os.fstat(self._descriptor)
        except OSError as error:
            raise as_op_error(error, self.path) from error
        except ValueError as error:  # a zero byte in the name
            raise InvalidArgumentError(f"{self.path!r}; {error}") from error
        # Of pipes, folders and what else has a name, no size can be told.
        self.size = found.st_size if found.st_mode & 0o170000 == 0o100000 else None

    def read(self, size: int) -> bytes:
        try:
            return os.read(self._descriptor, size)
        except OSError as error:
            raise as_op_error(error, self.path) from error

    def close(self) -> None:
        descriptor, self._descriptor = self._descriptor, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        self.close()


class _InflatedFile:
    """What a compressed file holds. Of gzip there may be several streams, one after the other.

    A file that ends in the middle of its compressed data is damaged; TensorFlow takes what it got
    for all there is.
    """

    __slots__ = ("_data", "_error", "_inflater", "_plain", "_window_bits", "size")

    def __init__(self, plain: _PlainFile, window_bits: int):
        self.size: int | None = None
        self._plain = plain
        self._window_bits = window_bits
        self._inflater: Any = None
        self._data = b""  # read from the file and not yet given to zlib
        self._error: OpError | None = None

    def read(self, size: int) -> bytes:
        import zlib  # few files are compressed

        while self._error is None:
            if not self._data:
                self._data = self._plain.read(size)
                if not self._data:
                    return self._end(size)
            if self._inflater is None:
                self._inflater = zlib.decompressobj(self._window_bits)
            try:
                content = self._inflater.decompress(self._data, size)
            except zlib.error as error:
                self._error = self._damaged(error)
                break
            self._data = self._inflater.unconsumed_tail
            if self._inflater.eof:
                self._next_stream()
            if content:
                return bytes(content)
        raise self._error.with_traceback(None)

    def _next_stream(self) -> None:
        if self._window_bits == _WINDOW_BITS["GZIP"]:
            self._data, self._inflater = self._inflater.unused_data, None

    def _end(self, size: int) -> bytes:
        """Nothing is left in the file: what zlib still holds, or nothing."""
        if self._inflater is None or self._inflater.eof:
            return b""
        if content := self._inflater.decompress(b"", size):
            return bytes(content)
        raise DataLossError(
            f"{self._plain.path}; the compressed data is cut off: the file ends before it does. "
            f"Was it copied or written to the end?"
        )

    def _damaged(self, error: Exception) -> DataLossError:
        # zlib: "Error -3 while decompressing data: incorrect header check"
        number, _, reason = str(error).partition(" while decompressing data: ")
        number = number.rpartition(" ")[2]
        hint = ""
        if reason == "incorrect header check":
            kind = "gzip" if self._window_bits == _WINDOW_BITS["GZIP"] else "zlib"
            hint = f" ({kind} was asked for: is the file compressed so?)"
        return DataLossError(
            f"{self._plain.path}; inflate() failed with error {number}: {reason or error}{hint}"
        )

    def close(self) -> None:
        self._plain.close()
