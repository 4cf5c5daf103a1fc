"""`tf.layers.Dense`, `Dropout`, `Flatten`, and the functions that make and call them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.layers import by_name
from tinytf.layers.base import Layer
from tinytf.layers.declared import function_of
from tinytf.layers.input_spec import InputSpec
from tinytf.ops.variables.initializers import Zeros


class Dense(Layer):
    """activation(inputs · kernel + bias), fully connected (TensorFlow: `tf.layers.Dense`).

    Args:
      units: the number of outputs.
      activation: a function, or its name; None for none.
      use_bias: whether there is a bias.
      kernel_initializer, bias_initializer: of the variables; None for the scope's.
      kernel_regularizer, bias_regularizer, activity_regularizer: functions to a loss.
      kernel_constraint, bias_constraint: functions from a variable's new value to what it becomes.
      trainable, name, dtype: as of `tf.layers.Layer`.

    Raises:
      ValueError: for negative `units`; when called, if the inputs' last size is not known.
      TypeError: when called, for integers.

    Example:
      >>> layer = tf.layers.Dense(3, tf.nn.relu)
      >>> layer(tf.ones([5, 2])).shape, layer.kernel.name
      (TensorShape([Dimension(5), Dimension(3)]), 'dense/kernel:0')
    """

    def __init__(
        self,
        units: int,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = Zeros(),  # noqa: B008
        kernel_regularizer: Callable[[Any], Any] | None = None,
        bias_regularizer: Callable[[Any], Any] | None = None,
        activity_regularizer: Callable[[Any], Any] | None = None,
        kernel_constraint: Callable[[Any], Any] | None = None,
        bias_constraint: Callable[[Any], Any] | None = None,
        trainable: bool = True,
        name: Any = None,
        **kwargs: Any,
    ):
        super().__init__(trainable, name, activity_regularizer=activity_regularizer, **kwargs)
        self.units = int(units)
        if self.units < 0:
            raise ValueError(
                "Received an invalid value for `units`, expected a positive integer. Received: "
                f"units={units}"
            )
        self.activation = by_name.activation(activation)
        self.use_bias = use_bias
        self._keep_arguments(locals(), "kernel", "bias")
        self.input_spec = InputSpec(min_ndim=2)
        self.kernel: Any = None
        self.bias: Any = None

    def build(self, input_shape: Any) -> None:
        """Make the kernel, [inputs, units], and the bias, [units]."""
        dtype = dtypes.as_dtype(self.dtype or dtypes.float32)
        if not (dtype.is_floating or dtype.is_complex):
            raise TypeError(
                "A Dense layer can only be built with a floating-point dtype. Received: "
                f"dtype={dtype!r}. Cast the inputs: tf.cast(inputs, tf.float32)."
            )
        size = (as_shape(input_shape).sizes or [None])[-1]
        if size is None:
            raise ValueError(
                "The last dimension of the inputs to a Dense layer should be defined. Found None. "
                f"Full input shape received: {input_shape}"
            )
        self.input_spec = InputSpec(min_ndim=2, axes={-1: size})
        self.kernel = self._add_as_given("kernel", [size, self.units])
        if self.use_bias:
            self.bias = self._add_as_given("bias", [self.units])
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        """The outputs, [..., units] for inputs [..., size]."""
        rank = inputs.shape.ndims
        if rank is None or rank == 2:
            outputs = ops.matmul(inputs, self.kernel)
        else:
            outputs = ops.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape([*inputs.shape.as_list()[:-1], self.units])
        if self.use_bias:
            outputs = ops.bias_add(outputs, self.bias)
        return outputs if self.activation is None else self.activation(outputs)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[..., units]."""
        known = as_shape(input_shape).with_rank_at_least(2)
        if known.sizes is not None and known.sizes[-1] is None:
            raise ValueError(
                "The last dimension of the input shape of a Dense layer should be defined. Found "
                f"None. Received: input_shape={input_shape}"
            )
        return known[:-1].concatenate(self.units)


