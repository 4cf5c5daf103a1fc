"""Ops that make datasets which choose among elements or datasets."""

from __future__ import annotations

import secrets
from typing import Any

from tinytf.data import run_choosing as choosing
from tinytf.data.card_shuffling import numbers
from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op

# UniqueDataset, IgnoreErrorsDataset, AssertCardinalityDataset -------------------------------------

unique_dataset = define_op("UniqueDataset", ["input_dataset: variant"], HANDLE, [*TYPES, METADATA])
ignore_errors_dataset = define_op(
    "IgnoreErrorsDataset", ["input_dataset: variant"], HANDLE,
    [*TYPES, "log_warning: bool = false"],
)  # fmt: skip
assert_cardinality_dataset = define_op(
    "AssertCardinalityDataset", ["input_dataset: variant", "cardinality: int64"], HANDLE, TYPES
)

# DirectedInterleaveDataset, RandomDataset ---------------------------------------------------------

directed_interleave_dataset = define_op(
    "DirectedInterleaveDataset",
    ["selector_input_dataset: variant", "data_input_datasets: N * variant"], HANDLE,
    [*TYPES, "N: int >= 1", "stop_on_empty_dataset: bool = false"],
)  # fmt: skip
random_dataset = define_op(
    "RandomDataset", ["seed: int64", "seed2: int64"], HANDLE, [*TYPES, METADATA], stateful=True
)

# GroupByWindowDataset -----------------------------------------------------------------------------

_PARTS = ("key_func", "reduce_func", "window_size_func")
group_by_window_dataset = define_op(
    "GroupByWindowDataset",
    ["input_dataset: variant", *(f"{part}_other_arguments: T{part}_other_arguments"
                                 for part in _PARTS)],
    HANDLE,
    [*(f"{part}: func" for part in _PARTS),
     *(f"T{part}_other_arguments: list(type) >= 0" for part in _PARTS), *TYPES, METADATA],
)  # fmt: skip
for _card in (
    unique_dataset, ignore_errors_dataset, assert_cardinality_dataset, directed_interleave_dataset,
    random_dataset, group_by_window_dataset,
):  # fmt: skip
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@unique_dataset.kernel
def _unique(source: Dataset, *, node: Any) -> Dataset:
    return choosing.UniqueDataset(node, [source])


@ignore_errors_dataset.kernel
def _ignore_errors(source: Dataset, *, node: Any) -> Dataset:
    return choosing.IgnoreErrorsDataset(node, [source])


@assert_cardinality_dataset.kernel
def _assert_cardinality(source: Dataset, expected: Any, *, node: Any) -> Dataset:
    return choosing.AssertCardinalityDataset(node, source, int(expected))


@directed_interleave_dataset.kernel
def _directed(
    selector: Dataset, *sources: Dataset, stop_on_empty_dataset: bool, node: Any
) -> Dataset:
    return choosing.DirectedInterleaveDataset(node, selector, sources, stop_on_empty_dataset)


@random_dataset.kernel
def _random(seed: Any, seed2: Any, *, node: Any) -> Dataset:
    pair = int(seed), int(seed2)
    if pair == (0, 0):
        pair = secrets.randbits(63), secrets.randbits(63)
    return choosing.RandomDataset(node, pair, numbers)


@group_by_window_dataset.kernel
def _group_by_window(
    source: Dataset, *captured: Any, key_func: Any, reduce_func: Any, window_size_func: Any,
    Tkey_func_other_arguments: Any, Treduce_func_other_arguments: Any, node: Any,
) -> Dataset:  # fmt: skip
    first = len(Tkey_func_other_arguments)
    second = first + len(Treduce_func_other_arguments)
    return choosing.GroupByWindowDataset(
        node, source,
        [(key_func, captured[:first]), (reduce_func, captured[first:second]),
         (window_size_func, captured[second:])],
    )  # fmt: skip
