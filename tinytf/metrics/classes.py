"""Metrics that go class by class, and take the mean over the classes."""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor import Tensor
from tinytf.metrics.streaming import Metric, metric, metric_variable, ratio
from tinytf.ops.variables import state
from tinytf.ops.variables.scatter_updates import scatter_add
from tinytf.ops.variables.scope import variable_scope


@metric
def mean_iou(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, name: str | None = None
) -> Metric:
    """Intersection over union, the mean over all classes (TensorFlow: `tf.metrics.mean_iou`).

    Of a class: how often label and prediction are both this class, by how often at least one is.

    Args:
      labels, predictions: numbers of classes, of one shape.
      num_classes: how many classes there are.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Returns:
      (value, update_op); the latter gives the confusion matrix.

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for classes out of range.

    Example:
      >>> value, update = tf.metrics.mean_iou(tf.constant([0, 1, 1]), tf.constant([0, 0, 1]), 2)
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist(), float(sess.run(value))
      ([[1.0, 0.0], [1.0, 1.0]], 0.5)
    """
    with variable_scope(name, "mean_iou", (predictions, labels, weights)):
        labels, predictions = convert_to_tensor(labels), convert_to_tensor(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total, update = _summed_confusion(labels, predictions, num_classes, weights)
        return _mean_over_classes(total), update


@metric
def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, name: str | None = None
) -> Metric:
    """Of each class the share that was predicted, and their mean.

    TensorFlow: `tf.metrics.mean_per_class_accuracy`.

    Args:
      labels, predictions: numbers of classes, of one shape.
      num_classes: how many classes there are.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Returns:
      (value, update_op); the latter gives the accuracy of each class.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> labels, found = tf.constant([0, 0, 1]), tf.constant([0, 1, 1])
      >>> value, update = tf.metrics.mean_per_class_accuracy(labels, found, 2)
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist(), float(sess.run(value))
      ([0.5, 1.0], 0.75)
    """
    with variable_scope(name, "mean_accuracy", (predictions, labels, weights)):
        labels, predictions = ops.cast(labels, dtypes.int64), convert_to_tensor(predictions)
        labels, predictions = _flat(labels), _flat(predictions)
        predictions.shape.assert_is_compatible_with(labels.shape)
        total = metric_variable([num_classes], dtypes.float32, "total")
        count = metric_variable([num_classes], dtypes.float32, "count")
        each: Any = ops.ones([ops.size(labels)], dtypes.float32)
        if labels.dtype != predictions.dtype:
            predictions = ops.cast(predictions, labels.dtype)
        hits: Any = ops.cast(ops.equal(predictions, labels), dtypes.float32)
        if weights is not None:
            weights = ops.cast(_flat(convert_to_tensor(weights)), dtypes.float32)
            hits *= weights
            each *= weights
        new_total = scatter_add(total, labels, each)
        new_count = scatter_add(count, labels, hits)
        value = ops.reduce_mean(ratio(count, total, None), name="mean_accuracy")
        return value, ratio(new_count, new_total, "update_op")


def _summed_confusion(
    labels: Tensor, predictions: Tensor, num_classes: int, weights: Any
) -> tuple[Any, Any]:
    """The confusion matrix of all batches; and what takes another in."""
    total = metric_variable([num_classes] * 2, dtypes.float64, "total_confusion_matrix")
    predictions, labels = ops.cast(predictions, dtypes.int64), ops.cast(labels, dtypes.int64)
    number = ops.cast(num_classes, dtypes.int64)
    predictions, labels = _flat(predictions), _flat(labels)
    if weights is not None:
        weights = _flat(convert_to_tensor(weights))
    matrix = ops.confusion_matrix(labels, predictions, number, dtypes.float64, weights=weights)
    return total, state.assign_add(total, matrix)


def _mean_over_classes(total: Any) -> Tensor:
    predicted: Any = ops.cast(ops.reduce_sum(total, 0), dtypes.float32)
    labelled = ops.cast(ops.reduce_sum(total, 1), dtypes.float32)
    both = ops.cast(ops.diag_part(total), dtypes.float32)
    union = predicted + labelled - both
    there = ops.reduce_sum(ops.cast(ops.not_equal(union, 0), dtypes.float32))
    union = ops.where(ops.greater(union, 0), union, ops.ones_like(union))
    each = ops.divide(both, union)
    summed: Any = ops.reduce_sum(each, name="mean_iou")
    return ops.where(ops.greater(there, 0), summed / there, 0)


def _flat(tensor: Tensor) -> Tensor:
    return ops.reshape(tensor, [-1]) if (tensor.shape.ndims or 0) > 1 else tensor
