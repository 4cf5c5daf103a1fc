"""`tf.estimator.train_and_evaluate`: in one program, or as one task of a cluster.

    alone       trains, and evaluates each checkpoint as it is saved
    chief, worker   start a server, and train; the chief saves
    ps          starts a server, and keeps variables for the others
    evaluator   watches the folder, and evaluates each new checkpoint
    master      of older programs: a chief that evaluates as well

Mirrors tensorflow_estimator/python/estimator/training.py.
"""

from __future__ import annotations

import json
import logging
import os
import time
from typing import Any, NamedTuple

from tinytf.estimator.checked import Checked
from tinytf.estimator.estimator import Estimator, checked_listeners
from tinytf.estimator.exporter import Exporter
from tinytf.estimator.model_fn import hooks_of
from tinytf.estimator.run_config import RunConfig, TaskType
from tinytf.framework.graph_keys import GraphKeys
from tinytf.protos.config_pb2 import ConfigProto
from tinytf.resources import file_system
from tinytf.training.hooks.checkpoint_saver import CheckpointSaverListener
from tinytf.training.hooks.timer import SecondOrStepTimer
from tinytf.training.managed.looking_again import Clock

_logger = logging.getLogger("tinytf")
#: Worker N begins so many seconds * (N + 1) after the chief, but not later than the second.
_DELAY_SECS_PER_WORKER, _MAX_DELAY_SECS = 5, 60
#: An evaluator that is not to wait looks for checkpoints this often.
_LEAST_PAUSE_SECONDS = 0.25
#: So often it is said that there is nothing to evaluate.
_SECONDS_BETWEEN_WARNINGS = 600
_WANTED_HOOKS = "All hooks must be `SessionRunHook` instances"
Evaluated = tuple[dict[str, Any], list[Any]]


class _TrainFields(NamedTuple):
    input_fn: Any
    max_steps: int | None = None
    hooks: Any = None
    saving_listeners: Any = None


class TrainSpec(Checked, _TrainFields):
    """How to train (TensorFlow: `tf.estimator.TrainSpec`).

    Args:
      input_fn: as of `Estimator.train`. max_steps: until there have been so many in all; None:
        until the input ends. In a cluster the evaluator ends when there have been so many.
      hooks: a list of `tf.train.SessionRunHook`, for all workers.
      saving_listeners: a list of `tf.train.CheckpointSaverListener`, for the chief.

    Raises:
      ValueError: for steps that are not positive. TypeError: for what is no function, hook or
      listener.

    Example:
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(np.arange(10.0), shuffle=True)
      >>> tf.estimator.TrainSpec(input_fn, max_steps=1000).max_steps
      1000
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _TrainFields) -> _TrainFields:
        _check(given.input_fn, max_steps=given.max_steps)
        wanted = "All saving_listeners must be `CheckpointSaverListener` instances"
        listeners = checked_listeners(given.saving_listeners, wanted)
        hooks = tuple(hooks_of(given.hooks, _WANTED_HOOKS))
        return given._replace(hooks=hooks, saving_listeners=tuple(listeners))


class _EvalFields(NamedTuple):
    input_fn: Any
    steps: int | None = 100
    name: str | None = None
    hooks: Any = None
    exporters: Any = None
    start_delay_secs: float = 120
    throttle_secs: float = 600


class EvalSpec(Checked, _EvalFields):
    """How to evaluate, and what to export (TensorFlow: `tf.estimator.EvalSpec`).

    Args:
      input_fn, steps, name, hooks: as of `Estimator.evaluate`; `steps=None` for all of the input.
      exporters: a `tf.estimator.Exporter`, or a list of them.
      start_delay_secs: when the evaluator looks for the first time.
      throttle_secs: so long at least from one evaluation to the next; checkpoints between are
        skipped, but not the last one.

    Raises:
      ValueError: for numbers that cannot be, and names of exporters that are empty or not unique.
      TypeError: for what is no function, hook, name or exporter.

    Example:
      >>> input_fn = tf.estimator.inputs.numpy_input_fn(np.arange(10.0), shuffle=False)
      >>> tf.estimator.EvalSpec(input_fn, steps=None, throttle_secs=10).start_delay_secs
      120
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _EvalFields) -> _EvalFields:
        _check(given.input_fn, steps=given.steps)
        if given.name is not None and not isinstance(given.name, str):
            raise TypeError(f"`name` must be string, given: {given.name}")
        for name in ("start_delay_secs", "throttle_secs"):
            if getattr(given, name) < 0:
                raise ValueError(f"Must specify {name} >= 0, given: {getattr(given, name)}")
        hooks = tuple(hooks_of(given.hooks, _WANTED_HOOKS))
        return given._replace(hooks=hooks, exporters=_exporters(given.exporters))


def _check(input_fn: Any, **numbers: int | None) -> None:
    if not callable(input_fn):
        raise TypeError(
            f"`input_fn` must be callable, given: {input_fn}. Not input_fn=f(), but input_fn=f: it "
            f"is called once the estimator has made a graph."
        )
    for name, number in numbers.items():
        if number is not None and number <= 0:
            raise ValueError(f"Must specify {name} > 0, given: {number}")


