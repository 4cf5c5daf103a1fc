"""What the formats have in common: an open file that hands out its records."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from tinytf.resources.file_formats.compression import open_bytes

#: Read at a time, if nothing else is asked for.
BUFFER_BYTES = 1 << 18


class RecordFile:
    """An open file of records. One thread at a time.

    The file is read a buffer at a time, and all that is whole in the buffer is cut into records at
    once: `read` mostly takes the next one from a list.

    After an error, `read` raises it again: nothing behind a damaged record can be trusted.

    Args:
      path: the file.
      compression: "", "ZLIB" or "GZIP".
      buffer_size: bytes to read at a time; 0 for the usual number.

    Attributes:
      path: as it was given, as text.
      position: of the record that `read` returned last; what it counts depends on the format.

    Raises:
      tf.errors.OpError: NotFoundError, PermissionDeniedError ... if the file cannot be opened. A
        folder can be: reading it is what fails.

    Example:
      >>> with TextLines("data.csv", skip_header_lines=1) as lines:
      ...     for line in lines:
      ...         print(lines.position, line)
      2 b'1.5,cat'
    """

    __slots__ = ("_buffer_size", "_ready", "_source", "path", "position")

    def __init__(self, path: str | bytes, compression: str = "", buffer_size: int = 0):
        self.path = os.fsdecode(path)
        self.position = 0
        self._buffer_size = buffer_size or BUFFER_BYTES
        self._ready: Iterator[bytes] = iter(())
        self._source = open_bytes(path, compression)

    def read(self) -> bytes | None:
        """The next record; None at the end of the file.

        Raises:
          tf.errors.OpError: DataLossError for a damaged file, and what the system says.
        """
        for record in self._ready:
            self.position += 1
            return record
        ready = self._cut()
        if not ready:
            return None
        self._ready = iter(ready)
        return self.read()

    def _cut(self) -> list[bytes]:
        """The records of the next piece of the file, at least one; none at the end."""
        raise NotImplementedError(f"{type(self).__name__} does not say how it finds its records")

    def __iter__(self) -> Iterator[bytes]:
        """The records that are left."""
        return iter(self.read, None)

    def close(self) -> None:
        """Close the file; nothing can be read any more. May be called again."""
        self._ready = iter(())
        self._source.close()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.path!r} at {self.position}>"
