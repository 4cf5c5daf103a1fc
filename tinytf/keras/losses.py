"""`tf.keras.losses`: of each example, by its last dimension."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.keras.backend import epsilon
from tinytf.ops.array.where import where_v2
from tinytf.ops.linalg.norms import l2_normalize
from tinytf.ops.math.arithmetic import maximum
from tinytf.ops.math.cast import cast
from tinytf.ops.math.clip import clip_by_value
from tinytf.ops.math.exp_log import log
from tinytf.ops.math.power import square
from tinytf.ops.math.sign import absolute
from tinytf.ops.nn.cross_entropy import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits_v2,
    sparse_softmax_cross_entropy_with_logits,
)
from tinytf.ops.nn.softplus import softplus
from tinytf.ops.reduce.reduction import reduce_max, reduce_mean, reduce_sum


def _both(y_true: Any, y_pred: Any) -> tuple[Any, Any]:
    y_pred = convert_to_tensor(y_pred)
    return cast(y_true, y_pred.dtype), y_pred


def _logits(y_pred: Any, function: str) -> Any:
    """What an activation function was given, if it was the last: logarithms are exact then."""
    while isinstance(y_pred, Tensor) and y_pred.op.type == "Identity":
        y_pred = y_pred.op.inputs[0]
    is_it = isinstance(y_pred, Tensor) and y_pred.op.type == function
    return y_pred.op.inputs[0] if is_it else None


def mean_squared_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of squared differences (TensorFlow: `tf.keras.losses.mean_squared_error`)."""
    y_true, y_pred = _both(y_true, y_pred)
    return reduce_mean(square(y_pred - y_true), -1)


def mean_absolute_error(y_true: Any, y_pred: Any) -> Any:
    """The mean of differences' sizes (TensorFlow: `tf.keras.losses.mean_absolute_error`)."""
    y_true, y_pred = _both(y_true, y_pred)
    return reduce_mean(absolute(y_pred - y_true), -1)


def mean_absolute_percentage_error(y_true: Any, y_pred: Any) -> Any:
    """The same in per cent (`tf.keras.losses.mean_absolute_percentage_error`)."""
    y_true, y_pred = _both(y_true, y_pred)
    share = absolute((y_true - y_pred) / maximum(absolute(y_true), epsilon()))
    return 100.0 * reduce_mean(share, -1)


def mean_squared_logarithmic_error(y_true: Any, y_pred: Any) -> Any:
    """Of logarithms (TensorFlow: `tf.keras.losses.mean_squared_logarithmic_error`)."""
    first, second = (log(maximum(y, epsilon()) + 1.0) for y in _both(y_true, y_pred))
    return reduce_mean(square(second - first), -1)


def hinge(y_true: Any, y_pred: Any) -> Any:
    """For labels -1 and 1; 0 counts as -1 (TensorFlow: `tf.keras.losses.hinge`)."""
    y_true, y_pred = _both(y_true, y_pred)
    signs = where_v2(y_true > 0.0, y_true, where_v2(y_true < 0.0, y_true, -1.0))
    return reduce_mean(maximum(1.0 - signs * y_pred, 0.0), -1)


def huber_loss(y_true: Any, y_pred: Any, delta: float = 1.0) -> Any:
    """Squares of small differences, sizes of large ones (`tf.keras.losses.Huber`)."""
    y_true, y_pred = _both(y_true, y_pred)
    far = absolute(y_pred - y_true)
    return reduce_mean(where_v2(far <= delta, 0.5 * square(far), delta * (far - 0.5 * delta)), -1)


def logcosh(y_true: Any, y_pred: Any) -> Any:
    """The mean of log(cosh(difference)) (TensorFlow: `tf.keras.losses.logcosh`)."""
    y_true, y_pred = _both(y_true, y_pred)
    x = y_pred - y_true
    return reduce_mean(x + softplus(-2.0 * x) - math.log(2.0), -1)


def kullback_leibler_divergence(y_true: Any, y_pred: Any) -> Any:
    """Of probabilities (TensorFlow: `tf.keras.losses.kullback_leibler_divergence`)."""
    y_true, y_pred = (clip_by_value(y, epsilon(), 1.0) for y in _both(y_true, y_pred))
    return reduce_sum(y_true * log(y_true / y_pred), -1)


def poisson(y_true: Any, y_pred: Any) -> Any:
    """For counts, of their means (TensorFlow: `tf.keras.losses.poisson`)."""
    y_true, y_pred = _both(y_true, y_pred)
    return reduce_mean(y_pred - y_true * log(y_pred + epsilon()), -1)


def cosine_similarity(y_true: Any, y_pred: Any, axis: int = -1) -> Any:
    """The cosine between them, negative (TensorFlow: `tf.keras.losses.cosine_similarity`)."""
    y_true, y_pred = (l2_normalize(y, axis) for y in _both(y_true, y_pred))
    return -reduce_sum(y_true * y_pred, axis)


def categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0
) -> Any:
    """Of rows with a 1 (TensorFlow: `tf.keras.losses.categorical_crossentropy`).

    Args:
      y_true: probabilities of classes. y_pred: predicted ones, or logits.
      from_logits: which. label_smoothing: how much of the labels all classes share.
    """
    y_true, y_pred = _both(y_true, y_pred)
    if label_smoothing:
        y_true = y_true * (1.0 - label_smoothing) + label_smoothing / cast(
            y_true.shape[-1].value, y_pred.dtype
        )
    logits = y_pred if from_logits else _logits(y_pred, "Softmax")
    if logits is not None:
        return softmax_cross_entropy_with_logits_v2(labels=y_true, logits=logits)
    shares = y_pred / reduce_sum(y_pred, -1, keepdims=True)
    return -reduce_sum(y_true * log(clip_by_value(shares, epsilon(), 1.0 - epsilon())), -1)


def sparse_categorical_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, axis: int = -1
) -> Any:
    """Of numbers of classes (TensorFlow: `tf.keras.losses.sparse_categorical_crossentropy`)."""
    y_pred = convert_to_tensor(y_pred)
    logits = y_pred if from_logits else _logits(y_pred, "Softmax")
    if logits is None:
        logits = log(clip_by_value(y_pred, epsilon(), 1.0 - epsilon()))
    labels = cast(y_true, dtypes.int64)
    if labels.shape.ndims == logits.shape.ndims:  # [batch, 1]
        labels = labels[..., 0]
    return sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)


def binary_crossentropy(
    y_true: Any, y_pred: Any, from_logits: bool = False, label_smoothing: float = 0.0
) -> Any:
    """Of yes and no (TensorFlow: `tf.keras.losses.binary_crossentropy`).

    Args:
      y_true: probabilities. y_pred: predicted ones, or logits.
      from_logits: which. label_smoothing: how much of the labels is one half.
    """
    y_true, y_pred = _both(y_true, y_pred)
    y_true = y_true * (1.0 - label_smoothing) + 0.5 * label_smoothing if label_smoothing else y_true
    logits = y_pred if from_logits else _logits(y_pred, "Sigmoid")
    if logits is not None:
        return reduce_mean(sigmoid_cross_entropy_with_logits(labels=y_true, logits=logits), -1)
    p = clip_by_value(y_pred, epsilon(), 1.0 - epsilon())
    likely = y_true * log(p + epsilon()) + (1.0 - y_true) * log(1.0 - p + epsilon())
    return reduce_mean(-likely, -1)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence
cosine = cosine_proximity = cosine_similarity


def squared_hinge(y_true: Any, y_pred: Any) -> Any:
    """The squares of `hinge`, of each number (TensorFlow: `tf.keras.losses.squared_hinge`)."""
    y_true, y_pred = _both(y_true, y_pred)
    signs = where_v2(y_true > 0.0, y_true, where_v2(y_true < 0.0, y_true, -1.0))
    return reduce_mean(square(maximum(1.0 - signs * y_pred, 0.0)), -1)


def categorical_hinge(y_true: Any, y_pred: Any) -> Any:
    """The right class against the best other (`tf.keras.losses.categorical_hinge`)."""
    y_true, y_pred = _both(y_true, y_pred)
    other = reduce_max((1.0 - y_true) * y_pred, -1)
    return maximum(other - reduce_sum(y_true * y_pred, -1) + 1.0, 0.0)


class Loss:
    """A loss as one number: the mean (TensorFlow: `tf.keras.losses.Loss`).

    Override `call(y_true, y_pred)`.
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
        return reduce_mean(losses if sample_weight is None else losses * sample_weight)


def _class(name: str, function: Callable[..., Any], *positional: str) -> Any:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        Loss.__init__(self, **{**dict(zip(positional, args)), **kwargs})

    body = {"function": staticmethod(function), "__init__": __init__, "__module__": __name__}
    return type(name, (Loss,), {**body, "__doc__": f"`{function.__name__}` as one number."})


MeanSquaredError = _class("MeanSquaredError", mean_squared_error)
MeanAbsoluteError = _class("MeanAbsoluteError", mean_absolute_error)
MeanAbsolutePercentageError = _class("MeanAbsolutePercentageError", mean_absolute_percentage_error)
MeanSquaredLogarithmicError = _class("MeanSquaredLogarithmicError", mean_squared_logarithmic_error)
BinaryCrossentropy = _class("BinaryCrossentropy", binary_crossentropy, "from_logits")
CategoricalCrossentropy = _class(
    "CategoricalCrossentropy", categorical_crossentropy, "from_logits", "label_smoothing"
)
SparseCategoricalCrossentropy = _class(
    "SparseCategoricalCrossentropy", sparse_categorical_crossentropy, "from_logits"
)
Hinge, SquaredHinge = _class("Hinge", hinge), _class("SquaredHinge", squared_hinge)
CategoricalHinge = _class("CategoricalHinge", categorical_hinge)
Huber, LogCosh = _class("Huber", huber_loss, "delta"), _class("LogCosh", logcosh)
Poisson, KLDivergence = _class("Poisson", poisson), _class("KLDivergence", kld)
CosineSimilarity = _class("CosineSimilarity", cosine_similarity, "axis")


def get(identifier: Any) -> Any:
    """A loss, by its name or as it is (TensorFlow: `tf.keras.losses.get`)."""
    if not isinstance(identifier, str):
        return identifier
    if identifier not in globals() or identifier.startswith("_"):
        raise ValueError(f"Unknown loss function: {identifier}. See tf.keras.losses.")
    return globals()[identifier]
