"""Adding up gradients: dense ones with AddN, sparse ones by joining their rows."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import register_tensor_conversion_function
from tinytf.framework.indexed_slices import IndexedSlices
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, same_as_all_inputs
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.math.cast import cast

#: From this size on, writing slices out as a dense tensor is worth a warning.
_LARGE = 100_000_000


# What graphs of TensorFlow 1.x may contain; `tf.accumulate_n` adds an AddN.
_accumulate = define_op(
    "AccumulateNV2",
    "inputs: N * T -> sum: T",
    "N: int >= 1, T: numbertype, shape: shape",
    aggregate=True,
    commutative=True,
)


@_accumulate.shape
def _accumulate_shape(c: InferenceContext) -> TensorShape:
    return same_as_all_inputs(c)


@_accumulate.kernel
def _accumulate_kernel(*values: Any) -> Any:
    return functools.reduce(np.add, values)


@_accumulate.gradient
def _accumulate_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    return [gradient] * len(op.inputs)


class AggregationMethod:
    """How gradients that meet at one tensor are added (TensorFlow: `tf.AggregationMethod`).

    `ADD_N` waits for all of them and adds once; the two experimental ones, which mean the same,
    add pair by pair, so that each can be released earlier.

    Example:
      >>> x = tf.constant(3.0)
      >>> tf.gradients(x * x, x, aggregation_method=tf.AggregationMethod.ADD_N)  # [6.]
    """

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


_METHODS = (
    AggregationMethod.ADD_N,
    AggregationMethod.EXPERIMENTAL_TREE,
    AggregationMethod.EXPERIMENTAL_ACCUMULATE_N,
)


def check_aggregation_method(method: int | None) -> int:
    """The method, `DEFAULT` for None; ValueError for anything else."""
    method = AggregationMethod.DEFAULT if method is None else method
    if method not in _METHODS:
        raise ValueError(
            f"Invalid `aggregation_method` specified {method}. Accepted values are "
            f"{list(_METHODS)}, the members of tf.AggregationMethod."
        )
    return method


def add_gradients(gradients: list[Any], op_name: str, method: int) -> Any:
    """The sum of the gradients that arrived at one output of the operation `op_name`.

    Args:
      gradients: tensors and `IndexedSlices`, at least one.
      method: a member of `AggregationMethod`.

    Raises:
      TypeError: if one of them is something else.
    """
    for gradient in gradients:
        if not isinstance(gradient, Tensor | IndexedSlices):
            raise TypeError(
                f"Invalid gradient {gradient!r} at {op_name}. Gradients have to be either all "
                f"Tensors or all IndexedSlices"
            )
    if len(gradients) == 1:
        return gradients[0]
    if any(isinstance(gradient, IndexedSlices) for gradient in gradients):
        return _add_slices(gradients)
    if method == AggregationMethod.ADD_N:
        return _add_by_device(gradients)
    return _add_in_pairs(gradients, op_name)


def _add_in_pairs(tensors: list[Tensor], op_name: str) -> Tensor:

    with get_default_graph().name_scope(op_name + "_gradient_sum"):
        total = tensors[0]
        for tensor in tensors[1:]:
            total = ops.add_n([total, tensor])
    return total


def _add_by_device(tensors: list[Tensor]) -> Tensor:
    """First what is on one device, there; then the sums."""
    by_device: dict[str, list[Tensor]] = {}
    for tensor in tensors:
        by_device.setdefault(tensor.device, []).append(tensor)
    sums = []
    for device in sorted(by_device):
        with get_default_graph().colocate_with(by_device[device][0].op, ignore_existing=True):
            sums.append(ops.add_n(by_device[device]))
    return ops.add_n(sums)


def _add_slices(gradients: list[Any]) -> Any:

    if any(isinstance(gradient, Tensor) for gradient in gradients):
        return ops.add_n(gradients)  # a dense summand makes the sum dense
    parts = [flat_slices(part) for part in _with_one_index_type(gradients)]
    return IndexedSlices(
        ops.concat([part.values for part in parts], axis=0),
        ops.concat([part.indices for part in parts], axis=0),
        parts[0].dense_shape,
    )


def _with_one_index_type(slices: list[IndexedSlices]) -> list[IndexedSlices]:

    narrow = [part for part in slices if part.indices.dtype == dtypes.int32]
    if len(narrow) in (0, len(slices)):
        return slices
    return [
        IndexedSlices(part.values, cast(part.indices, dtypes.int64), part.dense_shape)
        if part in narrow
        else part
        for part in slices
    ]


def flat_slices(slices: IndexedSlices) -> IndexedSlices:
    """Slices of slices (from a lookup in a looked-up tensor) as slices of the dense tensor."""
    if isinstance(slices.values, Tensor):
        return slices
    inner = flat_slices(slices.values)
    return IndexedSlices(inner.values, ops.gather(slices.indices, inner.indices), inner.dense_shape)


def _slices_to_tensor(
    value: IndexedSlices, dtype: Any = None, name: str | None = None, as_ref: bool = False
) -> Tensor:

    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f"Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} "
            f"for IndexedSlices ({value}) with dtype {value.dtype.name}"
        )
    if value.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices for argument `value` without "
            f"dense_shape: {value}"
        )
    known = constant_value(value.dense_shape)
    if known is not None and np.prod(known.astype(float)) >= _LARGE:
        warnings.warn(
            f"Converting sparse IndexedSlices to a dense Tensor with {int(np.prod(known))} "
            f"elements. This may consume a large amount of memory.",
            stacklevel=2,
        )
    return ops.unsorted_segment_sum(value.values, value.indices, value.dense_shape[0], name=name)  # type: ignore[index]


def dense(gradient: Any) -> Any:
    """A gradient as a tensor, for formulas that need one: slices are written out, quietly.

    Raises:
      ValueError: for slices without a dense shape.
    """
    if not isinstance(gradient, IndexedSlices):
        return gradient
    if gradient.dense_shape is None:
        raise ValueError(
            f"Tensor conversion requested for IndexedSlices without dense_shape: {gradient}"
        )
    return ops.unsorted_segment_sum(gradient.values, gradient.indices, gradient.dense_shape[0])  # type: ignore[index]


register_tensor_conversion_function(IndexedSlices, _slices_to_tensor)
