"""`tf.contrib.learn.monitors`: hooks that know the estimator. Mirrors contrib/learn's monitors.py."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from tinytf.training.global_step import get_global_step
from tinytf.training.hooks.session_run_hook import SessionRunArgs, SessionRunHook

_logger = logging.getLogger("tinytf")


class ValidationMonitor(SessionRunHook):
    """Evaluates while a model is trained, and may stop it (TensorFlow: `tf.contrib.learn.monitors`).

    It evaluates the latest checkpoint: without a new one it waits for the next time. How often
    there is one is said by `tf.contrib.learn.RunConfig(save_checkpoints_steps=...)`.

    Args:
      x, y, input_fn, batch_size, metrics, hooks, name: as of the estimator's `evaluate`.
      eval_steps: so many batches; None: until the input ends.
      every_n_steps: how often.
      early_stopping_rounds: training ends after so many steps without a better value.
      early_stopping_metric: of which metric. early_stopping_metric_minimize: whether less is better.
      check_interval_secs: ignored.

    Attributes:
      early_stopped: whether it has ended the training.
      best_step, best_value, best_metrics: of the best evaluation so far.

    Raises:
      ValueError: for neither x nor input_fn.

    Example:
      >>> x, y = np.zeros([8, 1], np.float32), np.zeros([8])
      >>> monitor = tf.contrib.learn.monitors.ValidationMonitor(x, y, every_n_steps=50)
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Callable[[], Any] | None = None,
        batch_size: int | None = None,
        eval_steps: int | None = None,
        every_n_steps: int = 100,
        metrics: Any = None,
        hooks: Any = None,
        early_stopping_rounds: int | None = None,
        early_stopping_metric: str = "loss",
        early_stopping_metric_minimize: bool = True,
        name: str | None = None,
        check_interval_secs: float = 5,
    ):
        if x is None and input_fn is None:
            raise ValueError("Either x or input_fn should be provided.")
        self._data = {"x": x, "y": y, "input_fn": input_fn, "batch_size": batch_size}
        self._how = {"steps": eval_steps, "metrics": metrics, "hooks": hooks, "name": name}
        self._every, self._rounds = every_n_steps, early_stopping_rounds
        self._metric, self._minimize = early_stopping_metric, early_stopping_metric_minimize
        self._estimator: Any = None
        self._seen: str | None = None
        self._last_step: int | None = None
        self.early_stopped = False
        self.best_step: int | None = None
        self.best_value: Any = None
        self.best_metrics: dict[str, Any] | None = None

    def set_estimator(self, estimator: Any) -> None:
        """Called by `fit`.

        Args:
          estimator: the one that is trained.
        """
        self._estimator = estimator

    def begin(self) -> None:
        self._step = get_global_step()

    def before_run(self, run_context: Any) -> SessionRunArgs:
        return SessionRunArgs(self._step)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = int(run_values.results)
        if self._last_step is not None and step < self._last_step + self._every:
            return
        self._last_step = step
        if self._evaluated(step):
            _logger.info(
                "Stopping. Best step: %s with %s = %s.",
                self.best_step,
                self._metric,
                self.best_value,
            )
            self.early_stopped = True
            run_context.request_stop()

    def _evaluated(self, step: int) -> bool:
        """Evaluate a new checkpoint, if there is one; whether training has lasted long enough."""
        path = self._estimator.latest_checkpoint()
        if path is None or path == self._seen:
            return False
        self._seen = path
        found = self._estimator.evaluate(**self._data, **self._how)
        _logger.info("Validation (step %d): %s", step, found)
        if self._rounds is None:
            return False
        value, best = found[self._metric], self.best_value
        if best is None or (value < best if self._minimize else value > best):
            self.best_value, self.best_step, self.best_metrics = value, step, found
        return step - (self.best_step or 0) >= self._rounds
