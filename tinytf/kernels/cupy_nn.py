"""Convolutions on a CUDA card: one matrix product each, and none for each channel by itself.

The blocks of `tinytf.kernels.in_blocks` are the CPU's: they are as large as a core's cache,
and threads of the intra-op pool take them, while a card has one product take all of it.
The windows are gathered place by place into a matrix. As in `cupy_math`, whatever is unusual
(groups, images without pixels, shapes that do not fit) is `NotImplemented`.
Images and volumes go the same way.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf.ops.nn.convolution import axes_of
from tinytf.ops.nn.windows import Axis, as_format, channel_axis, channels_last

Axes = tuple[Axis, ...]


def _wide(x: Any) -> Any:
    return x.astype(np.float32) if x.dtype == np.float16 else x


def _height(axis: Axis) -> int:
    """Pixels along a dimension with its padding, large enough for all windows."""
    end = (axis.count - 1) * axis.stride + (axis.window - 1) * axis.dilation + 1
    return max(axis.size + axis.before + axis.after, end)


def _inside(axes: Axes) -> tuple[slice, ...]:
    """The image without its padding."""
    return (slice(None), *(slice(axis.before, axis.before + axis.size) for axis in axes))


def _empty(batch: int, axes: Axes, channels: int, dtype: Any, xp: Any) -> Any:
    """Zeros for images and their padding."""
    return xp.zeros((batch, *map(_height, axes), channels), dtype=dtype)


def _padded(image: Any, axes: Axes, xp: Any) -> Any:
    padded = _empty(image.shape[0], axes, image.shape[-1], image.dtype, xp)
    padded[_inside(axes)] = image
    return padded


def _places(axes: Axes) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
    """Each place of a window, and what of the padded image all windows have there."""
    for place in itertools.product(*(range(axis.window) for axis in axes)):
        yield place, (slice(None), *(axis.places(at) for axis, at in zip(axes, place)))


def _windows(image: Any, axes: Axes, xp: Any) -> Any:
    """A matrix with a row for each window."""
    padded = _padded(image, axes, xp)
    counts, sizes = [axis.count for axis in axes], [axis.window for axis in axes]
    windows = xp.empty((image.shape[0], *counts, *sizes, image.shape[-1]), dtype=image.dtype)
    everywhere = (slice(None),) * (len(axes) + 1)
    for place, where in _places(axes):
        windows[(*everywhere, *place)] = padded[where]
    return windows.reshape(image.shape[0] * math.prod(counts), -1)


def _usual(image: Any, filter: Any, attrs: dict[str, Any]) -> bool:
    """Whether shapes of an image and a filter are what networks have: one group, no zeros."""
    rank = len(attrs["data_format"])
    if len(image) != rank or len(filter) != rank or 0 in (*image, *filter):
        return False
    channel = channel_axis(attrs["data_format"])
    once = all(attrs[name][axis] == 1 for name in ("strides", "dilations") for axis in (0, channel))
    return once and image[channel] == filter[-2]


def convolution(input: Any, filter: Any, *, attrs: dict[str, Any], xp: Any) -> Any:
    """Conv2D, Conv3D."""
    axes = _axes(input.shape, filter.shape, attrs)
    if axes is None:
        return NotImplemented
    image, weights = channels_last(_wide(input), attrs["data_format"]), _wide(filter)
    windows = _windows(image, axes, xp)
    result = xp.matmul(windows, weights.reshape(windows.shape[1], filter.shape[-1]))
    result = result.reshape(len(image), *(axis.count for axis in axes), filter.shape[-1])
    return as_format(result, attrs["data_format"]).astype(input.dtype, copy=False)


def _axes(image: Any, filter: Any, attrs: dict[str, Any]) -> Axes | None:
    """The windows along each dimension, if there are any."""
    if not _usual(image, filter, attrs):
        return None
    axes: Axes = axes_of(image, filter, attrs)
    return axes if all(axis.count for axis in axes) else None


def _above(
    gradient: Any, batch: int, axes: Axes | None, outputs: int, attrs: dict[str, Any]
) -> Any:
    """The gradient with the channels last; None if it is not as the windows are."""
    if axes is None:
        return None
    above = channels_last(_wide(gradient), attrs["data_format"])
    return above if above.shape == (batch, *(axis.count for axis in axes), outputs) else None


def backprop_input(
    input_sizes: Any, filter: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """Conv2DBackpropInput, Conv3DBackpropInputV2; the sizes are in host memory."""
    sizes, outputs = tuple(input_sizes.tolist()), filter.shape[-1]
    axes = _axes(sizes, filter.shape, attrs)
    above = _above(out_backprop, sizes[0], axes, outputs, attrs)
    if axes is None or above is None:
        return NotImplemented
    shares = xp.matmul(above.reshape(-1, outputs), _wide(filter).reshape(-1, outputs).T)
    shares = shares.reshape(*above.shape[:-1], *filter.shape[:-1])
    image = _empty(sizes[0], axes, filter.shape[-2], above.dtype, xp)
    everywhere = (slice(None),) * (len(axes) + 1)
    for place, where in _places(axes):
        image[where] += shares[(*everywhere, *place)]
    result = as_format(image[_inside(axes)], attrs["data_format"])
    return result.astype(out_backprop.dtype, copy=False)


def backprop_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """Conv2DBackpropFilter, Conv3DBackpropFilterV2; the sizes are in host memory."""
    sizes = tuple(filter_sizes.tolist())
    axes = _axes(input.shape, sizes, attrs)
    above = _above(out_backprop, input.shape[0], axes, sizes[-1], attrs)
    if axes is None or above is None:
        return NotImplemented
    windows = _windows(channels_last(_wide(input), attrs["data_format"]), axes, xp)
    result = xp.matmul(windows.T, above.reshape(-1, sizes[-1]))
    return result.reshape(sizes).astype(input.dtype, copy=False)


# Each channel by itself ---------------------------------------------------------------------------


def depthwise(input: Any, filter: Any, *, attrs: dict[str, Any], xp: Any) -> Any:
    """DepthwiseConv2dNative."""
    axes = _axes(input.shape, filter.shape, attrs)
    if axes is None:
        return NotImplemented
    image, weights = channels_last(_wide(input), attrs["data_format"]), _wide(filter)
    padded = _padded(image, axes, xp)
    counts = [axis.count for axis in axes]
    result = xp.zeros((len(image), *counts, *filter.shape[2:]), dtype=image.dtype)
    for place, where in _places(axes):
        result += padded[where][..., None] * weights[place]
    result = as_format(result.reshape(len(image), *counts, -1), attrs["data_format"])
    return result.astype(input.dtype, copy=False)


def depthwise_input(
    input_sizes: Any, filter: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """DepthwiseConv2dNativeBackpropInput; the sizes are in host memory."""
    sizes, (channels, outputs) = tuple(input_sizes.tolist()), filter.shape[2:]
    axes = _axes(sizes, filter.shape, attrs)
    above = _above(out_backprop, sizes[0], axes, channels * outputs, attrs)
    if axes is None or above is None:
        return NotImplemented
    above, weights = above.reshape(*above.shape[:-1], channels, outputs), _wide(filter)
    image = _empty(sizes[0], axes, channels, above.dtype, xp)
    for place, where in _places(axes):
        image[where] += (above * weights[place]).sum(axis=-1)
    result = as_format(image[_inside(axes)], attrs["data_format"])
    return result.astype(out_backprop.dtype, copy=False)


def depthwise_filter(
    input: Any, filter_sizes: Any, out_backprop: Any, *, attrs: dict[str, Any], xp: Any
) -> Any:
    """DepthwiseConv2dNativeBackpropFilter; the sizes are in host memory."""
    sizes = tuple(filter_sizes.tolist())
    axes = _axes(input.shape, sizes, attrs)
    above = _above(out_backprop, input.shape[0], axes, math.prod(sizes[2:]), attrs)
    if axes is None or above is None:
        return NotImplemented
    padded = _padded(channels_last(_wide(input), attrs["data_format"]), axes, xp)
    above = above.reshape(*above.shape[:-1], *sizes[2:])
    result = xp.empty(sizes, dtype=above.dtype)
    for place, where in _places(axes):
        result[place] = (padded[where][..., None] * above).sum(axis=(0, 1, 2))
    return result.astype(input.dtype, copy=False)
