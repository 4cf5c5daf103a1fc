"""`tf.contrib.learn.MetricSpec`: which prediction and label a metric is of.

Mirrors contrib/learn's metric_spec.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.estimator.model_fn import argument_names

_LABELS = {"label", "labels", "target", "targets"}


class MetricSpec:
    """A metric of a model (TensorFlow: `tf.contrib.learn.MetricSpec`).

    Args:
      metric_fn: a function of predictions, labels and perhaps weights that returns (value,
        update_op), as those of `tf.metrics` and `tf.contrib.metrics`. Its arguments are given by
        name, labels also as "targets"; without such a name predictions come first, then labels.
      prediction_key, label_key, weight_key: which one, where there are several in a dict.

    Example:
      >>> accuracy = tf.contrib.learn.MetricSpec(
      ...     tf.contrib.metrics.streaming_accuracy, prediction_key="classes"
      ... )
    """

    def __init__(
        self,
        metric_fn: Callable[..., Any],
        prediction_key: str | None = None,
        label_key: str | None = None,
        weight_key: str | None = None,
    ):
        self.metric_fn, self.prediction_key = metric_fn, prediction_key
        self.label_key, self.weight_key = label_key, weight_key

    def create_metric_ops(self, inputs: Any, labels: Any, predictions: Any) -> Any:
        """The metric's value and update.

        Args:
          inputs, labels, predictions: tensors, or dicts of them.

        Raises:
          ValueError: if there are several, and no key says which.
        """
        found = _chosen(predictions, self.prediction_key, "prediction")
        wanted = _chosen(labels, self.label_key, "label")
        weights = {} if self.weight_key is None else {"weights": inputs[self.weight_key]}
        names = argument_names(self.metric_fn)
        if not (label_names := _LABELS & set(names)) or "predictions" not in names:
            return self.metric_fn(found, wanted, **weights)
        return self.metric_fn(predictions=found, **{label_names.pop(): wanted}, **weights)


def _chosen(values: Any, key: str | None, what: str) -> Any:
    if not isinstance(values, dict):
        return values
    if key is None and len(values) == 1:
        return next(iter(values.values()))
    if key not in values:
        raise ValueError(
            f"MetricSpec without specified {what}_key requires {what}s tensor or single element "
            f"dictionary, got {list(values)}: {what}_key={key!r} is none of these."
        )
    return values[key]


def metric_ops(metrics: dict[Any, Any]) -> Callable[..., dict[str, Any]]:
    """The metrics as a function for `tf.estimator.add_metrics`.

    Args:
      metrics: name, or (name, key of the prediction) -> `MetricSpec`, or a function.
    """

    def metric_fn(features: Any, labels: Any, predictions: Any) -> dict[str, Any]:
        made = {}
        for name, spec in metrics.items():
            name, key = name if isinstance(name, tuple) else (name, None)
            spec = spec if isinstance(spec, MetricSpec) else MetricSpec(spec, key)
            made[name] = spec.create_metric_ops(features, labels, predictions)
        return made

    return metric_fn
