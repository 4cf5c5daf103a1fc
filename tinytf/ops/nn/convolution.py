"""Convolutions of images: weighted sums over sliding windows, as products of matrices."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import InvalidArgumentError, OpError, UnimplementedError, invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.in_blocks import convolution as blocks
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.base.shape_rules import shown
from tinytf.ops.nn import windows
from tinytf.ops.nn.relu import widened

_ATTRS = (
    "strides: list(int), use_cudnn_on_gpu: bool = true, padding: {'SAME', 'VALID', 'EXPLICIT'}, "
    "explicit_paddings: list(int) = [], data_format: {'NHWC', 'NCHW'} = 'NHWC', "
    "dilations: list(int) = [1, 1, 1, 1]"
)
_WITH_INTEGERS = "T: {half, bfloat16, float, double, int32}"


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in _conv2d.op_def.attrs if name != "T"}


# Conv2D -------------------------------------------------------------------------------------------

_conv2d = define_op("Conv2D", "input: T, filter: T -> output: T", _WITH_INTEGERS, _ATTRS)


@_conv2d.shape
def _conv2d_shape(c: InferenceContext) -> TensorShape:
    image = with_rank(c.input(0), 4).sizes or (None,) * 4
    filter = with_rank(c.input(1), 4).sizes or (None,) * 4
    channel = windows.channel_axis(c.attrs["data_format"])
    check_depths(image[channel], filter[2], filter[3])
    return slid(c, "Conv2D", image, filter[:2], filter[3])


def slid(
    c: InferenceContext, name: str, image: Any, window: Any, outputs: int | None
) -> TensorShape:
    """What windows that slide over an image give: of these sizes, in the node's format."""
    attrs, data_format = c.attrs, c.attrs["data_format"]
    for what in ("dilations", "strides"):
        if len(attrs[what]) != len(data_format):
            raise ValueError(
                f"{name} requires the {what.rstrip('s')} attribute to contain {len(data_format)} "
                f"values, but got: {len(attrs[what])}"
            )
    sizes = [image[0], *[outputs] * (len(data_format) - 1)]
    for axis, places in zip(windows.spatial_axes(data_format), window):
        stride, dilation = attrs["strides"][axis], attrs["dilations"][axis]
        if stride <= 0:
            raise ValueError(f"Stride must be > 0, but got {stride}")
        if dilation < 1:
            raise ValueError(f"Dilation rate must be >= 1, but got {dilation}")
        explicit = windows.explicit_of(attrs.get("explicit_paddings"), axis)
        sizes[axis] = windows.static_count(
            image[axis], places, stride, dilation, attrs["padding"], explicit
        )
    return TensorShape.of(tuple(sizes))


def check_depths(depth: int | None, filter_depth: int | None, outputs: int | None) -> None:
    """ValueError unless the channels of an image fall into groups of the filter's."""
    if depth is None or filter_depth is None:
        return
    if filter_depth == 0:
        raise ValueError("Depth of filter must not be 0")
    if depth % filter_depth:
        raise ValueError(
            f"Depth of input ({depth}) is not a multiple of input depth of filter ({filter_depth})"
        )
    groups = depth // filter_depth
    if outputs is not None and groups and outputs % groups:
        raise ValueError(
            f"Depth of output ({outputs}) is not a multiple of the number of groups ({groups})"
        )


def axes_of(sizes: Any, window: Any, attrs: dict[str, Any]) -> Any:
    """The `Axis` of each dimension of an image of these sizes, in the node's format: a tuple."""
    return tuple(
        windows.axis_of(
            sizes[axis],
            places_of,
            attrs["strides"][axis],
            attrs["dilations"][axis],
            attrs["padding"],
            windows.explicit_of(attrs.get("explicit_paddings"), axis),
        )
        for axis, places_of in zip(windows.spatial_axes(attrs["data_format"]), window)
    )


