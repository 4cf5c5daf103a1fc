"""Ops that make datasets of values in memory."""

from __future__ import annotations

from typing import Any

from tinytf.data.run_sources import (
    RangeDataset,
    SparseTensorSliceDataset,
    TensorDataset,
    TensorSliceDataset,
)
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op

#: The last arguments of nearly every schema here.
TYPES = ["output_types: list(type) >= 1", "output_shapes: list(shape) >= 1"]
METADATA = "metadata: string = ''"
HANDLE = ["handle: variant"]
REASON = "a dataset is no number"

# TensorDataset ----------------------------------------------------------------------------------

tensor_dataset = define_op(
    "TensorDataset", ["components: Toutput_types"], HANDLE,
    ["Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1", METADATA],
    stateful=True,
)  # fmt: skip
tensor_dataset.shape(shape_inference.is_scalar)
tensor_dataset.not_differentiable(REASON)


@tensor_dataset.kernel
def _tensors(*components: Any, node: Any) -> TensorDataset:
    return TensorDataset(node, components)


# TensorSliceDataset -----------------------------------------------------------------------------

tensor_slice_dataset = define_op(
    "TensorSliceDataset", ["components: Toutput_types"], HANDLE,
    ["Toutput_types: list(type) >= 1", "output_shapes: list(shape) >= 1", "is_files: bool = false",
     METADATA, "replicate_on_split: bool = false"],
    stateful=True,
)  # fmt: skip
tensor_slice_dataset.shape(shape_inference.is_scalar)
tensor_slice_dataset.not_differentiable(REASON)


@tensor_slice_dataset.kernel
def _slices(*components: Any, node: Any) -> TensorSliceDataset:
    return TensorSliceDataset(node, components)


# SparseTensorSliceDataset -----------------------------------------------------------------------

sparse_tensor_slice_dataset = define_op(
    "SparseTensorSliceDataset", ["indices: int64", "values: Tvalues", "dense_shape: int64"], HANDLE,
    ["Tvalues: type"], stateful=True,
)  # fmt: skip
sparse_tensor_slice_dataset.shape(shape_inference.is_scalar)
sparse_tensor_slice_dataset.not_differentiable(REASON)


@sparse_tensor_slice_dataset.kernel
def _sparse_slices(
    indices: Any, values: Any, dense_shape: Any, *, node: Any
) -> SparseTensorSliceDataset:
    return SparseTensorSliceDataset(node, indices, values, dense_shape)


# RangeDataset -----------------------------------------------------------------------------------

range_dataset = define_op(
    "RangeDataset", ["start: int64", "stop: int64", "step: int64"], HANDLE,
    [*TYPES, METADATA, "replicate_on_split: bool = false"], stateful=True,
)  # fmt: skip
range_dataset.shape(shape_inference.is_scalar)
range_dataset.not_differentiable(REASON)


@range_dataset.kernel
def _range(start: Any, stop: Any, step: Any, *, node: Any) -> RangeDataset:
    return RangeDataset(node, int(start), int(stop), int(step))
