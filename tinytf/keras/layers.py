"""`tf.keras.layers`: those of `tf.layers` in Keras' scopes, and what only Keras has."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from tinytf import layers as kinds
from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.tensor import Tensor
from tinytf.keras import activations, backend, base_layer
from tinytf.keras.base_layer import Layer as Layer
from tinytf.keras.merging import *  # noqa: F403
from tinytf.layers import declared
from tinytf.layers.input_spec import InputSpec as InputSpec


def _of(kind: type, **usual: Any) -> Any:
    """The layer of `tf.layers`, with Keras' names and scopes.

    Args:
      usual: arguments that Keras has other defaults for.
    """

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        names = [one.name for one in declared.parameters_of(kind)]
        given = {**usual, **dict(zip(names, args)), **kwargs}
        if "strides" in usual and given["strides"] is None:  # windows side by side
            given["strides"] = given["pool_size"]
        kind.__init__(self, **given)  # type: ignore[misc]

    text = (kind.__doc__ or "").replace("tf.layers", "tf.keras.layers")
    body = {"__init__": __init__, "__doc__": text, "__module__": __name__}
    return type(kind.__name__, (kind, Layer), body)


Dense: Any = _of(kinds.Dense)
Flatten: Any = _of(kinds.Flatten)
Dropout: Any = _of(kinds.Dropout, rate=0.5)
Dropout.in_phases = True
BatchNormalization: Any = _of(kinds.BatchNormalization)
BatchNormalization.in_phases = True
Conv1D: Any = _of(kinds.Conv1D)
Conv2D: Any = _of(kinds.Conv2D)
Conv3D: Any = _of(kinds.Conv3D)
SeparableConv1D: Any = _of(kinds.SeparableConv1D)
SeparableConv2D: Any = _of(kinds.SeparableConv2D)
Conv2DTranspose: Any = _of(kinds.Conv2DTranspose)
Conv3DTranspose: Any = _of(kinds.Conv3DTranspose)
MaxPooling1D: Any = _of(kinds.MaxPooling1D, pool_size=2, strides=None)
MaxPooling2D: Any = _of(kinds.MaxPooling2D, pool_size=2, strides=None)
MaxPooling3D: Any = _of(kinds.MaxPooling3D, pool_size=2, strides=None)
AveragePooling1D: Any = _of(kinds.AveragePooling1D, pool_size=2, strides=None)
AveragePooling2D: Any = _of(kinds.AveragePooling2D, pool_size=2, strides=None)
AveragePooling3D: Any = _of(kinds.AveragePooling3D, pool_size=2, strides=None)
MaxPool1D, MaxPool2D, MaxPool3D = MaxPooling1D, MaxPooling2D, MaxPooling3D
AvgPool1D, AvgPool2D, AvgPool3D = AveragePooling1D, AveragePooling2D, AveragePooling3D
Convolution1D, Convolution2D, Convolution3D = Conv1D, Conv2D, Conv3D
SeparableConvolution1D, SeparableConvolution2D = SeparableConv1D, SeparableConv2D
Convolution2DTranspose, Convolution3DTranspose = Conv2DTranspose, Conv3DTranspose


class InputLayer(Layer):
    """Where a model begins (TensorFlow: `tf.keras.layers.InputLayer`).

    Args:
      input_shape: of one example. batch_size, dtype, name: of the placeholder.
      input_tensor: a tensor to begin with, instead of a placeholder.

    Example:
      >>> model = tf.keras.Sequential()
      >>> model.add(tf.keras.layers.InputLayer(input_shape=(3,)))
      >>> model.add(tf.keras.layers.Dense(2))
      >>> model.output_shape
      (None, 2)
    """

    def __init__(
        self,
        input_shape: Any = None,
        batch_size: int | None = None,
        dtype: Any = None,
        input_tensor: Any = None,
        name: Any = None,
        batch_input_shape: Any = None,
    ) -> None:
        name = name or f"input_{backend.get_uid('input')}"
        whole = batch_input_shape
        if whole is None and input_shape is not None:
            whole = (batch_size, *input_shape)
        super().__init__(name=name, dtype=dtype, batch_input_shape=whole)
        if input_tensor is None:
            kind = dtypes.as_dtype(dtype or dtypes.float32)
            input_tensor = ops.placeholder(kind, whole, self.name)
        self.built = True
        self._record(base_layer.Call(self, input_tensor, (), {}, input_tensor))

    def _set_name(self, name: Any) -> None:
        super()._set_name(name or f"input_{backend.get_uid('input')}")

    @property
    def output_shape(self) -> Any:
        """The shape of `output`, in a list."""
        return [super().output_shape]

    def call(self, inputs: Any) -> Any:
        return inputs


def Input(
    shape: Any = None,
    batch_size: int | None = None,
    name: str | None = None,
    dtype: Any = None,
    sparse: bool = False,
    tensor: Any = None,
    batch_shape: Any = None,
) -> Tensor:
    """A tensor for a `Model` to begin with (TensorFlow: `tf.keras.Input`).

    Args:
      shape: of one example. batch_size: of all, if it is known; batch_shape: both.
      name, dtype: of the placeholder. tensor: one to be used instead.

    Example:
      >>> x = tf.keras.Input(shape=(3,), name="x")
      >>> x
      <tf.Tensor 'x:0' shape=(?, 3) dtype=float32>
    """
    if shape is None and batch_shape is None and tensor is None:
        raise ValueError(
            "Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` "
            "does not include the batch dimension."
        )
    if sparse:
        raise ValueError("Sparse inputs are not in tinytf: feed tf.sparse.to_dense's result.")
    made = InputLayer(shape, batch_size, dtype, tensor, name, batch_shape)
    tensor = made.output
    return tensor


class Activation(Layer):
    """A function of the inputs (TensorFlow: `tf.keras.layers.Activation`).

    Args:
      activation: a function, or its name.

    Example:
      >>> tf.keras.layers.Activation("relu")(tf.constant([[-1.0, 2.0]]))  # [[0., 2.]]
    """

    def __init__(self, activation: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.activation = activations.get(activation)

    def call(self, inputs: Any) -> Any:
        return self.activation(inputs)


class Lambda(Layer):
    """Any function of the inputs (TensorFlow: `tf.keras.layers.Lambda`).

    Args:
      function: of a tensor, or several. arguments: more of its arguments, by name.

    Example:
      >>> tf.keras.layers.Lambda(lambda x: x**2)(tf.constant([[-1.0, 2.0]]))  # [[1., 4.]]
    """

    def __init__(
        self,
        function: Callable[..., Any],
        output_shape: Any = None,
        mask: Any = None,
        arguments: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.function, self.arguments = function, arguments or {}

    def call(self, inputs: Any) -> Any:
        return self.function(inputs, **self.arguments)


class ReLU(Layer):
    """The positive part, perhaps up to a limit (TensorFlow: `tf.keras.layers.ReLU`).

    Args:
      max_value: the limit. negative_slope: what negative numbers are multiplied by.

    Example:
      >>> tf.keras.layers.ReLU(max_value=6.0)(tf.constant([[-1.0, 2.0, 9.0]]))  # [[0., 2., 6.]]
    """

    def __init__(
        self, max_value: Any = None, negative_slope: float = 0.0, threshold: float = 0.0, **kw: Any
    ) -> None:
        super().__init__(**kw)
        self.limits = negative_slope, max_value, threshold

    def call(self, inputs: Any) -> Any:
        return activations.relu(inputs, *self.limits)


class LeakyReLU(Layer):
    """Negative numbers made small (`tf.keras.layers.LeakyReLU`); alpha: what by.

    Example:
      >>> tf.keras.layers.LeakyReLU(alpha=0.5)(tf.constant([[-1.0, 2.0]]))  # [[-0.5, 2.]]
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs: Any) -> Any:
        return ops.leaky_relu(inputs, alpha=self.alpha)