def check_operands(
    image: Any, filter: Any, attrs: dict[str, Any], error: type[OpError] = InvalidArgumentError
) -> None:
    """Errors unless image and filter have the node's rank, and windows keep to their image."""
    rank = len(attrs["data_format"])
    for name, value in (("input", image), ("filter", filter)):
        if value.ndim != rank:
            raise invalid(f"{name} must be {rank}-dimensional: {shown(value)}")
    message = "Current implementation does not yet support {} in the batch and depth dimensions."
    for what in ("strides", "dilations"):
        windows.check_only_spatial(attrs[what], attrs["data_format"], message.format(what), error)


def _groups_of(image: Any, filter: Any, attrs: dict[str, Any]) -> int:
    """The number of groups that the channels fall into."""
    check_operands(image, filter, attrs, UnimplementedError)
    if not filter.size and filter.shape[3]:
        raise invalid("filter must not have zero elements (i.e. all dimensions must be non-zero)")
    depth = image.shape[windows.channel_axis(attrs["data_format"])]
    own, outputs = filter.shape[2:]
    if own and depth % own:
        raise invalid(f"input depth must be evenly divisible by filter depth: {depth} vs {own}")
    groups = depth // own if own else 1
    if groups and outputs % groups:
        raise invalid(
            f"output depth must be evenly divisible by number of groups: {outputs} vs {groups}"
        )
    return max(groups, 1)


@_conv2d.kernel
def _conv2d_kernel(
    input: Array, filter: Array, run: blocks.Run = blocks.in_order, *, attrs: dict[str, Any]
) -> Array:
    data_format = attrs["data_format"]
    groups = _groups_of(input, filter, attrs)
    rows, columns = axes_of(input.shape, filter.shape, attrs)
    image, weights = windows.channels_last(input, data_format), widened(filter)
    parts = [
        blocks.convolution(image[..., own], weights[..., outputs], rows, columns, run)
        for own, outputs in _groups(groups, weights.shape)
    ]
    return _together(parts, data_format, input.dtype)


def _groups(count: int, filter: Any) -> Iterator[tuple[slice, slice]]:
    """The channels of each group, and its outputs."""
    own, outputs = filter[2], filter[3] // max(count, 1)
    for group in range(count):
        yield slice(own * group, own * (group + 1)), slice(outputs * group, outputs * (group + 1))


def _together(parts: list[Array], data_format: bytes, dtype: Any) -> Array:
    """The images of all groups as one, in the node's format and type."""
    image = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=3)
    return windows.as_format(image, data_format).astype(dtype, copy=False)


@_conv2d.gradient
def _conv2d_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    image, filter = op.inputs
    sizes = ops.shape_n([image, filter])
    attrs = _attrs_of(op)
    return [
        _backprop_input(sizes[0], filter, gradient, **attrs),
        _backprop_filter(image, sizes[1], gradient, **attrs),
    ]


# Conv2DBackpropInput ------------------------------------------------------------------------------

_backprop_input = define_op(
    "Conv2DBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    _WITH_INTEGERS,
    _ATTRS,
)


@_backprop_input.shape
def _backprop_input_shape(c: InferenceContext) -> TensorShape:
    data_format = c.attrs["data_format"]
    channel = windows.channel_axis(data_format)
    filter = with_rank(c.input(1), 4).sizes or (None,) * 4
    above = with_rank(c.input(2), 4).sizes or (None,) * 4
    merge_dimension(above[channel], filter[3])
    image = c.shape_value(0)
    sizes: list[int | None] = [None] * 4
    if image.sizes is not None and len(image.sizes) == 2:  # rows and columns alone
        sizes[channel] = filter[2]
        for axis, size in zip(windows.spatial_axes(data_format), image.sizes):
            sizes[axis] = size
        image = TensorShape.of(tuple(sizes))
    sizes = list(with_rank(image, 4).sizes or sizes)
    sizes[0] = merge_dimension(sizes[0], above[0])
    return TensorShape.of(tuple(sizes))


