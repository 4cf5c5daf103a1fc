"""`tf.python_io`: files of TFRecords, written and read from Python."""

from tinytf.api.names import explained as _explained
from tinytf.resources.record_writer import TFRecordCompressionType, TFRecordOptions, TFRecordWriter
from tinytf.resources.record_writer import tf_record_iterator

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]

__getattr__ = _explained(__name__, "python_io")
