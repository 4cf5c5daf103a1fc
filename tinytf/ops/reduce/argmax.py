"""ArgMax, ArgMin: where the largest and the smallest elements are."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, unknown_shape
from tinytf.ops.array.reshape import deprecated_lookup
from tinytf.ops.base.shape_rules import shown


def _index_shape(c: InferenceContext) -> TensorShape:
    with_rank(c.input(1), 0)
    source = c.input(0).sizes
    if source is None:
        return unknown_shape()
    if len(source) <= 1:
        return TensorShape.of(())
    value = c.constant(1)
    if value is None:
        return unknown_shape(len(source) - 1)
    axis, rank = int(value), len(source)
    if not -rank <= axis < rank:
        raise ValueError(
            f"Dimension ({axis}) must be in the range [{-rank}, {rank}), where {rank} is the "
            f"number of dimensions in the input."
        )
    axis %= rank
    return TensorShape.of(source[:axis] + source[axis + 1 :])


def _find(input: Any, dimension: Any, output_type: dtypes.DType, find: Any, worst: float) -> Any:
    if dimension.ndim != 0:
        raise invalid(f"dim must be a scalar, but received tensor of shape: {shown(dimension)}")
    axis, rank = int(dimension), input.ndim
    if not -rank <= axis < rank:
        raise invalid(f"Expected dimension in the range [{-rank}, {rank}), but got {axis}")
    if input.shape[axis] == 0:
        raise invalid(f"Reduction axis {axis} is empty in shape {shown(input)}")
    if input.dtype.kind in "fV":
        # numpy would give the first NaN; TensorFlow passes it over.
        missing = np.isnan(input)
        if missing.any():
            input = np.where(missing, input.dtype.type(worst), input)
    return find(input, axis=axis).astype(output_type.as_numpy_dtype)


def _arg_card(op_type: str, axis_types: str, output_types: str) -> OpCard:
    return define_op(
        op_type,
        "input: T, dimension: Tidx -> output: output_type",
        "T: {realnumbertype, quantizedtype, bool}",
        f"Tidx: {axis_types} = DT_INT32, output_type: {output_types} = DT_INT64",
        shape=_index_shape,
    )


_arg_max = _arg_card("ArgMax", "{int16, int32, int64}", "{int16, uint16, int32, int64}")
_arg_min = _arg_card("ArgMin", "{int32, int64}", "{int32, int64}")


@_arg_max.kernel
def _arg_max_kernel(input: Array, dimension: Array, *, output_type: dtypes.DType) -> Array:
    return _find(input, dimension, output_type, np.argmax, -np.inf)


@_arg_min.kernel
def _arg_min_kernel(input: Array, dimension: Array, *, output_type: dtypes.DType) -> Array:
    return _find(input, dimension, output_type, np.argmin, np.inf)


@_arg_max.gradient
@_arg_min.gradient
def _no_gradients(op: Operation, gradient: Any) -> list[None]:
    return [None, None]


def argmax(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the largest element along an axis (TensorFlow: `tf.argmax`).

    Args:
      input: a real or bool tensor of rank 1 or more. Of equal elements the first is found; NaN
        is passed over.
      axis: from -rank to rank - 1; 0 by default.
      name: of the operation.
      dimension: the old name of `axis`.
      output_type: of the result.

    Returns:
      a tensor of the shape of `input` without that axis.

    Raises:
      ValueError, InvalidArgumentError: for an axis out of range, or one without elements.

    Example:
      >>> tf.argmax([[1, 9], [7, 3]], axis=1)  # [1, 0]
    """
    return _argument(_arg_max, input, axis, dimension, output_type, name)


def argmin(
    input: Any,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: Any = dtypes.int64,
) -> Tensor:
    """The index of the smallest element along an axis (TensorFlow: `tf.argmin`); see `argmax`.

    Example:
      >>> tf.argmin([[1, 9], [7, 3]], axis=1)  # [0, 1]
    """
    return _argument(_arg_min, input, axis, dimension, output_type, name)


def _argument(
    card: OpCard, input: Any, axis: Any, dimension: Any, output_type: Any, name: str | None
) -> Tensor:
    axis = deprecated_lookup("axis", axis, "dimension", dimension)
    return card(input, 0 if axis is None else axis, name=name, output_type=output_type)
