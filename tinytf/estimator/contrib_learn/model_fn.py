"""`tf.contrib.learn.Estimator`: a model by a function of one's own, as of old.

Mirrors contrib/learn's estimators/estimator.py and model_fn.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from tinytf.estimator import model_fn as core
from tinytf.estimator.contrib_learn.base import BaseEstimator
from tinytf.estimator.model_fn import EstimatorSpec, pick
from tinytf.estimator.run_config import RunConfig


class ModeKeys(core.ModeKeys):
    """What a model is built for (TensorFlow: `tf.contrib.learn.ModeKeys`).

    Example:
      >>> tf.contrib.learn.ModeKeys.INFER
      'infer'
    """

    INFER = core.ModeKeys.PREDICT


class ModelFnOps(NamedTuple):
    """What a `model_fn` returns (TensorFlow: `tf.contrib.learn.ModelFnOps`).

    Args:
      mode, predictions, loss, train_op, eval_metric_ops, training_chief_hooks, training_hooks,
        scaffold: as of `tf.estimator.EstimatorSpec`.
      output_alternatives: ignored; to serve a model, write an `EstimatorSpec`.

    Example:
      >>> ops = tf.contrib.learn.ModelFnOps("infer", predictions={"x": tf.constant([1.0])})
    """

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    output_alternatives: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None


class Estimator(BaseEstimator):
    """A model by a function of one's own (TensorFlow: `tf.contrib.learn.Estimator`).

    Args:
      model_fn: a function (features, labels, mode, params, config, model_dir) that returns a
        `ModelFnOps`, or predictions, loss and train_op. The first two are given by position, of the
        others those that it has.
      model_dir, config: as of `tf.estimator.Estimator`. params: a dict for `model_fn`.
      feature_engineering_fn: a function (features, labels) that changes both before.

    Raises:
      ValueError: without a `model_fn`, or if it returns something else.

    Example:
      >>> def model_fn(features, labels, mode):
      ...     w = tf.get_variable("w", initializer=0.0)
      ...     predictions = w * features
      ...     if mode == tf.contrib.learn.ModeKeys.INFER:
      ...         return predictions, None, None
      ...     loss = tf.losses.mean_squared_error(labels, predictions)
      ...     step = tf.contrib.framework.get_global_step()
      ...     return predictions, loss, tf.contrib.layers.optimize_loss(loss, step, 0.1, "SGD")
      >>> x = np.array([1.0, 2.0], np.float32)
      >>> estimator = tf.contrib.learn.Estimator(model_fn, "./line").fit(x, 3 * x, steps=50)
      >>> [round(float(y)) for y in estimator.predict(x)]
      [3, 6]
    """

    def __init__(
        self,
        model_fn: Callable[..., Any] | None = None,
        model_dir: Any = None,
        config: RunConfig | None = None,
        params: dict[str, Any] | None = None,
        feature_engineering_fn: Callable[..., Any] | None = None,
    ):
        super().__init__(model_dir, config)
        if not callable(model_fn):
            raise ValueError(
                f"model_fn must be a function (features, labels, mode), given: {model_fn!r}"
            )
        self._model_fn, self.params = model_fn, params
        self._engineered = feature_engineering_fn

    def _model(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        if self._engineered:
            features, labels = self._engineered(features, labels)
        values = {"mode": mode, "params": self.params, "config": config}
        values["model_dir"] = self.model_dir
        made = self._model_fn(features, labels, **pick(self._model_fn, values.items()))
        if not isinstance(made, ModelFnOps):
            if not isinstance(made, tuple) or len(made) != 3:
                raise ValueError(
                    f"Unrecognized value returned by model_fn, {made!r}: please return "
                    f"tf.contrib.learn.ModelFnOps, or predictions, loss and train_op."
                )
            made = ModelFnOps(mode, *made)
        fields = made._asdict()
        del fields["output_alternatives"]
        if mode == core.ModeKeys.PREDICT:
            fields |= {"loss": None, "train_op": None}
        return EstimatorSpec(**fields)
