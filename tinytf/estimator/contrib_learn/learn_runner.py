"""`tf.contrib.learn.learn_runner`: runs an experiment. Mirrors contrib/learn's learn_runner.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.estimator.contrib_learn.experiment import Experiment
from tinytf.estimator.run_config import RunConfig, TaskType


def run(
    experiment_fn: Callable[..., Experiment],
    output_dir: str | None = None,
    schedule: str | None = None,
    run_config: RunConfig | None = None,
    hparams: Any = None,
) -> Any:
    """Make an experiment and run it (TensorFlow: `tf.contrib.learn.learn_runner.run`).

    Args:
      experiment_fn: a function of `output_dir`, or of (run_config, hparams), that returns a
        `tf.contrib.learn.Experiment`.
      output_dir: a folder. schedule: the experiment's method to call; by default
        "train_and_evaluate", in a worker of a cluster "train".
      run_config: a configuration with a model_dir. hparams: for `experiment_fn`.

    Returns:
      what the method returns.

    Raises:
      ValueError: for neither or both of output_dir and run_config, or a schedule that is none.
      TypeError: if `experiment_fn` returns something else.

    Example:
      >>> def experiment_fn(output_dir):
      ...     model = tf.contrib.learn.LinearRegressor(
      ...         [tf.contrib.layers.real_valued_column("")], output_dir
      ...     )
      ...     data = lambda: (tf.constant([[0.0], [1.0]]), tf.constant([1.0, 3.0]))
      ...     return tf.contrib.learn.Experiment(model, data, data, train_steps=5, eval_steps=1)
      >>> results, _ = tf.contrib.learn.learn_runner.run(experiment_fn, "./line")
    """
    if (output_dir is None) == (run_config is None):
        raise ValueError(
            "Must set value for `output_dir` argument, or for `run_config` with a model_dir: one "
            f"of the two. Got output_dir={output_dir!r}, run_config={run_config!r}."
        )
    made = experiment_fn(output_dir) if run_config is None else experiment_fn(run_config, hparams)
    if not isinstance(made, Experiment):
        raise TypeError(f"Experiment builder did not return an Experiment, but {made!r}.")
    schedule = schedule or _schedule_of(made.estimator.config)
    method = getattr(made, schedule, None)
    if not callable(method):
        raise ValueError(f"Schedule references non-existent task {schedule}")
    return method()


def _schedule_of(config: RunConfig) -> str:
    in_cluster = config.num_worker_replicas + config.num_ps_replicas > 1
    if config.task_type == TaskType.PS:
        raise ValueError(
            "TF_CONFIG says that this task is a ps: tf.train.Server(...).join() serves parameters."
        )
    return "train" if in_cluster and config.task_type != TaskType.MASTER else "train_and_evaluate"
