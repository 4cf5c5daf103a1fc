"""`tf.keras.metrics`: functions of a batch; `fit` and `evaluate` give the mean of all examples."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.keras.losses import (
    MAE,
    MAPE,
    MSE,
    binary_crossentropy,
    categorical_crossentropy,
    hinge,
    mae,
    mape,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_squared_error,
    mse,
    sparse_categorical_crossentropy,
)


def binary_accuracy(y_true: Any, y_pred: Any, threshold: float = 0.5) -> Any:
    """How many are right, of yes and no (TensorFlow: `tf.keras.metrics.binary_accuracy`).

    Args:
      y_true: 0 or 1. y_pred: probabilities. threshold: above which it is a 1.

    Example:
      >>> tf.keras.metrics.binary_accuracy([1.0, 0.0], tf.constant([0.9, 0.7]))  # 0.5
    """
    said = ops.cast(y_pred > threshold, y_pred.dtype)
    return ops.reduce_mean(
        ops.cast(ops.equal(ops.cast(y_true, y_pred.dtype), said), dtypes.float32), -1
    )


def categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """Whether the class is right, of rows with a 1 (`tf.keras.metrics.categorical_accuracy`).

    Args:
      y_true: probabilities of classes. y_pred: predicted ones.

    Example:
      >>> tf.keras.metrics.categorical_accuracy([[0.0, 1.0]], [[0.25, 0.75]])  # [1.0]
    """
    return ops.cast(ops.equal(ops.argmax(y_true, -1), ops.argmax(y_pred, -1)), dtypes.float32)


def sparse_categorical_accuracy(y_true: Any, y_pred: Any) -> Any:
    """The same, of numbers (TensorFlow: `tf.keras.metrics.sparse_categorical_accuracy`).

    Args:
      y_true: numbers of classes. y_pred: predicted probabilities.

    Example:
      >>> p = tf.constant([[0.25, 0.75], [0.25, 0.75]])
      >>> tf.keras.metrics.sparse_categorical_accuracy(tf.constant([1, 0]), p)  # [1.0, 0.0]
    """
    labels = ops.cast(y_true, dtypes.int64)
    if labels.shape.ndims == y_pred.shape.ndims:
        labels = labels[..., 0]
    return ops.cast(ops.equal(labels, ops.argmax(y_pred, -1)), dtypes.float32)


def top_k_categorical_accuracy(y_true: Any, y_pred: Any, k: int = 5) -> Any:
    """Whether it is among the best (TensorFlow: `tf.keras.metrics.top_k_categorical_accuracy`).

    Args:
      y_true, y_pred: as of `categorical_accuracy`. k: how many are the best.

    Example:
      >>> y, p = tf.constant([[0.0, 1.0, 0.0]]), tf.constant([[0.5, 0.3, 0.2]])
      >>> tf.keras.metrics.top_k_categorical_accuracy(y, p, k=2)  # [1.0]
    """
    return ops.cast(ops.in_top_k(y_pred, ops.argmax(y_true, -1), k), dtypes.float32)


def _for_output(metric: Any, loss: Any, output: Any) -> tuple[str, Any]:
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
    """A metric, by its name or as it is (TensorFlow: `tf.keras.metrics.get`).

    Args:
      identifier: "mae", for example, or a function.

    Raises:
      ValueError: for an unknown name.

    Example:
      >>> tf.keras.metrics.get("mae")([1.0, 2.0], [1.5, 4.0])  # 1.25
    """
    if not isinstance(identifier, str):
        return identifier
    if identifier not in globals() or identifier.startswith("_"):
        raise ValueError(f"Unknown metric function: {identifier}. See tf.keras.metrics.")
    return globals()[identifier]
