"""Files of records that all have the same length."""

from __future__ import annotations

from tinytf.framework.errors import DataLossError, InvalidArgumentError, OutOfRangeError
from tinytf.resources.file_formats.record_file import RecordFile


class FixedLengthRecords(RecordFile):
    """A header, then records, one every `hop_bytes`, then a footer.

    The `position` of a record is its number, counted from 0.

    Args:
      path, compression, buffer_size: as `RecordFile`.
      record_bytes: of each record; at least 1.
      header_bytes, footer_bytes: which are no data, at both ends.
      hop_bytes: from the beginning of one record to that of the next; 0 for `record_bytes`. Less
        makes records overlap, more leaves gaps.
      exact: whether bytes that are left over between the last record and the footer are an error,
        as they are for `FixedLengthRecordDataset`; `FixedLengthRecordReader` ignores them.

    Raises:
      InvalidArgumentError: for impossible lengths, or, if exact, an impossible size of the file.
      OutOfRangeError: "reached end of file" before the end of the header (not if exact).
    """

    __slots__ = ("_at_end", "_buffer", "_exact", "_footer", "_header", "_hop", "_record", "_start")

    def __init__(
        self,
        path: str | bytes,
        record_bytes: int,
        header_bytes: int = 0,
        footer_bytes: int = 0,
        hop_bytes: int = 0,
        compression: str = "",
        buffer_size: int = 0,
        exact: bool = False,
    ):
        check_lengths(record_bytes, header_bytes, footer_bytes, hop_bytes)
        super().__init__(path, compression, buffer_size)
        self.position = -1
        self._record, self._hop = record_bytes, hop_bytes or record_bytes
        self._header, self._footer = header_bytes, footer_bytes
        self._exact = exact
        self._at_end = False
        self._buffer = b""
        self._start = 0  # of the next record in the buffer; beyond its end: so many to skip
        if exact and self._source.size is not None:
            self._check_rest(self._source.size - header_bytes - footer_bytes, InvalidArgumentError)
        self._skip_header()

    def _skip_header(self) -> None:
        self._start = self._header
        while len(self._buffer) < self._start:
            if self._fill(self._start):
                continue
            if self._exact:
                raise self._wrong_size(len(self._buffer) - self._header - self._footer)
            raise OutOfRangeError(
                f"{self.path}; reached end of file: {len(self._buffer)} bytes are fewer than its "
                f"header has, {self._header}"
            )

    def _fill(self, size: int) -> bool:
        """Read until the buffer has so many bytes; False when the file is at its end."""
        pieces, have = [self._buffer], len(self._buffer)
        try:
            while have < size and not self._at_end:
                piece = self._source.read(self._buffer_size)
                self._at_end = not piece
                pieces.append(piece)
                have += len(piece)
        finally:
            self._buffer = b"".join(pieces)
        return have >= size

    def _cut(self) -> list[bytes]:
        done = min(self._start, len(self._buffer))
        self._buffer, self._start = self._buffer[done:], self._start - done
        if not self._fill(self._start + self._record + self._footer):
            left = len(self._buffer) - self._start - self._footer
            if self._exact and left > 0:
                raise self._wrong_size(left + (self.position + 1) * self._hop)
            return []
        record, buffer = self._record, self._buffer
        last = len(buffer) - self._footer - record
        starts = range(self._start, last + 1, self._hop)
        self._start = starts[-1] + self._hop
        return [buffer[start : start + record] for start in starts]

    def _check_rest(self, body: int, kind: type[InvalidArgumentError]) -> None:
        if body < 0 or body % self._record:
            raise self._wrong_size(body, kind)

    def _wrong_size(
        self, body: int, kind: type[InvalidArgumentError] | type[DataLossError] = DataLossError
    ) -> InvalidArgumentError | DataLossError:
        return kind(
            f"Excluding the header ({self._header} bytes) and footer ({self._footer} bytes), input "
            f'file "{self.path}" has body length {body} bytes, which is not an exact multiple of '
            f"the record length ({self._record} bytes)."
        )


def check_lengths(
    record_bytes: int, header_bytes: int = 0, footer_bytes: int = 0, hop_bytes: int = 0
) -> None:
    """InvalidArgumentError for lengths that no file has."""
    if record_bytes <= 0:
        raise InvalidArgumentError(f"record_bytes must be > 0 not {record_bytes}")
    for name, value in (
        ("header_bytes", header_bytes),
        ("footer_bytes", footer_bytes),
        ("hop_bytes", hop_bytes),
    ):
        if value < 0:
            raise InvalidArgumentError(f"{name} must be >= 0 not {value}")
