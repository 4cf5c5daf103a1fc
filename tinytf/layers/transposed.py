"""`tf.layers.Conv2DTranspose`, `Conv3DTranspose`, and the functions that make and call them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.layers.convolutional import Convolution, arguments_of
from tinytf.layers.declared import function_of
from tinytf.ops.array.shape import shape
from tinytf.ops.array.stack import stack
from tinytf.ops.nn.convolution import conv2d_transpose as conv2d_transposed
from tinytf.ops.nn.convolution_3d import conv3d_transpose as conv3d_transposed
from tinytf.ops.variables.initializers import Zeros


class _Transposed(Convolution):
    """What turns a convolution round: outputs are as large as its inputs."""

    transposed: Callable[..., Tensor]

    def __init__(
        self,
        filters: int,
        kernel_size: int | Sequence[int],
        strides: int | Sequence[int] = 1,
        padding: str = "valid",
        data_format: str | None = "channels_last",
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
        super().__init__(**arguments_of(locals()))

    def build(self, input_shape: Any) -> None:
        """Make the kernel, [window, filters, channels], and the bias, [filters]."""
        channels = self._channels(as_shape(input_shape))
        self.kernel = self._add_as_given("kernel", [*self.kernel_size, self.filters, channels])
        self._build_bias()

    def call(self, inputs: Any) -> Tensor:
        """Each pixel's window, weighted by it; where windows overlap, their sum."""
        known: list[Any] = inputs.shape.as_list()
        in_run: Any = shape(inputs)
        start = self._start
        sizes = [in_run[0], *known[1:]]
        for axis in range(start, start + self.rank):
            size = in_run[axis] if known[axis] is None or self.rank == 3 else known[axis]
            sizes[axis] = self._length(size, axis - start)
        sizes[self._channel_axis] = self.filters
        wanted: Any = stack(sizes)
        if self.rank == 2:
            wanted[0]  # TensorFlow looks at it, and leaves a node
        outputs = type(self).transposed(
            inputs,
            self.kernel,
            wanted,
            self.strides,
            padding=self.padding.upper(),
            data_format=self._format,
        )
        return self._finished(self._with_bias(outputs), inputs)

    def _length(self, size: Any, axis: int) -> Any:
        """How large the output is along an axis, for an input of this size."""
        if size is None:
            return None
        window, stride = self.kernel_size[axis], self.strides[axis]
        size = size * stride
        return size if self.padding == "same" else size + max(window - stride, 0)


class Conv2DTranspose(_Transposed):
    """A convolution turned round: images get larger (TensorFlow: `tf.layers.Conv2DTranspose`).

    It is the gradient of a `tf.layers.Conv2D` that makes its outputs into its inputs.

    Args:
      filters: how many channels the output has.
      strides: how many pixels of the output there are for one of the input.
      padding: "same": exactly so many; "valid": and the rest of the last windows.
      kernel_size and the rest: as of `tf.layers.Conv2D`, without `dilation_rate`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv2DTranspose(8, 3, strides=2, padding="same")(tf.ones([5, 7, 7, 1])).shape
      TensorShape([Dimension(5), Dimension(14), Dimension(14), Dimension(8)])
    """

    rank = 2
    transposed = conv2d_transposed


class Conv3DTranspose(_Transposed):
    """A convolution turned round: volumes get larger (TensorFlow: `tf.layers.Conv3DTranspose`).

    Args:
      filters: how many channels the output has.
      kernel_size, strides: depth, rows and columns; one number for all.
      padding and the rest: as of `tf.layers.Conv2DTranspose`.

    Raises:
      ValueError: as `tf.layers.Conv2D`.

    Example:
      >>> tf.layers.Conv3DTranspose(2, 2, strides=2)(tf.ones([5, 4, 8, 8, 1])).shape.as_list()
      [5, 8, 16, 16, 2]
    """

    rank = 3
    transposed = conv3d_transposed


@function_of(Conv2DTranspose)
def conv2d_transpose(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A transposed convolution, with its layer (TensorFlow: `tf.layers.conv2d_transpose`).

    Args:
      inputs: images [batch, rows, columns, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.Conv2DTranspose`.

    Raises:
      ValueError: as `tf.layers.Conv2DTranspose`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.conv2d_transpose(tf.ones([5, 7, 7, 8]), 1, 3, strides=2, padding="same")
    """


@function_of(Conv3DTranspose)
def conv3d_transpose(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A transposed convolution, with its layer (TensorFlow: `tf.layers.conv3d_transpose`).

    Args:
      inputs: volumes [batch, depth, rows, columns, channels].
      reuse: whether to use the variables of an earlier layer of this name.
      filters and the rest: as of `tf.layers.Conv3DTranspose`.

    Raises:
      ValueError: as `tf.layers.Conv3DTranspose`, and as `tf.get_variable` where names are taken.

    Example:
      >>> y = tf.layers.conv3d_transpose(tf.ones([5, 4, 8, 8, 1]), 2, 3, strides=2)
    """