class Softmax(Layer):
    """Numbers to probabilities (`tf.keras.layers.Softmax`); axis: whose sum is 1.

    Example:
      >>> tf.keras.layers.Softmax()(tf.zeros([1, 4]))  # [[0.25, 0.25, 0.25, 0.25]]
    """

    def __init__(self, axis: int = -1, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs: Any) -> Any:
        return activations.softmax(inputs, axis=self.axis)


class Reshape(Layer):
    """Another shape of each example (TensorFlow: `tf.keras.layers.Reshape`).

    Args:
      target_shape: without the batch; -1 for what is left.

    Example:
      >>> tf.keras.layers.Reshape((2, -1))(tf.ones([5, 6])).shape
      TensorShape([Dimension(5), Dimension(2), Dimension(3)])
    """

    def __init__(self, target_shape: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def call(self, inputs: Any) -> Tensor:
        result = ops.reshape(inputs, [ops.shape(inputs)[0], *self.target_shape])
        sizes = list(self.target_shape)
        known = inputs.shape.as_list()[1:]
        if None not in known:
            if -1 in sizes:
                sizes[sizes.index(-1)] = math.prod(known) // (-math.prod(sizes) or 1)
            if math.prod(sizes) != math.prod(known):
                raise ValueError(
                    "total size of new array must be unchanged, input_shape = "
                    f"{known}, output_shape = {list(self.target_shape)}"
                )
        result.set_shape([inputs.shape[0], *(None if size == -1 else size for size in sizes)])
        return result


class Permute(Layer):
    """Dimensions in another order (`tf.keras.layers.Permute`); dims: from 1, without the batch.

    Example:
      >>> tf.keras.layers.Permute((2, 1))(tf.constant([[[1, 2, 3], [4, 5, 6]]]))[0, 0]  # [1, 4]
    """

    def __init__(self, dims: Sequence[int], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)

    def call(self, inputs: Any) -> Tensor:
        return ops.transpose(inputs, [0, *self.dims])


class ZeroPadding2D(Layer):
    """Zeros around images (`tf.keras.layers.ZeroPadding2D`).

    Args:
      padding: how many, or (rows, columns), or ((above, below), (left, right)).

    Example:
      >>> image = tf.ones([1, 1, 1, 1])
      >>> tf.keras.layers.ZeroPadding2D((0, 2))(image)[0, :, :, 0]  # [[0., 0., 1., 0., 0.]]
    """

    def __init__(self, padding: Any = (1, 1), data_format: Any = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        both = (padding, padding) if isinstance(padding, int) else padding
        self.padding = [(each, each) if isinstance(each, int) else each for each in both]

    def call(self, inputs: Any) -> Tensor:
        return ops.pad(inputs, [[0, 0], *map(list, self.padding), [0, 0]])


class Embedding(Layer):
    """A vector for each number (TensorFlow: `tf.keras.layers.Embedding`).

    Args:
      input_dim: how many numbers there are. output_dim: how long vectors are.
      embeddings_initializer, embeddings_regularizer, embeddings_constraint: as of `add_weight`.
      input_length: of sequences, if it is known.

    Raises:
      ValueError: for `mask_zero`.

    Example:
      >>> ids = tf.constant([[1, 3, 1]])
      >>> tf.keras.layers.Embedding(input_dim=5, output_dim=2)(ids).shape
      TensorShape([Dimension(1), Dimension(3), Dimension(2)])
    """

    def __init__(
        self,
        input_dim: int,
        output_dim: int,
        embeddings_initializer: Any = "uniform",
        embeddings_regularizer: Any = None,
        activity_regularizer: Any = None,
        embeddings_constraint: Any = None,
        mask_zero: bool = False,
        input_length: int | None = None,
        **kwargs: Any,
    ) -> None:
        if mask_zero:
            raise ValueError("Masks are not in tinytf: multiply by tf.cast(tf.not_equal(x, 0)).")
        if not {"input_shape", "batch_input_shape"} & set(kwargs):
            kwargs["input_shape"] = (input_length,)
        super().__init__(activity_regularizer=activity_regularizer, **kwargs)
        self.sizes, self.how = (input_dim, output_dim), embeddings_initializer
        self.limits = embeddings_regularizer, embeddings_constraint

    def build(self, input_shape: Any) -> None:
        from tinytf.keras import initializers

        self._dtype, first = dtypes.float32, initializers.get(self.how)
        regularizer, constraint = self.limits
        self.embeddings = self.add_weight(
            "embeddings", self.sizes, None, first, regularizer, constraint=constraint
        )
        self.built = True

    def call(self, inputs: Any) -> Tensor:
        if inputs.dtype not in (dtypes.int32, dtypes.int64):
            inputs = ops.cast(inputs, dtypes.int32)
        return ops.embedding_lookup(self.embeddings, inputs)


class _Global(Layer):
    """{what} of all of an example, by channels (`tf.keras.layers.{name}`).

    Args:
      data_format: "channels_first" or "channels_last".

    Example:
      >>> x = tf.reshape([1.0, 2.0, 6.0], [1, 3, *[1] * {more}])
      >>> tf.keras.layers.{name}()(x)  # [[{value}]]
    """

    reduce: Callable[..., Any]

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.is_first = data_format == "channels_first"

    def call(self, inputs: Any) -> Tensor:
        rank = inputs.shape.ndims
        axes = [*range(2, rank)] if self.is_first else [*range(1, rank - 1)]
        return type(self).reduce(inputs, axes)


def _global(name: str, reduce: Callable[..., Any], what: str, value: float) -> Any:
    text = (_Global.__doc__ or "").format(what=what, name=name, more=name[-2], value=value)
    body = {"reduce": staticmethod(reduce), "__doc__": text, "__module__": __name__}
    return type(name, (_Global,), body)


GlobalMaxPooling1D: Any = _global("GlobalMaxPooling1D", ops.reduce_max, "The largest", 6.0)
GlobalMaxPooling2D: Any = _global("GlobalMaxPooling2D", ops.reduce_max, "The largest", 6.0)
GlobalMaxPooling3D: Any = _global("GlobalMaxPooling3D", ops.reduce_max, "The largest", 6.0)
GlobalAveragePooling1D: Any = _global("GlobalAveragePooling1D", ops.reduce_mean, "The mean", 3.0)
GlobalAveragePooling2D: Any = _global("GlobalAveragePooling2D", ops.reduce_mean, "The mean", 3.0)
GlobalAveragePooling3D: Any = _global("GlobalAveragePooling3D", ops.reduce_mean, "The mean", 3.0)
GlobalMaxPool1D, GlobalMaxPool2D, GlobalMaxPool3D = (
    GlobalMaxPooling1D,
    GlobalMaxPooling2D,
    GlobalMaxPooling3D,
)
GlobalAvgPool1D, GlobalAvgPool2D, GlobalAvgPool3D = (
    GlobalAveragePooling1D,
    GlobalAveragePooling2D,
    GlobalAveragePooling3D,
)
