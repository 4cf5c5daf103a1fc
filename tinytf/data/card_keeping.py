"""Ops that make datasets which keep elements or pad them: cache, padded_batch, options."""

from __future__ import annotations

from typing import Any

from tinytf.data.cache import CacheDataset
from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.padded_batch import PaddedBatchDataset
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op

# CacheDataset -------------------------------------------------------------------------------------

cache_dataset = define_op(
    "CacheDataset", ["input_dataset: variant", "filename: string"], HANDLE, [*TYPES, METADATA]
)
cache_dataset.shape(shape_inference.is_scalar)
cache_dataset.not_differentiable(REASON)


@cache_dataset.kernel
def _cache(source: Dataset, filename: Any, *, node: Any, resources: Any) -> CacheDataset:
    if filename.shape != ():
        raise InvalidArgumentError("filename must be a scalar")
    name = filename[()]
    if not name:
        return CacheDataset(node, source, "")
    resources.files.path(name + b".index")  # a link there must not lead out either
    return CacheDataset(node, source, resources.files.path(name))


# PaddedBatchDatasetV2, PaddedBatchDataset ---------------------------------------------------------

_PADDED = ["input_dataset: variant", "batch_size: int64", "padded_shapes: N * int64",
           "padding_values: Toutput_types"]  # fmt: skip
_KINDS = ["Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "N: int >= 1",
          METADATA]  # fmt: skip
padded_batch_dataset_v2 = define_op(
    "PaddedBatchDatasetV2", [*_PADDED, "drop_remainder: bool"], HANDLE,
    ["parallel_copy: bool = false", *_KINDS],
)  # fmt: skip
padded_batch_dataset = define_op("PaddedBatchDataset", _PADDED, HANDLE, _KINDS)
for _card in (padded_batch_dataset_v2, padded_batch_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@padded_batch_dataset_v2.kernel
def _padded_v2(source: Dataset, size: Any, *rest: Any, node: Any) -> PaddedBatchDataset:
    *parts, whole = rest
    count = len(parts) // 2
    return PaddedBatchDataset(node, source, int(size), parts[:count], parts[count:], bool(whole))


@padded_batch_dataset.kernel
def _padded(source: Dataset, size: Any, *parts: Any, node: Any) -> PaddedBatchDataset:
    count = len(parts) // 2
    return PaddedBatchDataset(node, source, int(size), parts[:count], parts[count:], False)


# OptionsDataset, ModelDataset ---------------------------------------------------------------------

options_dataset = define_op(
    "OptionsDataset", ["input_dataset: variant"], HANDLE,
    ["serialized_options: string", *TYPES, METADATA],
)  # fmt: skip
options_dataset.shape(shape_inference.is_scalar)
options_dataset.not_differentiable(REASON)


@options_dataset.kernel
def _options(source: Dataset) -> Dataset:
    return source  # they are about how fast it goes
