"""Pooling: the largest, or the mean, of each window of an image."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.in_blocks import max_pool as blocks
from tinytf.kernels.in_blocks.convolution import Run, in_order
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.nn import windows
from tinytf.ops.nn.relu import widened

SIZES = "ksize: list(int) >= 4, strides: list(int) >= 4"
_FORMAT = "data_format: {'NHWC', 'NCHW'} = 'NHWC'"
_PADDING, _ANY_PADDING = "padding: {'SAME', 'VALID'}", "padding: {'SAME', 'VALID', 'EXPLICIT'}"
_EXPLICIT = "explicit_paddings: list(int) = []"
_REAL = "T: realnumbertype"


# Shapes, and windows ------------------------------------------------------------------------------


def pooled_shape(c: InferenceContext, data_format: bytes = b"") -> TensorShape:
    """The shape of what is pooled; `data_format` is of nodes that have no such attribute."""
    attrs = c.attrs
    sizes = list(with_rank(c.input(0), 4).sizes or (None,) * 4)
    explicit = attrs.get("explicit_paddings", ())
    data_format = data_format or attrs["data_format"]
    for axis in (*windows.spatial_axes(data_format), windows.channel_axis(data_format)):
        window, stride = attrs["ksize"][axis], attrs["strides"][axis]
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")
        own = windows.explicit_of(explicit, axis)
        sizes[axis] = windows.static_count(sizes[axis], window, stride, 1, attrs["padding"], own)
    return TensorShape.of(tuple(sizes))


def axes(sizes: Any, attrs: dict[str, Any]) -> tuple[windows.Axis, windows.Axis]:
    """The windows along rows and columns of an image of these sizes, in the node's format."""
    ksize, strides, data_format = attrs["ksize"], attrs["strides"], attrs["data_format"]
    padding, explicit = attrs["padding"], attrs.get("explicit_paddings", ())
    if len(sizes) != 4:
        number = int(data_format == b"NCHW")
        raise invalid(f"tensor_in_shape must have 2 spatial dimensions. {len(sizes)} {number}")
    for axis, window in enumerate(ksize):
        if window <= 0:
            raise invalid(f"Sliding window ksize for dimension {axis} was zero.")
    if ksize[0] != 1 or strides[0] != 1:
        raise UnimplementedError("Pooling is not yet supported on the batch dimension.")
    channel = windows.channel_axis(data_format)
    if ksize[channel] != 1 or strides[channel] != 1:
        raise UnimplementedError("Pooling is not yet supported on the depth dimension.")
    rows, columns = (
        windows.axis_of(
            sizes[a], ksize[a], strides[a], 1, padding, windows.explicit_of(explicit, a)
        )
        for a in windows.spatial_axes(data_format)
    )
    return rows, columns


def _attrs_of(op: Operation, *more: str) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("ksize", "strides", "padding", "data_format", *more)}


# MaxPool ------------------------------------------------------------------------------------------

max_pool_op = define_op(
    "MaxPool",
    "input: T -> output: T",
    "T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = "
    "DT_FLOAT",
    SIZES,
    _ANY_PADDING,
    _EXPLICIT,
    "data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'",
    shape=pooled_shape,
)


def lowest(dtype: Any) -> Any:
    """What is below all numbers: padding never is the largest."""
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.type(-np.inf)


@max_pool_op.kernel
def _max_pool_kernel(input: Array, run: Run = in_order, *, attrs: dict[str, Any]) -> Array:
    ksize, data_format = attrs["ksize"], attrs["data_format"]
    if data_format == b"NHWC" and input.ndim == 4 and ksize[3] > 1:
        return _largest_of_channels(input, ksize, attrs["strides"])
    rows, columns = axes(input.shape, attrs)
    image = windows.channels_last(input, data_format)
    image = windows.padded(image, rows, columns, lowest(input.dtype))
    return windows.as_format(blocks.largest(image, rows, columns, run), data_format)


