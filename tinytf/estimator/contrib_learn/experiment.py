"""`tf.contrib.learn.Experiment`: an estimator with its data. Mirrors contrib/learn's experiment.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.estimator.contrib_learn.monitors import ValidationMonitor
from tinytf.estimator.estimator import Estimator


class Experiment:
    """An estimator, and what it is trained and evaluated with (TensorFlow: `tf.contrib.learn`).

    Args:
      estimator: of tf.contrib.learn or tf.estimator.
      train_input_fn, eval_input_fn: functions that return features and labels.
      eval_metrics: as `metrics` of the estimator's `evaluate`.
      train_steps: until there have been so many; None: until the input ends.
      eval_steps: so many batches; None: until the input ends.
      train_monitors, eval_hooks: hooks.
      min_eval_frequency: `train_and_evaluate` evaluates a new checkpoint after so many steps.
      others: ignored; tf.estimator.train_and_evaluate exports models.

    Raises:
      ValueError: for no estimator.

    Example:
      >>> x = np.array([[0.0], [1.0]], np.float32)
      >>> columns = [tf.contrib.layers.real_valued_column("")]
      >>> model = tf.contrib.learn.LinearRegressor(columns, "./line")
      >>> data = lambda: (tf.constant(x), tf.constant([1.0, 3.0]))
      >>> experiment = tf.contrib.learn.Experiment(model, data, data, train_steps=10, eval_steps=1)
      >>> results, exported = experiment.train_and_evaluate()
      >>> int(results["global_step"])
      10
    """

    def __init__(
        self,
        estimator: Any,
        train_input_fn: Callable[..., Any],
        eval_input_fn: Callable[..., Any],
        eval_metrics: Any = None,
        train_steps: int | None = None,
        eval_steps: int | None = 100,
        train_monitors: Any = None,
        eval_hooks: Any = None,
        min_eval_frequency: int | None = None,
        **others: Any,
    ):
        if not hasattr(estimator, "evaluate"):
            raise ValueError(f"`estimator` must implement `Evaluable`, not {estimator!r}.")
        self.estimator = estimator
        self._train_input_fn, self._eval_input_fn = train_input_fn, eval_input_fn
        self._metrics, self._eval_hooks = eval_metrics, eval_hooks
        self._train_steps, self._eval_steps = train_steps, eval_steps
        self._monitors, self._frequency = list(train_monitors or []), min_eval_frequency

    def train(self, delay_secs: float | None = None) -> Any:
        """Train the estimator; it is returned.

        Args:
          delay_secs: ignored.
        """
        return self._fit(self._train_steps, self._monitors)

    def _fit(self, max_steps: int | None, hooks: list[Any]) -> Any:
        if isinstance(self.estimator, Estimator):
            return self.estimator.train(self._train_input_fn, hooks, max_steps=max_steps)
        return self.estimator.fit(
            input_fn=self._train_input_fn, max_steps=max_steps, monitors=hooks
        )

    def evaluate(self, delay_secs: float | None = None, name: str | None = None) -> dict[str, Any]:
        """Evaluate the latest checkpoint.

        Args:
          delay_secs: ignored. name: tells evaluations apart.
        """
        how: dict[str, Any] = {"steps": self._eval_steps, "hooks": self._eval_hooks, "name": name}
        if not isinstance(self.estimator, Estimator):
            how["metrics"] = self._metrics
        found: dict[str, Any] = self.estimator.evaluate(input_fn=self._eval_input_fn, **how)
        return found

    def train_and_evaluate(self) -> tuple[dict[str, Any], list[Any]]:
        """Train, evaluating meanwhile if `min_eval_frequency` says so, and at the end.

        Returns:
          the results of the last evaluation, and an empty list.
        """
        hooks = list(self._monitors)
        if self._frequency and not isinstance(self.estimator, Estimator):
            monitor = ValidationMonitor(
                input_fn=self._eval_input_fn,
                eval_steps=self._eval_steps,
                metrics=self._metrics,
                every_n_steps=self._frequency,
                hooks=self._eval_hooks,
            )
            hooks.append(monitor)
        self._fit(self._train_steps, hooks)
        return self.evaluate(), []

    local_run = train_and_evaluate

    def test(self) -> tuple[dict[str, Any], list[Any]]:
        """One step of training and one of evaluation, to see that both work."""
        self._fit(1, self._monitors)
        steps, self._eval_steps = self._eval_steps, 1
        try:
            return self.evaluate(name="one_pass"), []
        finally:
            self._eval_steps = steps
