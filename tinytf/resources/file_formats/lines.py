"""Text files, a line at a time."""

from __future__ import annotations

from tinytf.framework.errors import OpError
from tinytf.resources.file_formats.record_file import RecordFile


class TextLines(RecordFile):
    r"""The lines of a file, without their ends.

    A line ends with "\n", or with "\r\n". The last one need not, and is left out if it is empty.
    The `position` of a line is its number, counted from 1, skipped ones included.

    Args:
      path, compression, buffer_size: as `RecordFile`.
      skip_header_lines: how many lines at the beginning are no data.
      drop_carriage_returns: drop every "\r", not only the one before "\n". `TextLineDataset` does,
        `TextLineReader` does not.
    """

    __slots__ = ("_drops", "_rest")

    def __init__(
        self,
        path: str | bytes,
        skip_header_lines: int = 0,
        compression: str = "",
        buffer_size: int = 0,
        drop_carriage_returns: bool = False,
    ):
        super().__init__(path, compression, buffer_size)
        self._drops = drop_carriage_returns
        self._rest = b""  # the beginning of a line whose end was not read yet
        for _ in range(skip_header_lines):
            if self.read() is None:
                break

    def _cut(self) -> list[bytes]:
        pieces = [self._rest]
        try:
            while piece := self._source.read(self._buffer_size):
                lines, newline, rest = piece.rpartition(b"\n")
                if newline:
                    pieces.append(lines)
                    self._rest = rest
                    return self._without_carriage_returns(b"".join(pieces)).split(b"\n")
                pieces.append(piece)
        except OpError:
            self._rest = b"".join(pieces)
            raise
        self._rest = b""
        last = self._without_carriage_returns(b"".join(pieces))
        return [last] if last else []

    def _without_carriage_returns(self, text: bytes) -> bytes:
        if b"\r" not in text:
            return text
        if self._drops:
            return text.replace(b"\r", b"")
        return text.replace(b"\r\n", b"\n").removesuffix(b"\r")
