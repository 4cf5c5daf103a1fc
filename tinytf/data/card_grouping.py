"""Ops that make datasets of elements put together: by keys, and into sparse tensors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from tinytf.data.card_sources import HANDLE, REASON, TYPES
from tinytf.data.run_grouping import DenseToSparseBatchDataset, GroupByReducerDataset
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.op_card import OpCard, define_op

# GroupByReducerDataset, ExperimentalGroupByReducerDataset -----------------------------------------

_PARTS = ("key_func", "init_func", "reduce_func", "finalize_func")


def _define_reducer(name: str) -> OpCard:
    card = define_op(
        name,
        ["input_dataset: variant", *(f"{part}_other_arguments: T{part}_other_arguments"
                                     for part in _PARTS)],
        HANDLE,
        [*(f"{part}: func" for part in _PARTS),
         *(f"T{part}_other_arguments: list(type) >= 0" for part in _PARTS), *TYPES],
        stateful=True,
    )  # fmt: skip
    card.shape(shape_inference.is_scalar)
    card.not_differentiable(REASON)

    @card.kernel
    def _group(
        source: Dataset, *captured: Any, key_func: Any, init_func: Any, reduce_func: Any,
        finalize_func: Any, node: Any,
    ) -> Dataset:  # fmt: skip
        counts = [len(node.attrs[f"T{part}_other_arguments"]) for part in _PARTS]
        ends = [0, *np.cumsum(counts).tolist()]
        parts = [captured[start:end] for start, end in pairwise(ends)]
        functions = (key_func, init_func, reduce_func, finalize_func)
        return GroupByReducerDataset(node, source, list(zip(functions, parts, strict=True)))

    return card


group_by_reducer_dataset = _define_reducer("ExperimentalGroupByReducerDataset")
_define_reducer("GroupByReducerDataset")

# DenseToSparseBatchDataset ------------------------------------------------------------------------

dense_to_sparse_batch_dataset = define_op(
    "DenseToSparseBatchDataset",
    ["input_dataset: variant", "batch_size: int64", "row_shape: int64"], HANDLE, TYPES,
)  # fmt: skip
dense_to_sparse_batch_dataset.shape(shape_inference.is_scalar)
dense_to_sparse_batch_dataset.not_differentiable(REASON)


@dense_to_sparse_batch_dataset.kernel
def _dense_to_sparse(source: Dataset, size: Any, row_shape: Any, *, node: Any) -> Dataset:
    if np.ndim(row_shape) != 1:
        raise InvalidArgumentError("row_shape must be a vector")
    return DenseToSparseBatchDataset(node, source, int(size), row_shape.tolist())
