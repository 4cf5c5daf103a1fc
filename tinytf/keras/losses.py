"""`tf.keras.losses`: of each example, by its last dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.keras.backend import epsilon as _epsilon


def _both(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = convert_to_tensor(y_pred)
    return ops.cast(y_true, y_pred.dtype), y_pred


def _logits(y_pred: Any, function: str) -> Any:
    """What an activation function was given, if it was the last: logarithms are exact then."""
    while isinstance(y_pred, Tensor) and y_pred.op.type == "Identity":
        y_pred = y_pred.op.inputs[0]
    is_it = isinstance(y_pred, Tensor) and y_pred.op.type == function
    return y_pred.op.inputs[0] if is_it else None


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences (TensorFlow: `tf.keras.losses.mean_squared_error`).

    Args:
      y_true: what is right. y_pred: what was predicted, of the same shape.

    Example:
      >>> tf.keras.losses.mean_squared_error([1.0, 2.0], [1.5, 4.0])  # 2.125
    """
    y_true, y_pred = _both(y_true, y_pred)
    return ops.reduce_mean(ops.square(y_pred - y_true), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of differences' sizes (TensorFlow: `tf.keras.losses.mean_absolute_error`).

    Args:
      y_true, y_pred: as of `mean_squared_error`.

    Example:
      >>> tf.keras.losses.mean_absolute_error([1.0, 2.0], [1.5, 4.0])  # 1.25
    """
    y_true, y_pred = _both(y_true, y_pred)
    return ops.reduce_mean(ops.absolute(y_pred - y_true), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The same in per cent (`tf.keras.losses.mean_absolute_percentage_error`).

    Args:
      y_true, y_pred: as of `mean_squared_error`.

    Example:
      >>> tf.keras.losses.mean_absolute_percentage_error([1.0, 2.0], [1.5, 4.0])  # 75.0
    """
    y_true, y_pred = _both(y_true, y_pred)
    share = ops.absolute((y_true - y_pred) / ops.maximum(ops.absolute(y_true), _epsilon()))
    return 100.0 * ops.reduce_mean(share, -1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """For labels -1 and 1; 0 counts as -1 (TensorFlow: `tf.keras.losses.hinge`).

    Args:
      y_true: -1 or 1, or 0 or 1. y_pred: any numbers: negative ones for -1.

    Example:
      >>> tf.keras.losses.hinge([-1.0, 1.0], [-0.5, 2.0])  # 0.25
    """
    y_true, y_pred = _both(y_true, y_pred)
    signs = ops.where_v2(y_true > 0.0, y_true, ops.where_v2(y_true < 0.0, y_true, -1.0))
    return ops.reduce_mean(ops.maximum(1.0 - signs * y_pred, 0.0), -1)


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Squares of small differences, sizes of large ones (`tf.keras.losses.Huber`).

    Args:
      y_true, y_pred: as of `mean_squared_error`. delta: how large differences are the limit.

    Example:
      >>> tf.keras.losses.huber_loss([1.0, 2.0], [1.5, 4.0])  # 0.8125
    """
    y_true, y_pred = _both(y_true, y_pred)
    far = ops.absolute(y_pred - y_true)
    return ops.reduce_mean(
        ops.where_v2(far <= delta, 0.5 * ops.square(far), delta * (far - 0.5 * delta)), -1
    )


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0
) -> Any:
    """Of rows with a 1 (TensorFlow: `tf.keras.losses.categorical_crossentropy`).

    Args:
      y_true: probabilities of classes. y_pred: predicted ones, or logits.
      from_logits: which. label_smoothing: how much of the labels all classes share.

    Example:
      >>> tf.keras.losses.categorical_crossentropy([0.0, 1.0], [0.25, 0.75])  # 0.28768206
    """
    y_true, y_pred = _both(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / ops.cast(
            y_true.shape[-1].value, y_pred.dtype
        )
    logits = y_pred if from_logits else _logits(y_pred, "Softmax")
    if logits is not None:
        return ops.softmax_cross_entropy_with_logits_v2(labels=y_true, logits=logits)
    shares = y_pred / ops.reduce_sum(y_pred, -1, keepdims=True)
    return -ops.reduce_sum(
        y_true * ops.log(ops.clip_by_value(shares, _epsilon(), 1.0 - _epsilon())), -1
    )


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Of numbers of classes (TensorFlow: `tf.keras.losses.sparse_categorical_crossentropy`).

    Args:
      y_true: numbers of classes. y_pred: predicted probabilities, or logits.
      from_logits: which. axis: where the classes are: the last one.

    Example:
      >>> tf.keras.losses.sparse_categorical_crossentropy(1, [0.25, 0.75])  # 0.28768206
    """
    y_pred = convert_to_tensor(y_pred)
    logits = y_pred if from_logits else _logits(y_pred, "Softmax")
    if logits is None:
        logits = ops.log(ops.clip_by_value(y_pred, _epsilon(), 1.0 - _epsilon()))
    labels = ops.cast(y_true, dtypes.int64)
    if labels.shape.ndims == logits.shape.ndims:  # [batch, 1]
        labels = labels[..., 0]
    return ops.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0
) -> Any:
    """Of yes and no (TensorFlow: `tf.keras.losses.binary_crossentropy`).

    Args:
      y_true: probabilities. y_pred: predicted ones, or logits.
      from_logits: which. label_smoothing: how much of the labels is one half.

    Example:
      >>> tf.keras.losses.binary_crossentropy([0.0, 1.0], [0.25, 0.75])  # 0.28768206
    """
    y_true, y_pred = _both(y_true, y_pred)
    y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing if label_smoothing else y_true
    logits = y_pred if from_logits else _logits(y_pred, "Sigmoid")
    if logits is not None:
        return ops.reduce_mean(
            ops.sigmoid_cross_entropy_with_logits(labels=y_true, logits=logits), -1
        )
    p = ops.clip_by_value(y_pred, _epsilon(), 1.0 - _epsilon())
    likely = y_true * ops.log(p + _epsilon()) + (1.0 - y_true) * ops.log(1.0 - p + _epsilon())
    return ops.reduce_mean(-likely, -1)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error


class Loss:
    """A loss as one number: the mean (TensorFlow: `tf.keras.losses.Loss`).

    Override `call(y_true, y_pred)`.

    Args:
      reduction: accepted for TensorFlow's sake. name: of the loss. kwargs: of its function.

    Example:
      >>> class Cubes(tf.keras.losses.Loss):
      ...     def call(self, y_true, y_pred):
      ...         return tf.reduce_mean(tf.abs(y_pred - y_true) ** 3, -1)
      >>> Cubes()(tf.zeros([2, 1]), tf.constant([[1.0], [3.0]]))  # 14.0
    """

    function: Callable[..., Any]

    def __init__(self, reduction: Any = None, name: str | None = None, **kwargs: Any) -> None:
        self.reduction, self.name, self.kwargs = reduction, name, kwargs

    def call(self, y_true: Any, y_pred: Any) -> Any:
        """The loss of each example."""
        return type(self).function(y_true, y_pred, **self.kwargs)

    def __call__(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> Any:
        """The mean, perhaps with weights."""
        losses = self.call(y_true, y_pred)
        return ops.reduce_mean(losses if sample_weight is None else losses * sample_weight)


def _class(name: str, function: Callable[..., Any], *positional: str) -> Any:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Loss.__init__(self, **{**dict(zip(positional, args)), **kwargs})

    body = {"function": staticmethod(function), "__init__": __init__, "__module__": __name__}
    text = (function.__doc__ or "").replace(f"s.{function.__name__}(", f"s.{name}()(")
    return type(name, (Loss,), {**body, "__doc__": f"As one number: {text}"})


MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, "from_logits")
CategoricalCrossentropy = _class(
    "CategoricalCrossentropy", categorical_crossentropy, "from_logits", "label_smoothing"
)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy", sparse_categorical_crossentropy, "from_logits"
)
Hinge, Huber = _class("Hinge", hinge), _class("Huber", huber_loss, "delta")


def get(identifier: Any) -> Any:
    """A loss, by its name or as it is (TensorFlow: `tf.keras.losses.get`).

    Args:
      identifier: "mse", for example, a function, a `Loss`, or None.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.losses.get("mse")([1.0, 2.0], [1.5, 4.0])  # 2.125
    """
    if not isinstance(identifier, str):
        return identifier
    if identifier not in globals() or identifier.startswith("_"):
        raise ValueError(f"Unknown loss function: {identifier}. See tf.keras.losses.")
    return globals()[identifier]
