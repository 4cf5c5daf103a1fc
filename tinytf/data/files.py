"""Datasets of files: lines, TFRecords, records of one length, and the files of a pattern."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import metadata
from tinytf.data.dataset import Dataset
from tinytf.data.functions import StructuredFunction
from tinytf.data.mapping import dataset_spec
from tinytf.data.parallel import order
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.nest import DictView
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.reshape import reshape
from tinytf.ops.data import files as ops
from tinytf.ops.data import parallel, sources

#: The size of a buffer if nothing else is said.
_BUFFER_BYTES = 256 * 1024
AUTOTUNE = -1


class _FileDataset(Dataset):
    """A dataset that is made of filenames."""

    def _derived(self, variant_tensor: Tensor, spec: Any = None, *others: Any) -> Any:
        spec = self._element_spec if spec is None else spec
        return Dataset(variant_tensor, spec, [self, *others])

    def _read(
        self, filenames: Any, read_one: Callable[[Tensor], Tensor], parallel_reads: Any,
        name: str | None,
    ) -> None:  # fmt: skip
        """Become the records of files, of which `read_one` makes the dataset of one."""
        names = _filenames(filenames, name)
        spec = TensorSpec((), dtypes.string)

        def read_one_file(filename: Tensor) -> Dataset:
            return Dataset(read_one(filename), spec)

        if parallel_reads is None:
            made = names.flat_map(read_one_file, name=name)
        elif parallel_reads == AUTOTUNE:
            made = names.interleave(read_one_file, num_parallel_calls=parallel_reads, name=name)
        else:
            made = interleaved(names, read_one_file, parallel_reads, 1, True, name=name)
        super().__init__(made._variant_tensor, spec, made._inputs)


def interleaved(
    dataset: Dataset, function: Callable[..., Any], cycle: Any, block: Any,
    deterministic: bool | None, ready: Any = None, more: Any = None, name: str | None = None,
) -> Dataset:  # fmt: skip
    """The elements of the datasets that a function makes, read by a thread each, in turns.

    Args:
      cycle: how many are open at once. block: how many elements each gives in its turn.
      ready: how many of each are got ready; more: how many are opened ahead; None: twice those.
    """
    made = StructuredFunction(
        function, "tf.data.experimental.parallel_interleave()", dataset.element_spec
    )
    spec = dataset_spec(made, "interleave")
    numbers = [
        convert_to_tensor(value, dtypes.int64, name=what)
        for what, value in (
            ("cycle_length", cycle), ("block_length", block),
            ("buffer_output_elements", 2 * block if ready is None else ready),
            ("prefetch_input_elements", 2 * cycle if more is None else more),
        )
    ]  # fmt: skip
    tensor = parallel.legacy_parallel_interleave_dataset_v2(
        dataset._variant_tensor, made.captured, *numbers, f=made.attr,
        deterministic=order(deterministic), output_types=structure.flat_types(spec),
        output_shapes=structure.flat_shapes(spec), metadata=metadata(name),
    )  # fmt: skip
    return dataset._derived(tensor, spec)


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
    slices = sources.tensor_slice_dataset(
        [flat], output_shapes=[TensorShape(())], is_files=True, metadata=metadata(name)
    )
    return Dataset(slices, spec)


def _parameter(name: str, value: Any, default: Any, dtype: Any = dtypes.int64) -> Tensor:
    return convert_to_tensor(default if value is None else value, dtype, name=name)


class TextLineDataset(_FileDataset):
    """The lines of text files (TensorFlow: `tf.data.TextLineDataset`).

    Args:
      filenames: a string tensor, what can be made one, or a dataset of filenames.
      compression_type: "", "ZLIB" or "GZIP". buffer_size: in bytes.
      num_parallel_reads: how many files are read at once, their lines in turns; None: one.
      name: kept in the graph.

    Raises:
      TypeError: if `filenames` are no strings. NotFoundError ...: when it runs.

    Example:
      >>> lines = tf.data.TextLineDataset(["a.csv", "b.csv"]).skip(1)
    """

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ):  # fmt: skip
        def read_one(filename: Tensor) -> Tensor:
            kind = _parameter("compression_type", compression_type, "", dtypes.string)
            size = _parameter("buffer_size", buffer_size, _BUFFER_BYTES)
            return ops.text_line_dataset(filename, kind, size, metadata=metadata(name))

        self._read(filenames, read_one, num_parallel_reads, name)


class TFRecordDataset(_FileDataset):
    """The records of TFRecord files (TensorFlow: `tf.data.TFRecordDataset`).

    Args: as those of `TextLineDataset`.

    Example:
      >>> records = tf.data.TFRecordDataset("examples.tfrecord")
    """

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None,
        num_parallel_reads: Any = None, name: str | None = None,
    ):  # fmt: skip
        def read_one(filename: Tensor) -> Tensor:
            kind = _parameter("compression_type", compression_type, "", dtypes.string)
            size = _parameter("buffer_size", buffer_size, _BUFFER_BYTES)
            return ops.tf_record_dataset(filename, kind, size, metadata=metadata(name))

        self._read(filenames, read_one, num_parallel_reads, name)


class FixedLengthRecordDataset(_FileDataset):
    """Records of one length (TensorFlow: `tf.data.FixedLengthRecordDataset`).

    Args:
      record_bytes: the length. header_bytes, footer_bytes: to leave out in each file.
      The others: as those of `TextLineDataset`.

    Example:
      >>> images = tf.data.FixedLengthRecordDataset("train-images", 28 * 28, header_bytes=16)
    """

    def __init__(
        self, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None,
        buffer_size: Any = None, compression_type: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ):  # fmt: skip
        def read_one(filename: Tensor) -> Tensor:
            record = convert_to_tensor(record_bytes, dtypes.int64, name="record_bytes")
            header = _parameter("header_bytes", header_bytes, 0)
            footer = _parameter("footer_bytes", footer_bytes, 0)
            size = _parameter("buffer_size", buffer_size, _BUFFER_BYTES)
            kind = _parameter("compression_type", compression_type, "", dtypes.string)
            return ops.fixed_length_record_dataset_v2(
                filename, header, record, footer, size, kind, metadata=metadata(name)
            )

        self._read(filenames, read_one, num_parallel_reads, name)