@function_of(Dense)
def dense(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A fully connected layer, made and called (TensorFlow: `tf.layers.dense`).

    Args:
      inputs: [..., size].
      reuse: whether to use the variables of an earlier layer of this name.
      units and the rest: as of `tf.layers.Dense`.

    Returns:
      [..., units].

    Raises:
      ValueError, TypeError: as `tf.layers.Dense`, and as `tf.get_variable` where names are taken.

    Example:
      >>> hidden = tf.layers.dense(tf.ones([5, 2]), 3, activation=tf.nn.relu, name="hidden")
    """


class Dropout(Layer):
    """Some inputs set to 0 in training, the others scaled up (TensorFlow: `tf.layers.Dropout`).

    Args:
      rate: the share that is set to 0, from 0 to 1; a number or a tensor.
      noise_shape: where it has a 1, all along that dimension live or die together; None for the
        inputs' own size.
      seed: of the random numbers; see `tf.set_random_seed`.
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for a rate that is not in [0, 1].

    Example:
      >>> layer = tf.layers.Dropout(0.5)
      >>> dropped = layer(tf.ones([4]), training=True)
      >>> set(dropped.eval()) <= {0.0, 2.0}
      True
      >>> layer(tf.ones([4]))  # [1., 1., 1., 1.]
    """

    def __init__(
        self,
        rate: Any = 0.5,
        noise_shape: Any = None,
        seed: int | None = None,
        name: Any = None,
        **kwargs: Any,
    ):
        super().__init__(name=name, **kwargs)
        if isinstance(rate, int | float) and not 0 <= rate <= 1:
            raise ValueError(
                f"Invalid value {rate} received for `rate`, expected a value between 0 and 1."
            )
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs: Any, training: Any = False) -> Any:
        """The inputs, or some of them scaled up and the others 0.

        Args:
          training: a bool, or a tensor that says so in the run.
        """
        if isinstance(self.rate, int | float) and self.rate == 0:
            return ops.identity(inputs)

        def dropped() -> Tensor:
            noise = self._noise_shape(inputs)
            return ops.dropout(inputs, noise_shape=noise, seed=self.seed, rate=self.rate)

        return ops.smart_cond(training, dropped, lambda: ops.identity(inputs))

    def _noise_shape(self, inputs: Any) -> Any:
        if self.noise_shape is None:
            return None
        sizes: Any = ops.shape(inputs)
        wanted = [sizes[n] if size is None else size for n, size in enumerate(self.noise_shape)]
        return convert_to_tensor(wanted)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The inputs' own."""
        return as_shape(input_shape)


@function_of(Dropout)
def dropout(inputs: Any, *args: Any, **kwargs: Any) -> Any:
    """A dropout layer, made and called (TensorFlow: `tf.layers.dropout`).

    Args:
      inputs: floating-point numbers of any shape.
      training: whether anything is dropped: a bool, or a tensor that says so in the run.
      rate and the rest: as of `tf.layers.Dropout`.

    Raises:
      ValueError: for a rate that is not in [0, 1].

    Example:
      >>> training = tf.placeholder_with_default(False, [])
      >>> y = tf.layers.dropout(tf.ones([4]), training=training)
    """


class Flatten(Layer):
    """All dimensions but the first made one (TensorFlow: `tf.layers.Flatten`).

    Args:
      data_format: "channels_last" or "channels_first", whose channels come last afterwards.
      name: as of `tf.layers.Layer`.

    Raises:
      ValueError: for another data format.

    Example:
      >>> tf.layers.Flatten()(tf.ones([5, 2, 3])).shape
      TensorShape([Dimension(5), Dimension(6)])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any):
        super().__init__(**kwargs)
        self.data_format = checked_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """[batch, the product of the other sizes]."""
        sizes = inputs.shape.sizes
        if self.data_format == "channels_first" and sizes is not None and len(sizes) > 1:
            inputs = ops.transpose(inputs, [0, *range(2, len(sizes)), 1])
            sizes = inputs.shape.sizes
        if sizes is not None and len(sizes) == 1:
            return ops.expand_dims(inputs, axis=1)
        if sizes is not None and None not in sizes[1:]:
            wanted: Any = ops.constant([-1, math.prod(sizes[1:])])
        elif sizes is not None and sizes[0] is not None:
            wanted = ops.constant([sizes[0], -1])
        else:
            wanted = [ops.shape(inputs)[0], -1]  # type: ignore[index]
        return ops.reshape(inputs, wanted)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """[batch, the product of the other sizes]."""
        sizes = as_shape(input_shape).as_list()
        return TensorShape(
            [sizes[0] if sizes else 1, None if None in sizes else math.prod(sizes[1:])]
        )


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """A flattening layer, made and called (TensorFlow: `tf.layers.flatten`).

    Args:
      inputs: [batch, ...]. name, data_format: as of `tf.layers.Flatten`.

    Example:
      >>> tf.layers.flatten(tf.ones([5, 2, 3])).shape
      TensorShape([Dimension(5), Dimension(6)])
    """
    return Flatten(data_format, name=name)(inputs)


def checked_data_format(data_format: str | None) -> str:
    """A data format, "channels_last" by default; ValueError if it is none."""
    found = "channels_last" if data_format is None else data_format.lower()
    if found not in ("channels_first", "channels_last"):
        raise ValueError(
            'The `data_format` argument must be one of "channels_first", "channels_last". '
            f"Received: {data_format}"
        )
    return found
