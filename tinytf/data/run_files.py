"""Datasets of the records of files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.data.stages import Next, Stage
from tinytf.data.value import Context, Dataset
from tinytf.framework import dtypes
from tinytf.framework.errors import DataLossError, InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor_shape import scalar
from tinytf.resources.file_formats.fixed_length import FixedLengthRecords
from tinytf.resources.file_formats.lines import TextLines
from tinytf.resources.file_formats.record_file import RecordFile
from tinytf.resources.file_formats.tf_records import TFRecords
from tinytf.resources.file_root import FileRoot

Opener = Callable[[str], RecordFile]


class FileDataset(Dataset):
    """The records of one file after the other.

    A file that cannot be opened or read stays the current one: the error comes again.

    Args:
      filenames: of the files. opener: opens one. root: says where they may be.
      leaves_damaged: whether the rest of a file with a damaged record is left out.
    """

    __slots__ = ("_filenames", "_leaves_damaged", "_opener", "_root")

    def __init__(
        self, node: Operation, filenames: np.ndarray, opener: Opener, root: FileRoot,
        leaves_damaged: bool = False,
    ):  # fmt: skip
        super().__init__(node)
        if filenames.ndim > 1:
            raise InvalidArgumentError("`filenames` must be a scalar or a vector.")
        self.types, self.shapes = (dtypes.string,), (scalar(),)
        self._filenames = [name.decode("utf-8", "surrogateescape") for name in filenames.flat]
        self._opener, self._root, self._leaves_damaged = opener, root, leaves_damaged

    def element(self, record: Any) -> tuple:
        """The element that a record makes."""
        value = np.empty((), object)
        value[()] = record
        return (value,)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        names, opener = self._filenames, self._opener
        number = 0
        current: RecordFile | None = None
        made = self.element

        def leave() -> None:
            nonlocal number, current
            if current is not None:
                current.close()
            number, current = number + 1, None

        def read() -> tuple:
            nonlocal current
            while True:
                if current is None:
                    if number >= len(names):
                        raise StopIteration
                    current = opener(self._root.path(names[number]))
                try:
                    record = current.read()
                except DataLossError:
                    if self._leaves_damaged:
                        leave()
                    raise
                if record is not None:
                    return made(record)
                context.check()  # there may be very many without a record
                leave()

        def close() -> None:
            nonlocal number
            number = len(names)
            leave()

        stage.on_close(close)
        return read


def text_lines(
    node: Operation, filenames: Any, compression: str, buffer: int, root: FileRoot
) -> FileDataset:
    """The lines of text files; see `tf.data.TextLineDataset`."""
    buffer = check_buffer(buffer)
    return FileDataset(
        node, filenames,
        lambda path: TextLines(
            path, compression=compression, buffer_size=buffer, drop_carriage_returns=True
        ),
        root,
    )  # fmt: skip


def tf_records(
    node: Operation, filenames: Any, compression: str, buffer: int, root: FileRoot
) -> FileDataset:
    """The records of TFRecord files; see `tf.data.TFRecordDataset`."""
    buffer = check_buffer(buffer)
    return FileDataset(
        node, filenames,
        lambda path: TFRecords(path, compression=compression, buffer_size=buffer),
        root, leaves_damaged=True,
    )  # fmt: skip


def fixed_length_records(
    node: Operation,
    filenames: Any,
    sizes: Sequence[int],
    buffer: int,
    compression: str,
    root: FileRoot,
) -> FileDataset:
    """Records of one length; see `tf.data.FixedLengthRecordDataset`.

    Args:
      sizes: of the header, a record and the footer.
    """
    header, record, footer = sizes
    for name, value, least in (
        ("header_bytes", header, 0), ("record_bytes", record, 1), ("footer_bytes", footer, 0)
    ):  # fmt: skip
        if value < least:
            wanted = "> 0" if least else ">= 0"
            raise InvalidArgumentError(f"`{name}` must be {wanted}; it is {value}")
    buffer = check_buffer(buffer)
    return FileDataset(
        node, filenames,
        lambda path: FixedLengthRecords(
            path, record, header_bytes=header, footer_bytes=footer, compression=compression,
            buffer_size=buffer, exact=True,
        ),
        root,
    )  # fmt: skip


def check_buffer(size: int) -> int:
    """`size`; InvalidArgumentError if it is negative."""
    if size < 0:
        raise InvalidArgumentError("`buffer_size` must be >= 0 (0 == default)")
    return size
