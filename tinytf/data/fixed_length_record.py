"""`tf.data.FixedLengthRecordDataset`: records of one length."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinytf.data.base import int64
from tinytf.data.cards import METADATA, define_dataset
from tinytf.data.files import (
    FileDataset,
    RecordsDataset,
    buffer_tensor,
    compression_tensor,
    reading,
)
from tinytf.framework.errors import invalid
from tinytf.framework.tensor import Tensor
from tinytf.resources.file_formats.fixed_length import FixedLengthRecords

# FixedLengthRecordDatasetV2, FixedLengthRecordDataset ---------------------------------------------

_SIZES = (
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64"
)
fixed_length_record_dataset_v2 = define_dataset(
    "FixedLengthRecordDatasetV2", f"{_SIZES}, compression_type: string", METADATA, stateful=True
)
fixed_length_record_dataset = define_dataset(
    "FixedLengthRecordDataset", _SIZES, METADATA, stateful=True
)


@fixed_length_record_dataset_v2.kernel
@fixed_length_record_dataset.kernel
def _fixed_length_records(
    filenames: Any,
    header: Any,
    record: Any,
    footer: Any,
    buffer: Any,
    *compression: Any,
    node: Any,
    resources: Any,
) -> FileDataset:
    numbers = {"header_bytes": header, "record_bytes": record, "footer_bytes": footer}
    for name, value in numbers.items():
        if value < (name == "record_bytes"):
            wanted = "> 0" if name == "record_bytes" else ">= 0"
            raise invalid(f"`{name}` must be {wanted}; it is {value}")
    opener = partial(
        FixedLengthRecords,
        record_bytes=int(record),
        header_bytes=int(header),
        footer_bytes=int(footer),
        **reading(buffer, *compression),
        exact=True,
    )
    return FileDataset(filenames, opener, node=node, root=resources.files)


class FixedLengthRecordDataset(RecordsDataset):
    """Records of one length (TensorFlow: `tf.data.FixedLengthRecordDataset`).

    Args:
      record_bytes: the length. header_bytes, footer_bytes: to leave out in each file.
      The others: as those of `TextLineDataset`.

    Example:
      >>> images = tf.data.FixedLengthRecordDataset("train-images", 28 * 28, header_bytes=16)
    """

    _card = fixed_length_record_dataset_v2

    def __init__(
        self,
        filenames: Any,
        record_bytes: Any,
        header_bytes: Any = None,
        footer_bytes: Any = None,
        buffer_size: Any = None,
        compression_type: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        def arguments() -> list[Tensor]:
            record = int64(record_bytes, "record_bytes")
            header = int64(0 if header_bytes is None else header_bytes, "header_bytes")
            footer = int64(0 if footer_bytes is None else footer_bytes, "footer_bytes")
            size = buffer_tensor(buffer_size)
            return [header, record, footer, size, compression_tensor(compression_type)]

        self._read(filenames, arguments, num_parallel_reads, name)