def _largest_of_channels(image: Any, ksize: Any, strides: Any) -> Any:
    """Windows over channels instead of pixels."""
    depth, window = image.shape[3], ksize[3]
    if tuple(ksize[:3]) != (1, 1, 1) or tuple(strides[:3]) != (1, 1, 1):
        raise UnimplementedError(
            "MaxPooling supports exactly one of pooling across depth or pooling across "
            "width/height."
        )
    if depth % window:
        raise UnimplementedError(
            "Depthwise max pooling requires the depth window to evenly divide the input depth"
        )
    if strides[3] != window:
        raise UnimplementedError(
            "Depthwise max pooling requires the depth window to equal the depth stride."
        )
    return image.reshape(*image.shape[:3], depth // window, window).max(-1)


@max_pool_op.gradient
def _max_pool_gradient(op: Operation, gradient: Tensor) -> Tensor:
    attrs = _attrs_of(op, "explicit_paddings")
    return _max_pool_grad(op.inputs[0], op.outputs[0], gradient, **attrs)


# MaxPoolGrad, MaxPoolGradGrad ---------------------------------------------------------------------

_max_pool_grad = define_op(
    "MaxPoolGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    SIZES,
    _ANY_PADDING,
    _EXPLICIT,
    _FORMAT,
    f"{_REAL} = DT_FLOAT",
    shape=lambda c: with_rank(c.input(0), 4),
)
_max_pool_grad_grad = define_op(
    "MaxPoolGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    SIZES,
    _PADDING,
    _FORMAT,
    _REAL,
)


@_max_pool_grad_grad.shape
def _max_pool_grad_grad_shape(c: InferenceContext) -> TensorShape:
    pooled = pooled_shape(c)
    merge(c.input(0), c.input(2))
    merge(c.input(1), pooled)
    return pooled


def _axes_of_gradient(
    image: Array, largest: Array, attrs: dict[str, Any]
) -> tuple[windows.Axis, windows.Axis]:
    for name, value in (("tensor_in", image), ("tensor_out", largest)):
        if value.ndim != 4:
            raise invalid(f"{name} must be 4-dimensional")
    rows, columns = axes(image.shape, attrs)
    sizes = list(image.shape)
    for index, axis in zip(windows.spatial_axes(attrs["data_format"]), (rows, columns)):
        sizes[index] = axis.count
    if list(largest.shape) != sizes:
        raise invalid(
            f"Expected orig_output shape to be {shown_list(sizes)}, but got {shown(largest)}"
        )
    return rows, columns


def _check_gradient(like: Array, grad: Array) -> None:
    if grad.shape != like.shape:
        raise invalid(f"Expected grad shape to be {shown(like)}, but got {shown(grad)}")


@_max_pool_grad.kernel
def _max_pool_grad_kernel(
    orig_input: Array,
    orig_output: Array,
    grad: Array,
    run: Run = in_order,
    *,
    attrs: dict[str, Any],
) -> Array:
    data_format = attrs["data_format"]
    rows, columns = _axes_of_gradient(orig_input, orig_output, attrs)
    _check_gradient(orig_output, grad)
    image, largest, above = (
        windows.channels_last(x, data_format) for x in (orig_input, orig_output, grad)
    )
    image = windows.padded(image, rows, columns, lowest(image.dtype))
    result = blocks.gradient(image, largest, above, rows, columns, run)
    return windows.as_format(result, data_format)


@_max_pool_grad_grad.kernel
def _max_pool_grad_grad_kernel(
    orig_input: Array, orig_output: Array, grad: Array, *, attrs: dict[str, Any]
) -> Array:
    data_format = attrs["data_format"]
    rows, columns = _axes_of_gradient(orig_input, orig_output, attrs)
    _check_gradient(orig_input, grad)
    image, largest, above = (
        windows.channels_last(x, data_format) for x in (orig_input, orig_output, grad)
    )
    image = windows.padded(image, rows, columns, lowest(image.dtype))
    above = windows.padded(above, rows, columns)
    result = np.zeros(largest.shape, grad.dtype)
    for where, chosen in blocks.first_largest(image, largest, rows, columns):
        result = np.where(chosen, above[where], result)
    return windows.as_format(result, data_format)


def _zeros_for_values(op: Operation) -> list[Tensor]:
    return [ops.zeros_like(op.inputs[0]), ops.zeros_like(op.inputs[1])]


@_max_pool_grad.gradient
def _max_pool_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    zeros = _zeros_for_values(op)
    return [*zeros, _max_pool_grad_grad(*op.inputs[:2], gradient, **_attrs_of(op))]


@_max_pool_grad_grad.gradient
def _max_pool_grad_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    zeros = _zeros_for_values(op)
    return [*zeros, _max_pool_grad(*op.inputs[:2], gradient, **_attrs_of(op))]


# AvgPool ------------------------------------------------------------------------------------------

_FLOATS = "T: {half, bfloat16, float, double}"
avg_pool_op = define_op(
    "AvgPool", "value: T -> output: T", SIZES, _PADDING, _FORMAT, _FLOATS, shape=pooled_shape
)


def _counts(rows: windows.Axis, columns: windows.Axis, dtype: Any) -> Any:
    """How many pixels each window has: padding does not count."""
    per_axis = []
    for axis in (rows, columns):
        starts = np.arange(axis.count) * axis.stride - axis.before
        ends = np.minimum(starts + axis.window, axis.size)
        per_axis.append(ends - np.maximum(starts, 0))
    return np.multiply.outer(*per_axis)[:, :, None].astype(dtype)


@avg_pool_op.kernel
def _avg_pool_kernel(value: Array, *, attrs: dict[str, Any]) -> Array:
    data_format = attrs["data_format"]
    rows, columns = axes(value.shape, attrs)
    image = windows.padded(windows.channels_last(widened(value), data_format), rows, columns)
    total = sum(image[where] for _, _, where in windows.places(rows, columns))
    mean = total / _counts(rows, columns, image.dtype)
    return windows.as_format(mean, data_format).astype(value.dtype, copy=False)


@avg_pool_op.gradient
def _avg_pool_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _avg_pool_grad(ops.shape(op.inputs[0]), gradient, **_attrs_of(op))


# AvgPoolGrad --------------------------------------------------------------------------------------

_avg_pool_grad = define_op(
    "AvgPoolGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    SIZES,
    _PADDING,
    _FORMAT,
    _FLOATS,
    shape=lambda c: with_rank(c.shape_value(0), 4),
)


@_avg_pool_grad.kernel
def _avg_pool_grad_kernel(orig_input_shape: Array, grad: Array, *, attrs: dict[str, Any]) -> Array:
    data_format = attrs["data_format"]
    sizes = [int(size) for size in orig_input_shape]
    rows, columns = axes(sizes, attrs)
    above = windows.channels_last(widened(grad), data_format)
    shape = (sizes[0], 0, 0, sizes[windows.channel_axis(data_format)])
    result = windows.empty_padded(shape, rows, columns, above.dtype)
    share = above / _counts(rows, columns, above.dtype)
    for _, _, where in windows.places(rows, columns):
        result[where] += share
    result = windows.without_padding(result, rows, columns)
    return windows.as_format(result, data_format).astype(grad.dtype, copy=False)


@_avg_pool_grad.gradient
def _avg_pool_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    return [ops.stop_gradient(op.inputs[0]), avg_pool_op(gradient, **_attrs_of(op))]


# Public functions ---------------------------------------------------------------------------------


def max_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The largest number of each window and channel (TensorFlow: `tf.nn.max_pool`).

    Args:
      value, input: images [batch, rows, columns, channels].
      ksize: the size of a window: a number, two (rows, columns), or four as in `data_format`.
      strides: from window to window, written the same way.
      padding: "SAME", "VALID", or four pairs of numbers: see `tf.nn.conv2d`.
      data_format: "NHWC", or "NCHW" if the channels come second.
      name: of the operation.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> tf.nn.max_pool([[[[1.0], [2.0]], [[3.0], [4.0]]]], 2, 2, "VALID")  # [[[[4.]]]]
    """
    value = ops.deprecated_lookup("input", input, "value", value)
    with op_scope(name, "MaxPool", (value,)) as scope:
        return _pool_largest(value, ksize, strides, padding, data_format, scope)


def max_pool2d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window and channel (TensorFlow: `tf.nn.max_pool2d`).

    Args:
      input: images [batch, rows, columns, channels].
      ksize, strides, padding, data_format, name: as for `tf.nn.max_pool`.

    Example:
      >>> tf.nn.max_pool2d([[[[1.0], [2.0]], [[3.0], [4.0]]]], 2, 2, "VALID")  # [[[[4.]]]]
    """
    with op_scope(name, "MaxPool2d", (input,)) as scope:
        return _pool_largest(input, ksize, strides, padding, data_format, scope)


def _pool_largest(
    value: Any, ksize: Any, strides: Any, padding: Any, data_format: str | None, name: str
) -> Tensor:
    attrs = _attrs(ksize, strides, data_format)
    padding, explicit = windows.paddings(padding)
    if 0 in attrs["ksize"]:
        raise ValueError(f"`ksize` cannot be zero. Received: ksize={attrs['ksize']}")
    return max_pool_op(value, name=name, padding=padding, explicit_paddings=explicit, **attrs)


def _attrs(ksize: Any, strides: Any, data_format: str | None) -> dict[str, Any]:
    data_format = data_format or "NHWC"
    channel = 1 if data_format.startswith("NC") else 3
    sizes = {"ksize": ksize, "strides": strides}
    attrs = {name: windows.sequence(size, channel, name) for name, size in sizes.items()}
    return {"data_format": data_format, **attrs}


def avg_pool(
    value: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
) -> Tensor:
    """The mean of each window and channel, without padding (TensorFlow: `tf.nn.avg_pool`).

    Args:
      value, input: images [batch, rows, columns, channels].
      ksize: the size of a window: a number, two (rows, columns), or four as in `data_format`.
      strides: from window to window, written the same way.
      padding: "SAME" or "VALID".
      data_format: "NHWC", or "NCHW" if the channels come second.
      name: of the operation.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> tf.nn.avg_pool([[[[1.0], [2.0]], [[3.0], [4.0]]]], 2, 2, "VALID")  # [[[[2.5]]]]
    """
    with op_scope(name, "AvgPool", (value,)) as scope:
        value = ops.deprecated_lookup("input", input, "value", value)
        attrs = _attrs(ksize, strides, data_format)
        return avg_pool_op(value, name=scope, padding=padding, **attrs)
