"""`tf.layers.Conv2D` and its kin, and the functions that make and call them.

Their classes are declared by the number of dimensions of a window; the functions have the
arguments of the classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.layers import by_name
from tinytf.layers.base import Layer
from tinytf.layers.core import checked_data_format
from tinytf.layers.declared import function_of
from tinytf.layers.input_spec import InputSpec
from tinytf.ops.array.pad import pad
from tinytf.ops.array.reshape import reshape
from tinytf.ops.nn.atrous import convolution
from tinytf.ops.nn.bias_add import bias_add
from tinytf.ops.nn.windows import windowed
from tinytf.ops.variables.initializers import Zeros

FORMATS = {1: ("NWC", "NCW"), 2: ("NHWC", "NCHW"), 3: ("NDHWC", "NCDHW")}


class Convolution(Layer):
    """What all have: the arguments, kernel and bias.

    Attributes:
      rank: how many dimensions windows have.
    """

    rank: int

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
        dilation_rate: int | Sequence[int] = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        kernel_regularizer: Any = None,
        bias_regularizer: Any = None,
        activity_regularizer: Any = None,
        kernel_constraint: Any = None,
        bias_constraint: Any = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.filters = int(filters)
        if self.filters <= 0:
            raise ValueError(
                "Invalid value for argument `filters`. Expected a strictly positive value. "
                f"Received filters={filters}."
            )
        self.kernel_size = checked_sizes(kernel_size, self.rank, "kernel_size")
        self.strides = checked_sizes(strides, self.rank, "strides")
        self.padding = checked_padding(padding, self.rank)
        self.data_format = checked_data_format(data_format)
        self.dilation_rate = checked_sizes(dilation_rate, self.rank, "dilation_rate")
        if max(self.strides) > 1 and max(self.dilation_rate) > 1:
            raise ValueError(
                "`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: "
                f"strides={self.strides} and dilation_rate={self.dilation_rate}"
            )
        self.activation = by_name.activation(activation)
        self.use_bias = use_bias
        self._keep_arguments(locals(), "kernel", "bias")
        self.input_spec = InputSpec(min_ndim=self.rank + 2, max_ndim=self.rank + 2)
        self.kernel: Any = None
        self.bias: Any = None

    @property
    def _channel_axis(self) -> int:
        return -1 if self.data_format == "channels_last" else -1 - self.rank

    @property
    def _format(self) -> str:
        return FORMATS[self.rank][self.data_format == "channels_first"]

    @property
    def _start(self) -> int:
        """The first axis that windows move along."""
        return 1 if self.data_format == "channels_last" else 2

    def build(self, input_shape: Any) -> None:
        """Make the kernel, [window, channels, filters], and the bias, [filters]."""
        channels = self._channels(as_shape(input_shape))
        self.compute_output_shape(input_shape)
        self.kernel = self._add_as_given("kernel", [*self.kernel_size, channels, self.filters])
        self._build_bias()

    def _channels(self, shape: TensorShape) -> int:
        """How many channels inputs of this shape have; later ones must have as many."""
        axis = self._channel_axis
        channels = None if shape.sizes is None else shape.sizes[axis]
        if channels is None:
            raise ValueError(
                "The channel dimension of the inputs should be defined. The input_shape received "
                f"is {shape}, where axis {axis} (0-based) is the channel dimension, which found to "
                f"be `None` (layer {self.name}). The kernel has weights for each: say how many "
                "there are, with tf.reshape or inputs.set_shape(...)."
            )
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _build_bias(self) -> None:
        if self.use_bias:
            self.bias = self._add_as_given("bias", [self.filters])
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The sums of all windows, in as many channels as there are filters."""
        padded, padding = self._padded(inputs)
        outputs = convolution(
            padded,
            self.kernel,
            padding,
            strides=self.strides,
            dilation_rate=self.dilation_rate,
            name=type(self).__name__,
            data_format=self._format,
        )
        return self._finished(self._with_bias(outputs), inputs)

    def _padded(self, inputs: Any) -> tuple[Any, str]:
        """The inputs, and the padding that an operation is to add: no window sees what is later."""
        if self.padding != "causal":
            return inputs, self.padding.upper()
        paddings = [[0, 0], [0, 0], [0, 0]]
        paddings[self._start][0] = self.dilation_rate[0] * (self.kernel_size[0] - 1)
        return pad(inputs, paddings), "VALID"

    def _with_bias(self, outputs: Tensor) -> Tensor:
        if not self.use_bias:
            return outputs
        if self.rank == 1 and self.data_format == "channels_first":
            return outputs + reshape(self.bias, [1, self.filters, 1])  # type: ignore[operator]
        return bias_add(outputs, self.bias, data_format=self._format)

    def _finished(self, outputs: Tensor, inputs: Any) -> Tensor:
        if inputs.shape.ndims:
            outputs.set_shape(self.compute_output_shape(inputs.shape))
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[batch, ..., filters], or with the filters second.

        Raises:
          ValueError: if not one window fits.
        """
        known = as_shape(input_shape).with_rank(self.rank + 2)
        sizes = known.as_list()
        start = self._start
        for axis in range(self.rank):
            count = sizes[start + axis] = self._length(sizes[start + axis], axis)
            if count is not None and count <= 0:
                raise ValueError(
                    "One of the dimensions in the output is <= 0 due to downsampling in "
                    f"{self.name}. Consider increasing the input size. Received input shape "
                    f"{known} which would produce output shape with a zero or negative value in "
                    f"a dimension. A window of {self.kernel_size[axis]} places does not fit. "
                    'padding="same" surrounds the input with zeros.'
                )
        sizes[self._channel_axis] = self.filters
        return TensorShape(sizes)

    def _length(self, size: int | None, axis: int) -> int | None:
        """How many windows there are along an axis."""
        if size is None:
            return None
        window, stride = self.kernel_size[axis], self.strides[axis]
        padding = b"VALID" if self.padding == "valid" else b"SAME"
        return windowed(size, window, stride, self.dilation_rate[axis], padding)[0]


class Conv1D(Convolution):
    """Windows of sequences, weighted and summed (TensorFlow: `tf.layers.Conv1D`).

    Args:
      filters: how many sums each window gives: the channels of the output.
      kernel_size, strides, dilation_rate: one number, or a list of it.
      padding: as of `tf.layers.Conv2D`; or "causal": zeros before, so no window sees what is later.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      activation and the rest: as of `tf.layers.Conv2D`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv1D(8, 3)(tf.ones([5, 10, 4])).shape
      TensorShape([Dimension(5), Dimension(8), Dimension(8)])
    """

    rank = 1


class Conv2D(Convolution):
    """Windows of images, weighted and summed (TensorFlow: `tf.layers.Conv2D`).

    Args:
      filters: how many sums each window gives: the channels of the output.
      kernel_size: rows and columns of a window; one number for both.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": with zeros around, for as many as pixels.
      data_format: "channels_last", or "channels_first" for [batch, channels, rows, columns].
      dilation_rate: the distance of pixels in a window; not with strides.
      activation: a function, or its name; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: of the variables; None for the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions to a loss.
      kernel_constraint, bias_constraint: functions from a variable's new value to what it becomes.
      trainable, name, dtype: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, if the inputs have another
        rank, or it is not known how many channels.

    Example:
      >>> layer = tf.layers.Conv2D(8, 3, padding="same", activation=tf.nn.relu)
      >>> layer(tf.ones([5, 28, 28, 1])).shape, layer.kernel.shape
      (TensorShape([Dimension(5), Dimension(28), Dimension(28), Dimension(8)]),
      TensorShape([Dimension(3), Dimension(3), Dimension(1), Dimension(8)]))
    """

    rank = 2


class Conv3D(Convolution):
    """Windows of volumes, weighted and summed (TensorFlow: `tf.layers.Conv3D`).

    Args:
      filters: how many sums each window gives: the channels of the output.
      kernel_size, strides, dilation_rate: depth, rows and columns; one number for all.
      data_format: "channels_last", or "channels_first" for [batch, channels, depth, rows, columns].
      padding and the rest: as of `tf.layers.Conv2D`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv3D(2, (1, 3, 3))(tf.ones([5, 4, 8, 8, 1])).shape.as_list()
      [5, 4, 6, 6, 2]
    """

    rank = 3


@function_of(Conv2D)
def conv2d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A convolution of images, with its layer (TensorFlow: `tf.layers.conv2d`).

    Args:
      inputs: images [batch, rows, columns, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.Conv2D`.

    Raises:
      ValueError: as `tf.layers.Conv2D`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.conv2d(tf.ones([5, 28, 28, 1]), 8, 3, activation=tf.nn.relu, name="conv")
    """


