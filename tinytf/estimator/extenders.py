"""Estimators made of others: `add_metrics`.

Mirrors tensorflow_estimator/python/estimator/extenders.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.estimator.estimator import Estimator
from tinytf.estimator.model_fn import EstimatorSpec, ModeKeys, argument_names, pick

_ARGUMENTS = ("features", "labels", "predictions", "config")


def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """The same estimator with more metrics (TensorFlow: `tf.estimator.add_metrics`).

    Args:
      estimator: a `tf.estimator.Estimator`.
      metric_fn: a function (features, labels, predictions, config), each of which it may leave
        out, that returns name -> (value, update_op).

    Returns:
      a new estimator with the same folder; metrics of the same name take the old ones' place.

    Raises:
      ValueError: if the function has other arguments.

    Example:
      >>> def error(labels, predictions):
      ...     return {"mae": tf.metrics.mean_absolute_error(labels, predictions["price"])}
      >>> estimator = tf.estimator.Estimator(lambda features, labels, mode: ..., "./prices")
      >>> estimator = tf.estimator.add_metrics(estimator, error)
    """
    if others := sorted(set(argument_names(metric_fn)) - set(_ARGUMENTS)):
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {others}")

    def model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        spec = estimator.model_fn(features, labels, mode, config)
        if mode != ModeKeys.EVAL:
            return spec
        values = zip(_ARGUMENTS, (features, labels, spec.predictions, config), strict=True)
        more = metric_fn(**pick(metric_fn, values))
        return spec._replace(eval_metric_ops={**spec.eval_metric_ops, **more})

    warm_start = estimator._warm_start_settings
    return Estimator(model_fn, estimator.model_dir, estimator.config, warm_start_from=warm_start)
