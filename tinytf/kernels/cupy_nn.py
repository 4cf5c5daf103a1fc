"""Convolutions on a CUDA card: one matrix product each.

The blocks of `tinytf.kernels.in_blocks` are the CPU's: they are as large as a core's cache,
and threads of the intra-op pool take them, while a card has one product take all of it.
The windows are gathered place by place into a matrix. As in `cupy_math`, whatever is unusual
(groups, images without pixels, shapes that do not fit) is `NotImplemented`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tinytf.ops.nn.convolution import axes_of
from tinytf.ops.nn.windows import Axis, as_format, channel_axis, channels_last, places


def _wide(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _height(axis: Axis) -> int:
    """Pixels along a dimension with its padding, large enough for all windows."""
    end = (axis.count - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1
    return max(axis.size + axis.before + axis.after, end)


def _inside(rows: Axis, columns: Axis) -> tuple[slice, slice, slice]:
    return (
        slice(None),
        slice(rows.before, rows.before + rows.size),
        slice(columns.before, columns.before + columns.size),
    )


def _windows(image: Any, rows: Axis, columns: Axis, xp: Any) -> Any:
    """[batch * rows * columns, window rows * window columns * channels]."""
    batch, channels = image.shape[0], image.shape[3]
    padded = xp.zeros((batch, _height(rows), _height(columns), channels), dtype=image.dtype)
    padded[_inside(rows, columns)] = image
    sizes = (batch, rows.count, columns.count, rows.window, columns.window, channels)
    windows = xp.empty(sizes, dtype=image.dtype)
    for i, j, where in places(rows, columns):
        windows[:, :, :, i, j] = padded[where]
    return windows.reshape(math.prod(sizes[:3]), math.prod(sizes[3:]))


def _usual(image: Any, filter: Any, attrs: dict[str, Any]) -> bool:
    """Whether shapes of an image and a filter are what networks have: one group, no zeros."""
    if len(image) != 4 or len(filter) != 4 or 0 in (*image, *filter):
        return False
    channel = channel_axis(attrs["data_format"])
    once = all(attrs[name][axis] == 1 for name in ("strides", "dilations") for axis in (0, channel))
    return once and image[channel] == filter[2]


def conv2d(input: Any, filter: Any, *, attrs: dict[str, Any], xp: Any) -> Any:
    """Conv2D."""
    data_format = attrs["data_format"]
    if not _usual(input.shape, filter.shape, attrs):
        return NotImplemented
    rows, columns = axes_of(input.shape, filter.shape, attrs)
    if not rows.count or not columns.count:
        return NotImplemented
    image, weights = channels_last(_wide(input), data_format), _wide(filter)
    windows = _windows(image, rows, columns, xp)
    result = xp.matmul(windows, weights.reshape(windows.shape[1], filter.shape[3]))
    result = result.reshape(len(image), rows.count, columns.count, filter.shape[3])
    return as_format(result, data_format).astype(input.dtype, copy=False)


def backprop_input(
    input_sizes: Any, filter: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """Conv2DBackpropInput; the sizes are in host memory."""
    data_format = attrs["data_format"]
    sizes = tuple(input_sizes.tolist())
    if not _usual(sizes, filter.shape, attrs):
        return NotImplemented
    rows, columns = axes_of(sizes, filter.shape, attrs)
    gradient, weights = channels_last(_wide(out_backprop), data_format), _wide(filter)
    if gradient.shape != (sizes[0], rows.count, columns.count, filter.shape[3]):
        return NotImplemented
    flat = gradient.reshape(-1, filter.shape[3])
    shares = xp.matmul(flat, weights.reshape(-1, filter.shape[3]).T)
    shares = shares.reshape(*gradient.shape[:3], rows.window, columns.window, filter.shape[2])
    image = xp.zeros(
        (sizes[0], _height(rows), _height(columns), filter.shape[2]), dtype=gradient.dtype
    )
    for i, j, where in places(rows, columns):
        image[where] += shares[:, :, :, i, j]
    result = image[_inside(rows, columns)]
    return as_format(result, data_format).astype(out_backprop.dtype, copy=False)


def backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """Conv2DBackpropFilter; the sizes are in host memory."""
    data_format = attrs["data_format"]
    sizes = tuple(filter_sizes.tolist())
    if not _usual(input.shape, sizes, attrs):
        return NotImplemented
    rows, columns = axes_of(input.shape, sizes, attrs)
    gradient = channels_last(_wide(out_backprop), data_format)
    if gradient.shape != (input.shape[0], rows.count, columns.count, sizes[3]):
        return NotImplemented
    windows = _windows(channels_last(_wide(input), data_format), rows, columns, xp)
    result = xp.matmul(windows.T, gradient.reshape(-1, sizes[3]))
    return result.reshape(sizes).astype(input.dtype, copy=False)
