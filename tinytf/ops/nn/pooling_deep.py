"""Pooling in three dimensions: the largest, or the mean, of each window of a film or a volume."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.cancellation import look
from tinytf.framework.errors import UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown, shown_list
from tinytf.ops.nn import windows
from tinytf.ops.nn.relu import widened

_ATTRS = (
    "ksize: list(int) >= 5, strides: list(int) >= 5",
    "padding: {'SAME', 'VALID'}",
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
)
_NAMES = ("ksize", "strides", "padding", "data_format")
_SHORT, _FLOATS = "{half, bfloat16, float}", "{half, bfloat16, float, double}"

Axes = list[windows.Axis]


# Shapes, and windows ------------------------------------------------------------------------------


def _pooled(c: InferenceContext) -> TensorShape:
    attrs = c.attrs
    sizes = list(with_rank(c.input(0), 5).sizes or (None,) * 5)
    first = _first_axis(attrs)
    for axis in (*range(first, first + 3), 1 if first == 2 else 4):
        window, stride = attrs["ksize"][axis], attrs["strides"][axis]
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")
        sizes[axis] = windows.static_count(sizes[axis], window, stride, 1, attrs["padding"])
    return TensorShape.of(tuple(sizes))


def _first_axis(attrs: dict[str, Any]) -> int:
    return 2 if attrs["data_format"] == b"NCDHW" else 1


def _axes(sizes: Any, attrs: dict[str, Any]) -> Axes:
    """The windows along planes, rows and columns of images of these sizes, in the node's format."""
    ksize, strides, first = attrs["ksize"], attrs["strides"], _first_axis(attrs)
    if len(sizes) != 5:
        raise invalid(f"tensor_in must be 5-dimensional, but it has {len(sizes)} dimensions")
    for axis, window in enumerate(ksize):
        if window <= 0:
            raise invalid(f"Sliding window ksize for dimension {axis} was zero.")
    if ksize[0] != 1 or strides[0] != 1:
        raise UnimplementedError("Pooling is not yet supported on the batch dimension.")
    channel = 1 if first == 2 else 4
    if ksize[channel] != 1 or strides[channel] != 1:
        raise UnimplementedError("Pooling is not yet supported on the depth dimension.")
    spatial = range(first, first + 3)
    return [windows.axis_of(sizes[a], ksize[a], strides[a], 1, attrs["padding"]) for a in spatial]


def _channels_last(value: Any, attrs: dict[str, Any]) -> Any:
    return value.transpose(0, 2, 3, 4, 1) if _first_axis(attrs) == 2 else value


def _as_format(value: Any, attrs: dict[str, Any]) -> Any:
    return value.transpose(0, 4, 1, 2, 3) if _first_axis(attrs) == 2 else value


def _padded(image: Array, axes: Axes, value: Any = 0) -> Array:
    widths = [(0, 0), *((axis.before, axis.after) for axis in axes), (0, 0)]
    return np.pad(image, widths, constant_values=value)


def _places(axes: Axes) -> Iterator[tuple[slice, ...]]:
    """Each place of a window: its slice of the padded images."""
    for place in itertools.product(*(range(axis.window) for axis in axes)):
        look()
        yield (slice(None), *(axis.places(n) for axis, n in zip(axes, place)))


def _room(batch: int, channels: int, axes: Axes, dtype: Any) -> Array:
    """Zeros for padded images, large enough for all windows."""
    needed = [(axis.count - 1) * axis.stride + axis.window for axis in axes]
    sizes = [max(a.before + a.size + a.after, end) for a, end in zip(axes, needed)]
    return np.zeros((batch, *sizes, channels), dtype)


def _inside(image: Array, axes: Axes) -> Array:
    return image[(slice(None), *(slice(a.before, a.before + a.size) for a in axes))]


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in _NAMES}


# MaxPool3D ----------------------------------------------------------------------------------------

_max_pool3d = define_op("MaxPool3D", "input: T -> output: T", *_ATTRS, f"T: {_SHORT}")
_max_pool3d.shape(_pooled)


def _lowest(dtype: Any) -> Any:
    return np.iinfo(dtype).min if dtype.kind in "iu" else dtype.type(-np.inf)


