"""`tf.python_io`: files of TFRecords, written and read from Python."""

from tinytf.api.names import explained
from tinytf.resources.record_writer import (
    TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator,
)  # fmt: skip

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]

__getattr__ = explained(__name__, "python_io")
