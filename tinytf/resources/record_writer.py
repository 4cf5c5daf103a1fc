"""`TFRecordWriter`: files of TFRecords, plain or compressed. The format is told in `records.py`.

Mirrors tensorflow/python/lib/io/tf_record.py.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from tinytf.framework.errors import DataLossError, FailedPreconditionError
from tinytf.framework.files import Writing
from tinytf.resources.file_formats.compression import open_bytes
from tinytf.resources.records import Readable, encode_records, read_blocks

#: Written to the file at a time.
_BUFFER = 1 << 18
#: So many bytes of records wait in the writer at most.
_TOGETHER = 1 << 16


class TFRecordCompressionType:
    """How a file of TFRecords is compressed (TensorFlow: `tf.python_io.TFRecordCompressionType`).

    Example:
      >>> zlib = tf.python_io.TFRecordCompressionType.ZLIB
      >>> tf.python_io.TFRecordOptions.get_compression_type_string(zlib)  # 'ZLIB'
    """

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How to write, or read, a file of TFRecords (TensorFlow: `tf.python_io.TFRecordOptions`).

    Args:
      compression_type: "GZIP", "ZLIB" or "" for none; also a `TFRecordCompressionType`.
      flush_mode: what is given to zlib whenever `input_buffer_size` bytes were compressed.
      input_buffer_size: in bytes, 256 KiB by default.
      output_buffer_size: taken for TensorFlow's sake; what is compressed goes to the file at once.
      window_bits: zlib's; 15 by default, and 31 for "GZIP".
      compression_level: 0 (none, fast) to 9 (small, slow).
      compression_method, mem_level, compression_strategy: zlib's.

    Raises:
      ValueError: "Not a valid compression_type".

    Example:
      >>> options = tf.python_io.TFRecordOptions("GZIP", compression_level=9)
      >>> with tf.python_io.TFRecordWriter("small.tfrecord.gz", options) as writer:
      ...     writer.write(b"some bytes")
    """

    compression_type_map = {1: "ZLIB", 2: "GZIP", 0: ""}

    def __init__(
        self,
        compression_type: Any = None,
        flush_mode: int | None = None,
        input_buffer_size: int | None = None,
        output_buffer_size: int | None = None,
        window_bits: int | None = None,
        compression_level: int | None = None,
        compression_method: int | None = None,
        mem_level: int | None = None,
        compression_strategy: int | None = None,
    ):
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """ "", "ZLIB" or "GZIP" for options, a compression type or its name.

        Raises:
          ValueError: for anything else.

        Example:
          >>> tf.python_io.TFRecordOptions.get_compression_type_string(None)  # ''
        """  # noqa: D210 - the sentence begins with the empty name
        if not options:
            return ""
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if isinstance(options, int) and options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if isinstance(options, str) and options in cls.compression_type_map.values():
            return options
        raise ValueError(
            f'Not a valid compression_type: "{options}"; it is "GZIP", "ZLIB" or "" (none)'
        )


class TFRecordWriter:
    """Writes records of bytes to a new file (TensorFlow: `tf.python_io.TFRecordWriter`).

    Args:
      path: of the file; one that is there is replaced. Its folder has to be there.
      options: a `TFRecordOptions`, or just the compression: "GZIP", "ZLIB".

    Raises:
      tf.errors.NotFoundError: if the folder is not there. tf.errors.OpError: if the file system
      refuses otherwise.

    Example:
      >>> with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
      ...     writer.write(tf.train.Example().SerializeToString())
    """

    def __init__(self, path: str | bytes | os.PathLike[str], options: Any = None):
        self._file: BinaryIO | _Compressed | None = None
        if not isinstance(path, str | bytes | os.PathLike):
            raise TypeError(f"Expected binary or unicode string, got {path!r}")
        kind = TFRecordOptions.get_compression_type_string(options)
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(kind)
        self._path = os.fsdecode(path)
        self._errors = Writing(self._path)
        with self._errors:
            file = open(path, "wb", _BUFFER)
        try:
            self._file = _Compressed(file, kind, options) if kind else file
        except Exception:
            file.close()
            raise
        # Records wait here, so that their checksums are computed for many at once.
        self._waiting: deque[bytes] = deque()
        self._room = _TOGETHER
        self._lock = threading.Lock()

    def write(self, record: bytes | str) -> None:
        """Add a record; text is encoded as UTF-8.

        Raises:
          TypeError: for anything but bytes and text.
          tf.errors.FailedPreconditionError: "Writer is closed."
          tf.errors.ResourceExhaustedError: if the disk is full.
        """
        if type(record) is not bytes:
            record = _as_bytes(record)
        if self._file is None:
            raise _closed(self._path)
        self._waiting.append(record)
        self._room -= len(record) + 64
        if self._room < 0:
            self._write_waiting(self._file)

    def _write_waiting(self, file: BinaryIO | _Compressed) -> None:
        with self._lock, self._errors:
            self._room = _TOGETHER
            waiting = self._waiting
            if waiting:  # others may add while these are taken
                file.write(encode_records([waiting.popleft() for _ in range(len(waiting))]))

    def flush(self) -> None:
        """Hand everything written so far to the operating system, for readers to see.

        Raises:
          tf.errors.FailedPreconditionError: "Writer is closed."
        """
        if self._file is None:
            raise _closed(self._path)
        self._write_waiting(self._file)
        with self._errors:
            self._file.flush()

    def close(self) -> None:
        """Write what is left and close the file. The second time, nothing."""
        file, self._file = self._file, None
        if file is not None:
            try:
                self._write_waiting(file)
            finally:
                with self._errors:
                    file.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *details: Any) -> None:
        self.close()

    def __del__(self) -> None:
        # A forgotten writer's records are in the file, too, as in TensorFlow.
        if getattr(self, "_file", None) is not None:
            self._errors.at_last(self.close)


