"""Ops that make datasets whose elements threads get ready: prefetch, parallel map ..."""

from __future__ import annotations

from typing import Any

from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.parallel_interleave import ParallelInterleaveDataset
from tinytf.data.prefetch import PrefetchDataset
from tinytf.data.run_parallel import (
    MapAndBatchDataset,
    ParallelBatchDataset,
    ParallelMapDataset,
)
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import define_op

_INPUTS = ["input_dataset: variant", "other_arguments: Targuments"]
_FUNCTION = ["f: func", "Targuments: list(type) >= 0", *TYPES]
_ORDER = "deterministic: string = 'default'"


def _is_ordered(deterministic: bytes) -> bool:
    if deterministic not in (b"true", b"false", b"default"):
        raise InvalidArgumentError(
            f"{deterministic.decode(errors='replace')} is not a valid value of `deterministic`: "
            f"'true', 'false' or 'default'",
        )
    return deterministic != b"false"


# PrefetchDataset ----------------------------------------------------------------------------------

prefetch_dataset = define_op(
    "PrefetchDataset", ["input_dataset: variant", "buffer_size: int64"], HANDLE,
    [*TYPES, "slack_period: int = 0", "legacy_autotune: bool = true", "buffer_size_min: int = 0",
     METADATA],
)  # fmt: skip
prefetch_dataset.shape(shape_inference.is_scalar)
prefetch_dataset.not_differentiable(REASON)


@prefetch_dataset.kernel
def _prefetch(source: Dataset, size: Any, *, node: Any) -> PrefetchDataset:
    return PrefetchDataset(node, source, int(size))


# ParallelMapDatasetV2, ParallelMapDataset, MapAndBatchDataset -------------------------------------

parallel_map_dataset_v2 = define_op(
    "ParallelMapDatasetV2", [*_INPUTS, "num_parallel_calls: int64"], HANDLE,
    [*_FUNCTION, "use_inter_op_parallelism: bool = true", _ORDER,
     "preserve_cardinality: bool = false", METADATA],
)  # fmt: skip
parallel_map_dataset = define_op(
    "ParallelMapDataset", [*_INPUTS, "num_parallel_calls: int32"], HANDLE,
    [*_FUNCTION, "use_inter_op_parallelism: bool = true", "sloppy: bool = false",
     "preserve_cardinality: bool = false", METADATA],
)  # fmt: skip
map_and_batch_dataset = define_op(
    "MapAndBatchDataset",
    [*_INPUTS, "batch_size: int64", "num_parallel_calls: int64", "drop_remainder: bool"],
    HANDLE,
    [*_FUNCTION, "preserve_cardinality: bool = false", METADATA],
)
for _card in (parallel_map_dataset_v2, parallel_map_dataset, map_and_batch_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@parallel_map_dataset_v2.kernel
def _parallel_map_v2(
    source: Dataset, *rest: Any, f: Any, deterministic: bytes, node: Any
) -> ParallelMapDataset:
    *captured, calls = rest
    return ParallelMapDataset(node, source, f, captured, int(calls), _is_ordered(deterministic))


@parallel_map_dataset.kernel
def _parallel_map(
    source: Dataset, *rest: Any, f: Any, sloppy: bool, node: Any
) -> ParallelMapDataset:
    *captured, calls = rest
    return ParallelMapDataset(node, source, f, captured, int(calls), not sloppy)


@map_and_batch_dataset.kernel
def _map_and_batch(source: Dataset, *rest: Any, f: Any, node: Any) -> MapAndBatchDataset:
    *captured, size, calls, whole = rest
    return MapAndBatchDataset(node, source, f, captured, int(size), int(calls), bool(whole))


# ParallelInterleaveDatasetV4, LegacyParallelInterleaveDatasetV2 -----------------------------------

_TURNS = ["cycle_length: int64", "block_length: int64"]
_AHEAD = ["buffer_output_elements: int64", "prefetch_input_elements: int64"]
_PARTS = ["f: func", _ORDER, "Targuments: list(type) >= 0", *TYPES, METADATA]

parallel_interleave_dataset_v4 = define_op(
    "ParallelInterleaveDatasetV4", [*_INPUTS, *_TURNS, *_AHEAD, "num_parallel_calls: int64"],
    HANDLE, _PARTS,
)  # fmt: skip
parallel_interleave_dataset_v3 = define_op(
    "ParallelInterleaveDatasetV3", [*_INPUTS, *_TURNS, "num_parallel_calls: int64"], HANDLE, _PARTS
)
legacy_parallel_interleave_dataset_v2 = define_op(
    "LegacyParallelInterleaveDatasetV2", [*_INPUTS, *_TURNS, *_AHEAD], HANDLE, _PARTS
)
for _card in (
    parallel_interleave_dataset_v4, parallel_interleave_dataset_v3,
    legacy_parallel_interleave_dataset_v2,
):  # fmt: skip
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@parallel_interleave_dataset_v4.kernel
def _interleave_v4(
    source: Dataset, *rest: Any, f: Any, deterministic: bytes, node: Any
) -> ParallelInterleaveDataset:
    *captured, cycle, block, ready, more, calls = rest
    return ParallelInterleaveDataset(
        node, source, f, captured, cycle=int(cycle), block=int(block), ready=int(ready),
        more=int(more), calls=int(calls), is_ordered=_is_ordered(deterministic),
    )  # fmt: skip


@parallel_interleave_dataset_v3.kernel
def _interleave_v3(
    source: Dataset, *rest: Any, f: Any, deterministic: bytes, node: Any
) -> ParallelInterleaveDataset:
    *captured, cycle, block, calls = rest
    return ParallelInterleaveDataset(
        node, source, f, captured, cycle=int(cycle), block=int(block), ready=-1, more=-1,
        calls=int(calls), is_ordered=_is_ordered(deterministic),
    )  # fmt: skip


@legacy_parallel_interleave_dataset_v2.kernel
def _interleave_legacy(
    source: Dataset, *rest: Any, f: Any, deterministic: bytes, node: Any
) -> ParallelInterleaveDataset:
    *captured, cycle, block, ready, more = rest
    return ParallelInterleaveDataset(
        node, source, f, captured, cycle=int(cycle), block=int(block), ready=int(ready),
        more=int(more), calls=max(1, int(cycle) + int(more)),
        is_ordered=_is_ordered(deterministic), keeps_count=True,
    )  # fmt: skip


# ParallelBatchDataset -----------------------------------------------------------------------------

parallel_batch_dataset = define_op(
    "ParallelBatchDataset",
    ["input_dataset: variant", "batch_size: int64", "num_parallel_calls: int64",
     "drop_remainder: bool"],
    HANDLE, ["parallel_copy: bool = false", *TYPES, _ORDER, METADATA],
)  # fmt: skip
parallel_batch_dataset.shape(shape_inference.is_scalar)
parallel_batch_dataset.not_differentiable(REASON)


@parallel_batch_dataset.kernel
def _parallel_batch(
    source: Dataset, size: Any, calls: Any, whole: Any, *, deterministic: bytes, node: Any
) -> ParallelBatchDataset:
    return ParallelBatchDataset(
        node, source, int(size), int(calls), bool(whole), _is_ordered(deterministic)
    )
