"""Writing V2 checkpoints. A crash or a full disk at any moment leaves the one before whole.

The tensors go to a file with a name of its own. When all is on the disk, it gets its final name,
and then the index, at one stroke: whoever reads finds the old checkpoint or the new one. As the
old index still names the old data file until then, the new one may not have the same name: where
a checkpoint is written over, "data-00000-of-00001" and "data-00000-of-00002" take turns.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.errors import OpError, UnavailableError, invalid
from tinytf.framework.files import lock_file, op_errors
from tinytf.resources import file_system
from tinytf.resources.checkpoint_files.bundle_reader import BundleReader, data_file
from tinytf.resources.checkpoint_files.contents import Content
from tinytf.resources.checkpoint_files.slices import Slice
from tinytf.resources.checkpoint_files.table import encode_table
from tinytf.resources.file_root import ANYWHERE, FileRoot

#: How long another program may take to give its files their names.
_PATIENCE = 60.0


def write_bundle(
    prefix: str, tensors: Iterable[tuple[bytes, Slice | None, Any, dtypes.DType]]
) -> None:
    """Write a checkpoint.

    Args:
      prefix: of its files' names. Its folder is made if only that one is missing.
      tensors: (name, which slice of it this is or None, value, type).

    Raises:
      tf.errors.OpError: if the file system refuses; nothing of it is left then.
    """
    from tinytf.protos.checkpoint_pb2 import BundleEntryProto

    _make_folder(prefix)
    entries: dict[bytes, Any] = {}
    with temporary(prefix) as path:
        place = 0
        with op_errors(path), open(path, "xb") as file:
            for name, part, value, dtype in sorted(tensors, key=lambda each: each[0]):
                content = Content(value, dtype)
                file.writelines(content)
                entry = BundleEntryProto(
                    dtype=dtype.as_datatype_enum,
                    offset=place,
                    size=content.size,
                    crc32c=content.crc,
                )
                place += content.size
                _add_entry(entries, name, part, entry, content.shape)
            file.flush()
            os.fsync(file.fileno())
        _commit(prefix, [path], entries)


def _make_folder(prefix: str) -> None:
    folder = os.path.dirname(prefix) or "."
    with op_errors(folder), suppress(FileExistsError):  # another shard may be faster
        os.mkdir(folder)


def _add_entry(
    entries: dict[bytes, Any], name: bytes, part: Slice | None, entry: Any, shape: tuple[int, ...]
) -> None:
    from tinytf.protos.checkpoint_pb2 import BundleEntryProto

    set_shape(entry.shape, shape)
    if part is None:
        if name in entries:
            raise invalid(f"Adding duplicate key: {name.decode()}")
        entries[name] = entry
        return
    whole = entries.setdefault(name, BundleEntryProto(dtype=entry.dtype))
    if not whole.slices:
        set_shape(whole.shape, part.shape)
    part.write_to(whole.slices.add())
    entries[part.key(name)] = entry


def set_shape(message: Any, shape: Iterable[int]) -> None:
    """Fill in a `TensorShapeProto`, also that of a scalar."""
    message.SetInParent()
    for size in shape:
        message.dim.add().size = size


@contextmanager
def temporary(prefix: str) -> Iterator[str]:
    """The name of a file beside those of the prefix, which is not there after the block."""
    path = f"{prefix}.tempstate{os.urandom(8).hex()}"
    try:
        yield path
    finally:
        with suppress(OSError):
            os.unlink(path)


def _commit(prefix: str, data: list[str], entries: dict[bytes, Any]) -> None:
    """Give data files their names, and write the index that makes them a checkpoint."""
    from tinytf.protos.checkpoint_pb2 import BundleHeaderProto

    with _locked(os.path.dirname(prefix) or "."), temporary(prefix) as path:
        # What is there goes on being whole until the index is replaced: it keeps its data files.
        before = _shards_of(prefix)
        count = len(data) + (before == len(data))
        header = BundleHeaderProto(num_shards=count)
        header.version.producer = 1
        items = {name: entry.SerializeToString() for name, entry in entries.items()}
        table = encode_table([(b"", header.SerializeToString()), *sorted(items.items())])
        names = [data_file(prefix, shard, count) for shard in range(count)]
        try:
            with op_errors(path), open(path, "xb") as file:
                file.write(table)
                file.flush()
                os.fsync(file.fileno())
            with op_errors(prefix):
                for old, new in zip(data, names, strict=False):
                    os.replace(old, new)
                for name in names[len(data) :]:
                    with suppress(FileNotFoundError):
                        os.unlink(name)  # it may be a link
                    with open(name, "xb"):
                        pass
                os.replace(path, f"{prefix}.index")
        except BaseException:
            if os.path.lexists(path):  # or else the new index is in its place already
                for name in names:
                    with suppress(OSError):
                        os.unlink(name)
            raise
        _tidy(prefix, set(names))


def _tidy(prefix: str, kept: set[str]) -> None:
    """The new checkpoint is there: make it last, and remove the data of the old one."""
    folder = os.path.dirname(prefix) or "."
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    for path in data_files(prefix):
        if path not in kept:
            with suppress(OSError):
                os.unlink(path)


def data_files(prefix: str) -> list[str]:
    """The data files of a checkpoint that are there."""
    folder, start = os.path.split(prefix)
    with suppress(OSError):
        found = [name for name in os.listdir(folder or ".") if name.startswith(f"{start}.data-")]
        return [os.path.join(folder, name) for name in found if "tempstate" not in name]
    return []


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Keep other programs that save here from giving their files names meanwhile."""
    with op_errors(folder):
        descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            lock_file(descriptor, folder, _PATIENCE)
        except UnavailableError:
            raise
        except OpError:
            pass  # some network file systems lock no folders
        yield
    finally:
        os.close(descriptor)


