"""The kinds of readers: what each makes of a work unit."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from tinytf.framework.errors import InvalidArgumentError
from tinytf.resources import origins
from tinytf.resources.file_formats.compression import checked_compression, open_bytes
from tinytf.resources.file_formats.fixed_length import FixedLengthRecords, check_lengths
from tinytf.resources.file_formats.lines import TextLines
from tinytf.resources.file_formats.record_file import RecordFile
from tinytf.resources.file_formats.tf_records import TFRecords
from tinytf.resources.readers import Reader, Record

_WHOLE_FILE_PIECE = 1 << 26


class FileReader(Reader):
    """A reader of files with many records; keys are "file:position"."""

    def __init__(self, name: str):
        super().__init__(name)
        self._file: RecordFile | None = None
        self._prefix = b""

    def _open(self, path: str) -> RecordFile:
        raise NotImplementedError(f"{self.kind} does not say what files it reads")

    def _start(self, work: bytes) -> None:
        self._file = self._open(self.files.path(work))
        self._prefix = work.replace(b"%", b"%%") + b":%d"

    def _next(self) -> Record | None:
        assert self._file is not None
        record = self._file.read()
        return None if record is None else (self._prefix % self._file.position, record)

    def _stop(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None


class TextLineReader(FileReader):
    """A record is a line; its key is "file:line", counted from 1.

    TensorFlow: core/kernels/text_line_reader_op.cc.
    """

    kind = "TextLineReader"

    def __init__(self, name: str, skip_header_lines: int = 0):
        super().__init__(name)
        if skip_header_lines < 0:
            raise InvalidArgumentError(f"skip_header_lines must be >= 0 not {skip_header_lines}")
        self._skipped = skip_header_lines

    def _open(self, path: str) -> RecordFile:
        return TextLines(path, self._skipped)

    def _next(self) -> Record | None:
        record = super()._next()
        if record is not None:
            origins.remember(*record)
        return record


class FixedLengthRecordReader(FileReader):
    """A record is so many bytes; its key is "file:number", counted from 0.

    TensorFlow: core/kernels/fixed_length_record_reader_op.cc.
    """

    kind = "FixedLengthRecordReader"

    def __init__(
        self,
        name: str,
        record_bytes: int,
        header_bytes: int = 0,
        footer_bytes: int = 0,
        hop_bytes: int = 0,
        encoding: str = "",
    ):
        super().__init__(name)
        check_lengths(record_bytes, header_bytes, footer_bytes, hop_bytes)
        self._lengths = record_bytes, header_bytes, footer_bytes, hop_bytes
        self._encoding = checked_compression(encoding)

    def _open(self, path: str) -> RecordFile:
        return FixedLengthRecords(path, *self._lengths, self._encoding)


class TFRecordReader(FileReader):
    """A record is one of a TFRecord file; its key is "file:byte".

    TensorFlow: core/kernels/tf_record_reader_op.cc.
    """

    kind = "TFRecordReader"

    def __init__(self, name: str, compression_type: str = ""):
        super().__init__(name)
        self._compression = checked_compression(compression_type)

    def _open(self, path: str) -> RecordFile:
        return TFRecords(path, self._compression)


class _OneRecordReader(Reader):
    """A reader whose work units are single records: it can save its state between them."""

    one_record = True

    def serialize_state(self) -> bytes:
        from tinytf.protos.reader_base_pb2 import ReaderBaseState  # seldom needed

        with self._lock:
            state = ReaderBaseState(
                work_started=self._started,
                work_finished=self._finished,
                num_records_produced=self._produced,
                current_work=self._work,
            )
        return state.SerializeToString()

    def restore_state(self, state: bytes) -> None:
        from tinytf.protos.reader_base_pb2 import ReaderBaseState

        with self._lock:
            self._reset()
            try:
                found = ReaderBaseState.FromString(state)
            except DecodeError:
                raise InvalidArgumentError(
                    f"Could not parse state for {self}: {ascii(state)[2:-1]}"
                ) from None
            if min(found.work_started, found.work_finished, found.num_records_produced) < 0:
                raise self._wrong("Unexpected negative value", found)
            if found.work_started != found.work_finished:
                raise self._wrong("Inconsistent work started vs. finished", found)
            self._started, self._finished = found.work_started, found.work_finished
            self._produced, self._work = found.num_records_produced, found.current_work

    def _wrong(self, what: str, found: object) -> InvalidArgumentError:
        values = " / ".join(str(found).split("\n")).rstrip(" /")
        return InvalidArgumentError(f"{what} when restoring in {self}: {values}")


class WholeFileReader(_OneRecordReader):
    """A record is a whole file; its key is the file's name.

    TensorFlow: core/kernels/whole_file_read_ops.cc.
    """

    kind = "WholeFileReader"

    def _next(self) -> Record | None:
        source = open_bytes(self.files.path(self._work))
        try:
            pieces = []
            while piece := source.read(source.size or _WHOLE_FILE_PIECE):
                pieces.append(piece)
        finally:
            source.close()
        return self._work, pieces[0] if len(pieces) == 1 else b"".join(pieces)


class IdentityReader(_OneRecordReader):
    """A record is what was in the queue, key and value alike.

    TensorFlow: core/kernels/identity_reader_op.cc.
    """

    kind = "IdentityReader"

    def _next(self) -> Record | None:
        return self._work, self._work
