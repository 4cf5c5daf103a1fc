"""V1 checkpoints: tables with the tensors in them, as `SavedTensorSlices` messages.

The first entry, under the empty key, says what there is; each slice has its own key. A checkpoint
of several files has them all in its pattern: "model-?????-of-00002".
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.errors import DataLossError, NotFoundError, UnimplementedError, invalid
from tinytf.framework.files import write_file
from tinytf.framework.tensor_value import encode, make_ndarray
from tinytf.resources import file_system
from tinytf.resources.checkpoint_files.bundle import set_shape
from tinytf.resources.checkpoint_files.bundle_reader import BundleReader
from tinytf.resources.checkpoint_files.reader import Reader, Stored, shape_of
from tinytf.resources.checkpoint_files.slices import Slice, from_message, whole
from tinytf.resources.checkpoint_files.table import decode_table, encode_table
from tinytf.resources.file_root import ANYWHERE, FileRoot

#: What TensorFlow does not save in this format.
_NEWER = frozenset(
    """
    bfloat16 uint32 uint64 qint16 quint16 float8_e5m2 float8_e4m3fn int4 uint4 resource variant
""".split()
)


class V1Reader(Reader):
    """A V1 checkpoint.

    Args:
      pattern: of its files' names. files: where they may be.

    Raises:
      NotFoundError: if there are none. DataLossError: if one is damaged, or something else.
    """

    def __init__(self, pattern: str, files: FileRoot = ANYWHERE):
        super().__init__(pattern)
        self._items: dict[bytes, bytes] = {}
        files.path(pattern)  # refused, instead of not found, if it leads out
        paths = files.glob(os.fsencode(pattern))
        if not paths:
            raise NotFoundError(
                f"Unsuccessful TensorSliceReader constructor: Failed to find any matching files "
                f"for {pattern}: neither {pattern}.index nor a V1 checkpoint is there"
            )
        for path in map(os.fsdecode, paths):
            content = file_system.read(files.path(path))
            with self.damage(f"the file {path}"):
                self._read_table(content)

    def _read_table(self, content: bytes) -> None:
        from tinytf.protos.checkpoint_pb2 import SavedTensorSlices

        items = dict(decode_table(content))
        if b"" not in items:
            raise DataLossError("Failed to find the saved tensor slices at the beginning")
        for said in SavedTensorSlices.FromString(items.pop(b"")).meta.tensor:
            shape = shape_of(said.shape)
            slices = tuple(from_message(message, shape) for message in said.slice)
            known = self.tensors.setdefault(said.name, Stored(dtypes.as_dtype(said.type), shape))
            known.slices += slices
        self._items.update(items)

    def _read_piece(self, name: str, stored: Stored, piece: Slice | None) -> np.ndarray:
        from tinytf.protos.checkpoint_pb2 import SavedTensorSlices

        item = self._items.get(piece.key(name.encode())) if piece is not None else None
        if piece is None or item is None:
            raise DataLossError(f"the slice {piece} is announced and not there")
        message = SavedTensorSlices.FromString(item).data.data
        message.dtype = stored.dtype.as_datatype_enum  # neither is said again
        set_shape(message.tensor_shape, piece.sizes)
        return make_ndarray(message)


def write_v1(path: str, tensors: Iterable[tuple[bytes, Slice | None, Any, dtypes.DType]]) -> None:
    """Write a V1 checkpoint; arguments and errors as for `bundle.write_bundle`."""
    from tinytf.protos.checkpoint_pb2 import SavedTensorSlices

    contents = SavedTensorSlices()
    contents.meta.versions.producer = 1
    known: dict[bytes, Any] = {}
    items: dict[bytes, bytes] = {}
    for name, part, value, dtype in tensors:
        if dtype.name in _NEWER:
            raise UnimplementedError(
                f"Saving data type {dtype.name} not yet supported in the V1 format: "
                f"tf.train.Saver(write_version=tf.train.SaverDef.V2)"
            )
        part = part or whole(np.shape(value))
        if name not in known:
            known[name] = contents.meta.tensor.add(name=name, type=dtype.as_datatype_enum)
            set_shape(known[name].shape, part.shape)
        part.write_to(known[name].slice.add())
        record = SavedTensorSlices()
        record.data.name = name.decode()
        record.data.slice.SetInParent()
        part.write_to(record.data.slice)
        record.data.data.CopyFrom(encode(value, dtype, typed=True))
        record.data.data.ClearField("dtype")  # the contents say them
        record.data.data.ClearField("tensor_shape")
        if part.key(name) in items:
            raise invalid(f"Adding duplicate key: {name.decode()}")
        items[part.key(name)] = record.SerializeToString()
    write_file(path, encode_table([(b"", contents.SerializeToString()), *sorted(items.items())]))


def open_checkpoint(prefix: str, files: FileRoot = ANYWHERE) -> Reader:
    """The checkpoint of this name, of whichever format it is; errors as for its reader."""
    if file_system.exists(files.path(f"{prefix}.index")):
        return BundleReader(prefix, files)
    return V1Reader(prefix, files)
