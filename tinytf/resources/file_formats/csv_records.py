"""Files of comma-separated values, a record at a time.

A field may stand in quotes, which are doubled inside it; delimiters and line ends are part of such
a field. Mirrors tensorflow/core/kernels/data/experimental/csv_dataset_op.cc.
"""

from __future__ import annotations

import re

from tinytf.framework.errors import InvalidArgumentError
from tinytf.resources.file_formats.record_file import RecordFile

_QUOTE = b'"'


class CsvRecords(RecordFile):
    r"""The records of a CSV file, each a list of its fields.

    A record ends with "\n", "\r\n" or "\r". After one that is malformed, reading goes on with the
    next line.

    Args:
      path, compression, buffer_size: as `RecordFile`.
      delimiter: one character. quotes: whether fields may stand in quotes.
      has_header: whether the first record is no data.
    """

    __slots__ = ("_delimiter", "_ends", "_is_over", "_place", "_quotes", "_text")

    def __init__(
        self,
        path: str | bytes,
        compression: str = "",
        buffer_size: int = 0,
        delimiter: bytes = b",",
        quotes: bool = True,
        has_header: bool = False,
    ):
        super().__init__(path, compression, buffer_size)
        self._delimiter, self._quotes = delimiter, quotes
        self._ends = re.compile(b"[\n\r" + re.escape(delimiter) + b"]")
        self._text = b""  # what was read of the file, and how far it was cut
        self._place = 0
        self._is_over = False
        if has_header:
            self.read()

    def _more(self) -> bool:
        """Read on; whether there was anything."""
        piece = b"" if self._is_over else self._source.read(self._buffer_size)
        self._text += piece
        self._is_over = not piece
        return bool(piece)

    def _cut(self) -> list[bytes]:
        if self._place >= self._buffer_size:
            self._text, self._place = self._text[self._place :], 0
        if not self._at(self._place):
            return []
        fields: list[bytes] = []
        position = self._place
        while True:
            if self._quotes and self._at(position) == _QUOTE:
                field, position = self._quoted(position)
            else:
                field, position = self._unquoted(position)
            fields.append(field)
            if self._at(position) != self._delimiter:
                break
            position += 1
        self._place = position + self._end(position)
        return [fields]  # type: ignore[list-item]  # records here are lists

    def _at(self, position: int) -> bytes:
        """The character at a place; none at the end of the file."""
        while position >= len(self._text) and self._more():
            pass
        return self._text[position : position + 1]

    def _end(self, position: int) -> int:
        """The length of the line end at a place."""
        if self._at(position) == b"\r" and self._at(position + 1) == b"\n":
            return 2
        return len(self._at(position))

    def _unquoted(self, start: int) -> tuple[bytes, int]:
        """A field without quotes, and where it ends."""
        position = start
        while True:
            found = self._ends.search(self._text, position)
            if found:
                end = found.start()
                break
            position = len(self._text)
            if not self._more():
                end = len(self._text)
                break
        field = self._text[start:end]
        if self._quotes and _QUOTE in field:
            self._leave_line(end)
            raise InvalidArgumentError(
                f"Unquoted fields cannot have quotes inside: {field[:80]!r} in {self.path}"
            )
        return field, end

    def _quoted(self, start: int) -> tuple[bytes, int]:
        """A field that begins with a quote, and where it ends."""
        position = start + 1
        while True:
            close = self._text.find(_QUOTE, position)
            if close < 0:
                position = len(self._text)
                if not self._more():
                    self._place = position
                    raise InvalidArgumentError(
                        f"Reached end of file without closing quoted field in record: {self.path}"
                    )
                continue
            after = self._at(close + 1)
            if after in (b"", self._delimiter, b"\n", b"\r"):
                content = self._text[start + 1 : close]
                return content.replace(b'""', _QUOTE), close + 1
            position = close + 2 if after == _QUOTE else close + 1

    def _leave_line(self, position: int) -> None:
        """Go on with the line after this place."""
        while self._at(position) not in (b"", b"\n", b"\r"):
            position += 1
        self._place = position + self._end(position)
