"""Convolutions and pooling as functions (TensorFlow: contrib/layers' layers.py)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import as_shape
from tinytf.layers import convolutional, pooling, separable, transposed
from tinytf.layers.contrib.arg_scope import add_arg_scope
from tinytf.layers.contrib.getters import (
    arguments_of_layer,
    called,
    channels,
    collect_outputs,
    model_variables,
)
from tinytf.layers.contrib.layers import XAVIER, ZEROS
from tinytf.layers.convolutional import FORMATS
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.nn.bias_add import bias_add
from tinytf.ops.nn.depthwise import depthwise_conv2d
from tinytf.ops.nn.relu import relu
from tinytf.ops.nn.windows import sequence
from tinytf.ops.variables.scope import variable_scope

#: Number of spatial dimensions -> the layer, and the formats it knows, its own first.
_KINDS = {
    1: (convolutional.Conv1D, ("NWC", "NCW")),
    2: (convolutional.Conv2D, ("NHWC", "NCHW")),
    3: (convolutional.Conv3D, ("NDHWC", "NCDHW")),
}
_NAMES = {"kernel": "weights", "bias": "biases"}


@add_arg_scope
def convolution(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str | None = None,
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
    conv_dims: int | None = None,
) -> Tensor:
    """A convolution with biases and an activation (TensorFlow: `contrib.layers.convolution`).

    Args:
      inputs: [batch, ..., channels] with one, two or three sizes between, or as `data_format` says.
      num_outputs: the number of filters.
      kernel_size, stride, rate: an integer, or one for each dimension; `rate` spreads the kernel.
      padding: "SAME" or "VALID". data_format: "NWC", "NHWC", "NDHWC", or with C after N.
      conv_dims: the number of spatial dimensions; None for any.
      the rest: as of `tf.contrib.layers.fully_connected`; the scope is "Conv".

    Raises:
      ValueError: for inputs of another rank, another format; stride and rate above 1 together.

    Example:
      >>> y = tf.contrib.layers.conv2d(tf.ones([1, 8, 8, 3]), 4, [3, 3], stride=2)
      >>> y.shape.as_list(), [one.name for one in tf.model_variables()]
      ([1, 4, 4, 4], ['Conv/weights:0', 'Conv/biases:0'])
    """
    given = dict(locals())
    getter = model_variables({"bias": "biases", "kernel": "weights"})
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as entered:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None or rank - 2 not in _KINDS or conv_dims not in (None, rank - 2):
            wanted = "Convolution expects input with rank %s, got %s"
            raise ValueError(wanted % (conv_dims + 2 if conv_dims else "3, 4 or 5", rank))
        kind, formats = _KINDS[rank - 2]
        layer = kind(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=channels(data_format, formats, formats[0]),
            dilation_rate=rate,
            kernel_initializer=weights_initializer,
            kernel_regularizer=weights_regularizer,
            **arguments_of_layer(given, entered, inputs),
        )
        return called(layer, inputs, _NAMES, given)


def _of_rank(dims: int) -> Any:
    @add_arg_scope
    @functools.wraps(convolution)
    def of_rank(*args: Any, **kwargs: Any) -> Tensor:
        return convolution(*args, **kwargs, conv_dims=dims)

    of_rank.__name__ = of_rank.__qualname__ = f"convolution{dims}d"
    return of_rank


conv1d, conv2d, conv3d = map(_of_rank, (1, 2, 3))


@add_arg_scope
def conv2d_transpose(
    inputs: Any,
    num_outputs: int,
    kernel_size: Any,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """A transposed convolution (TensorFlow: `contrib.layers.conv2d_transpose`).

    Args:
      inputs and the rest: as of `tf.contrib.layers.conv2d`; the scope is "Conv2d_transpose".

    Raises:
      ValueError: as there.

    Example:
      >>> y = tf.contrib.layers.conv2d_transpose(tf.ones([1, 4, 4, 3]), 2, 3, stride=2)
      >>> y.shape.as_list()
      [1, 8, 8, 2]
    """
    given = dict(locals())
    getter = model_variables({"bias": "biases", "kernel": "weights"})
    with variable_scope(
        scope, "Conv2d_transpose", [inputs], reuse=reuse, custom_getter=getter
    ) as entered:
        inputs = convert_to_tensor(inputs)
        layer = transposed.Conv2DTranspose(
            filters=num_outputs,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=channels(data_format, ("NHWC", "NCHW"), "NHWC"),
            kernel_initializer=weights_initializer,
            kernel_regularizer=weights_regularizer,
            **arguments_of_layer(given, entered, inputs),
        )
        return called(layer, inputs, _NAMES, given)


class _EachChannel(separable.SeparableConv2D):
    """A separable convolution without its second step: there are no `num_outputs`."""

    def build(self, input_shape: Any) -> None:
        """Make the weights of the first step."""
        found = self._channels(as_shape(input_shape))
        self.filters = found * self.depth_multiplier
        size = [*self.kernel_size, found, self.depth_multiplier]
        self.depthwise_kernel = self._add_as_given("depthwise_kernel", size, given_for="depthwise")
        self._build_bias()

    def call(self, inputs: Any) -> Tensor:
        """Each channel's outputs, those of the first one first."""
        data_format = FORMATS[2][self._start == 2]
        outputs = depthwise_conv2d(
            inputs,
            self.depthwise_kernel,
            sequence(self.strides, 1 if self._start == 2 else 3, "strides"),
            self.padding.upper(),
            self.dilation_rate,
            data_format=data_format,
        )
        return bias_add(outputs, self.bias, data_format) if self.use_bias else outputs


