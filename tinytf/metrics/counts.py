"""True and false, positives and negatives, counted; precision and recall.

All return (value, update_op), and take `weights`, `metrics_collections`, `updates_collections` and
`name` as `tf.metrics.mean` does. Labels and predictions are cast to bool.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.metrics.streaming import Metric, metric, metric_variable, of_one_rank
from tinytf.ops.variables import state
from tinytf.ops.variables.scope import variable_scope


@metric
def true_positives(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """How often both are true (TensorFlow: `tf.metrics.true_positives`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> count, update = tf.metrics.true_positives([1, 0, 1, 0], [1, 1, 0, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      1.0
    """
    return _counted("true_positives", True, True, name, labels, predictions, weights)


@metric
def false_positives(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """How often only the prediction is true (TensorFlow: `tf.metrics.false_positives`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> count, update = tf.metrics.false_positives([1, 0, 0, 0], [1, 1, 1, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      2.0
    """
    return _counted("false_positives", False, True, name, labels, predictions, weights)


@metric
def false_negatives(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """How often only the label is true (TensorFlow: `tf.metrics.false_negatives`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> count, update = tf.metrics.false_negatives([1, 1, 1, 0], [1, 0, 0, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      2.0
    """
    return _counted("false_negatives", True, False, name, labels, predictions, weights)


@metric
def true_negatives(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """How often both are false (TensorFlow: `tf.metrics.true_negatives`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> count, update = tf.metrics.true_negatives([1, 0, 0, 0], [1, 1, 0, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      2.0
    """
    return _counted("true_negatives", False, False, name, labels, predictions, weights)


@metric
def precision(
    labels: Any, predictions: Any, weights: Any = None, name: str | None = None
) -> Metric:
    """Of what was predicted true, the share that is (TensorFlow: `tf.metrics.precision`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Returns:
      (value, update_op); 0 if nothing was predicted true.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> share, update = tf.metrics.precision([1, 1, 0, 0], [1, 0, 1, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.5
    """
    with variable_scope(name, "precision", (predictions, labels, weights)):
        predictions, labels, weights = _of_truths(predictions, labels, weights)
        return _share(true_positives, false_positives, labels, predictions, weights)


@metric
def recall(labels: Any, predictions: Any, weights: Any = None, name: str | None = None) -> Metric:
    """Of what is true, the share that was predicted (TensorFlow: `tf.metrics.recall`).

    Args:
      labels, predictions: of one shape.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Returns:
      (value, update_op); 0 if nothing is true.

    Raises:
      ValueError: if shapes do not fit.

    Example:
      >>> share, update = tf.metrics.recall([1, 1, 1, 1], [1, 0, 0, 0])
      >>> sess.run(tf.local_variables_initializer())
      >>> float(sess.run(update))
      0.25
    """
    with variable_scope(name, "recall", (predictions, labels, weights)):
        predictions, labels, weights = _of_truths(predictions, labels, weights)
        return _share(true_positives, false_negatives, labels, predictions, weights)


def _counted(
    default: str,
    label: bool,
    prediction: bool,
    name: str | None,
    labels: Any,
    predictions: Any,
    weights: Any,
) -> Metric:
    """How often labels and predictions are these two."""
    with variable_scope(name, default, (predictions, labels, weights)):
        predictions, labels, weights = _of_truths(predictions, labels, weights)
        is_so = ops.logical_and(ops.equal(labels, label), ops.equal(predictions, prediction))
        return _sum_of(is_so, weights)


def _of_truths(predictions: Any, labels: Any, weights: Any) -> tuple[Any, Any, Any]:
    predictions, labels = ops.cast(predictions, dtypes.bool_), ops.cast(labels, dtypes.bool_)
    return of_one_rank(predictions, labels, weights)


def _sum_of(truths: Tensor, weights: Any) -> Metric:
    ops.assert_type(truths, dtypes.bool_)
    count = metric_variable([], dtypes.float32, "count")
    values = ops.cast(truths, dtypes.float32)
    if weights is not None:
        check = ops.assert_rank_in(weights, (0, ops.rank(values)))
        with get_default_graph().control_dependencies([check]):
            values = ops.multiply(values, ops.cast(weights, dtypes.float32))
    value = ops.identity(count)
    return value, state.assign_add(count, ops.reduce_sum(values))


def _share(these: Any, others: Any, labels: Any, predictions: Any, weights: Any) -> Metric:
    """These / (these + others); 0 if there are none."""
    found, update = these(labels, predictions, weights)
    other, other_update = others(labels, predictions, weights)

    def share(part: Any, rest: Any, name: str) -> Tensor:
        return ops.where(ops.greater(part + rest, 0), ops.divide(part, part + rest), 0, name)

    value = share(found, other, "value")
    return value, share(update, other_update, "update_op")
