"""Ops that make datasets of the records of files."""

from __future__ import annotations

from typing import Any

from tinytf.data import run_files as files
from tinytf.data.card_sources import HANDLE, METADATA, REASON
from tinytf.data.run_files import FileDataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.resources.file_formats.compression import checked_compression

# TextLineDataset, TFRecordDataset -----------------------------------------------------------------

_INPUTS = ["filenames: string", "compression_type: string", "buffer_size: int64"]
text_line_dataset = define_op("TextLineDataset", _INPUTS, HANDLE, [METADATA], stateful=True)
tf_record_dataset = define_op("TFRecordDataset", _INPUTS, HANDLE, [METADATA], stateful=True)

# FixedLengthRecordDatasetV2, FixedLengthRecordDataset ---------------------------------------------

_SIZES = ["filenames: string", "header_bytes: int64", "record_bytes: int64", "footer_bytes: int64",
          "buffer_size: int64"]  # fmt: skip
fixed_length_record_dataset_v2 = define_op(
    "FixedLengthRecordDatasetV2", [*_SIZES, "compression_type: string"], HANDLE, [METADATA],
    stateful=True,
)  # fmt: skip
fixed_length_record_dataset = define_op(
    "FixedLengthRecordDataset", _SIZES, HANDLE, [METADATA], stateful=True
)
for _card in (
    text_line_dataset, tf_record_dataset, fixed_length_record_dataset_v2,
    fixed_length_record_dataset,
):  # fmt: skip
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@text_line_dataset.kernel
def _text_lines(
    filenames: Any, compression: Any, buffer: Any, *, node: Any, resources: Any
) -> FileDataset:
    kind = checked_compression(compression[()])
    return files.text_lines(node, filenames, kind, int(buffer), resources.files)


@tf_record_dataset.kernel
def _tf_records(
    filenames: Any, compression: Any, buffer: Any, *, node: Any, resources: Any
) -> FileDataset:
    kind = checked_compression(compression[()])
    return files.tf_records(node, filenames, kind, int(buffer), resources.files)


@fixed_length_record_dataset_v2.kernel
def _fixed_v2(
    filenames: Any, header: Any, record: Any, footer: Any, buffer: Any, compression: Any, *,
    node: Any, resources: Any,
) -> FileDataset:  # fmt: skip
    kind = checked_compression(compression[()])
    sizes = int(header), int(record), int(footer)
    return files.fixed_length_records(node, filenames, sizes, int(buffer), kind, resources.files)


@fixed_length_record_dataset.kernel
def _fixed(
    filenames: Any, header: Any, record: Any, footer: Any, buffer: Any, *, node: Any,
    resources: Any,
) -> FileDataset:  # fmt: skip
    sizes = int(header), int(record), int(footer)
    return files.fixed_length_records(node, filenames, sizes, int(buffer), "", resources.files)