@add_arg_scope
def separable_conv2d(
    inputs: Any,
    num_outputs: int | None,
    kernel_size: Any,
    depth_multiplier: int = 1,
    stride: Any = 1,
    padding: str = "SAME",
    data_format: str = "NHWC",
    rate: Any = 1,
    activation_fn: Any = relu,
    normalizer_fn: Any = None,
    normalizer_params: Any = None,
    weights_initializer: Any = XAVIER,
    pointwise_initializer: Any = None,
    weights_regularizer: Any = None,
    biases_initializer: Any = ZEROS,
    biases_regularizer: Any = None,
    reuse: Any = None,
    variables_collections: Any = None,
    outputs_collections: Any = None,
    trainable: bool = True,
    scope: Any = None,
) -> Tensor:
    """A convolution of each channel, then one across channels (`contrib.layers.separable_conv2d`).

    Args:
      num_outputs: after the second one; None leaves it out, as MobileNet's layers do.
      depth_multiplier: the number of outputs of each channel before they are combined.
      pointwise_initializer: of the second weights; by default `weights_initializer`.
      inputs and the rest: as of `tf.contrib.layers.conv2d`; the scope is "SeparableConv2d".

    Raises:
      ValueError: as there.

    Example:
      >>> y = tf.contrib.layers.separable_conv2d(tf.ones([1, 4, 4, 3]), 2, 3)
      >>> [one.op.name for one in tf.model_variables()][:2]
      ['SeparableConv2d/depthwise_weights', 'SeparableConv2d/pointwise_weights']
    """
    given = dict(locals())
    names = {"depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}
    with variable_scope(
        scope,
        "SeparableConv2d",
        [inputs],
        reuse=reuse,
        custom_getter=model_variables({**names, "bias": "biases"}),
    ) as entered:
        inputs = convert_to_tensor(inputs)
        kind = _EachChannel if num_outputs is None else separable.SeparableConv2D
        layer = kind(
            filters=num_outputs or depth_multiplier,
            kernel_size=kernel_size,
            strides=stride,
            padding=padding,
            data_format=channels(data_format, ("NHWC", "NCHW"), "NHWC"),
            dilation_rate=rate,
            depth_multiplier=depth_multiplier,
            depthwise_initializer=weights_initializer,
            pointwise_initializer=pointwise_initializer or weights_initializer,
            depthwise_regularizer=weights_regularizer,
            pointwise_regularizer=weights_regularizer,
            **arguments_of_layer(given, entered, inputs),
        )
        # All weights are "weights" to the collections.
        return called(layer, inputs, {**dict.fromkeys(names, "weights"), "bias": "biases"}, given)


def _pool(kind: Any, name: str, formats: Sequence[str], padding: str = "VALID") -> Any:
    """The function for a pooling layer of `tf.layers`."""

    @add_arg_scope
    def pool(
        inputs: Any,
        kernel_size: Any,
        stride: Any = 2,
        padding: str = padding,
        data_format: str | None = None,
        outputs_collections: Any = None,
        scope: Any = None,
    ) -> Tensor:
        """The largest, or the mean, of each window (TensorFlow: `contrib.layers.max_pool2d`, ...).

        Args:
          inputs: [batch, ..., channels]. kernel_size, stride: an integer, or one per dimension.
          padding: "VALID" or "SAME". data_format: such as "NHWC" or "NCHW".
          outputs_collections, scope: as of `tf.contrib.layers.fully_connected`.

        Raises:
          ValueError: for another format.

        Example:
          >>> tf.contrib.layers.max_pool2d(tf.ones([1, 4, 4, 3]), 2).shape.as_list()
          [1, 2, 2, 3]
        """
        where = channels(data_format, formats, formats[0])
        with op_scope(scope, name, (inputs,)) as entered:
            layer = kind(kernel_size, stride, padding, where, _scope=entered)
            outputs = layer(convert_to_tensor(inputs))
            return collect_outputs(outputs_collections, entered.rstrip("/"), outputs)

    return pool


max_pool2d = _pool(pooling.MaxPooling2D, "MaxPool2D", ("NHWC", "NCHW"))
avg_pool2d = _pool(pooling.AveragePooling2D, "AvgPool2D", ("NHWC", "NCHW"))
max_pool3d = _pool(pooling.MaxPooling3D, "MaxPool3D", ("NDHWC", "NCDHW"))
avg_pool3d = _pool(pooling.AveragePooling3D, "AvgPool3D", ("NDHWC", "NCDHW"))
