"""`tf.io`: files, and what is in them."""

from tinytf.api import io_gfile as gfile
from tinytf.api.image import (
    decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png, encode_jpeg, encode_png,
    extract_jpeg_shape, is_jpeg,
)  # fmt: skip
from tinytf.api.names import explained
from tinytf.api.python_io import (
    TFRecordCompressionType, TFRecordOptions, TFRecordWriter, tf_record_iterator,
)  # fmt: skip
from tinytf.ops.io.csv import decode_csv
from tinytf.ops.io.examples import parse_example, parse_single_example
from tinytf.ops.io.feature_configs import (
    FixedLenFeature, FixedLenSequenceFeature, RaggedFeature, SparseFeature, VarLenFeature,
)  # fmt: skip
from tinytf.ops.io.files import matching_files, read_file, write_file
from tinytf.ops.io.decode_raw import decode_compressed, decode_raw
from tinytf.ops.io.sequence_ops import parse_sequence_example, parse_single_sequence_example
from tinytf.ops.io.serialize_tensor import decode_json_example, parse_tensor, serialize_tensor
from tinytf.ops.sparse.serialize import (
    deserialize_many_sparse, serialize_many_sparse, serialize_sparse,
)  # fmt: skip
from tinytf.api.queue import (
    PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue,
)  # fmt: skip
from tinytf.ops.strings.text import decode_base64, encode_base64
from tinytf.training.graph_files import write_graph
from tinytf.training.input import match_filenames_once

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
    "RaggedFeature", "RandomShuffleQueue", "SparseFeature",
    "TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "VarLenFeature",
    "decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif",
    "decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw",
    "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape", "gfile", "is_jpeg",
    "match_filenames_once", "matching_files", "parse_example", "parse_sequence_example",
    "parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file",
    "deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse", "serialize_tensor",
    "tf_record_iterator", "write_file", "write_graph",
]  # fmt: skip

__getattr__ = explained(__name__, "io")
