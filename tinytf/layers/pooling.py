"""`tf.layers.MaxPooling2D` and its kin, and the functions that make and call them.

Their classes are declared by the number of dimensions of a window, and by an operation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.layers.base import Layer
from tinytf.layers.convolutional import checked_padding, checked_sizes
from tinytf.layers.core import checked_data_format
from tinytf.layers.declared import function_of
from tinytf.layers.input_spec import InputSpec
from tinytf.ops.array.reshape import expand_dims, squeeze
from tinytf.ops.array.transpose import transpose
from tinytf.ops.nn.pooling import avg_pool, max_pool
from tinytf.ops.nn.pooling_deep import avg_pool3d, max_pool3d
from tinytf.ops.nn.windows import windowed


class _Pooling(Layer):
    """What all have: the arguments, and what they do for an operation.

    Attributes:
      rank: how many dimensions windows have. operation: of four dimensions, or five.
    """

    rank: ClassVar[int]
    operation: ClassVar[Callable[..., Tensor]]

    def __init__(
        self,
        pool_size: int | Sequence[int],
        strides: int | Sequence[int],
        padding: str = "valid",
        data_format: str | None = "channels_last",
        name: Any = None,
        **kwargs: Any,
    ):
        if strides is None:
            raise ValueError(
                "Argument `strides` must not be None: say how far windows move on; by their own "
                f"size, strides={pool_size}, for windows side by side."
            )
        super().__init__(name=name, **kwargs)
        self.pool_size = checked_sizes(pool_size, self.rank, "pool_size")
        self.strides = checked_sizes(strides, self.rank, "strides")
        self.padding = checked_padding(padding, 2)
        self.data_format = checked_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """What the operation makes of each window and channel."""
        first = self.data_format == "channels_first"
        sizes, strides, axis = self.pool_size, self.strides, 3 if first else 2
        if self.rank == 1:  # images of one column
            inputs, sizes, strides = expand_dims(inputs, axis), (*sizes, 1), (*strides, 1)
        how: dict[str, Any] = {"padding": self.padding.upper()}
        # As TensorFlow does it without a GPU: only two dimensions can have the channels first.
        turned, rank = first and self.rank != 2, len(sizes)
        if first and not turned:
            how |= {"data_format": "NCHW", "ksize": [1, 1, *sizes], "strides": [1, 1, *strides]}
        else:
            how |= {"ksize": [1, *sizes, 1], "strides": [1, *strides, 1]}
        if turned:
            inputs = transpose(inputs, [0, *range(2, rank + 2), 1])
        outputs = type(self).operation(inputs, **how)
        if turned:
            outputs = transpose(outputs, [0, rank + 1, *range(1, rank + 1)])
        return squeeze(outputs, axis) if self.rank == 1 else outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[batch, ..., channels], or with the channels second."""
        sizes = as_shape(input_shape).with_rank(self.rank + 2).as_list()
        start = 1 if self.data_format == "channels_last" else 2
        how = self.padding.upper().encode()
        for axis, (window, stride) in enumerate(zip(self.pool_size, self.strides), start):
            size = sizes[axis]
            sizes[axis] = None if size is None else windowed(size, window, stride, 1, how)[0]
        return TensorShape(sizes)


class MaxPooling1D(_Pooling):
    """The largest number of each window of sequences (TensorFlow: `tf.layers.MaxPooling1D`).

    Args:
      pool_size: one number, or a list of it.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.MaxPooling1D(2, 2)(tf.ones([5, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4)])
    """

    rank = 1
    operation = max_pool


class MaxPooling2D(_Pooling):
    """The largest number of each window of images (TensorFlow: `tf.layers.MaxPooling2D`).

    Args:
      pool_size: rows and columns of a window; one number for both.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, rows, columns].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.MaxPooling2D(2, 2)(tf.ones([5, 8, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4), Dimension(4)])
    """

    rank = 2
    operation = max_pool


class MaxPooling3D(_Pooling):
    """The largest number of each window of volumes (TensorFlow: `tf.layers.MaxPooling3D`).

    Args:
      pool_size: planes, rows and columns of a window; one number for all.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, planes, rows,
        columns].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.MaxPooling3D(2, 2)(tf.ones([5, 8, 8, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4), Dimension(4), Dimension(4)])
    """

    rank = 3
    operation = max_pool3d


