"""TFRecord files, a record at a time; `resources.records` describes and parses the format."""

from __future__ import annotations

from tinytf.framework.errors import DataLossError, OpError
from tinytf.resources.file_formats.record_file import RecordFile
from tinytf.resources.records import HEADER_BYTES, read_blocks

#: What a record takes in the file beside its content: the header, and a checksum behind.
_AROUND = HEADER_BYTES + 4


class TFRecords(RecordFile):
    """The records of a TFRecord file.

    The `position` of a record is the byte where it begins, its header that is; in a compressed file
    of the content. An unfinished header at the end is taken for the end: somebody may be writing.

    Args:
      path, compression, buffer_size: as `RecordFile`.

    Raises (from `read`):
      DataLossError: "corrupted record at 12", "truncated record at 0", with the file. The byte is
        the one where what is damaged begins, as in TensorFlow: the header, or the content.
    """

    __slots__ = ("_blocks", "_error", "_next")

    def __init__(self, path: str | bytes, compression: str = "", buffer_size: int = 0):
        super().__init__(path, compression, buffer_size)
        self._blocks = read_blocks(self._source, self._buffer_size)
        self._next = 0  # where the record begins that `read` returns next
        self._error: OpError | None = None

    def read(self) -> bytes | None:
        """The next record; None at the end of the file. See `RecordFile.read`."""
        for record in self._ready:
            self.position = self._next
            self._next += len(record) + _AROUND
            return record
        ready = self._cut()
        if not ready:
            return None
        self._ready = iter(ready)
        return self.read()

    def _cut(self) -> list[bytes]:
        if self._error is None:
            try:
                for block in self._blocks:
                    if block:
                        return block
                return []
            except DataLossError as error:
                self._error = DataLossError(self._explained(error.message))
            except OpError as error:
                self._error = error
        raise self._error.with_traceback(None)

    def _explained(self, message: str) -> str:
        """What is wrong, with the record, if there were any, and the file."""
        if self._next and "record at" not in message:  # the compressed data is damaged
            message = f"truncated record at {self._next}: {message}"
        return message if self.path in message else f"{message} (in the file {self.path})"