@function_of(Conv1D)
def conv1d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A convolution of sequences, with its layer (TensorFlow: `tf.layers.conv1d`).

    Args:
      inputs: sequences [batch, width, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.Conv1D`.

    Raises:
      ValueError: as `tf.layers.Conv1D`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.conv1d(tf.ones([5, 10, 4]), 8, 3, strides=2)
    """


@function_of(Conv3D)
def conv3d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A convolution of volumes, with its layer (TensorFlow: `tf.layers.conv3d`).

    Args:
      inputs: volumes [batch, depth, rows, columns, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.Conv3D`.

    Raises:
      ValueError: as `tf.layers.Conv3D`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.conv3d(tf.ones([5, 4, 8, 8, 1]), 2, 3, padding="same")
    """


def arguments_of(given: dict[str, Any]) -> dict[str, Any]:
    """What a class was given, of the local variables of its `__init__`."""
    own = {key: value for key, value in given.items() if key not in ("self", "__class__", "kwargs")}
    return own | given["kwargs"]


def checked_sizes(value: Any, count: int, name: str) -> tuple[int, ...]:
    """One number for each dimension."""
    values = (value,) * count if isinstance(value, int) else value
    try:
        found = tuple(int(one) for one in values)
    except (TypeError, ValueError):
        found = ()
    if len(found) != count or min(found) <= 0:
        raise ValueError(
            f"The `{name}` argument must be a tuple of {count} integers. Received: {value}; one "
            f"integer stands for all, and each must be 1 or more."
        )
    return found


def checked_padding(padding: Any, rank: int) -> str:
    """The word in small letters, "valid", "same" or "causal"; ValueError for anything else."""
    found = padding.lower() if isinstance(padding, str) else padding
    if found not in ("valid", "same", "causal"):
        raise ValueError(
            'The `padding` argument must be one of "valid", "same" (or "causal", only for '
            f"`Conv1D`). Received: {padding!r}"
        )
    if found == "causal" and rank > 1:
        raise ValueError("Causal padding is only supported for `Conv1D` and `SeparableConv1D`.")
    return found