class AveragePooling1D(_Pooling):
    """The mean of each window of sequences (TensorFlow: `tf.layers.AveragePooling1D`).

    Args:
      pool_size: one number, or a list of it.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, width].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.AveragePooling1D(2, 2)(tf.ones([5, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4)])
    """

    rank = 1
    operation = avg_pool


class AveragePooling2D(_Pooling):
    """The mean of each window of images (TensorFlow: `tf.layers.AveragePooling2D`).

    Args:
      pool_size: rows and columns of a window; one number for both.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, rows, columns].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.AveragePooling2D(2, 2)(tf.ones([5, 8, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4), Dimension(4)])
    """

    rank = 2
    operation = avg_pool


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes (TensorFlow: `tf.layers.AveragePooling3D`).

    Args:
      pool_size: planes, rows and columns of a window; one number for all.
      strides: how far windows move on, likewise.
      padding: "valid": only windows inside; "same": as many as the stride allows, reaching over.
      data_format: "channels_last", or "channels_first" for [batch, channels, planes, rows,
        columns].
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for arguments that are none of these; when called, for another rank.

    Example:
      >>> tf.layers.AveragePooling3D(2, 2)(tf.ones([5, 8, 8, 8, 4])).shape
      TensorShape([Dimension(5), Dimension(4), Dimension(4), Dimension(4), Dimension(4)])
    """

    rank = 3
    operation = avg_pool3d


@function_of(MaxPooling1D)
def max_pooling1d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The largest numbers of windows of sequences (TensorFlow: `tf.layers.max_pooling1d`).

    Args:
      inputs: [batch, width, channels].
      pool_size and the rest: as of `tf.layers.MaxPooling1D`.

    Raises:
      ValueError: as `tf.layers.MaxPooling1D`.

    Example:
      >>> y = tf.layers.max_pooling1d(tf.ones([5, 8, 4]), 2, 2, padding="same")
    """


@function_of(MaxPooling2D)
def max_pooling2d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The largest numbers of windows of images (TensorFlow: `tf.layers.max_pooling2d`).

    Args:
      inputs: [batch, rows, columns, channels].
      pool_size and the rest: as of `tf.layers.MaxPooling2D`.

    Raises:
      ValueError: as `tf.layers.MaxPooling2D`.

    Example:
      >>> y = tf.layers.max_pooling2d(tf.ones([5, 8, 8, 4]), 2, 2, padding="same")
    """


@function_of(MaxPooling3D)
def max_pooling3d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The largest numbers of windows of volumes (TensorFlow: `tf.layers.max_pooling3d`).

    Args:
      inputs: [batch, planes, rows, columns, channels].
      pool_size and the rest: as of `tf.layers.MaxPooling3D`.

    Raises:
      ValueError: as `tf.layers.MaxPooling3D`.

    Example:
      >>> y = tf.layers.max_pooling3d(tf.ones([5, 8, 8, 8, 4]), 2, 2, padding="same")
    """


@function_of(AveragePooling1D)
def average_pooling1d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The means of windows of sequences (TensorFlow: `tf.layers.average_pooling1d`).

    Args:
      inputs: [batch, width, channels].
      pool_size and the rest: as of `tf.layers.AveragePooling1D`.

    Raises:
      ValueError: as `tf.layers.AveragePooling1D`.

    Example:
      >>> y = tf.layers.average_pooling1d(tf.ones([5, 8, 4]), 2, 2, padding="same")
    """


@function_of(AveragePooling2D)
def average_pooling2d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The means of windows of images (TensorFlow: `tf.layers.average_pooling2d`).

    Args:
      inputs: [batch, rows, columns, channels].
      pool_size and the rest: as of `tf.layers.AveragePooling2D`.

    Raises:
      ValueError: as `tf.layers.AveragePooling2D`.

    Example:
      >>> y = tf.layers.average_pooling2d(tf.ones([5, 8, 8, 4]), 2, 2, padding="same")
    """


@function_of(AveragePooling3D)
def average_pooling3d(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """The means of windows of volumes (TensorFlow: `tf.layers.average_pooling3d`).

    Args:
      inputs: [batch, planes, rows, columns, channels].
      pool_size and the rest: as of `tf.layers.AveragePooling3D`.

    Raises:
      ValueError: as `tf.layers.AveragePooling3D`.

    Example:
      >>> y = tf.layers.average_pooling3d(tf.ones([5, 8, 8, 8, 4]), 2, 2, padding="same")
    """
