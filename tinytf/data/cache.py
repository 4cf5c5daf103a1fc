"""`cache`: elements are kept, in memory or in a file, once the input has ended.

A cache file `NAME.index` is a file of TFRecords, so that damage is noticed: what it is, the
components one after the other as TensorProtos, the number of elements. It appears when it is
complete, under a temporary name before. TensorFlow keeps other files under these names; neither
library reads the other's.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from google.protobuf.message import DecodeError

from tinytf.data.base import Self
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import (
    AlreadyExistsError,
    DataLossError,
    InvalidArgumentError,
    OpError,
    invalid,
)
from tinytf.framework.files import op_errors
from tinytf.framework.operation import Operation
from tinytf.framework.tensor_value import encode, make_ndarray
from tinytf.protos import tensor_pb2
from tinytf.resources.file_formats.tf_records import TFRecords
from tinytf.resources.records import encode_record

_MAGIC = b"tinytf cache of a dataset, version 1: "
_END = b"end of the cache: "


class _Memory:
    """The elements that an iterator keeps; None until they are complete."""

    def __init__(self) -> None:
        self.elements: list[tuple] | None = None


@dataset_op("input_dataset: variant, filename: string", FORM)
class CacheDataset(DatasetValue):
    """The same elements; from the second time on they are not computed again."""

    keeps_state = True

    def __init__(self, *inputs: Any, node: Operation, resources: Any):
        super().__init__(*inputs, node=node)
        name, self._filename = self.given.filename, ""
        if not isinstance(name, bytes):
            raise invalid("filename must be a scalar")
        if name:
            resources.files.path(name + b".index")  # a link there must not lead out either
            self._filename = resources.files.path(name)

    def start(self, context: Context, stage: Stage) -> Next:
        if not self._filename:
            return self._in_memory(context, stage)
        path = Path(self._filename + ".index")
        if path.exists():
            return self._read(path, stage)
        return self._write(path, context, stage)

    def _in_memory(self, context: Context, stage: Stage) -> Next:
        memory = context.kept(self, _Memory)
        if memory.elements is not None:
            return iter(memory.elements).__next__
        advance = self.inputs[0].iterate(context, stage).next
        elements: list[tuple] = []
        failed = False

        def remember() -> tuple:
            nonlocal failed
            try:
                element = advance()
            except StopIteration:
                if not failed:
                    memory.elements = elements
                raise
            except Exception:
                failed = True  # an element is missing
                raise
            elements.append(element)
            return element

        stage.buffer = lambda: (len(elements), len(elements))
        return remember

    def _write(self, path: Path, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        writer: _Writer | None = None
        failed = False

        def remember() -> tuple:
            nonlocal writer, failed
            if writer is None:
                writer = _Writer(path, self._filename, self._header())
                stage.on_close(writer.close)
            try:
                element = advance()
            except StopIteration:
                if not failed:
                    writer.complete()
                writer.close()
                raise
            except Exception:
                failed = True  # an element is missing
                raise
            writer.write(element)
            return element

        return remember

    def _header(self) -> bytes:
        return _MAGIC + ",".join(kind.name for kind in self.types).encode()

    def _read(self, path: Path, stage: Stage) -> Next:
        file = TFRecords(str(path))
        stage.on_close(file.close)
        count, size = 0, len(self.types)
        is_checked = is_over = False
        header: bytes | None = None

        def record() -> bytes:
            try:
                found = file.read()
            except DataLossError as error:
                raise _damaged(path, error.message) from None
            if found is None:
                raise _damaged(path, "it ends too soon")
            return found

        def stored() -> tuple:
            nonlocal count, header, is_checked, is_over
            if not is_checked:
                header = record() if header is None else header
                self._check(path, header)
                is_checked = True
            if is_over:
                raise StopIteration
            first = record()
            if first.startswith(_END):
                if first != _END + str(count).encode():
                    raise _damaged(path, "its number of elements is wrong")
                is_over = True
                raise StopIteration
            parts = [first, *(record() for _ in range(size - 1))]
            count += 1
            return tuple(_decoded(path, part) for part in parts)

        return stored

    def _check(self, path: Path, header: bytes) -> None:
        if not header.startswith(_MAGIC):
            raise _damaged(path, "it is none that tinytf has written")
        if header != self._header():
            kinds = header[len(_MAGIC) :].decode(errors="replace")
            raise InvalidArgumentError(
                f"Data type mismatch: the cache file {path} has components of types {kinds}, the "
                f"dataset's are {', '.join(kind.name for kind in self.types)}. It belongs to "
                f"another pipeline: use another filename, or delete it."
            )

    def cardinality(self) -> int:
        return self.inputs[0].cardinality()


class _Writer:
    """A cache file that is being written, and the lock that says so."""

    def __init__(self, path: Path, filename: str, header: bytes):
        self._path, self._lock = path, f"{filename}_0.lockfile"
        self._temporary = f"{filename}_0.{os.getpid()}.temporary"
        self._count, self._is_locked = 0, False
        self._file: BinaryIO | None = None
        with op_errors(self._lock):
            try:
                os.close(os.open(self._lock, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            except FileExistsError:
                raise AlreadyExistsError(
                    f"There appears to be a concurrent caching iterator running - cache lockfile "
                    f"already exists ('{self._lock}'). If you are sure no other running "
                    f"computations are using this cache prefix, delete the lockfile and "
                    f"re-initialize the iterator."
                ) from None
            self._is_locked = True
            self._file = open(self._temporary, "wb")
        self._put(header)

    def __del__(self) -> None:
        self.close()  # an iterator that nobody has closed

    def _put(self, content: bytes) -> None:
        if self._file is not None:
            try:
                with op_errors(self._temporary):
                    self._file.write(encode_record(content))
            except OpError:
                self.close()  # the elements go on, but there will be no cache
                raise

    def write(self, element: tuple) -> None:
        for value in element:
            self._put(encode(value).SerializeToString())
        self._count += 1

    def complete(self) -> None:
        """All elements are there: give the file its name."""
        self._put(_END + str(self._count).encode())
        if self._file is not None:
            try:
                with op_errors(self._path):
                    self._file.close()
                    os.replace(self._temporary, self._path)
            except OpError:
                self.close()
                raise
            self._file = None

    def close(self) -> None:
        """Leave nothing but a complete file."""
        file, self._file = self._file, None
        if file is not None:
            with suppress(OSError):  # of what nobody will read
                file.close()
            Path(self._temporary).unlink(missing_ok=True)
        if self._is_locked:
            self._is_locked = False
            Path(self._lock).unlink(missing_ok=True)


def _decoded(path: Path, content: bytes) -> Any:
    try:
        return make_ndarray(tensor_pb2.TensorProto.FromString(content))
    except (DecodeError, ValueError) as error:
        raise _damaged(path, str(error)) from None


def _damaged(path: Path, why: str) -> OpError:
    return DataLossError(
        f"The file {path} is no complete cache of a dataset: {why}. If nothing else needs it, "
        f"delete it, and it is written again."
    )


def cache(self: Self, filename: Any = "", name: str | None = None) -> Self:
    """The same elements, computed once (TensorFlow: `Dataset.cache`).

    They are kept when the input has been read to its end; so a shuffle belongs after it.

    Args:
      filename: where to keep them, over programs as well; "": in memory, for one iterator.
      name: kept in the graph.

    Raises:
      DataLossError: when it runs, for a damaged or foreign file. InvalidArgumentError: for one
      of another pipeline. AlreadyExistsError: while another iterator writes it.

    Example:
      >>> tf.data.Dataset.range(2).map(lambda x: x * 3).cache().repeat(2)  # [0, 3, 0, 3]
    """
    if hasattr(filename, "__fspath__"):
        filename = filename.__fspath__()
    where = convert_to_tensor(filename, dtypes.string, name="filename")
    return self._derived(CacheDataset.card, where, name=name)
