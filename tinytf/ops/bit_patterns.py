"""Numbers as the bits they consist of: read as another type, and the next one up or down."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.framework import dtypes, shape_inference
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank_at_least
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops import shapes as shapes_ops
from tinytf.ops.broadcasting import broadcast_gradient_args
from tinytf.ops.filling import ones, zeros
from tinytf.ops.powers import after
from tinytf.ops.special.gamma_functions import summed

# Bitcast ----------------------------------------------------------------------------------------

_TYPES = (
    "{bfloat16, half, float, double, int64, int32, uint8, uint16, uint32, uint64, int8, int16, "
    "complex64, complex128, qint8, quint8, qint16, quint16, qint32}"
)
_bitcast = define_op(
    "Bitcast",
    "input: T -> output: type",
    f"T: {_TYPES}",
    f"type: {_TYPES}",
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
def _bitcast_kernel(value: Any, *, type: dtypes.DType) -> Any:
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


# NextAfter --------------------------------------------------------------------------------------

_next_after = define_op(
    "NextAfter",
    "x1: T, x2: T -> output: T",
    "T: {double, float} = DT_FLOAT",
    shape=shape_inference.broadcast,
    kernel=np.nextafter,
)


@_next_after.gradient
def _next_after_gradient(op: Operation, gradient: Any) -> Any:
    x, y = op.inputs
    shapes = shapes_ops.shape(x), shapes_ops.shape(y)
    axes = broadcast_gradient_args(*shapes)
    with after(gradient):
        # A step is that small: the result follows the first argument, whatever the second is.
        factors: Any = (ones(shapes[0], x.dtype), zeros(shapes[1], y.dtype))
        return [summed(factors[i] * gradient, shapes[i], axes[i]) for i in (0, 1)]


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The float next to x1 in the direction of x2, broadcast (TensorFlow: `tf.math.nextafter`).

    Args:
      x1, x2: float32 or float64 tensors of one type.
      name: of the operation.

    Example:
      >>> tf.math.nextafter(1.0, 2.0)  # 1.0000001
    """
    return _next_after(x1, x2, name=name)
