"""`tf.contrib.data`: what later became `tf.data.experimental`."""

from tinytf.api.names import explained
from tinytf.api.data_experimental import (
    AUTOTUNE, Counter, RandomDataset, bucket_by_sequence_length, choose_from_datasets,
    enumerate_dataset, get_single_element, group_by_window, ignore_errors, map_and_batch,
    parallel_interleave, sample_from_datasets, scan, shuffle_and_repeat, unbatch, unique,
)  # fmt: skip

__all__ = [
    "AUTOTUNE", "Counter", "RandomDataset", "bucket_by_sequence_length", "choose_from_datasets",
    "enumerate_dataset", "get_single_element", "group_by_window", "ignore_errors",
    "map_and_batch", "parallel_interleave", "sample_from_datasets", "scan", "shuffle_and_repeat",
    "unbatch", "unique",
]  # fmt: skip

__getattr__ = explained(__name__, "contrib.data")