def check_gradient(
    name: str, sizes: Any, outputs: int, gradient: Any, axes: Any, data_format: bytes
) -> None:
    """InvalidArgumentError unless a gradient has the sizes that windows on an image give.

    Args:
      sizes: of the image. outputs: how many channels. axes: the windows along its dimensions.
    """
    if gradient.ndim != len(data_format) or sizes[0] != gradient.shape[0]:
        raise invalid(f"{name}: input and out_backprop must have the same batch size. ")
    if gradient.shape[windows.channel_axis(data_format)] != outputs:
        raise invalid(f"{name}: filter and out_backprop must have the same out_depth")
    for number, (index, axis) in enumerate(zip(windows.spatial_axes(data_format), axes)):
        if gradient.shape[index] != axis.count:
            raise invalid(
                f"{name}: Size of out_backprop doesn't match computed: actual = "
                f"{gradient.shape[index]}, computed = {axis.count} spatial_dim: {number + 1} "
                f"input: {axis.size} filter: {axis.window} output: {gradient.shape[index]} "
                f"stride: {axis.stride} dilation: {axis.dilation}"
            )


@_backprop_input.kernel
def _backprop_input_kernel(
    input_sizes: Array,
    filter: Array,
    out_backprop: Array,
    run: blocks.Run = blocks.in_order,
    *,
    attrs: dict[str, Any],
) -> Array:
    data_format = attrs["data_format"]
    sizes = [int(size) for size in input_sizes]
    if len(sizes) == 2:  # rows and columns alone
        sizes = [len(out_backprop), *sizes, filter.shape[2]]
        sizes = [sizes[0], sizes[3], *sizes[1:3]] if data_format == b"NCHW" else sizes
    rows, columns = axes = axes_of(sizes, filter.shape, attrs)
    check_gradient(
        "Conv2DCustomBackpropInput", sizes, filter.shape[3], out_backprop, axes, data_format
    )
    groups = sizes[windows.channel_axis(data_format)] // filter.shape[2]
    gradient, weights = windows.channels_last(out_backprop, data_format), widened(filter)
    if not groups:
        return np.zeros(sizes, out_backprop.dtype)
    parts = [
        blocks.input_gradient(gradient[..., outputs], weights[..., outputs], rows, columns, run)
        for _, outputs in _groups(groups, weights.shape)
    ]
    return _together(parts, data_format, out_backprop.dtype)


@_backprop_input.gradient
def _backprop_input_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    _, filter, above = op.inputs
    attrs = _attrs_of(op)
    of_filter = _backprop_filter(gradient, ops.shape(filter), above, **attrs)
    return [None, of_filter, _conv2d(gradient, filter, **attrs)]


# Conv2DBackpropFilter -----------------------------------------------------------------------------

_backprop_filter = define_op(
    "Conv2DBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    "T: {half, bfloat16, float, double}",
    _ATTRS,
    shape=lambda c: with_rank(c.shape_value(1), 4),
)


