"""What the estimators of `tf.contrib.learn` share. Mirrors contrib/learn's estimators/estimator.py.

Each holds a `tf.estimator.Estimator`, which does the work; what is old is how it is called.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.data.base import DatasetBase
from tinytf.estimator.contrib_learn.feeding import input_fn_of
from tinytf.estimator.contrib_learn.metric_spec import metric_ops
from tinytf.estimator.estimator import Estimator
from tinytf.estimator.extenders import add_metrics
from tinytf.estimator.model_fn import EstimatorSpec
from tinytf.estimator.run_config import RunConfig
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import get_collection
from tinytf.training.hooks.session_run_hook import SessionRunHook

InputFn = Callable[[], Any]
#: The names that variables had in graphs of tf.contrib.learn -> those they have here.
_OLD_NAMES = (
    ("/weights", "/kernel"),
    ("/biases", "/bias"),
    ("linear/", "linear/linear_model/"),
    ("/weight", "/weights"),
    ("/bias_weight", "/bias_weights"),
)


class NotFittedError(ValueError, AttributeError):
    """There is no checkpoint yet (TensorFlow: of tf.contrib.learn)."""


class BaseEstimator:
    """A model with fit, evaluate and predict (TensorFlow: `tf.contrib.learn.BaseEstimator`).

    Args:
      model_dir: a folder for checkpoints and summaries.
      config: a `tf.contrib.learn.RunConfig`, or that of `tf.estimator`.

    Example:
      >>> columns = [tf.contrib.layers.real_valued_column("x")]
      >>> model = tf.contrib.learn.LinearRegressor(columns, "./line")
      >>> isinstance(model, tf.contrib.learn.BaseEstimator)
      True
    """

    def __init__(self, model_dir: Any = None, config: RunConfig | None = None):
        self._estimator = Estimator(self._model, model_dir, config)

    def _model(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        raise NotImplementedError

    def _adapted(self, input_fn: InputFn) -> InputFn:
        """The input function, with what the model needs done to its results."""
        return input_fn

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._estimator.model_dir

    @property
    def config(self) -> RunConfig:
        """How it runs."""
        return self._estimator.config

    def fit(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFn | None = None,
        steps: int | None = None,
        batch_size: int | None = None,
        monitors: Any = None,
        max_steps: int | None = None,
    ) -> Any:
        """Train, from the latest checkpoint on.

        Args:
          x, y: features and labels as arrays, or dicts of them; shuffled.
          input_fn: instead of them a function that returns both as tensors.
          steps: so many more steps; max_steps: until there have been so many in all.
          batch_size: so many rows of x at once; None: all.
          monitors: hooks.

        Returns:
          itself.

        Raises:
          ValueError: for arguments that contradict each other. What the model raises.
        """
        feed = self._adapted(input_fn_of(x, y, input_fn, batch_size))
        self._estimator.train(feed, hooks=monitors, steps=steps, max_steps=max_steps)
        return self

    def partial_fit(
        self, x: Any = None, y: Any = None, input_fn: Any = None, steps: int = 1, **how: Any
    ) -> Any:
        """As `fit`, by default one step."""
        return self.fit(x, y, input_fn, steps, **how)

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: InputFn | None = None,
        feed_fn: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        metrics: Any = None,
        name: str | None = None,
        checkpoint_path: str | None = None,
        hooks: Any = None,
        **ignored: Any,
    ) -> dict[str, Any]:
        """The metrics of the latest checkpoint by name, with "loss" and "global_step".

        Args:
          x, y, input_fn, batch_size: as of `fit`, but in their order, and once.
          steps: so many batches; None: until the input ends.
          metrics: name -> `tf.contrib.learn.MetricSpec`, beside the model's own.
          name: tells evaluations apart. checkpoint_path: by default the latest. hooks: a list.
          feed_fn, ignored: what has no meaning here.

        Raises:
          NotFittedError: without a checkpoint. ValueError: as of `fit`.
        """
        feed = self._adapted(input_fn_of(x, y, input_fn, batch_size, epochs=1))
        model = self._estimator
        if metrics:
            model = add_metrics(model, metric_ops(metrics))
        path = checkpoint_path or self._trained()
        return model.evaluate(feed, steps, hooks, path, name)

    def predict(
        self,
        x: Any = None,
        input_fn: InputFn | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """The model's predictions.

        Args:
          x, input_fn, batch_size: as of `evaluate`. outputs: names of those wanted; None: all.
          as_iterable: whether they come one after the other, as from a generator; else in arrays.
          iterate_batches: whether they come in batches.

        Raises:
          NotFittedError: without a checkpoint. ValueError: as of `fit`.
        """
        feed = self._adapted(input_fn_of(x, None, input_fn, batch_size, epochs=1))
        path, singly = self._trained(), as_iterable and not iterate_batches
        ending = _EndOfConstants(feed)
        found = self._estimator.predict(ending, outputs, [ending], path, singly)
        return found if as_iterable else _joined(list(found))

    def _trained(self) -> str:
        path = self._estimator.latest_checkpoint()
        if path is None:
            raise NotFittedError(
                f"Couldn't find trained model at {self.model_dir}: call fit before."
            )
        return path

    def get_variable_names(self) -> list[str]:
        """The names of all variables in the latest checkpoint."""
        return self._estimator.get_variable_names()

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint.

        Args:
          name: as in `get_variable_names`, or as tf.contrib.learn called it, with "weights" and
            "biases".
        """
        names = self.get_variable_names()
        candidates = {name}
        for old, new in _OLD_NAMES:
            candidates |= {each.replace(old, new) for each in candidates}
        known = [each for each in sorted(candidates) if each in names]
        return self._estimator.get_variable_value(known[0] if known else name)


