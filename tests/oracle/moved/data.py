"""tf.contrib.data, staging and lookup."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def data(tf: Any) -> Any:
    """tf.data.experimental, and what became methods of data sets."""
    older = tf.data.experimental

    def sliding_window_batch(
        size: int, stride: int = 1, window_shift: int | None = None, window_stride: int = 1
    ) -> Any:
        window = (size, window_shift or stride, window_stride, True)
        return lambda dataset: dataset.window(*window).flat_map(lambda part: part.batch(size))

    def reduce_dataset(dataset: Any, reducer: Any) -> Any:
        one = older.group_by_reducer(lambda *_: tf.constant(0, tf.int64), reducer)
        return older.get_single_element(dataset.apply(one))

    own = {
        "assert_element_shape": lambda shape: lambda d: d.map(lambda x: tf.ensure_shape(x, shape)),
        "batch_and_drop_remainder": lambda size: lambda d: d.batch(size, True),
        "padded_batch_and_drop_remainder": lambda *a: lambda d: d.padded_batch(*a, True),
        "reduce_dataset": reduce_dataset,
        "sliding_window_batch": sliding_window_batch,
        "sloppy_interleave": lambda *a, **k: older.parallel_interleave(*a, sloppy=True, **k),
    }
    return SimpleNamespace(**{**vars(older), **own})


def staging() -> Any:
    from tensorflow.python.ops import data_flow_ops as areas

    return SimpleNamespace(MapStagingArea=areas.MapStagingArea, StagingArea=areas.StagingArea)


def lookup() -> Any:
    from tensorflow.python.ops import lookup_ops

    def of_strings(mapping: Any, default_value: str = "UNK") -> Any:
        return lookup_ops.index_to_string_table_from_tensor(mapping, default_value)

    def of_indices(mapping: Any, *arguments: Any, **named: Any) -> Any:
        return lookup_ops.index_table_from_tensor(mapping, *arguments, **named)

    return SimpleNamespace(
        **{
            **vars(lookup_ops),
            "HashTable": lookup_ops.StaticHashTableV1,
            "MutableDenseHashTable": lookup_ops.DenseHashTable,
            "index_table_from_tensor": of_indices,
            "index_to_string": lambda tensor, *how: of_strings(*how).lookup(tensor),
            "index_to_string_table_from_tensor": of_strings,
            "string_to_index": lambda tensor, *how: of_indices(*how).lookup(tensor),
            "string_to_index_table_from_file": lookup_ops.index_table_from_file,
            "string_to_index_table_from_tensor": of_indices,
        }
    )
