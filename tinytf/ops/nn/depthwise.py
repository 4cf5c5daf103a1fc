"""Depthwise convolutions: each channel of an image by itself; and separable ones made of them."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, merge_dimension, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.in_blocks import depthwise as blocks
from tinytf.kernels.in_blocks.convolution import Run, in_order
from tinytf.ops.array.shape import shape
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn import windows
from tinytf.ops.nn.atrous import with_space_to_batch
from tinytf.ops.nn.convolution import axes_of, check_gradient, check_operands, conv2d, slid
from tinytf.ops.nn.relu import widened

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int), "
    "padding: {'SAME', 'VALID', 'EXPLICIT'}, explicit_paddings: list(int) = [], "
    "data_format: {'NHWC', 'NCHW'} = 'NHWC', dilations: list(int) = [1, 1, 1, 1]"
)


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in _native.op_def.attrs if name != "T"}


# DepthwiseConv2dNative ----------------------------------------------------------------------------

_native = define_op("DepthwiseConv2dNative", "input: T, filter: T -> output: T", _ATTRS)


@_native.shape
def _native_shape(c: InferenceContext) -> TensorShape:
    image = with_rank(c.input(0), 4).sizes or (None,) * 4
    filter = with_rank(c.input(1), 4).sizes or (None,) * 4
    channels = image[windows.channel_axis(c.attrs["data_format"])]
    channels = merge_dimension(channels, filter[2])
    known = channels is not None and filter[3] is not None
    outputs = channels * filter[3] if known else None  # type: ignore[operator]
    return slid(c, "DepthwiseConv2D", image, filter[:2], outputs)


def _check_depth(depth: int, filter: Any) -> None:
    if depth != filter[2]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {filter[2]}")


@_native.kernel
def _native_kernel(
    input: Array, filter: Array, run: Run = in_order, *, attrs: dict[str, Any]
) -> Array:
    data_format = attrs["data_format"]
    check_operands(input, filter, attrs)
    _check_depth(input.shape[windows.channel_axis(data_format)], filter.shape)
    rows, columns = axes_of(input.shape, filter.shape, attrs)
    image = windows.channels_last(input, data_format)
    result = blocks.convolution(image, widened(filter), rows, columns, run)
    return windows.as_format(result, data_format).astype(input.dtype, copy=False)


@_native.gradient
def _native_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    image, filter = op.inputs
    attrs = _attrs_of(op)
    return [
        _backprop_input(shape(image), filter, gradient, **attrs),
        _backprop_filter(image, shape(filter), gradient, **attrs),
    ]


# DepthwiseConv2dNativeBackpropInput ---------------------------------------------------------------

_backprop_input = define_op(
    "DepthwiseConv2dNativeBackpropInput",
    "input_sizes: int32, filter: T, out_backprop: T -> output: T",
    _ATTRS,
    shape=lambda c: with_rank(c.shape_value(0), 4),
)


@_backprop_input.kernel
def _backprop_input_kernel(
    input_sizes: Array,
    filter: Array,
    out_backprop: Array,
    run: Run = in_order,
    *,
    attrs: dict[str, Any],
) -> Array:
    data_format = attrs["data_format"]
    sizes = [int(size) for size in input_sizes]
    check_operands(out_backprop, filter, attrs)
    _check_depth(sizes[windows.channel_axis(data_format)], filter.shape)
    rows, columns = axes = axes_of(sizes, filter.shape, attrs)
    outputs = filter.shape[2] * filter.shape[3]
    name = "DepthwiseConv2DBackpropInput"
    check_gradient(name, sizes, outputs, out_backprop, axes, data_format)
    above = windows.channels_last(out_backprop, data_format)
    result = blocks.input_gradient(above, widened(filter), rows, columns, run)
    return windows.as_format(result, data_format).astype(out_backprop.dtype, copy=False)


@_backprop_input.gradient
def _backprop_input_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    _, filter, above = op.inputs
    attrs = _attrs_of(op)
    of_filter = _backprop_filter(gradient, shape(filter), above, **attrs)
    return [None, of_filter, _native(gradient, filter, **attrs)]


# DepthwiseConv2dNativeBackpropFilter --------------------------------------------------------------

_backprop_filter = define_op(
    "DepthwiseConv2dNativeBackpropFilter",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    _ATTRS,
    shape=lambda c: with_rank(c.shape_value(1), 4),
)


@_backprop_filter.kernel
def _backprop_filter_kernel(
    input: Array,
    filter_sizes: Array,
    out_backprop: Array,
    run: Run = in_order,
    *,
    attrs: dict[str, Any],
) -> Array:
    data_format = attrs["data_format"]
    sizes = [int(size) for size in filter_sizes]
    check_operands(input, out_backprop, attrs)
    _check_depth(input.shape[windows.channel_axis(data_format)], sizes)
    rows, columns = axes = axes_of(input.shape, sizes, attrs)
    name, outputs = "DepthwiseConv2DBackpropFilter", sizes[2] * sizes[3]
    check_gradient(name, input.shape, outputs, out_backprop, axes, data_format)
    image = windows.channels_last(input, data_format)
    above = windows.channels_last(widened(out_backprop), data_format)
    result = blocks.filter_gradient(image, above, rows, columns, run)
    return result.astype(input.dtype, copy=False)


@_backprop_filter.gradient
def _backprop_filter_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    image, _, above = op.inputs
    attrs = _attrs_of(op)
    of_image = _backprop_input(shape(image), gradient, above, **attrs)
    return [of_image, None, _native(image, gradient, **attrs)]


# Public functions ---------------------------------------------------------------------------------


def _attrs(strides: Any, padding: Any, data_format: str | None, dilations: Any) -> dict[str, Any]:
    padding, explicit = windows.paddings(padding)
    return {
        "strides": strides,
        "padding": padding,
        "explicit_paddings": explicit,
        "data_format": data_format or "NHWC",
        "dilations": list(dilations),
    }


def depthwise_conv2d_native(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """A convolution of each channel by itself (TensorFlow: `tf.nn.depthwise_conv2d_native`).

    Args:
      input: images [batch, rows, columns, channels].
      filter: [rows, columns, channels, outputs of each channel].
      strides, dilations: four numbers, as in `data_format`.
      padding, data_format: as for `tf.nn.conv2d`.
      name: of the operation.

    Returns:
      images [batch, rows, columns, channels * outputs]: those of the first channel come first.

    Example:
      >>> x, w = tf.constant([[[[1.0, 10.0]]]]), tf.ones([1, 1, 2, 2])
      >>> tf.nn.depthwise_conv2d_native(x, w, [1, 1, 1, 1], "VALID")  # [[[[1., 1., 10., 10.]]]]
    """
    return _native(input, filter, name=name, **_attrs(strides, padding, data_format, dilations))


def depthwise_conv2d_native_backprop_input(
    input_sizes: Any,
    filter: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient for the images (TensorFlow: `tf.nn.depthwise_conv2d_native_backprop_input`).

    Args:
      input_sizes: the shape of the images, four numbers.
      filter, strides, padding, data_format, dilations: as for `tf.nn.depthwise_conv2d_native`.
      out_backprop: the gradient of its result.
      name: of the operation.

    Example:
      >>> w, dy = tf.ones([1, 1, 2, 2]), tf.ones([1, 1, 1, 4])
      >>> tf.nn.depthwise_conv2d_native_backprop_input([1, 1, 1, 2], w, dy, [1, 1, 1, 1], "VALID")
      ... # [[[[2., 2.]]]]
    """
    attrs = _attrs(strides, padding, data_format, dilations)
    return _backprop_input(input_sizes, filter, out_backprop, name=name, **attrs)


