"""`tf.io`: files, and what is in them."""

from tinytf.api import io_gfile as gfile
from tinytf.api.image import decode_and_crop_jpeg
from tinytf.api.image import decode_bmp, decode_gif, decode_image, decode_jpeg, decode_png
from tinytf.api.image import encode_jpeg, encode_png, extract_jpeg_shape, is_jpeg
from tinytf.api.names import explained as _explained
from tinytf.api.python_io import TFRecordCompressionType, TFRecordOptions, TFRecordWriter
from tinytf.api.python_io import tf_record_iterator
from tinytf.ops.io.csv import decode_csv
from tinytf.ops.io.examples import parse_example, parse_single_example
from tinytf.ops.io.feature_configs import FixedLenFeature, FixedLenSequenceFeature, RaggedFeature
from tinytf.ops.io.feature_configs import SparseFeature, VarLenFeature
from tinytf.ops.io.files import matching_files, read_file, write_file
from tinytf.ops.io.decode_raw import decode_compressed, decode_raw
from tinytf.ops.io.sequence_ops import parse_sequence_example, parse_single_sequence_example
from tinytf.ops.io.serialize_tensor import decode_json_example, parse_tensor, serialize_tensor
from tinytf.ops.sparse.serialize import deserialize_many_sparse, serialize_many_sparse
from tinytf.ops.sparse.serialize import serialize_sparse
from tinytf.api.queue import PaddingFIFOQueue, PriorityQueue, QueueBase, RandomShuffleQueue
from tinytf.ops.strings.text import decode_base64, encode_base64
from tinytf.training.graph_files import write_graph
from tinytf.training.input import match_filenames_once

__all__ = ["FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue"]
__all__ += ["QueueBase", "RaggedFeature", "RandomShuffleQueue", "SparseFeature"]
__all__ += ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "VarLenFeature"]
__all__ += ["decode_and_crop_jpeg"]
__all__ += ["decode_base64", "decode_bmp", "decode_compressed", "decode_csv", "decode_gif"]
__all__ += ["decode_image", "decode_jpeg", "decode_json_example", "decode_png", "decode_raw"]
__all__ += ["encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape", "gfile", "is_jpeg"]
__all__ += ["match_filenames_once", "matching_files", "parse_example", "parse_sequence_example"]
__all__ += ["parse_single_example", "parse_single_sequence_example", "parse_tensor", "read_file"]
__all__ += ["deserialize_many_sparse", "serialize_many_sparse", "serialize_sparse"]
__all__ += ["serialize_tensor", "tf_record_iterator", "write_file", "write_graph"]

__getattr__ = _explained(__name__, "io")
