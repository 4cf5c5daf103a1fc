"""Convolutions of volumes, or of films: images in a row."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.array_types import Array
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import define_op
from tinytf.framework.operation import Operation
from tinytf.framework.shape_inference import InferenceContext, with_rank
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape
from tinytf.kernels.in_blocks import volumes as blocks
from tinytf.kernels.in_blocks.convolution import Run, in_order
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn import windows
from tinytf.ops.nn.convolution import axes_of, check_depths, check_gradient, check_operands, slid
from tinytf.ops.nn.relu import widened

_ATTRS = (
    "T: {half, bfloat16, float, double}, strides: list(int) >= 5, padding: {'SAME', 'VALID'}, "
    "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC', dilations: list(int) = [1, 1, 1, 1, 1]"
)


def _attrs_of(op: Operation) -> dict[str, Any]:
    return {name: op.attrs[name] for name in ("strides", "padding", "data_format", "dilations")}


# Conv3D -------------------------------------------------------------------------------------------

_conv3d = define_op("Conv3D", "input: T, filter: T -> output: T", _ATTRS)


@_conv3d.shape
def _conv3d_shape(c: InferenceContext) -> TensorShape:
    volume = with_rank(c.input(0), 5).sizes or (None,) * 5
    filter = with_rank(c.input(1), 5).sizes or (None,) * 5
    check_depths(volume[windows.channel_axis(c.attrs["data_format"])], filter[3], filter[4])
    return slid(c, "Conv3D", volume, filter[:3], filter[4])


def _check_depth(depth: int, filter: Any) -> None:
    if depth != filter[3]:
        raise invalid(f"input and filter must have the same depth: {depth} vs {filter[3]}")


@_conv3d.kernel
def _conv3d_kernel(
    input: Array, filter: Array, run: Run = in_order, *, attrs: dict[str, Any]
) -> Array:
    data_format = attrs["data_format"]
    check_operands(input, filter, attrs)
    _check_depth(input.shape[windows.channel_axis(data_format)], filter.shape)
    axes = axes_of(input.shape, filter.shape, attrs)
    volume = windows.channels_last(input, data_format)
    result = blocks.convolution(volume, widened(filter), axes, run)
    return windows.as_format(result, data_format).astype(input.dtype, copy=False)


@_conv3d.gradient
def _conv3d_gradient(op: Operation, gradient: Tensor) -> list[Tensor]:
    volume, filter = op.inputs
    sizes = ops.shape_n([volume, filter])
    attrs = _attrs_of(op)
    return [
        _backprop_input(sizes[0], filter, gradient, **attrs),
        _backprop_filter(volume, sizes[1], gradient, **attrs),
    ]


# Conv3DBackpropInputV2 ----------------------------------------------------------------------------

_backprop_input = define_op(
    "Conv3DBackpropInputV2",
    "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
    _ATTRS,
    "Tshape: {int32, int64} = DT_INT32",
    shape=lambda c: with_rank(c.shape_value(0), 5),
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
    axes = axes_of(sizes, filter.shape, attrs)
    outputs = filter.shape[4]
    check_gradient("Conv3DBackpropInputOp", sizes, outputs, out_backprop, axes, data_format)
    above = windows.channels_last(out_backprop, data_format)
    result = blocks.input_gradient(above, widened(filter), axes, run)
    return windows.as_format(result, data_format).astype(out_backprop.dtype, copy=False)


@_backprop_input.gradient
def _backprop_input_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    _, filter, above = op.inputs
    attrs = _attrs_of(op)
    of_filter = _backprop_filter(gradient, ops.shape(filter), above, **attrs)
    return [None, of_filter, _conv3d(gradient, filter, **attrs)]


# Conv3DBackpropFilterV2 ---------------------------------------------------------------------------

_backprop_filter = define_op(
    "Conv3DBackpropFilterV2",
    "input: T, filter_sizes: int32, out_backprop: T -> output: T",
    _ATTRS,
    shape=lambda c: with_rank(c.shape_value(1), 5),
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
    axes = axes_of(input.shape, sizes, attrs)
    name = "Conv3DBackpropFilterOp"
    check_gradient(name, input.shape, sizes[4], out_backprop, axes, data_format)
    volume = windows.channels_last(input, data_format)
    above = windows.channels_last(widened(out_backprop), data_format)
    return blocks.filter_gradient(volume, above, axes, run).astype(input.dtype, copy=False)


@_backprop_filter.gradient
def _backprop_filter_gradient(op: Operation, gradient: Tensor) -> list[Tensor | None]:
    volume, _, above = op.inputs
    attrs = _attrs_of(op)
    of_volume = _backprop_input(ops.shape(volume), gradient, above, **attrs)
    return [of_volume, None, _conv3d(volume, gradient, **attrs)]


# Public functions ---------------------------------------------------------------------------------


def conv3d(
    input: Any,
    filter: Any = None,
    strides: Any = None,
    padding: Any = None,
    data_format: str | None = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
    filters: Any = None,
) -> Tensor:
    """A convolution of volumes (TensorFlow: `tf.nn.conv3d`).

    Args:
      input: volumes [batch, depth, rows, columns, channels].
      filter, filters: [depth, rows, columns, channels, outputs]: the weights of a window.
      strides: from window to window, five numbers, as in `data_format`.
      padding: "SAME": as many windows as pixels (over the stride), with zeros around; "VALID":
        only windows inside.
      data_format: "NDHWC", or "NCDHW" if the channels come second.
      dilations: the distance of pixels in a window, written as strides are.
      name: of the operation.

    Returns:
      volumes [batch, depth, rows, columns, outputs].

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> x, w = tf.ones([1, 2, 2, 2, 1]), tf.ones([2, 2, 2, 1, 1])
      >>> tf.nn.conv3d(x, w, [1, 1, 1, 1, 1], "VALID")  # [[[[[8.]]]]]
    """
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    return _conv3d(
        input,
        filter,
        strides=strides,
        padding=padding,
        data_format=data_format or "NDHWC",
        dilations=list(dilations),
        name=name,
    )


def conv3d_backprop_filter(
    input: Any,
    filter_sizes: Any,
    out_backprop: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NDHWC",
    dilations: Any = (1, 1, 1, 1, 1),
    name: str | None = None,
) -> Tensor:
    """The gradient of a convolution for its filter (TensorFlow: `tf.nn.conv3d_backprop_filter`).

    Args:
      input, strides, padding, data_format, dilations: as for `tf.nn.conv3d`.
      filter_sizes: the shape of the filter, five numbers.
      out_backprop: the gradient of its result.
      name: of the operation.

    Example:
      >>> x, dy = tf.ones([1, 2, 2, 2, 1]), tf.ones([1, 1, 1, 1, 1])
      >>> tf.nn.conv3d_backprop_filter(x, [1, 1, 2, 1, 1], dy, [1, 2, 2, 1, 1], "VALID").shape
      TensorShape([Dimension(1), Dimension(1), Dimension(2), Dimension(1), Dimension(1)])
    """
    return _backprop_filter(
        input,
        filter_sizes,
        out_backprop,
        strides=strides,
        padding=padding,
        data_format=data_format,
        dilations=list(dilations),
        name=name,
    )


def conv3d_transpose(
    value: Any = None,
    filter: Any = None,
    output_shape: Any = None,
    strides: Any = None,
    padding: Any = "SAME",
    data_format: str | None = "NDHWC",
    name: str | None = None,
    input: Any = None,
    filters: Any = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution turned round: volumes get larger (TensorFlow: `tf.nn.conv3d_transpose`).

    Args:
      value, input: volumes [batch, depth, rows, columns, channels].
      filter, filters: [depth, rows, columns, outputs, channels].
      output_shape: the shape of the result.
      strides, padding, data_format, dilations: of the convolution that it is the gradient of; one
        number or three will do.
      name: of the operation.

    Example:
      >>> x, w = tf.ones([1, 1, 1, 1, 1]), tf.ones([2, 1, 1, 1, 1])
      >>> tf.nn.conv3d_transpose(x, w, [1, 2, 1, 1, 1], 2, "VALID")  # [[[[[1.]]], [[[1.]]]]]
    """
    value = ops.deprecated_lookup("input", input, "value", value)
    filter = ops.deprecated_lookup("filters", filters, "filter", filter)
    with op_scope(name, "conv3d_transpose", (value, filter, output_shape)) as scope:
        data_format = data_format or "NDHWC"
        channel = 1 if data_format.startswith("NC") else 4
        return _backprop_input(
            output_shape,
            filter,
            value,
            strides=windows.sequence(strides, channel, "strides", spatial=3),
            padding=padding,
            data_format=data_format,
            dilations=windows.sequence(dilations, channel, "dilations", spatial=3),
            name=scope,
        )
