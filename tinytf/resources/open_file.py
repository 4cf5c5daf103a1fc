"""`tf.gfile.GFile`: an open file of the local file system, with TensorFlow's errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

from tinytf.framework.errors import InvalidArgumentError, PermissionDeniedError
from tinytf.framework.files import Writing, op_errors
from tinytf.resources import file_system

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class GFile:
    """An open file (TensorFlow: `tf.gfile.GFile`, `tf.gfile.Open`, `tf.io.gfile.GFile`).

    The file is opened when it is first read or written; errors come then. Sizes and positions are
    in bytes, in text mode as well.

    Args:
      name: the path. mode: "r", "w", "a", "r+", "w+", "a+"; with "b" for bytes instead of text.

    Raises:
      InvalidArgumentError: for another mode.

    Example:
      >>> with tf.gfile.GFile("notes.txt", "w") as file:
      ...     file.write("one line")
    """

    def __init__(self, name: Any, mode: str = "r"):
        self._name, self._mode = name, mode
        self._errors = Writing(name)
        self._binary = "b" in mode
        self._kind = mode.replace("b", "")
        self._file: IO[bytes] | None = None
        if self._kind not in _MODES:
            raise InvalidArgumentError(
                f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+': it is {mode!r}"
            )

    @property
    def name(self) -> Any:
        """The path, as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode, as it was given."""
        return self._mode

    def _opened(self, reading: bool) -> IO[bytes]:
        if reading and self._kind in ("w", "a"):
            raise PermissionDeniedError("File isn't open for reading")
        if not reading and self._kind == "r":
            raise PermissionDeniedError("File isn't open for writing")
        return self._any()

    def _any(self) -> IO[bytes]:
        file = self._file
        if file is None:
            path = file_system.path_of(self._name)
            with op_errors(path):
                file = self._file = open(path, self._kind + "b")
            if self._kind == "a+":
                file.seek(0)  # reading begins at the start; what is written still goes to the end
        return file

    def _result(self, data: bytes) -> Any:
        return data if self._binary else data.decode()

    def read(self, n: int = -1) -> Any:
        """The next n bytes, or all that are left, as text unless the mode has "b".

        Raises:
          PermissionDeniedError: if the file is open for writing. NotFoundError: if it is missing.
        """
        file = self._opened(reading=True)
        with op_errors(self._name):
            return self._result(file.read(n))

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        file = self._opened(reading=True)
        with op_errors(self._name):
            return self._result(file.readline())

    def readlines(self) -> list[Any]:
        """All lines that are left."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> Any:
        """The next line; StopIteration at the end."""
        return self.__next__()

    def write(self, file_content: Any) -> None:
        """Write text (as UTF-8) or bytes.

        Raises:
          PermissionDeniedError: if the file is open for reading. TypeError: for anything else.
        """
        file = self._opened(reading=False)
        if not isinstance(file_content, str | bytes):
            raise TypeError(f"Expected binary or unicode string, got {file_content!r}")
        data = file_content.encode() if isinstance(file_content, str) else file_content
        with self._errors:
            file.write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a place: `offset` bytes from the start (0), from here (1) or from the end (2).

        Raises:
          InvalidArgumentError: for a place before the start, or another `whence`.
        """
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(
                f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2."
            )
        place = position if offset is None else offset
        if place is None:
            raise TypeError("seek(): offset argument required")
        file = self._opened(reading=True)
        start = (0, file.tell(), self.size())[whence]
        if start + place < 0:
            raise InvalidArgumentError(f"Seeking to a negative position: {start + place}")
        file.seek(start + place)

    def tell(self) -> int:
        """How many bytes are before the current place."""
        return self._any().tell()

    def size(self) -> int:
        """The size of the file in bytes, as far as it was flushed."""
        return file_system.stat(self._name).length

    def seekable(self) -> bool:
        """True."""
        return True

    def flush(self) -> None:
        """Hand what was written to the operating system."""
        if self._file is not None and self._kind != "r":
            with self._errors:
                self._file.flush()

    def close(self) -> None:
        """Close the file; whoever reads it again reads from the start, as in TensorFlow."""
        file, self._file = self._file, None
        if file is not None:
            with self._errors:
                file.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_file", None) is not None:
            self._errors.at_last(self.close)

    def __repr__(self) -> str:
        return f"<GFile {self._name!r}, mode {self._mode!r}>"


class FastGFile(GFile):
    """TensorFlow's older name for a `GFile`: `tf.gfile.FastGFile`.

    Example:
      >>> with tf.gfile.FastGFile("notes.txt", "w") as file:
      ...     file.write("one line")
      >>> tf.gfile.FastGFile("notes.txt").read()
      'one line'
    """
