"""`tf.data.TFRecordDataset`: the records of TFRecord files."""

from __future__ import annotations

from tinytf.data.files import (
    RecordsDataset,
    define_records,
)
from tinytf.resources.file_formats.tf_records import TFRecords


class TFRecordDataset(RecordsDataset):
    """The records of TFRecord files (TensorFlow: `tf.data.TFRecordDataset`).

    Args: as those of `TextLineDataset`.

    Example:
      >>> records = tf.data.TFRecordDataset("examples.tfrecord")
    """

    _card = define_records("TFRecordDataset", TFRecords, leaves_damaged=True)
