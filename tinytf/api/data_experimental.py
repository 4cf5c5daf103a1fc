"""`tf.data.experimental`: what else there is for input pipelines."""

from tinytf.api.names import explained as _explained
from tinytf.data.csv import CsvDataset
from tinytf.data.make_csv_dataset import make_csv_dataset
from tinytf.data.make_batched_features_dataset import make_batched_features_dataset
from tinytf.data.parse_example_dataset import parse_example_dataset
from tinytf.data.apply import INFINITE_CARDINALITY, UNKNOWN_CARDINALITY, Counter, RandomDataset
from tinytf.data.apply import bucket_by_sequence_length, cardinality, choose_from_datasets
from tinytf.data.apply import copy_to_device, enumerate_dataset, from_variant, get_single_element
from tinytf.data.apply import get_structure, group_by_window, ignore_errors, prefetch_to_device
from tinytf.data.apply import sample_from_datasets, scan, take_while, to_variant, unbatch, unique
from tinytf.data.dense_to_sparse_batch import dense_to_sparse_batch
from tinytf.data.group_by_reducer import Reducer, group_by_reducer
from tinytf.data.cardinality import assert_cardinality
from tinytf.data.map_and_batch import map_and_batch, map_and_batch_with_legacy_function
from tinytf.data.parallel_interleave import parallel_interleave
from tinytf.data.shuffle import shuffle_and_repeat
from tinytf.data.optional import Optional, get_next_as_optional
from tinytf.data.options import AutoShardPolicy, AutotuneOptions, DistributeOptions
from tinytf.data.options import OptimizationOptions, ThreadingOptions

AUTOTUNE = -1

__all__ = ["AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "AutoShardPolicy"]
__all__ += ["AutotuneOptions", "Counter", "CsvDataset", "DistributeOptions", "OptimizationOptions"]
__all__ += ["Optional", "RandomDataset", "Reducer", "ThreadingOptions", "assert_cardinality"]
__all__ += ["bucket_by_sequence_length", "cardinality", "choose_from_datasets", "copy_to_device"]
__all__ += ["dense_to_sparse_batch", "enumerate_dataset", "from_variant", "get_next_as_optional"]
__all__ += ["get_single_element", "get_structure", "group_by_reducer", "group_by_window"]
__all__ += ["ignore_errors", "make_batched_features_dataset", "make_csv_dataset", "map_and_batch"]
__all__ += ["map_and_batch_with_legacy_function", "parallel_interleave", "parse_example_dataset"]
__all__ += ["prefetch_to_device", "sample_from_datasets", "scan", "shuffle_and_repeat"]
__all__ += ["take_while", "to_variant", "unbatch", "unique"]

__getattr__ = _explained(__name__, "data.experimental")
