"""`tf.data.TFRecordDataset`: the records of TFRecord files."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinytf.data.cards import METADATA, define_dataset
from tinytf.data.files import (
    FileDataset,
    RecordsDataset,
    buffer_tensor,
    compression_tensor,
    reading,
)
from tinytf.framework.tensor import Tensor
from tinytf.resources.file_formats.tf_records import TFRecords

tf_record_dataset = define_dataset(
    "TFRecordDataset",
    "filenames: string, compression_type: string, buffer_size: int64",
    METADATA,
    stateful=True,
)


@tf_record_dataset.kernel
def _tf_records(
    filenames: Any, compression: Any, buffer: Any, *, node: Any, resources: Any
) -> FileDataset:
    opener = partial(TFRecords, **reading(buffer, compression))
    return FileDataset(filenames, opener, node=node, root=resources.files, leaves_damaged=True)


class TFRecordDataset(RecordsDataset):
    """The records of TFRecord files (TensorFlow: `tf.data.TFRecordDataset`).

    Args: as those of `TextLineDataset`.

    Example:
      >>> records = tf.data.TFRecordDataset("examples.tfrecord")
    """

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

        self._read(tf_record_dataset, filenames, arguments, num_parallel_reads, name)
