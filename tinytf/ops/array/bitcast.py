"""Numbers read as the bits of another type: bitcast."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.shape_inference import InferenceContext, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape

_TYPES = (
    "{floattype, int64, int32, uint8, uint16, uint32, uint64, int8, int16, complextype, "
    "qint8, quint8, qint16, quint16, qint32}"
)
_bitcast = define_op(
    "Bitcast",
    "input: T -> output: type",
    f"T: {_TYPES}, type: {_TYPES}",
    no_gradient="bits do not change by small amounts",
)


@_bitcast.shape
def _bitcast_shape(c: InferenceContext) -> TensorShape:
    shape = c.input(0)
    before, after = c.attrs["T"].size, c.attrs["type"].size
    if shape.sizes is None or before == after:
        return shape
    if before > after:
        return TensorShape.of((*shape.sizes, before // after))
    with_rank_at_least(shape, 1)
    last = shape.sizes[-1]
    if last is not None and last != after // before:
        raise ValueError(
            f"Cannot bitcast from {after // before} to {last} due to shape. {last} does not match "
            f"{after // before}"
        )
    return TensorShape.of(shape.sizes[:-1])


@_bitcast.kernel
def _bitcast_kernel(value: Array, *, type: dtypes.DType) -> Array:
    value = np.ascontiguousarray(value).reshape(np.shape(value))
    wanted = np.dtype(type.as_numpy_dtype)
    ratio, rest = divmod(wanted.itemsize, value.dtype.itemsize)
    if ratio == 0:
        return value[..., np.newaxis].view(wanted)
    if ratio == 1 and rest == 0:
        return value.view(wanted)
    if value.ndim == 0 or value.shape[-1] != ratio:
        raise invalid(f"Cannot bitcast from {ratio} to {value.shape[-1] if value.ndim else 0}")
    return value.view(wanted)[..., 0]


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes read as another dtype (TensorFlow: `tf.bitcast`).

    Args:
      input: a tensor of numbers.
      type: the dtype wanted. A smaller one adds a dimension; a larger one needs a last dimension
        of as many elements as make one, and takes it away.
      name: of the operation.

    Raises:
      ValueError: if the last dimension has another size.

    Example:
      >>> tf.bitcast(1.0, tf.int32)  # 1065353216
    """
    return _bitcast(input, name=name, type=dtypes.as_dtype(type))
