"""Convolutions of sequences: those of images of one row."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.concat import concat
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn import windows
from tinytf.ops.nn.convolution import conv2d, conv2d_backprop_input

_FORMATS = {None: "NHWC", "NWC": "NHWC", "NHWC": "NHWC", "NCW": "NCHW", "NCHW": "NCHW"}


def _as_of_images(
    data_format: str | None, strides: Any, dilations: Any
) -> tuple[str, list[int], list[int]]:
    """The format, the strides and the dilations of a convolution of images of one row."""
    if data_format not in _FORMATS:
        raise ValueError(
            f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}"
        )
    channel = 1 if _FORMATS[data_format] == "NCHW" else 2
    strides = windows.sequence(strides, channel, "stride", spatial=1)
    dilations = windows.sequence(dilations, channel, "dilations", spatial=1)
    return _FORMATS[data_format], [1, *strides], [1, *dilations]


def conv1d(
    value: Any = None,
    filters: Any = None,
    stride: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool | None = None,
    data_format: str | None = None,
    name: str | None = None,
    input: Any = None,
    dilations: Any = None,
) -> Tensor:
    """A convolution of sequences (TensorFlow: `tf.nn.conv1d`).

    Args:
      value, input: sequences [batch, width, channels].
      filters: [width, channels, outputs]: the weights of a window.
      stride: from window to window.
      padding: "SAME": as many windows as places (over the stride), with zeros around; "VALID":
        only windows inside.
      use_cudnn_on_gpu: not used.
      data_format: "NWC", the default, or "NCW" if the channels come second.
      name: of the operations' scope.
      dilations: the distance of places in a window.

    Returns:
      sequences [batch, width, outputs].

    Raises:
      ValueError: if depths or sizes do not fit.

    Example:
      >>> tf.nn.conv1d(tf.ones([1, 4, 1]), tf.ones([2, 1, 1]), 1, "VALID")[0, :, 0]
      ... # [2., 2., 2.]
    """
    value = ops.deprecated_lookup("input", input, "value", value)
    with op_scope(name, "conv1d", (value, filters)) as scope:
        data_format, strides, dilations = _as_of_images(data_format, stride, dilations)
        axis = -2 if data_format == "NCHW" else -3
        images, filters = expand_dims(value, axis), expand_dims(filters, 0)
        how: Any = {"data_format": data_format, "dilations": dilations, "name": scope}
        return squeeze(conv2d(images, filters, strides, padding, **how), [axis])


def conv1d_transpose(
    input: Any,
    filters: Any,
    output_shape: Any,
    strides: Any,
    padding: Any = "SAME",
    data_format: str | None = "NWC",
    dilations: Any = None,
    name: str | None = None,
) -> Tensor:
    """A convolution of sequences turned round (TensorFlow: `tf.nn.conv1d_transpose`).

    Args:
      input: sequences [batch, width, channels].
      filters: [width, outputs, channels].
      output_shape: the shape of the result, three numbers.
      strides, padding, data_format, dilations: of the convolution that it is the gradient of.
      name: of the operations' scope.

    Example:
      >>> tf.nn.conv1d_transpose(tf.ones([1, 2, 1]), tf.ones([2, 1, 1]), [1, 4, 1], 2)[0, :, 0]
      ... # [1., 1., 1., 1.]
    """
    with op_scope(name, "conv1d_transpose", (input, filters, output_shape)) as scope:
        data_format, strides, dilations = _as_of_images(data_format, strides, dilations)
        axis = 2 if data_format == "NCHW" else 1
        images, filters = expand_dims(input, axis), expand_dims(filters, 0)
        sizes: Any = output_shape if isinstance(output_shape, Tensor) else list(output_shape)
        sizes = concat([sizes[:axis], [1], sizes[axis:]], 0)
        how: Any = {"data_format": data_format, "dilations": dilations, "name": scope}
        result = conv2d_backprop_input(sizes, filters, images, strides, padding, **how)
        return squeeze(result, axis)
