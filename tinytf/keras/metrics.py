"""`tf.keras.metrics`: functions of a batch; `fit` and `evaluate` give the mean of all examples."""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.keras.losses import MAE as MAE
from tinytf.keras.losses import MAPE as MAPE
from tinytf.keras.losses import MSE as MSE
from tinytf.keras.losses import MSLE as MSLE
from tinytf.keras.losses import binary_crossentropy as binary_crossentropy
from tinytf.keras.losses import categorical_crossentropy as categorical_crossentropy
from tinytf.keras.losses import cosine_proximity as cosine_proximity
from tinytf.keras.losses import hinge as hinge
from tinytf.keras.losses import kullback_leibler_divergence as kullback_leibler_divergence
from tinytf.keras.losses import mae as mae
from tinytf.keras.losses import mape as mape
from tinytf.keras.losses import mean_absolute_error as mean_absolute_error
from tinytf.keras.losses import mean_absolute_percentage_error as mean_absolute_percentage_error
from tinytf.keras.losses import mean_squared_error as mean_squared_error
from tinytf.keras.losses import mean_squared_logarithmic_error as mean_squared_logarithmic_error
from tinytf.keras.losses import mse as mse
from tinytf.keras.losses import msle as msle
from tinytf.keras.losses import poisson as poisson
from tinytf.keras.losses import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from tinytf.keras.losses import squared_hinge as squared_hinge
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import equal
from tinytf.ops.nn.in_top_k import in_top_k
from tinytf.ops.reduce.argmax import argmax
from tinytf.ops.reduce.reduction import reduce_mean


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """How many are right, of yes and no (TensorFlow: `tf.keras.metrics.binary_accuracy`)."""
    said = cast(y_pred > threshold, y_pred.dtype)
    return reduce_mean(cast(equal(cast(y_true, y_pred.dtype), said), dtypes.float32), -1)


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the class is right, of rows with a 1 (`tf.keras.metrics.categorical_accuracy`)."""
    return cast(equal(argmax(y_true, -1), argmax(y_pred, -1)), dtypes.float32)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """The same, of numbers (TensorFlow: `tf.keras.metrics.sparse_categorical_accuracy`)."""
    labels = cast(y_true, dtypes.int64)
    if labels.shape.ndims == y_pred.shape.ndims:
        labels = labels[..., 0]
    return cast(equal(labels, argmax(y_pred, -1)), dtypes.float32)


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Whether it is among the best (TensorFlow: `tf.keras.metrics.top_k_categorical_accuracy`)."""
    return cast(in_top_k(y_pred, argmax(y_true, -1), k), dtypes.float32)


def for_output(metric: Any, loss: Any, output: Any) -> tuple[str, Any]:
    """The name that a metric has in `history`, and its function; "accuracy" depends on the loss."""
    if metric in ("accuracy", "acc"):
        name = getattr(loss, "__name__", type(loss).__name__).lower()
        sparse = name.startswith("sparse")
        if output.shape[-1].value == 1 or name.startswith("binary"):
            return "acc", binary_accuracy
        return "acc", sparse_categorical_accuracy if sparse else categorical_accuracy
    found = get(metric)
    return getattr(found, "__name__", type(found).__name__), found


def get(identifier: Any) -> Any:
    """A metric, by its name or as it is (TensorFlow: `tf.keras.metrics.get`)."""
    if not isinstance(identifier, str):
        return identifier
    if identifier not in globals() or identifier.startswith("_"):
        raise ValueError(f"Unknown metric function: {identifier}. See tf.keras.metrics.")
    return globals()[identifier]
