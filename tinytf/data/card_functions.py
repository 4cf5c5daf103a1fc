"""Ops that make datasets by calling a function for each element."""

from __future__ import annotations

from typing import Any

from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.run_functions import (
    FilterDataset,
    FlatMapDataset,
    InterleaveDataset,
    MapDataset,
)
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op

_INPUTS = ["input_dataset: variant", "other_arguments: Targuments"]
_FUNCTION = ["f: func", "Targuments: list(type) >= 0", *TYPES]

# MapDataset, FlatMapDataset, FilterDataset --------------------------------------------------------

map_dataset = define_op(
    "MapDataset", _INPUTS, HANDLE,
    [*_FUNCTION, "use_inter_op_parallelism: bool = true", "preserve_cardinality: bool = false",
     METADATA],
)  # fmt: skip
flat_map_dataset = define_op("FlatMapDataset", _INPUTS, HANDLE, [*_FUNCTION, METADATA])
filter_dataset = define_op(
    "FilterDataset", _INPUTS, HANDLE,
    ["predicate: func", "Targuments: list(type) >= 0", *TYPES, METADATA],
)  # fmt: skip
for _card in (map_dataset, flat_map_dataset, filter_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@map_dataset.kernel
def _map(source: Dataset, *captured: Any, f: Any, node: Any) -> MapDataset:
    return MapDataset(node, source, f, captured)


@flat_map_dataset.kernel
def _flat_map(source: Dataset, *captured: Any, f: Any, node: Any) -> FlatMapDataset:
    return FlatMapDataset(node, source, f, captured)


@filter_dataset.kernel
def _filter(source: Dataset, *captured: Any, predicate: Any, node: Any) -> FilterDataset:
    return FilterDataset(node, source, predicate, captured)


# InterleaveDataset --------------------------------------------------------------------------------

interleave_dataset = define_op(
    "InterleaveDataset", [*_INPUTS, "cycle_length: int64", "block_length: int64"], HANDLE,
    [*_FUNCTION, METADATA],
)  # fmt: skip
interleave_dataset.shape(shape_inference.is_scalar)
interleave_dataset.not_differentiable(REASON)


@interleave_dataset.kernel
def _interleave(source: Dataset, *rest: Any, f: Any, node: Any) -> InterleaveDataset:
    *captured, cycle, block = rest
    return InterleaveDataset(node, source, f, captured, int(cycle), int(block))
