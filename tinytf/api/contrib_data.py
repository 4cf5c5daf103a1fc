"""`tf.contrib.data`: what TensorFlow 1.x had there before `tf.data.experimental`."""

from tinytf.api.names import explained as _explained
from tinytf.data.contrib import assert_element_shape, batch_and_drop_remainder
from tinytf.data.contrib import padded_batch_and_drop_remainder, reduce_dataset
from tinytf.data.contrib import sliding_window_batch, sloppy_interleave
from tinytf.data.csv import CsvDataset
from tinytf.data.make_csv_dataset import make_csv_dataset
from tinytf.data.make_batched_features_dataset import make_batched_features_dataset
from tinytf.data.parse_example_dataset import parse_example_dataset
from tinytf.data.apply import Counter, RandomDataset, bucket_by_sequence_length
from tinytf.data.apply import choose_from_datasets, copy_to_device, enumerate_dataset
from tinytf.data.apply import get_single_element, group_by_window, ignore_errors, prefetch_to_device
from tinytf.data.apply import sample_from_datasets, scan, unbatch, unique
from tinytf.data.dense_to_sparse_batch import dense_to_sparse_batch
from tinytf.data.group_by_reducer import Reducer, group_by_reducer
from tinytf.data.map_and_batch import map_and_batch
from tinytf.data.parallel_interleave import parallel_interleave
from tinytf.data.shuffle import shuffle_and_repeat
from tinytf.data.optional import Optional, get_next_as_optional

AUTOTUNE = -1

__all__ = ["AUTOTUNE", "Counter", "CsvDataset", "Optional", "RandomDataset", "Reducer"]
__all__ += ["assert_element_shape", "batch_and_drop_remainder", "bucket_by_sequence_length"]
__all__ += ["choose_from_datasets", "copy_to_device", "dense_to_sparse_batch", "enumerate_dataset"]
__all__ += ["get_next_as_optional", "get_single_element", "group_by_reducer", "group_by_window"]
__all__ += ["ignore_errors", "make_batched_features_dataset", "make_csv_dataset", "map_and_batch"]
__all__ += ["padded_batch_and_drop_remainder", "parallel_interleave", "parse_example_dataset"]
__all__ += ["prefetch_to_device", "reduce_dataset", "sample_from_datasets", "scan"]
__all__ += ["shuffle_and_repeat", "sliding_window_batch", "sloppy_interleave", "unbatch", "unique"]

__getattr__ = _explained(__name__, "contrib.data")