def _shards_of(prefix: str) -> int:
    """How many data files the checkpoint of this name has that is there now; 0 without one."""
    try:
        return BundleReader(prefix).shards
    except OpError:
        return 0


def merge_bundles(
    prefixes: Iterable[str],
    destination: str,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
    files: FileRoot = ANYWHERE,
) -> None:
    """Make one checkpoint of several; their data files are renamed, not copied.

    Args:
      prefixes: of the parts. destination: of the whole.
      delete_old_dirs: whether to remove the folders of the parts, if nothing is left in them.
      allow_missing_files: whether parts may be missing.
      files: where graphs may use files.

    Raises:
      InvalidArgumentError: if two parts have the same tensor, or slices that do not fit.
      tf.errors.OpError: if a part cannot be read or renamed.
    """
    parts = []
    for prefix in prefixes:
        if allow_missing_files and not file_system.exists(files.path(f"{prefix}.index")):
            continue
        parts.append(BundleReader(prefix, files))
    entries: dict[bytes, Any] = {}
    data: list[str] = []
    for part in parts:
        numbers: dict[int, int] = {}
        for name, entry in part.messages():
            if not entry.slices:
                shard = entry.shard_id
                if shard not in numbers:
                    numbers[shard] = len(data)
                    data.append(part.data_path(shard))
                entry.shard_id = numbers[shard]
            _merge_entry(entries, name, entry, part.prefix)
    _make_folder(destination)
    _commit(destination, data, entries)
    for part in parts:
        for path in [f"{part.prefix}.index", *data_files(part.prefix)]:
            with suppress(OSError):
                os.unlink(path)
    if delete_old_dirs:
        for folder in {os.path.dirname(part.prefix) for part in parts}:
            with suppress(OSError):
                os.rmdir(folder)


def _merge_entry(entries: dict[bytes, Any], name: bytes, entry: Any, prefix: str) -> None:
    known = entries.get(name)
    if known is None:
        entries[name] = entry
        return
    shown = name.decode(errors="replace")
    if not (known.slices and entry.slices):
        raise invalid(f"Duplicate tensor keyed by {shown} encountered, when merging {prefix}")
    if (known.dtype, known.shape) != (entry.dtype, entry.shape):
        raise invalid(f"The slices of {shown} are of tensors of other types or shapes, in {prefix}")
    known.slices.extend(entry.slices)
