"""`tf.data.experimental`: what else there is for input pipelines."""

from tinytf.api.names import explained
from tinytf.data.experimental import (
    INFINITE_CARDINALITY,
    UNKNOWN_CARDINALITY,
    Counter,
    RandomDataset,
    assert_cardinality,
    bucket_by_sequence_length,
    cardinality,
    choose_from_datasets,
    enumerate_dataset,
    get_single_element,
    group_by_window,
    ignore_errors,
    map_and_batch,
    parallel_interleave,
    sample_from_datasets,
    scan,
    shuffle_and_repeat,
    take_while,
    unbatch,
    unique,
)
from tinytf.data.options import (
    AutoShardPolicy,
    AutotuneOptions,
    DistributeOptions,
    OptimizationOptions,
    ThreadingOptions,
)

AUTOTUNE = -1

__all__ = [
    "AUTOTUNE", "INFINITE_CARDINALITY", "UNKNOWN_CARDINALITY", "AutoShardPolicy",
    "AutotuneOptions", "Counter", "DistributeOptions", "OptimizationOptions", "RandomDataset",
    "ThreadingOptions", "assert_cardinality", "bucket_by_sequence_length", "cardinality",
    "choose_from_datasets", "enumerate_dataset", "get_single_element", "group_by_window",
    "ignore_errors", "map_and_batch", "parallel_interleave", "sample_from_datasets", "scan",
    "shuffle_and_repeat", "take_while", "unbatch", "unique",
]  # fmt: skip

__getattr__ = explained(__name__, "data.experimental")
