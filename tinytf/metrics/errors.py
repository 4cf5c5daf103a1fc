"""Means of errors, of hits, and of what is below a threshold.

All return (value, update_op), and take `weights`, `metrics_collections`, `updates_collections` and
`name` as `tf.metrics.mean` does.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.metrics.streaming import Metric, mean, metric, of_one_rank


@metric
def accuracy(labels: Any, predictions: Any, weights: Any = None, name: str | None = None) -> Metric:
    """The share of predictions that are the label (TensorFlow: `tf.metrics.accuracy`).

    Args:
      labels, predictions: of one shape; predictions are cast to the labels' dtype.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> share, update = tf.metrics.accuracy([1, 2, 3, 3], [1, 2, 0, 3])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.75
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    if labels.dtype != predictions.dtype:
        predictions = ops.cast(predictions, labels.dtype)
    hits = ops.cast(ops.equal(predictions, labels), dtypes.float32)
    return mean(hits, weights, name=name or "accuracy")


@metric
def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """The mean of |prediction - label| (TensorFlow: `tf.metrics.mean_absolute_error`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> error, update = tf.metrics.mean_absolute_error([1.0, 2.0], [1.5, 4.0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      1.25
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    errors = ops.absolute(predictions - labels)
    return mean(errors, weights, name=name or "mean_absolute_error")


@metric
def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """The mean of (prediction - label)² (TensorFlow: `tf.metrics.mean_squared_error`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> error, update = tf.metrics.mean_squared_error([1.0, 2.0], [1.5, 4.0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      2.125
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    errors = ops.squared_difference(labels, predictions)
    return mean(errors, weights, name=name or "mean_squared_error")


@metric
def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """The root of `mean_squared_error` (TensorFlow: `tf.metrics.root_mean_squared_error`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> error, update = tf.metrics.root_mean_squared_error([1.0, 2.0], [4.0, 5.0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      3.0
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    name = name or "root_mean_squared_error"
    square, update = mean_squared_error(labels, predictions, weights, name=name)
    return ops.sqrt(square), ops.sqrt(update)


@metric
def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """The mean of |label - prediction| / normalizer (TensorFlow: `tf.metrics.mean_relative_error`).

    Args:
      labels, predictions: of one shape.
      normalizer: of the same; where it is 0, the error counts as 0.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> right = [1.0, 4.0]
      >>> error, update = tf.metrics.mean_relative_error(right, [1.5, 3.0], normalizer=right)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))  # (0.5 + 0.25) / 2
      0.375
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    predictions, normalizer = ops.remove_squeezable_dimensions(predictions, normalizer)
    predictions.shape.assert_is_compatible_with(normalizer.shape)
    is_zero, none = ops.equal(normalizer, 0.0), ops.zeros_like(labels)
    errors = ops.where(is_zero, none, ops.divide(ops.absolute(labels - predictions), normalizer))
    return mean(errors, weights, name=name or "mean_relative_error")


@metric
def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, name: str | None = None
) -> Metric:
    """The mean of 1 - cosine of the angle (TensorFlow: `tf.metrics.mean_cosine_distance`).

    Args:
      labels, predictions: of one shape, vectors of length 1 along `dim` (that is not checked).
      dim: along which.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> apart, update = tf.metrics.mean_cosine_distance([[1.0, 0.0]], [[0.6, 0.8]], dim=1)
      >>> sess.run(tf.local_variables_initializer())
      >>> round(float(sess.run(update)), 3)
      0.4
    """
    predictions, labels, weights = of_one_rank(predictions, labels, weights)
    cosines = ops.reduce_sum(ops.multiply(predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(cosines, weights, name=name or "mean_cosine_distance")
    return ops.subtract(1.0, value), ops.subtract(1.0, update)


@metric
def percentage_below(
    values: Any, threshold: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """The share of values below a threshold (TensorFlow: `tf.metrics.percentage_below`).

    Args:
      values: numbers of any shape. threshold: a number.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if weights do not fit.

    Example:
      >>> share, update = tf.metrics.percentage_below([0.1, 0.5, 2.0, 3.0], threshold=1.0)
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    is_below = ops.cast(ops.less(values, threshold), dtypes.float32)
    return mean(is_below, weights, name=name or "percentage_below_threshold")