def _as_bytes(record: Any) -> bytes:
    if isinstance(record, str):
        return record.encode()
    if isinstance(record, bytes | bytearray):
        return bytes(record)
    advice = ""
    if hasattr(record, "SerializeToString"):
        advice = ": write(message.SerializeToString())"
    raise TypeError(f"write(): a record is bytes or text, got {type(record).__name__}{advice}")


def _closed(path: str) -> FailedPreconditionError:
    return FailedPreconditionError(
        f"Writer is closed. {path} takes records only until close(), or until the "
        "end of the `with` block; a new writer replaces the file"
    )


def tf_record_iterator(
    path: str | bytes | os.PathLike[str], options: Any = None
) -> Iterator[bytes]:
    """The records of a file, one after the other (TensorFlow: `tf.python_io.tf_record_iterator`).

    Args:
      path: of the file. options: a `TFRecordOptions`, or just the compression: "GZIP", "ZLIB".

    Raises:
      tf.errors.NotFoundError: if there is no such file.
      tf.errors.DataLossError: while it is read, at a record that is damaged or cut off; the message
        names the byte where it begins.

    Example:
      >>> with tf.python_io.TFRecordWriter("data.tfrecord") as writer:
      ...     writer.write(b"one")
      ...     writer.write(b"two")
      >>> list(tf.python_io.tf_record_iterator("data.tfrecord"))
      [b'one', b'two']
    """
    if not isinstance(path, str | bytes | os.PathLike):
        raise TypeError(f"Expected binary or unicode string, got {path!r}")
    kind = TFRecordOptions.get_compression_type_string(options)
    # The file is opened by the call; it closes itself when the iterator is gone.
    return chain.from_iterable(_blocks(os.fsdecode(path), open_bytes(os.fsdecode(path), kind)))


def _blocks(path: str, file: Readable) -> Iterator[list[bytes]]:
    """The records of a file, many at a time; damage is told with the file's name."""
    try:
        yield from read_blocks(file)
    except DataLossError as error:
        raise DataLossError(f"{error.message} (in the file {path})") from None


class _Compressed:
    """Compresses what is written to a file."""

    def __init__(self, file: BinaryIO, kind: str, options: TFRecordOptions):
        import zlib

        bits = 31 if kind == "GZIP" else 15
        given = {
            "level": options.compression_level,
            "method": options.compression_method,
            "wbits": bits if options.window_bits is None else options.window_bits,
            "memLevel": 9 if options.mem_level is None else options.mem_level,
            "strategy": options.compression_strategy,
        }
        chosen: Any = {name: value for name, value in given.items() if value is not None}
        self._compressor = zlib.compressobj(**chosen)
        self._file = file
        self._partial = getattr(zlib, "Z_PARTIAL_FLUSH", zlib.Z_SYNC_FLUSH)
        self._mode = options.flush_mode or 0
        self._limit = options.input_buffer_size or _BUFFER
        self._since = 0

    def write(self, data: bytes) -> None:
        self._file.write(self._compressor.compress(data))
        if self._mode:
            self._since += len(data)
            if self._since >= self._limit:
                self._since = 0
                self._file.write(self._compressor.flush(self._mode))

    def flush(self) -> None:
        self._file.write(self._compressor.flush(self._partial))
        self._file.flush()

    def close(self) -> None:
        try:
            self._file.write(self._compressor.flush())
        finally:
            self._file.close()