@_max_pool3d.kernel
def _max_pool3d_kernel(input: Array, *, attrs: dict[str, Any]) -> Array:
    axes = _axes(input.shape, attrs)
    image = _padded(_channels_last(input, attrs), axes, _lowest(input.dtype))
    places = _places(axes)
    largest = image[next(places)].copy()
    for where in places:
        np.maximum(largest, image[where], out=largest)
    return _as_format(largest, attrs)


@_max_pool3d.gradient
def _max_pool3d_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _max_pool3d_grad(op.inputs[0], op.outputs[0], gradient, **_attrs_of(op))


# MaxPool3DGrad, MaxPool3DGradGrad -----------------------------------------------------------------

_max_pool3d_grad = define_op(
    "MaxPool3DGrad",
    "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
    *_ATTRS,
    f"T: {_SHORT} = DT_FLOAT, TInput: {_SHORT} = DT_FLOAT",
    shape=lambda c: with_rank(c.input(0), 5),
)
_max_pool3d_grad_grad = define_op(
    "MaxPool3DGradGrad",
    "orig_input: T, orig_output: T, grad: T -> output: T",
    *_ATTRS,
    "T: realnumbertype",
)


@_max_pool3d_grad_grad.shape
def _max_pool3d_grad_grad_shape(c: InferenceContext) -> TensorShape:
    pooled = _pooled(c)
    merge(c.input(0), c.input(2))
    merge(c.input(1), pooled)
    return pooled


def _axes_of_gradient(image: Array, largest: Array, grad: Any, like: Any, attrs: Any) -> Axes:
    """The windows, if all shapes fit: `grad` has that of `like`."""
    axes = _axes(image.shape, attrs)
    sizes, first = list(image.shape), _first_axis(attrs)
    sizes[first : first + 3] = [axis.count for axis in axes]
    if list(largest.shape) != sizes:
        raise invalid(
            f"Expected orig_output shape to be {shown_list(sizes)}, but got {shown(largest)}"
        )
    if grad.shape != like.shape:
        raise invalid(f"Expected grad shape to be {shown(like)}, but got {shown(grad)}")
    return axes


@_max_pool3d_grad.kernel
def _max_pool3d_grad_kernel(
    orig_input: Array, orig_output: Array, grad: Array, *, attrs: dict[str, Any]
) -> Array:
    axes = _axes_of_gradient(orig_input, orig_output, grad, orig_output, attrs)
    image, largest, above = (_channels_last(x, attrs) for x in (orig_input, orig_output, grad))
    image = _padded(image, axes, _lowest(image.dtype))
    result = _room(len(above), above.shape[-1], axes, grad.dtype)
    # Unlike in two dimensions, all that are the largest get the whole gradient.
    for where in _places(axes):
        result[where] += np.where(image[where] == largest, above, above.dtype.type(0))
    return _as_format(_inside(result, axes), attrs)


@_max_pool3d_grad_grad.kernel
def _max_pool3d_grad_grad_kernel(
    orig_input: Array, orig_output: Array, grad: Array, *, attrs: dict[str, Any]
) -> Array:
    axes = _axes_of_gradient(orig_input, orig_output, grad, orig_input, attrs)
    image, largest, above = (_channels_last(x, attrs) for x in (orig_input, orig_output, grad))
    image, above = _padded(image, axes, _lowest(image.dtype)), _padded(above, axes)
    result, free = np.zeros(largest.shape, grad.dtype), np.ones(largest.shape, bool)
    for where in _places(axes):
        chosen = (image[where] == largest) & free
        free ^= chosen
        result = np.where(chosen, above[where], result)
    return _as_format(result, attrs)


@_max_pool3d_grad.gradient
def _max_pool3d_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    zeros = [ops.zeros_like(op.inputs[0]), ops.zeros_like(op.inputs[1])]
    return [*zeros, _max_pool3d_grad_grad(*op.inputs[:2], gradient, **_attrs_of(op))]


@_max_pool3d_grad_grad.gradient
def _max_pool3d_grad_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    zeros = [ops.zeros_like(op.inputs[0]), ops.zeros_like(op.inputs[1])]
    return [*zeros, _max_pool3d_grad(*op.inputs[:2], gradient, **_attrs_of(op))]


# AvgPool3D, AvgPool3DGrad -------------------------------------------------------------------------