def _exporters(given: Any) -> tuple[Any, ...]:
    found = list(given or ()) if isinstance(given, list | tuple | None) else [given]
    names = [getattr(each, "name", None) for each in found]
    if not all(isinstance(each, Exporter) for each in found):
        raise TypeError(
            f"`exporters` must be an Exporter, an iterable of Exporter, or `None`, found {given}."
        )
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError(
            f"An Exporter cannot have a name that is `None` or empty. All exporter names: {names}"
        )
    if len(set(names)) < len(names):
        raise ValueError(f"`exporters` must have unique names. All exporter names: {names}")
    return tuple(found)


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> Evaluated | None:
    """Train and evaluate, here or as a task of a cluster (TensorFlow: the same name).

    Which task it is says TF_CONFIG; see `tf.estimator.RunConfig`. All tasks run the same program,
    with the same `model_dir`, which all of them can read and write.

    Args:
      estimator: a `tf.estimator.Estimator`. train_spec, eval_spec: see their classes.

    Returns:
      alone: the last metrics, and what exporters have returned. In a cluster None; a parameter
      server does not return.

    Raises:
      TypeError: for arguments of other types. ValueError: for a second evaluator.

    Example:
      >>> def model_fn(features, labels, mode):
      ...     w = tf.get_variable("w", initializer=0.0)
      ...     loss = tf.losses.mean_squared_error(labels, w * features["x"])
      ...     step = tf.train.get_global_step()
      ...     train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
      ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
      >>> x, y = {"x": np.array([1.0, 2.0], np.float32)}, np.array([3.0, 6.0], np.float32)
      >>> numpy_input_fn = tf.estimator.inputs.numpy_input_fn
      >>> training = numpy_input_fn(x, y, num_epochs=None, shuffle=True)
      >>> metrics, exports = tf.estimator.train_and_evaluate(
      ...     tf.estimator.Estimator(model_fn, "./model"),
      ...     tf.estimator.TrainSpec(training, max_steps=20),
      ...     tf.estimator.EvalSpec(numpy_input_fn(x, y, shuffle=False)))
      >>> int(metrics["global_step"])
      20
    """
    for name, given, kind in (
        ("estimator", estimator, Estimator),
        ("train_spec", train_spec, TrainSpec),
        ("eval_spec", eval_spec, EvalSpec),
    ):
        if not isinstance(given, kind):
            raise TypeError(
                f"`{name}` must have type `tf.estimator.{kind.__name__}`. Got: {type(given)}"
            )
    config = estimator.config
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    if config.task_type == TaskType.EVALUATOR:
        if config.task_id > 0:
            raise ValueError(
                f"For distributed training, there can only be one `evaluator` task (with task id "
                f"0).  Given task id {config.task_id}"
            )
        _evaluate_until_done(evaluator, eval_spec, train_spec.max_steps)
    elif not config.cluster_spec:
        return _run_alone(estimator, train_spec, eval_spec, evaluator)
    elif config.task_type == TaskType.PS:
        server = _start_server(config)
        if server is not None:
            server.join()
    else:
        _train_in_cluster(estimator, train_spec, eval_spec, evaluator)
    return None


def _run_alone(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec, evaluator: _Evaluator
) -> Evaluated | None:
    config = estimator.config
    _logger.info("Running training and evaluation locally (non-distributed).")
    _logger.info(
        "Start train and evaluate loop. The evaluate will happen after every checkpoint. "
        "Checkpoint frequency is determined based on RunConfig arguments: save_checkpoints_steps "
        "%s or save_checkpoints_secs %s.",
        config.save_checkpoints_steps,
        config.save_checkpoints_secs,
    )
    listener = _EvaluateNewCheckpoints(evaluator, eval_spec.throttle_secs)
    estimator.train(
        train_spec.input_fn,
        hooks=list(train_spec.hooks),
        max_steps=train_spec.max_steps,
        saving_listeners=[*train_spec.saving_listeners, listener],
    )
    return listener.results or (None, None)  # type: ignore[return-value]


def _train_in_cluster(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec, evaluator: _Evaluator
) -> None:
    config = estimator.config
    listeners: list[Any] = []
    if config.task_type != TaskType.WORKER:
        listeners += train_spec.saving_listeners
    if config.task_type == TaskType.MASTER:
        listeners.append(_EvaluateNewCheckpoints(evaluator, eval_spec.throttle_secs))
    server = _start_server(config)
    if config.task_type == TaskType.WORKER:
        delay = config.experimental_max_worker_delay_secs
        delay = _MAX_DELAY_SECS if delay is None else delay
        delay = min(delay, (config.task_id + 1) * _DELAY_SECS_PER_WORKER)
        if delay > 0:
            _logger.info("Waiting %d secs before starting training.", delay)
            Clock().pause(delay, f"worker {config.task_id} waits its turn to begin")
    estimator.train(
        train_spec.input_fn,
        hooks=list(train_spec.hooks),
        max_steps=train_spec.max_steps,
        saving_listeners=listeners,
    )
    del server  # it has served until here


