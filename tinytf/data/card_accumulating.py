"""Ops of datasets with a memory, and ops that take all elements of a dataset at once."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.run_accumulating import (
    ScanDataset,
    TakeWhileDataset,
    UnbatchDataset,
    WindowDataset,
    reduced,
    single_element,
)
from tinytf.data.value import Context, Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext
from tinytf.framework.tensor_shape import TensorShape

_ARGUMENTS = "Targuments: list(type) >= 0"
_STATE = ["input_dataset: variant", "initial_state: Tstate", "other_arguments: Targuments"]

# TakeWhileDataset, ScanDataset, UnbatchDataset, WindowDataset, RewriteDataset ---------------------

take_while_dataset = define_op(
    "TakeWhileDataset", ["input_dataset: variant", "other_arguments: Targuments"], HANDLE,
    ["predicate: func", _ARGUMENTS, *TYPES, METADATA],
)  # fmt: skip
scan_dataset = define_op(
    "ScanDataset", _STATE, HANDLE,
    ["f: func", "Tstate: list(type) >= 1", _ARGUMENTS, *TYPES,
     "preserve_cardinality: bool = false", "use_default_device: bool = true", METADATA],
)  # fmt: skip
unbatch_dataset = define_op(
    "UnbatchDataset", ["input_dataset: variant"], HANDLE, [*TYPES, METADATA]
)
window_dataset = define_op(
    "WindowDataset",
    ["input_dataset: variant", "size: int64", "shift: int64", "stride: int64",
     "drop_remainder: bool"],
    HANDLE, [*TYPES, METADATA],
)  # fmt: skip
rewrite_dataset = define_op(
    "RewriteDataset", ["input_dataset: variant", "rewrite_name: string"], HANDLE, TYPES
)
for _card in (take_while_dataset, scan_dataset, unbatch_dataset, window_dataset, rewrite_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@take_while_dataset.kernel
def _take_while(source: Dataset, *captured: Any, predicate: Any, node: Any) -> TakeWhileDataset:
    return TakeWhileDataset(node, source, predicate, captured)


@scan_dataset.kernel
def _scan(source: Dataset, *rest: Any, f: Any, Tstate: Any, node: Any) -> ScanDataset:
    size = len(Tstate)
    return ScanDataset(node, source, f, rest[:size], rest[size:])


@unbatch_dataset.kernel
def _unbatch(source: Dataset, *, node: Any) -> UnbatchDataset:
    return UnbatchDataset(node, [source])


@window_dataset.kernel
def _window(
    source: Dataset, size: Any, shift: Any, stride: Any, drop_remainder: Any, *, node: Any
) -> WindowDataset:
    return WindowDataset(node, source, int(size), int(shift), int(stride), bool(drop_remainder))


@rewrite_dataset.kernel
def _rewrite(source: Dataset, rewrite_name: Any) -> Dataset:
    return source  # a hint for distributing datasets: the elements are the same


# ReduceDataset, DatasetToSingleElement ------------------------------------------------------------

reduce_dataset = define_op(
    "ReduceDataset", _STATE, ["components: output_types"],
    ["f: func", "Tstate: list(type) >= 1", _ARGUMENTS, *TYPES,
     "use_inter_op_parallelism: bool = true", METADATA],
    stateful=True,
)  # fmt: skip
dataset_to_single_element = define_op(
    "DatasetToSingleElement",
    "dataset: variant -> components: output_types",
    *TYPES,
    METADATA,
    stateful=True,
    no_gradient=REASON,
)
reduce_dataset.not_differentiable(REASON)


@reduce_dataset.shape
@dataset_to_single_element.shape
def _element_shapes(c: InferenceContext) -> list[TensorShape]:
    return list(c.attrs["output_shapes"])


@reduce_dataset.kernel
def _reduce(step: Any, dataset: Dataset, *rest: Any, f: Any, Tstate: Any) -> tuple[Any, ...]:
    context = Context(step.functions, step.resources, step.cancellation)
    size = len(Tstate)
    return reduced(dataset, context, f, rest[:size], rest[size:])


@dataset_to_single_element.kernel
def _single(step: Any, dataset: Dataset) -> tuple[Any, ...]:
    return single_element(dataset, Context(step.functions, step.resources, step.cancellation))


# DatasetCardinality -------------------------------------------------------------------------------

dataset_cardinality = define_op(
    "DatasetCardinality",
    "input_dataset: variant -> cardinality: int64",
    "cardinality_options: string = ''",
    shape=shape_inference.is_scalar,
    no_gradient=REASON,
)


@dataset_cardinality.kernel
def _cardinality(dataset: Dataset) -> np.int64:
    return np.int64(dataset.cardinality())