def depthwise_conv2d_native_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str | None = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient for the filter (TensorFlow: `tf.nn.depthwise_conv2d_native_backprop_filter`).

    Args:
      input, strides, padding, data_format, dilations: as for `tf.nn.depthwise_conv2d_native`.
      filter_sizes: the shape of the filter, four numbers.
      out_backprop: the gradient of its result.
      name: of the operation.

    Example:
      >>> x, dy = tf.constant([[[[1.0, 10.0]]]]), tf.ones([1, 1, 1, 2])
      >>> tf.nn.depthwise_conv2d_native_backprop_filter(x, [1, 1, 2, 1], dy, [1, 1, 1, 1], "VALID")
      ... # [[[[1.], [10.]]]]
    """
    attrs = _attrs(strides, padding, data_format, dilations)
    return _backprop_filter(input, filter_sizes, out_backprop, name=name, **attrs)


def depthwise_conv2d(
    input: Any,
    filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of each channel by itself, also dilated (TensorFlow: `tf.nn.depthwise_conv2d`).

    Args:
      input: images [batch, rows, columns, channels].
      filter: [rows, columns, channels, outputs of each channel].
      strides: four numbers, as in `data_format`.
      padding, data_format: as for `tf.nn.conv2d`.
      rate, dilations: the distance of pixels in a window: rows, columns.
      name: of the operation.

    Returns:
      images [batch, rows, columns, channels * outputs].

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> x, w = tf.ones([1, 3, 3, 2]), tf.ones([2, 2, 2, 1])
      >>> tf.nn.depthwise_conv2d(x, w, [1, 1, 1, 1], "VALID", rate=[2, 2])  # [[[[4., 4.]]]]
    """
    rate = ops.deprecated_lookup("dilations", dilations, "rate", rate)
    with op_scope(name, "depthwise", (input, filter)) as scope:
        image = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(filter, name="filter_in")
        return _dilated(image, filter, strides, padding, rate, data_format, scope)