def _start_server(config: RunConfig) -> Any:
    """This task's server; None for a task that is alone in its cluster, or has one already."""
    if not config.master:
        _logger.info("Skip starting Tensorflow server as there is only one node in the cluster.")
        return None
    if json.loads(os.environ.get("TF_CONFIG") or "{}").get("environment") == "google":
        return None
    from tinytf.distributed.server.server import Server  # brings much that others do not need

    _logger.info("Start Tensorflow server.")
    file_system.make_folders(config.model_dir)  # its graphs may write there
    session_config = ConfigProto()
    if config.session_config is not None:
        session_config.gpu_options.CopyFrom(config.session_config.gpu_options)
    return Server(
        config.cluster_spec,
        job_name=config.task_type,
        task_index=config.task_id,
        config=session_config,
        protocol=config.protocol,
        file_root=[*os.environ.get("TINYTF_FILE_ROOT", "").split(os.pathsep), config.model_dir],
    )


class _Evaluator:
    """Evaluates the latest checkpoint, if it is new, and calls the exporters."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpec, max_steps: int | None):
        self._estimator, self._spec, self._max_steps = estimator, eval_spec, max_steps
        self._previous: str | None = None
        self._last_warning = float("-inf")

    def evaluate_and_export(self) -> Evaluated | None:
        """The metrics and what the exporters return; None if there is no new checkpoint."""
        path = self._estimator.latest_checkpoint()
        if path is None:
            self._warn(
                "Estimator is not trained yet. Will start an evaluation when a checkpoint is ready."
            )
            return None
        if path == self._previous:
            self._warn(
                "No new checkpoint ready for evaluation. Skip the current evaluation pass as "
                "evaluation results are expected to be same for the same checkpoint."
            )
            return None
        spec = self._spec
        metrics = self._estimator.evaluate(
            spec.input_fn, spec.steps, list(spec.hooks), path, spec.name
        )
        self._previous, self._last_warning = path, float("-inf")
        is_final = self.is_done(metrics)
        exports = [
            exporter.export(
                estimator=self._estimator,
                export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
                checkpoint_path=path,
                eval_result=metrics,
                is_the_final_export=is_final,
            )
            for exporter in spec.exporters
        ]
        return metrics, exports

    def is_done(self, metrics: dict[str, Any]) -> bool:
        """Whether the training is over."""
        return bool(self._max_steps and metrics[GraphKeys.GLOBAL_STEP] >= self._max_steps)

    def _warn(self, message: str) -> None:
        now = time.monotonic()
        if now - self._last_warning > _SECONDS_BETWEEN_WARNINGS:
            self._last_warning = now
            _logger.warning(message)


class _EvaluateNewCheckpoints(CheckpointSaverListener):
    """Evaluates checkpoints as they are saved, not too often; and the last one.

    Attributes:
      results: of the last evaluation.
    """

    results: Evaluated | None = None

    def __init__(self, evaluator: _Evaluator, throttle_secs: float):
        self._evaluator, self._throttle_secs = evaluator, throttle_secs

    def begin(self) -> None:
        self._timer = SecondOrStepTimer(every_secs=self._throttle_secs)
        self._is_first = True

    def after_save(self, session: Any, global_step_value: int) -> None:
        if self._is_first:  # what it has begun with
            self._is_first = False
        elif self._timer.should_trigger_for_step(global_step_value):
            self._evaluate(global_step_value)
        else:
            _logger.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session: Any, global_step_value: int) -> None:
        if global_step_value != self._timer.last_triggered_step():
            self._evaluate(global_step_value)

    def _evaluate(self, step: int) -> None:
        self._timer.update_last_triggered_step(step)
        self.results = self._evaluator.evaluate_and_export()
        if self.results is None:
            raise RuntimeError(
                "There was no new checkpoint after the training. Does a hook or a saver of your "
                "own write checkpoints into another folder than the estimator's model_dir?"
            )


def _evaluate_until_done(evaluator: _Evaluator, spec: EvalSpec, max_steps: int | None) -> None:
    """Of an evaluator: look for new checkpoints until one is of the last step."""
    clock = Clock()
    if spec.start_delay_secs:
        _logger.info("Waiting %f secs before starting eval.", spec.start_delay_secs)
        clock.pause(spec.start_delay_secs, "the evaluator waits start_delay_secs")
    while True:
        began = time.monotonic()
        results = evaluator.evaluate_and_export()
        if results is not None and evaluator.is_done(results[0]):
            _logger.info(
                "Exiting evaluation, global_step=%s >= train max_steps=%s",
                results[0][GraphKeys.GLOBAL_STEP],
                max_steps,
            )
            return
        left = spec.throttle_secs - (time.monotonic() - began)
        if left > 0:
            _logger.info("Waiting %f secs before starting next eval run.", left)
            clock.pause(left, "the evaluator waits throttle_secs for a new checkpoint")
        elif results is None and spec.throttle_secs == 0:
            _logger.warning(
                "EvalSpec.throttle_secs is set as 0. This might overload the job before finding "
                "(next) new checkpoint. Please consider to increase it."
            )
            clock.pause(_LEAST_PAUSE_SECONDS, "the evaluator waits for a new checkpoint")