_avg_pool3d = define_op("AvgPool3D", "input: T -> output: T", *_ATTRS, f"T: {_FLOATS}")
_avg_pool3d.shape(_pooled)
_avg_pool3d_grad = define_op(
    "AvgPool3DGrad",
    "orig_input_shape: int32, grad: T -> output: T",
    *_ATTRS,
    f"T: {_FLOATS}",
    shape=lambda c: with_rank(c.shape_value(0), 5),
)


def _counts(axes: Axes, dtype: Any) -> Array:
    """How many numbers each window has: padding does not count."""
    per_axis = []
    for axis in axes:
        starts = np.arange(axis.count) * axis.stride - axis.before
        per_axis.append(np.minimum(starts + axis.window, axis.size) - np.maximum(starts, 0))
    planes, rows, columns = np.ix_(*per_axis)
    return (planes * rows * columns)[..., None].astype(dtype)


@_avg_pool3d.kernel
def _avg_pool3d_kernel(input: Array, *, attrs: dict[str, Any]) -> Array:
    axes = _axes(input.shape, attrs)
    image = _padded(_channels_last(widened(input), attrs), axes)
    mean = sum(image[where] for where in _places(axes)) / _counts(axes, image.dtype)
    return _as_format(mean, attrs).astype(input.dtype, copy=False)


@_avg_pool3d_grad.kernel
def _avg_pool3d_grad_kernel(
    orig_input_shape: Array, grad: Array, *, attrs: dict[str, Any]
) -> Array:
    axes = _axes([int(size) for size in orig_input_shape], attrs)
    above = _channels_last(widened(grad), attrs)
    result = _room(len(above), above.shape[-1], axes, above.dtype)
    share = above / _counts(axes, above.dtype)
    for where in _places(axes):
        result[where] += share
    result = _as_format(_inside(result, axes), attrs)
    return result.astype(grad.dtype, copy=False)


@_avg_pool3d.gradient
def _avg_pool3d_gradient(op: Operation, gradient: Tensor) -> Tensor:
    return _avg_pool3d_grad(ops.shape(op.inputs[0]), gradient, **_attrs_of(op))


@_avg_pool3d_grad.gradient
def _avg_pool3d_grad_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    return [ops.stop_gradient(op.inputs[0]), _avg_pool3d(gradient, **_attrs_of(op))]


# Public functions ---------------------------------------------------------------------------------


def _attrs(ksize: Any, strides: Any, padding: Any, data_format: str | None) -> dict[str, Any]:
    data_format = data_format or "NDHWC"
    channel = 1 if data_format.startswith("NC") else 4
    sizes = {"ksize": ksize, "strides": strides}
    attrs = {name: windows.sequence(size, channel, name, 3) for name, size in sizes.items()}
    return {"padding": padding, "data_format": data_format, **attrs}


def max_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The largest number of each window and channel of volumes (TensorFlow: `tf.nn.max_pool3d`).

    Args:
      input: [batch, planes, rows, columns, channels].
      ksize: the size of a window: a number, three (planes, rows, columns), or five as in
        `data_format`.
      strides: from window to window, written the same way.
      padding: "SAME" or "VALID".
      data_format: "NDHWC", or "NCDHW" if the channels come second.
      name: of the operation.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
      >>> tf.nn.max_pool3d(x, 2, 2, "VALID")  # [[[[[7.]]]]]
    """
    with op_scope(name, "MaxPool3D", (input,)) as scope:
        return _max_pool3d(input, name=scope, **_attrs(ksize, strides, padding, data_format))


def avg_pool3d(
    input: Any,
    ksize: Any,
    strides: Any,
    padding: str,
    data_format: str | None = "NDHWC",
    name: str | None = None,
) -> Tensor:
    """The mean of each window and channel of volumes (TensorFlow: `tf.nn.avg_pool3d`).

    Args:
      input: [batch, planes, rows, columns, channels].
      ksize, strides, padding, data_format, name: as for `tf.nn.max_pool3d`.

    Raises:
      ValueError: if a window does not fit.

    Example:
      >>> x = tf.reshape(tf.range(8.0), [1, 2, 2, 2, 1])
      >>> tf.nn.avg_pool3d(x, 2, 2, "VALID")  # [[[[[3.5]]]]]
    """
    with op_scope(name, "AvgPool3D", (input,)) as scope:
        return _avg_pool3d(input, name=scope, **_attrs(ksize, strides, padding, data_format))