def _dilated(
    image: Tensor,
    filter: Tensor,
    strides: Any,
    padding: Any,
    rate: Any,
    data_format: str | None,
    name: str,
) -> Tensor:
    def depthwise(image: Tensor, _: int, padding: Any) -> Tensor:
        return depthwise_conv2d_native(image, filter, strides, padding, data_format, name=name)

    return with_space_to_batch(
        image,
        [1, 1] if rate is None else rate,
        padding,
        depthwise,
        filter_shape=shape(filter),
        data_format=data_format,
    )


def separable_conv2d(
    input: Any,
    depthwise_filter: Any,
    pointwise_filter: Any,
    strides: Any,
    padding: Any,
    rate: Any = None,
    name: str | None = None,
    data_format: str | None = None,
    dilations: Any = None,
) -> Tensor:
    """Each channel by itself, then sums of channels (TensorFlow: `tf.nn.separable_conv2d`).

    Args:
      input: images [batch, rows, columns, channels].
      depthwise_filter: [rows, columns, channels, outputs of each channel].
      pointwise_filter: [1, 1, channels * outputs, sums]: what these are weighted with.
      strides, padding, rate, data_format, dilations: as for `tf.nn.depthwise_conv2d`.
      name: of the operation.

    Returns:
      images [batch, rows, columns, sums].

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> x, once = tf.ones([1, 2, 2, 3]), [1, 1, 1, 1]
      >>> tf.nn.separable_conv2d(x, tf.ones([2, 2, 3, 1]), tf.ones([1, 1, 3, 1]), once, "VALID")
      ... # [[[[12.]]]]
    """
    rate = ops.deprecated_lookup("dilations", dilations, "rate", rate)
    values = (input, depthwise_filter, pointwise_filter)
    with op_scope(name, "separable_conv2d", values) as scope:
        image = convert_to_tensor(input, name="tensor_in")
        filter = convert_to_tensor(depthwise_filter, name="depthwise_filter")
        pointwise = convert_to_tensor(pointwise_filter, name="pointwise_filter")
        for size in pointwise.shape.with_rank(4)[:2]:
            size.assert_is_compatible_with(1)
        each = _dilated(image, filter, strides, padding, rate, data_format, "depthwise")
        ones = [1, 1, 1, 1]
        return conv2d(each, pointwise, ones, "VALID", data_format=data_format, name=scope)
