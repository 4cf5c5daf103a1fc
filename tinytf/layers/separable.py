"""`tf.layers.SeparableConv1D`, `SeparableConv2D`, and the functions that make and call them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.layers.convolutional import FORMATS, Convolution, arguments_of
from tinytf.layers.declared import function_of
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.nn.bias_add import bias_add
from tinytf.ops.nn.depthwise import separable_conv2d as separable_conv2d_of
from tinytf.ops.nn.windows import sequence
from tinytf.ops.variables.initializers import Zeros


class _Separable(Convolution):
    """Each channel convolved by itself, then sums of channels."""

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: int | Sequence[int] = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        depthwise_regularizer: Any = None,
        pointwise_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        depthwise_constraint: Any = None,
        pointwise_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ):
        given = arguments_of(locals())
        self.depth_multiplier = depth_multiplier
        self._keep_arguments(given, "depthwise", "pointwise")
        rest = {key: v for key, v in given.items() if not key.startswith(("depth", "pointwise"))}
        super().__init__(**rest)
        self.depthwise_kernel: Any = None
        self.pointwise_kernel: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the kernels, [window, channels, multiplier] and [1, ..., filters], and the bias."""
        channels = self._channels(as_shape(input_shape))
        each = [*self.kernel_size, channels, self.depth_multiplier]
        sums = [*[1] * self.rank, channels * self.depth_multiplier, self.filters]
        self.depthwise_kernel = self._add_as_given("depthwise_kernel", each, given_for="depthwise")
        self.pointwise_kernel = self._add_as_given("pointwise_kernel", sums, given_for="pointwise")
        self._build_bias()

    def call(self, inputs: Any) -> Tensor:
        """The sums of channels; sequences are images of one row meanwhile."""
        depthwise, pointwise = self.depthwise_kernel, self.pointwise_kernel
        images, padding = self._padded(inputs)
        rate, start = self.dilation_rate, self._start
        if self.rank == 1:
            images, rate = expand_dims(images, start), (1, *rate)
            depthwise, pointwise = expand_dims(depthwise, 0), expand_dims(pointwise, 0)
        strides = sequence(self.strides, 1 if start == 2 else 3, "strides")
        data_format = FORMATS[2][start == 2]
        outputs = separable_conv2d_of(
            images,
            depthwise,
            pointwise,
            strides=strides,
            padding=padding,
            rate=rate,
            data_format=data_format,
        )
        if self.use_bias:
            outputs = bias_add(outputs, self.bias, data_format=data_format)
        if self.rank == 1:
            outputs = squeeze(outputs, [start])
        return outputs if self.activation is None else self.activation(outputs)


class SeparableConv1D(_Separable):
    """Each channel of a sequence by itself, then sums (TensorFlow: `tf.layers.SeparableConv1D`).

    Args:
      kernel_size, strides, dilation_rate: one number, or a list of it.
      filters and the rest: as of `tf.layers.SeparableConv2D`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> tf.layers.SeparableConv1D(8, 3)(tf.ones([5, 10, 4])).shape.as_list()
      [5, 8, 8]
    """

    rank = 1


class SeparableConv2D(_Separable):
    """Each channel of an image by itself, then sums (TensorFlow: `tf.layers.SeparableConv2D`).

    It has far fewer weights than a `tf.layers.Conv2D`: a window for each channel, and one number
    for each of these and each filter.

    Args:
      filters: how many sums of channels: the channels of the output.
      depth_multiplier: how many windows each channel of the input has.
      depthwise_initializer, pointwise_initializer, bias_initializer: of the variables.
      depthwise_regularizer, pointwise_regularizer, bias_regularizer, activity_regularizer:
        functions to a loss.
      depthwise_constraint, pointwise_constraint, bias_constraint: functions from a variable's new
        value to what it becomes.
      kernel_size and the rest: as of `tf.layers.Conv2D`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> layer = tf.layers.SeparableConv2D(8, 3)
      >>> layer(tf.ones([5, 28, 28, 4])).shape.as_list(), layer.count_params()
      ([5, 26, 26, 8], 76)
    """

    rank = 2


@function_of(SeparableConv1D)
def separable_conv1d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A separable convolution of sequences (TensorFlow: `tf.layers.separable_conv1d`).

    Args:
      inputs: sequences [batch, width, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.SeparableConv1D`.

    Raises:
      ValueError: as `tf.layers.SeparableConv1D`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.separable_conv1d(tf.ones([5, 10, 4]), 8, 3)
    """


@function_of(SeparableConv2D)
def separable_conv2d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A separable convolution of images (TensorFlow: `tf.layers.separable_conv2d`).

    Args:
      inputs: images [batch, rows, columns, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.SeparableConv2D`.

    Raises:
      ValueError: as `tf.layers.SeparableConv2D`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.separable_conv2d(tf.ones([5, 28, 28, 4]), 8, 3, padding="same")
    """
