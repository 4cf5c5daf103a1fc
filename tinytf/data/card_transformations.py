"""Ops that make datasets of datasets, without calling functions."""

from __future__ import annotations

from typing import Any

from tinytf.data.batch import BatchDataset
from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.run_transformations import (
    ConcatenateDataset,
    RepeatDataset,
    ShardDataset,
    SkipDataset,
    TakeDataset,
    ZipDataset,
)
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op

_COUNTED = ["input_dataset: variant", "count: int64"]

# TakeDataset, SkipDataset, RepeatDataset ----------------------------------------------------------

take_dataset = define_op("TakeDataset", _COUNTED, HANDLE, [*TYPES, METADATA])
skip_dataset = define_op("SkipDataset", _COUNTED, HANDLE, [*TYPES, METADATA])
repeat_dataset = define_op("RepeatDataset", _COUNTED, HANDLE, [*TYPES, METADATA])
for _card in (take_dataset, skip_dataset, repeat_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@take_dataset.kernel
def _take(source: Dataset, count: Any, *, node: Any) -> TakeDataset:
    return TakeDataset(node, source, int(count))


@skip_dataset.kernel
def _skip(source: Dataset, count: Any, *, node: Any) -> SkipDataset:
    return SkipDataset(node, source, int(count))


@repeat_dataset.kernel
def _repeat(source: Dataset, count: Any, *, node: Any) -> RepeatDataset:
    return RepeatDataset(node, source, int(count))


# ShardDataset -----------------------------------------------------------------------------------

shard_dataset = define_op(
    "ShardDataset", ["input_dataset: variant", "num_shards: int64", "index: int64"], HANDLE,
    ["require_non_empty: bool = false", *TYPES, METADATA],
)  # fmt: skip
shard_dataset.shape(shape_inference.is_scalar)
shard_dataset.not_differentiable(REASON)


@shard_dataset.kernel
def _shard(
    source: Dataset, num_shards: Any, index: Any, *, require_non_empty: bool, node: Any
) -> ShardDataset:
    return ShardDataset(node, source, int(num_shards), int(index), require_non_empty)


# ZipDataset, ConcatenateDataset -------------------------------------------------------------------

zip_dataset = define_op(
    "ZipDataset", ["input_datasets: N * variant"], HANDLE, [*TYPES, "N: int >= 1", METADATA]
)
concatenate_dataset = define_op(
    "ConcatenateDataset", ["input_dataset: variant", "another_dataset: variant"], HANDLE,
    [*TYPES, METADATA],
)  # fmt: skip
for _card in (zip_dataset, concatenate_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@zip_dataset.kernel
def _zip(*sources: Dataset, node: Any) -> ZipDataset:
    return ZipDataset(node, sources)


@concatenate_dataset.kernel
def _concatenate(source: Dataset, another: Dataset, *, node: Any) -> ConcatenateDataset:
    return ConcatenateDataset(node, [source, another])


# BatchDatasetV2 ---------------------------------------------------------------------------------

batch_dataset_v2 = define_op(
    "BatchDatasetV2", ["input_dataset: variant", "batch_size: int64", "drop_remainder: bool"],
    HANDLE, ["parallel_copy: bool = false", *TYPES, METADATA],
)  # fmt: skip
batch_dataset_v2.shape(shape_inference.is_scalar)
batch_dataset_v2.not_differentiable(REASON)


@batch_dataset_v2.kernel
def _batch_v2(source: Dataset, size: Any, drop_remainder: Any, *, node: Any) -> BatchDataset:
    return BatchDataset(node, source, int(size), bool(drop_remainder))
