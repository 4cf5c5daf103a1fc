"""Ops that make datasets of parsed examples. The parser is `ops.io.example_ops`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data.card_sources import HANDLE, REASON, TYPES
from tinytf.data.run_grouping import ComputedDataset
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import OpCard, define_op
from tinytf.ops.io.example_ops import parse

# ParseExampleDatasetV2, ParseExampleDataset -------------------------------------------------------

_KINDS = "list({float, int64, string}) >= 0"


def _define(name: str, order: str) -> OpCard:
    card = define_op(
        name, ["input_dataset: variant", "num_parallel_calls: int64", "dense_defaults: Tdense"],
        HANDLE,
        ["sparse_keys: list(string) >= 0", "dense_keys: list(string) >= 0",
         f"sparse_types: {_KINDS}", f"Tdense: {_KINDS}", "dense_shapes: list(shape) >= 0", *TYPES,
         order, "ragged_keys: list(string) >= 0 = []", f"ragged_value_types: {_KINDS} = []",
         "ragged_split_types: list({int32, int64}) >= 0 = []"],
    )  # fmt: skip
    card.shape(shape_inference.is_scalar)
    card.not_differentiable(REASON)

    @card.kernel
    def _parsed(source: Dataset, calls: Any, *defaults: Any, node: Any) -> Dataset:
        attrs = node.attrs
        sparse = list(zip(attrs["sparse_keys"], attrs["sparse_types"], strict=True))
        columns = (attrs["dense_keys"], attrs["Tdense"], attrs["dense_shapes"], defaults)
        dense = list(zip(*columns, strict=True))
        count = len(sparse)
        # The components of an element are in the order of their names.
        order = np.argsort([*attrs["sparse_keys"], *attrs["dense_keys"]], kind="stable").tolist()

        def parsed(element: tuple) -> tuple:
            outputs = parse(element[0], np.empty(0, object), sparse, dense)
            components: list[Any] = []
            for place in range(count):
                parts = np.empty(3, object)
                parts[:] = outputs[place : 3 * count : count]
                components.append(parts)
            components += outputs[3 * count :]
            return tuple(components[place] for place in order)

        return ComputedDataset(node, source, parsed)

    return card


parse_example_dataset_v2 = _define("ParseExampleDatasetV2", "deterministic: string = 'default'")
_define("ParseExampleDataset", "sloppy: bool = false")