@_backprop_filter.kernel
def _backprop_filter_kernel(
    input: Array,
    filter_sizes: Array,
    out_backprop: Array,
    run: blocks.Run = blocks.in_order,
    *,
    attrs: dict[str, Any],
) -> Array:
    data_format = attrs["data_format"]
    sizes = [int(size) for size in filter_sizes]
    rows, columns = axes = axes_of(input.shape, sizes, attrs)
    check_gradient(
        "Conv2DCustomBackpropFilter", input.shape, sizes[3], out_backprop, axes, data_format
    )
    image = windows.channels_last(input, data_format)
    gradient = windows.channels_last(widened(out_backprop), data_format)
    groups = max(image.shape[3] // max(sizes[2], 1), 1)
    parts = [
        blocks.filter_gradient(image[..., own], gradient[..., outputs], rows, columns, run)
        for own, outputs in _groups(groups, sizes)
    ]
    result = parts[0] if groups == 1 else np.concatenate(parts, axis=3)
    return result.astype(input.dtype, copy=False)


@_backprop_filter.gradient
def _backprop_filter_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    image, _, above = op.inputs
    attrs = _attrs_of(op)
    of_image = _backprop_input(ops.shape(image), gradient, above, **attrs)
    return [of_image, None, _conv2d(image, gradient, **attrs)]


# Public functions ---------------------------------------------------------------------------------


def conv2d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """A convolution of images (TensorFlow: `tf.nn.conv2d`).

    Args:
      input: images [batch, rows, columns, channels].
      filter: [rows, columns, channels, outputs]: the weights of a window. filters: another name.
      strides: from window to window: a number, two (rows, columns), or four as in `data_format`.
      padding: "SAME": as many windows as pixels (over the stride), with zeros around; "VALID":
        only windows inside; or four pairs of numbers of zeros before and after.
      use_cudnn_on_gpu: not used.
      data_format: "NHWC", or "NCHW" if the channels come second.
      dilations: the distance of pixels in a window, written as strides are.
      name: of the operation.

    Returns:
      images [batch, rows, columns, outputs].

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> tf.nn.conv2d(tf.ones([1, 3, 3, 1]), tf.ones([2, 2, 1, 1]), 1, "VALID")[0, :, :, 0]
      ... # [[4., 4.], [4., 4.]]
    """
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    attrs = _attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return _conv2d(input, filter, name=name, **attrs)


def _attrs(
    strides: Any, padding: Any, use_cudnn_on_gpu: bool, data_format: str | None, dilations: Any
) -> dict[str, Any]:
    padding, explicit = windows.paddings(padding)
    data_format = data_format or "NHWC"
    channel = 1 if data_format.startswith("NC") else 3
    return {
        "strides": windows.sequence(strides, channel, "strides"),
        "padding": padding,
        "use_cudnn_on_gpu": use_cudnn_on_gpu,
        "explicit_paddings": explicit,
        "data_format": data_format,
        "dilations": windows.sequence(dilations, channel, "dilations"),
    }


def conv2d_backprop_input(
    input_sizes: Any,
    filter: Any = None,
    out_backprop: Any = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """The gradient of a convolution for its images (TensorFlow: `tf.nn.conv2d_backprop_input`).

    Args:
      input_sizes: the shape of the images, four numbers.
      filter, filters, strides, padding, use_cudnn_on_gpu, data_format, dilations: as for
        `tf.nn.conv2d`.
      out_backprop: the gradient of its result.
      name: of the operation.

    Example:
      >>> tf.nn.conv2d_backprop_input(
      ...     [1, 2, 2, 1], tf.ones([2, 2, 1, 1]), tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID"
      ... )[0, :, :, 0]  # [[1., 1.], [1., 1.]]
    """
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    attrs = _attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return _backprop_input(input_sizes, filter, out_backprop, name=name, **attrs)


def conv2d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of a convolution for its filter (TensorFlow: `tf.nn.conv2d_backprop_filter`).

    Args:
      input, strides, padding, use_cudnn_on_gpu, data_format, dilations: as for `tf.nn.conv2d`.
      filter_sizes: the shape of the filter, four numbers.
      out_backprop: the gradient of its result.
      name: of the operation.

    Example:
      >>> tf.nn.conv2d_backprop_filter(
      ...     tf.ones([1, 2, 2, 1]), [2, 2, 1, 1], tf.ones([1, 1, 1, 1]), [1, 1, 1, 1], "VALID"
      ... )[:, :, 0, 0]  # [[1., 1.], [1., 1.]]
    """
    attrs = _attrs(strides, padding, use_cudnn_on_gpu, data_format, dilations)
    return _backprop_filter(input, filter_sizes, out_backprop, name=name, **attrs)


def conv2d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution turned around: images get larger (TensorFlow: `tf.nn.conv2d_transpose`).

    Args:
      value, input: images [batch, rows, columns, channels].
      filter, filters: [rows, columns, outputs, channels].
      output_shape: the shape of the result.
      strides, padding, data_format, dilations: of the convolution that it is the gradient of.
      name: of the operation.

    Example:
      >>> tf.nn.conv2d_transpose(
      ...     tf.ones([1, 1, 1, 1]), tf.ones([2, 2, 1, 1]), [1, 2, 2, 1], 2)[0, :, :, 0]
      ... # [[1., 1.], [1., 1.]]
    """
    value = ops.deprecated_lookup("input", input, "value", value)
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    with op_scope(name, "conv2d_transpose", (value, filter, output_shape)) as scope:
        attrs = _attrs(strides, padding, True, data_format, dilations)
        return _backprop_input(output_shape, filter, value, name=scope, **attrs)
