"""`tf.data`: input pipelines."""

from tinytf.api import data_experimental as experimental
from tinytf.api.names import explained as _explained
from tinytf.data.dataset import Dataset, get_legacy_output_classes, get_legacy_output_shapes
from tinytf.data.dataset import get_legacy_output_types, make_initializable_iterator
from tinytf.data.dataset import make_one_shot_iterator
from tinytf.data.fixed_length_record import FixedLengthRecordDataset
from tinytf.data.text_line import TextLineDataset
from tinytf.data.tfrecord import TFRecordDataset
from tinytf.data.iterator import Iterator
from tinytf.data.options import Options, ThreadingOptions

AUTOTUNE = -1
INFINITE_CARDINALITY, UNKNOWN_CARDINALITY = -1, -2
get_output_classes = get_legacy_output_classes
get_output_shapes = get_legacy_output_shapes
get_output_types = get_legacy_output_types

__all__ = ["AUTOTUNE", "Dataset", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator"]
__all__ += ["Options", "TFRecordDataset", "TextLineDataset", "ThreadingOptions"]
__all__ += ["UNKNOWN_CARDINALITY", "experimental", "get_output_classes", "get_output_shapes"]
__all__ += ["get_output_types", "make_initializable_iterator", "make_one_shot_iterator"]

__getattr__ = _explained(__name__, "data")
