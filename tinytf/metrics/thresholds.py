"""Predictions from 0 to 1, cut at several thresholds; the area under the curve.

All return (value, update_op), and take `weights`, `metrics_collections`, `updates_collections` and
`name` as `tf.metrics.mean` does.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any

from tinytf import ops
from tinytf.framework import dtypes
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.metrics.streaming import Metric, collected, metric, metric_variable, of_one_rank
from tinytf.ops.base.arguments import having
from tinytf.ops.variables import state
from tinytf.ops.variables.scope import variable_scope

_SMALL = 1e-7
#: What can be counted at a threshold: the variable, and of labels and predictions.
_KINDS = {
    "tp": ("true_positives", True, True),
    "fn": ("false_negatives", True, False),
    "tn": ("true_negatives", False, False),
    "fp": ("false_positives", False, True),
}
#: Counts by kind, each [thresholds]: those so far, and after another batch.
Counts = dict[str, Any]


def counts_at(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
    kinds: Sequence[str] = tuple(_KINDS),
) -> tuple[Counts, Counts]:
    """How often labels and predictions are both true and so on, at each threshold.

    Args:
      kinds: which of "tp", "fn", "tn", "fp".

    Returns:
      for each kind the variable, and what takes another batch in.
    """
    text = "predictions must be in [0, 1]"
    having(predictions, "dtype", "tf.constant(...) makes a tensor of numbers.")
    low = ops.assert_greater_equal(predictions, ops.cast(0.0, predictions.dtype), message=text)
    high = ops.assert_less_equal(predictions, ops.cast(1.0, predictions.dtype), message=text)
    with get_default_graph().control_dependencies([low, high]):
        predictions, labels = ops.cast(predictions, dtypes.float32), ops.cast(labels, dtypes.bool_)
        predictions, labels, weights = of_one_rank(predictions, labels, weights)
    number = len(thresholds)
    column = ops.reshape(predictions, [-1, 1])
    row = ops.reshape(ops.cast(labels, dtypes.bool_), [1, -1])
    count = column.shape.as_list()[0]
    if count is None:
        count = ops.shape(column)[0]  # type: ignore[index]
    limits = ops.tile(ops.expand_dims(ops.constant(thresholds), [1]), ops.stack([1, count]))
    is_above = ops.greater(ops.tile(ops.transpose(column), [number, 1]), limits)
    is_below = ops.logical_not(is_above) if {"fn", "tn"} & set(kinds) else None
    is_label = ops.tile(row, [number, 1])
    is_none = ops.logical_not(is_label) if {"fp", "tn"} & set(kinds) else None
    if weights is not None:
        weights = ops.broadcast_weights(ops.cast(weights, dtypes.float32), predictions)
        weights = ops.tile(ops.reshape(weights, [1, -1]), [number, 1])
        limits.shape.assert_is_compatible_with(weights.shape)
    values, updates = {}, {}
    for kind, (name, label, prediction) in _KINDS.items():
        if kind in kinds:
            total = metric_variable([number], dtypes.float32, name)
            both = ops.logical_and(
                is_label if label else is_none, is_above if prediction else is_below
            )
            each: Any = ops.cast(both, dtypes.float32)
            if weights is not None:
                each *= weights
            values[kind], updates[kind] = total, state.assign_add(total, ops.reduce_sum(each, 1))
    return values, updates


@metric
def true_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """How often both are true (TensorFlow: `tf.metrics.true_positives_at_thresholds`).

    Args:
      labels: cast to bool. predictions: tensor of numbers from 0 to 1, true above a threshold.
      thresholds: numbers.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Returns:
      (value, update_op), each [thresholds].

    Raises:
      ValueError: if shapes do not fit. InvalidArgumentError: for predictions out of [0, 1].

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> count, update = tf.metrics.true_positives_at_thresholds([1, 0, 1], found, [0.1, 0.5])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist()
      [2.0, 1.0]
    """
    return _one_count("tp", name, labels, predictions, thresholds, weights)


@metric
def false_positives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """How often only the prediction is true (`tf.metrics.false_positives_at_thresholds`).

    Args, returns and errors as of `true_positives_at_thresholds`.

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> count, update = tf.metrics.false_positives_at_thresholds([1, 0, 0], found, [0.1, 0.7])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist()
      [2.0, 1.0]
    """
    return _one_count("fp", name, labels, predictions, thresholds, weights)


@metric
def false_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """How often only the label is true (`tf.metrics.false_negatives_at_thresholds`).

    Args, returns and errors as of `true_positives_at_thresholds`.

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> count, update = tf.metrics.false_negatives_at_thresholds([1, 1, 0], found, [0.1, 0.7])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist()
      [0.0, 2.0]
    """
    return _one_count("fn", name, labels, predictions, thresholds, weights)


@metric
def true_negatives_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """How often both are false (TensorFlow: `tf.metrics.true_negatives_at_thresholds`).

    Args, returns and errors as of `true_positives_at_thresholds`.

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> count, update = tf.metrics.true_negatives_at_thresholds([0, 0, 1], found, [0.1, 0.7])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).tolist()
      [0.0, 2.0]
    """
    return _one_count("tn", name, labels, predictions, thresholds, weights)


def _one_count(
    kind: str,
    name: str | None,
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
) -> Metric:
    with variable_scope(name, _KINDS[kind][0], (predictions, labels, weights)):
        values, updates = counts_at(labels, predictions, thresholds, weights, [kind])
        return ops.identity(values[kind]), updates[kind]


@metric
def precision_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """Of what was predicted true, the share that is (`tf.metrics.precision_at_thresholds`).

    Args, returns and errors as of `true_positives_at_thresholds`.

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> share, update = tf.metrics.precision_at_thresholds([0, 0, 1], found, [0.5, 0.7])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).round(3).tolist()
      [0.5, 1.0]
    """
    return _share_at("precision", "fp", name, labels, predictions, thresholds, weights)


@metric
def recall_at_thresholds(
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any = None,
    name: str | None = None,
) -> Metric:
    """Of what is true, the share that was predicted (`tf.metrics.recall_at_thresholds`).

    Args, returns and errors as of `true_positives_at_thresholds`.

    Example:
      >>> found = tf.constant([0.2, 0.6, 0.9])
      >>> share, update = tf.metrics.recall_at_thresholds([0, 1, 1], found, [0.5, 0.7])
      >>> sess.run(tf.local_variables_initializer())
      >>> sess.run(update).round(3).tolist()
      [1.0, 0.5]
    """
    return _share_at("recall", "fn", name, labels, predictions, thresholds, weights)


def _share_at(
    what: str,
    others: str,
    name: str | None,
    labels: Any,
    predictions: Any,
    thresholds: Sequence[float],
    weights: Any,
) -> Metric:
    """True positives by true positives and these others."""
    with variable_scope(name, f"{what}_at_thresholds", (predictions, labels, weights)):
        counts = counts_at(labels, predictions, thresholds, weights, ["tp", others])
        value, update = (
            ops.divide(of["tp"], _SMALL + of["tp"] + of[others], name=f"{what}_{which}")
            for of, which in zip(counts, ("value", "update_op"), strict=True)
        )
        return value, update


def _spread(number: int, last: float = 1.0 + _SMALL) -> list[float]:
    """Thresholds from just below 0 to about 1."""
    return [-_SMALL, *((i + 1) * 1.0 / (number - 1) for i in range(number - 2)), last]


@metric
def sensitivity_at_specificity(
    labels: Any,
    predictions: Any,
    specificity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    name: str | None = None,
) -> Metric:
    """The recall where so many of the false are told (`tf.metrics.sensitivity_at_specificity`).

    Args:
      labels: cast to bool. predictions: tensor of numbers from 0 to 1.
      specificity: true negatives by all that are false, from 0 to 1.
      num_thresholds: among so many thresholds that which comes nearest is taken.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: for a specificity out of [0, 1]; if shapes do not fit.
      InvalidArgumentError: for predictions out of [0, 1].

    Example:
      >>> labels, found = [0, 0, 1, 1], tf.constant([0.1, 0.6, 0.4, 0.9])
      >>> value, update = tf.metrics.sensitivity_at_specificity(labels, found, 1.0)
      >>> sess.run(tf.local_variables_initializer())
      >>> round(float(sess.run(update)), 3)
      0.5
    """
    if specificity < 0 or specificity > 1:
        raise ValueError(
            "`specificity` must be in the range [0, 1]. Currently, `specificity` got "
            f"{specificity}."
        )
    with variable_scope(name, "sensitivity_at_specificity", (predictions, labels, weights)):
        counts = counts_at(labels, predictions, _spread(num_thresholds), weights)

        def at(of: Counts, name: str) -> Tensor:
            found: Any = ops.divide(of["tn"], of["tn"] + of["fp"] + _SMALL)
            place = ops.cast(ops.argmin(ops.absolute(found - specificity), 0), dtypes.int32)
            return ops.divide(of["tp"][place], of["tp"][place] + of["fn"][place] + _SMALL, name)

        return at(counts[0], "value"), at(counts[1], "update_op")


@metric
def specificity_at_sensitivity(
    labels: Any,
    predictions: Any,
    sensitivity: float,
    weights: Any = None,
    num_thresholds: int = 200,
    name: str | None = None,
) -> Metric:
    """How many of the false are told, at some recall (`tf.metrics.specificity_at_sensitivity`).

    Args:
      labels: cast to bool. predictions: tensor of numbers from 0 to 1.
      sensitivity: true positives by all that are true, from 0 to 1.
      num_thresholds: among so many thresholds that which comes nearest is taken.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: for a sensitivity out of [0, 1]; if shapes do not fit.
      InvalidArgumentError: for predictions out of [0, 1].

    Example:
      >>> labels, found = [0, 0, 1, 1], tf.constant([0.1, 0.6, 0.4, 0.9])
      >>> value, update = tf.metrics.specificity_at_sensitivity(labels, found, 1.0)
      >>> sess.run(tf.local_variables_initializer())
      >>> round(float(sess.run(update)), 3)
      0.5
    """
    if sensitivity < 0 or sensitivity > 1:
        raise ValueError(
            f"`sensitivity` must be in the range [0, 1]. Currently, `sensitivity` is {sensitivity}."
        )
    with variable_scope(name, "specificity_at_sensitivity", (predictions, labels, weights)):
        thresholds = _spread(num_thresholds, last=1.0 - _SMALL)
        counts = counts_at(labels, predictions, thresholds, weights)

        def at(of: Counts, name: str) -> Tensor:
            found: Any = ops.divide(of["tp"], of["tp"] + of["fn"] + _SMALL)
            least = ops.reduce_min(ops.absolute(found - sensitivity))
            is_least = ops.cast(ops.equal(ops.absolute(found - sensitivity), least), dtypes.int64)
            # Of several that are as near, the last: the highest threshold.
            place = ops.cast(ops.argmax(ops.cumsum(is_least), 0), dtypes.int32)
            return ops.divide(of["tn"][place], of["tn"][place] + of["fp"][place] + _SMALL, name)

        return at(counts[0], "value"), at(counts[1], "update_op")


def auc(
    labels: Any,
    predictions: Any,
    weights: Any = None,
    num_thresholds: int = 200,
    metrics_collections: Any = None,
    updates_collections: Any = None,
    curve: str = "ROC",
    name: str | None = None,
    summation_method: str = "trapezoidal",
    thresholds: Sequence[float] | None = None,
) -> Metric:
    """The area under the curve (TensorFlow: `tf.metrics.auc`), from sums at thresholds.

    Args:
      labels: cast to bool. predictions: tensor of numbers from 0 to 1.
      num_thresholds: at how many thresholds the curve is known.
      curve: "ROC", recall by the share of what is false and was predicted true; or "PR", precision
        by recall.
      summation_method: "trapezoidal", "careful_interpolation" (better for PR), "minoring" or
        "majoring".
      thresholds: in place of `num_thresholds` that are evenly spread.
      weights, metrics_collections, updates_collections, name: as of `tf.metrics.mean`.

    Raises:
      ValueError: for another curve or method; if shapes do not fit.
      InvalidArgumentError: for predictions out of [0, 1].

    Example:
      >>> area, update = tf.metrics.auc([0, 0, 1, 1], tf.constant([0.1, 0.4, 0.35, 0.8]))
      >>> sess.run(tf.local_variables_initializer())
      >>> round(float(sess.run(update)), 3)
      0.75
    """
    with variable_scope(name, "auc", (labels, predictions, weights)):
        if curve not in ("ROC", "PR"):
            raise ValueError(f"Curve must be either ROC or PR. Curve {curve} is unknown.")
        if thresholds is None:
            limits = _spread(num_thresholds)
        else:
            limits = [-_SMALL, *sorted(thresholds), 1.0 + _SMALL]
        counts = counts_at(labels, predictions, limits, weights)
        area = _area_under(curve, summation_method, len(limits) - 1)
        found = (area(counts[0], "value"), area(counts[1], "update_op"))
        return collected(found, metrics_collections, updates_collections)


def _area_under(curve: str, method: str, last: int) -> Callable[[Counts, str], Tensor]:
    """A function of counts at thresholds, the number of the last one being `last`."""
    heights = {
        "trapezoidal": lambda y: (y[:last] + y[1:]) / 2.0,
        "careful_interpolation": lambda y: (y[:last] + y[1:]) / 2.0,
        "minoring": lambda y: ops.minimum(y[:last], y[1:]),
        "majoring": lambda y: ops.maximum(y[:last], y[1:]),
    }

    def area(of: Counts, name: str) -> Tensor:
        tp, fn, tn, fp = of["tp"], of["fn"], of["tn"], of["fp"]
        if curve == "PR" and method == "careful_interpolation":
            return _interpolated(tp, fp, fn, last)
        if curve == "PR" and method == "trapezoidal":
            logging.getLogger("tinytf").warning(
                "Trapezoidal rule is known to produce incorrect PR-AUCs; please switch to "
                '"careful_interpolation" instead.'
            )
        epsilon = 1e-6
        x: Any
        y: Any = ops.divide(tp + epsilon, tp + fn + epsilon)
        if curve == "ROC":
            x = ops.divide(fp, fp + tn + epsilon)
        else:
            x, y = y, ops.divide(tp + epsilon, tp + fp + epsilon)
        if method not in heights:
            raise ValueError(
                f"Invalid summation_method: {method} summation_method should be 'trapezoidal', "
                "'careful_interpolation', 'minoring', or 'majoring'."
            )
        width = x[:last] - x[1:]
        return ops.reduce_sum(ops.multiply(width, heights[method](y)), name=name)

    return area


def _interpolated(tp: Any, fp: Any, fn: Any, last: int) -> Tensor:
    """The area under precision by recall: between two points, precision is no straight line.

    True positives go straight by what was predicted (Davis and Goadrich, ICML 2006, 2.3 and 4), so
    the increment is an integral of (a + b / p), which has a logarithm.
    """
    more: Any = tp[:last] - tp[1:]
    p = tp + fp
    slope: Any = ops.div_no_nan(more, ops.maximum(p[:last] - p[1:], 0), name="prec_slope")
    intercept = tp[1:] - ops.multiply(slope, p[1:])
    both = ops.logical_and(p[:last] > 0, p[1:] > 0)
    times = ops.div_no_nan(p[:last], ops.maximum(p[1:], 0), name="recall_relative_ratio")
    safe = ops.where(both, times, ops.ones_like(p[1:]))
    return ops.reduce_sum(
        ops.div_no_nan(
            slope * (more + intercept * ops.log(safe)),
            ops.maximum(tp[1:] + fn[1:], 0),
            name="pr_auc_increment",
        ),
        name="interpolate_pr_auc",
    )
