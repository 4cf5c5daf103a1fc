"""Reading V2 checkpoints: the index at once, tensors as they are asked for."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import DataLossError, UnimplementedError
from tinytf.framework.files import op_errors
from tinytf.resources import file_system
from tinytf.resources.checkpoint_files.contents import check, fresh, read_into, strings_of
from tinytf.resources.checkpoint_files.reader import Reader, Stored, shape_of
from tinytf.resources.checkpoint_files.slices import Slice, from_message
from tinytf.resources.checkpoint_files.table import decode_table
from tinytf.resources.file_root import ANYWHERE, FileRoot


def data_file(prefix: str, shard: int, count: int) -> str:
    """The name of a data file."""
    return f"{prefix}.data-{shard:05d}-of-{count:05d}"


class BundleReader(Reader):
    """A V2 checkpoint.

    Args:
      prefix: of its files' names. files: where they may be.

    Raises:
      NotFoundError: if it is not there. DataLossError: if the index is damaged.

    Attributes:
      shards: how many data files it has.
    """

    def __init__(self, prefix: str, files: FileRoot = ANYWHERE):
        super().__init__(files.path(prefix))
        self._files = files
        data = file_system.read(files.path(f"{prefix}.index"))
        with self.damage("the index"):
            self._items = dict(decode_table(data))
            self.shards = self._read_header()
            for key, entry in self.messages():
                if not key.startswith(b"\0"):
                    self.tensors[key.decode()] = _stored(entry)

    def _read_header(self) -> int:
        from tinytf.protos.checkpoint_pb2 import BundleHeaderProto

        if b"" not in self._items:
            raise DataLossError("it has no header: it may be the index of something else")
        header = BundleHeaderProto.FromString(self._items.pop(b""))
        if header.endianness != BundleHeaderProto.LITTLE:
            raise UnimplementedError("it was written on a machine with another order of bytes")
        if header.version.min_consumer > 1 or header.num_shards < 1:
            raise DataLossError(f"its header is of a format that is not known: {header}")
        return header.num_shards

    def messages(self) -> Iterator[tuple[bytes, Any]]:
        """(key, `BundleEntryProto`) of all tensors and slices, in order."""
        from tinytf.protos.checkpoint_pb2 import BundleEntryProto

        for key, value in self._items.items():
            yield key, BundleEntryProto.FromString(value)

    def data_path(self, shard: int) -> str:
        """The path of a data file."""
        return self._files.path(data_file(self.prefix, shard, self.shards))

    def _read_piece(self, name: str, stored: Stored, piece: Slice | None) -> np.ndarray:
        from tinytf.protos.checkpoint_pb2 import BundleEntryProto

        key = name.encode()
        if piece is not None:
            key = piece.key(key)
            if key not in self._items:
                raise DataLossError(f"the slice {piece} is announced and not there")
        entry = BundleEntryProto.FromString(self._items[key])
        shape = shape_of(entry.shape)
        size, dtype = entry.size, stored.dtype
        wanted = stored.shape if piece is None else piece.sizes
        least = math.prod(shape) * (1 if dtype is dtypes.string else dtype.size)
        if entry.dtype != dtype.as_datatype_enum or shape != wanted:
            raise DataLossError(f"the slice {piece} is of another type or shape")
        if not 0 <= entry.shard_id < self.shards or entry.offset < 0 or size < least:
            raise DataLossError(f"its place is none: {entry}")
        if dtype is not dtypes.string and size != least:
            raise DataLossError(f"it has {size} bytes where its type and shape say {least}")
        path, start = self.data_path(entry.shard_id), entry.offset
        with op_errors(path), open(path, "rb", buffering=0) as file:
            there = os.fstat(file.fileno()).st_size
            if start + size > there:
                raise DataLossError(
                    f"{path} has {there} bytes, and it would be in those from {start} to "
                    f"{start + size}: the file is cut off"
                )
            is_strings = dtype is dtypes.string
            # An array that has its memory: a variable takes it over as it is.
            kind = dtype.as_numpy_dtype
            result = fresh([size], np.uint8) if is_strings else fresh(shape, kind)
            file.seek(start)
            crc = read_into(file, result.reshape(-1).view(np.uint8))
        if is_strings:
            return strings_of(result.tobytes(), math.prod(shape), entry.crc32c).reshape(shape)
        check(entry.crc32c, crc)
        return result


def _stored(entry: Any) -> Stored:
    shape = shape_of(entry.shape)
    slices = tuple(from_message(message, shape) for message in entry.slices)
    return Stored(dtypes.as_dtype(entry.dtype), shape, slices)