class _EndOfConstants(SessionRunHook):
    """An input function, and the hook that stops after one batch if nothing brings more.

    Args:
      input_fn: what is called.
    """

    def __init__(self, input_fn: InputFn):
        self._input_fn, self._is_all = input_fn, False

    def __call__(self) -> Any:
        found = self._input_fn()
        runners = get_collection(GraphKeys.QUEUE_RUNNERS)
        self._is_all = not runners and not isinstance(found, DatasetBase)
        return found

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self._is_all:
            run_context.request_stop()


def _joined(batches: list[Any]) -> Any:
    """The predictions of batches, in one array each."""
    if isinstance(batches[0], dict):
        return {name: np.concatenate([each[name] for each in batches]) for name in batches[0]}
    return np.concatenate(batches)


class SKCompat:
    """An estimator of arrays, as scikit-learn's are (TensorFlow: `tf.contrib.learn.SKCompat`).

    Args:
      estimator: one of tf.contrib.learn's.

    Example:
      >>> x = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
      >>> y = np.array([0, 0, 1, 1])
      >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(x)
      >>> model = tf.contrib.learn.LinearClassifier(columns, "./halves")
      >>> model = tf.contrib.learn.SKCompat(model)
      >>> fitted = model.fit(x, y, batch_size=4, steps=100)
      >>> model.predict(x)["classes"]
      array([0, 0, 1, 1])
    """

    def __init__(self, estimator: Any):
        self._estimator = estimator

    def fit(self, x: Any, y: Any, batch_size: int | None = 128, **how: Any) -> SKCompat:
        """Train; see `BaseEstimator.fit`.

        Args:
          x, y: arrays. batch_size: so many rows at once. how: steps, max_steps, monitors.
        """
        self._estimator.fit(x, y, batch_size=batch_size, **how)
        return self

    def score(self, x: Any, y: Any, batch_size: int | None = 128, **how: Any) -> dict[str, Any]:
        """The metrics; see `BaseEstimator.evaluate`.

        Args:
          x, y: arrays. batch_size: so many rows at once. how: steps, metrics, name.
        """
        found: dict[str, Any] = self._estimator.evaluate(x, y, batch_size=batch_size, **how)
        return found

    def predict(self, x: Any, batch_size: int | None = 128, outputs: Any = None) -> Any:
        """The predictions by name, each an array of all rows: "classes", "probabilities" ...

        Args:
          x: an array. batch_size: so many rows at once. outputs: names of those wanted.
        """
        return BaseEstimator.predict(
            self._estimator, x, None, batch_size, outputs, as_iterable=False
        )
