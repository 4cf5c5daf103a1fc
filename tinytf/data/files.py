"""What datasets of the records of files have in common."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np

from tinytf.data.base import int64, made
from tinytf.data.cards import METADATA, define_dataset
from tinytf.data.dataset import Dataset
from tinytf.data.from_tensor_slices import TensorSliceDataset
from tinytf.data.parallel_interleave import interleaved
from tinytf.data.stages import AUTOTUNE, Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import DataLossError, invalid
from tinytf.framework.nest import DictView
from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, scalar
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.reshape import reshape
from tinytf.resources.file_formats.compression import checked_compression
from tinytf.resources.file_formats.record_file import RecordFile
from tinytf.resources.file_root import FileRoot

Opener = Callable[[str], RecordFile]

#: The size of a buffer if nothing else is said.
_BUFFER_BYTES = 256 * 1024


class FileDataset(DatasetValue):
    """The records of one file after the other.

    A file that cannot be opened or read stays the current one: the error comes again.

    Args:
      filenames: of the files. opener: opens one. root: says where they may be.
      leaves_damaged: whether the rest of a file with a damaged record is left out.
    """

    def __init__(
        self,
        filenames: np.ndarray,
        opener: Opener,
        *,
        node: Operation,
        root: FileRoot,
        leaves_damaged: bool = False,
    ):
        super().__init__(node=node)
        if filenames.ndim > 1:
            raise invalid("`filenames` must be a scalar or a vector.")
        self.types, self.shapes = (dtypes.string,), (scalar(),)
        self._filenames = [name.decode("utf-8", "surrogateescape") for name in filenames.flat]
        self._opener, self._root, self._leaves_damaged = opener, root, leaves_damaged

    def element(self, record: Any) -> tuple:
        """The element that a record makes."""
        value = np.empty((), object)
        value[()] = record
        return (value,)

    def start(self, context: Context, stage: Stage) -> Next:
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


def reading(buffer: Any, compression: Any = None) -> dict[str, Any]:
    """How a `RecordFile` is read, from the inputs of an op.

    Raises:
      InvalidArgumentError: if it cannot be.
    """
    kind = checked_compression(None if compression is None else compression[()])
    if buffer < 0:
        raise invalid("`buffer_size` must be >= 0 (0 == default)")
    return {"compression": kind, "buffer_size": int(buffer)}


def define_records(
    name: str, opener: Callable[..., RecordFile], leaves_damaged: bool = False
) -> OpCard:
    """Define the op that makes a dataset of the records of files that `opener` opens."""
    inputs = "filenames: string, compression_type: string, buffer_size: int64"
    card = define_dataset(name, inputs, METADATA, stateful=True)

    @card.kernel
    def _records(
        filenames: Any, compression: Any, buffer: Any, *, node: Any, resources: Any
    ) -> FileDataset:
        opened = partial(opener, **reading(buffer, compression))
        where = {"root": resources.files, "leaves_damaged": leaves_damaged}
        return FileDataset(filenames, opened, node=node, **where)

    return card


class RecordsDataset(Dataset):
    """A dataset that is made of filenames: the arguments are those of `TextLineDataset`."""

    _card: ClassVar[OpCard]

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        def arguments() -> list[Tensor]:
            return [compression_tensor(compression_type), buffer_tensor(buffer_size)]

        self._read(filenames, arguments, num_parallel_reads, name)

    def _read(
        self,
        filenames: Any,
        arguments: Callable[[], list[Tensor]],
        parallel_reads: Any,
        name: str | None,
    ) -> None:
        """Become the records of files; the op makes those of one of its name and `arguments`."""
        names = _filenames(filenames, name)
        spec = TensorSpec((), dtypes.string)

        def read_one_file(filename: Tensor) -> Any:
            return made(self._card, filename, *arguments(), spec=spec, name=name)

        if parallel_reads is None:
            read = names.flat_map(read_one_file, name=name)
        elif parallel_reads == AUTOTUNE:
            read = names.interleave(read_one_file, num_parallel_calls=parallel_reads, name=name)
        else:
            read = interleaved(names, read_one_file, parallel_reads, 1, True, name=name)
        Dataset.__init__(self, read._variant_tensor, spec, read._inputs)


def _filenames(filenames: Any, name: str | None) -> Dataset:
    """Filenames as a dataset.

    Raises:
      TypeError: for what is no filename.
    """
    if isinstance(filenames, Dataset):
        if filenames.output_types != dtypes.string:
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements. Got a dataset of "
                f"`{filenames.output_types!r}` elements."
            )
        if not filenames.output_shapes.is_compatible_with(TensorShape(())):
            raise TypeError(
                f"The `filenames` argument must contain `tf.string` elements of shape [] (i.e. "
                f"scalars). Got a dataset of element shape {filenames.output_shapes!r}."
            )
        return filenames
    if isinstance(filenames, os.PathLike):
        filenames = os.fspath(filenames)
    elif isinstance(filenames, list | tuple | DictView):
        filenames = [
            os.fspath(one) if isinstance(one, os.PathLike) else one for one in filenames
        ] or convert_to_tensor([], dtypes.string)
    tensor = convert_to_tensor(filenames)
    if tensor.dtype is not dtypes.string:
        raise TypeError(
            f"The `filenames` argument must contain `tf.string` elements. Got `{tensor.dtype!r}` "
            f"elements."
        )
    flat = reshape(tensor, [-1], name="flat_filenames")
    spec = TensorSpec((), dtypes.string)
    return made(TensorSliceDataset.card, [flat], spec=spec, is_files=True, name=name)


def compression_tensor(kind: Any) -> Tensor:
    """The input of an op that says how files are compressed."""
    return convert_to_tensor("" if kind is None else kind, dtypes.string, name="compression_type")


def buffer_tensor(size: Any) -> Tensor:
    """The input of an op that says how many bytes are read at once."""
    return int64(_BUFFER_BYTES if size is None else size, "buffer_size")
