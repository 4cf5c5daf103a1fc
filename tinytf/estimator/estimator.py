"""`tf.estimator.Estimator`: a model that trains, evaluates and predicts, with its folder.

Each of the three builds a graph anew: the input, the model, and what a monitored session needs.
Mirrors tensorflow_estimator/python/estimator/estimator.py.
"""

from __future__ import annotations

import copy
import logging
import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

from tinytf.estimator.evaluating import StopAfterEvals, eval_step, evaluate_once, write_results
from tinytf.estimator.input_results import never_ends, parse
from tinytf.estimator.model_fn import (
    LOSS_METRIC_KEY,
    EstimatorSpec,
    ModeKeys,
    argument_names,
    pick,
    verify_model_fn_args,
)
from tinytf.estimator.run_config import RunConfig, TaskType, session_config_of
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.random_seed import set_random_seed
from tinytf.framework.scope_functions import device
from tinytf.framework.stacks import get_default_graph
from tinytf.metrics import mean
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.summary.summaries import scalar
from tinytf.training.checkpoint_reading import list_variables, load_checkpoint, load_variable
from tinytf.training.checkpoint_state import latest_checkpoint
from tinytf.training.device_setter import STANDARD_PS_OPS, replica_device_setter
from tinytf.training.global_step import create_global_step, get_global_step
from tinytf.training.hooks.checkpoint_saver import CheckpointSaverHook, CheckpointSaverListener
from tinytf.training.hooks.global_step_hook import global_step_read
from tinytf.training.hooks.logging_tensor import LoggingTensorHook
from tinytf.training.hooks.nan_tensor import NanTensorHook
from tinytf.training.hooks.step_counter import StepCounterHook
from tinytf.training.hooks.stop_at_step import StopAtStepHook
from tinytf.training.hooks.summary_saver import SummarySaverHook
from tinytf.training.managed.monitored_session import MonitoredSession, checked_hooks
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.managed.session_creators import ChiefSessionCreator
from tinytf.training.managed.training_session import MonitoredTrainingSession
from tinytf.training.saver import Saver

_logger = logging.getLogger("tinytf")
#: Members that a subclass may have for its own.
_MAY_OVERRIDE = {"model_fn", "latest_checkpoint"}
InputFn = Callable[..., Any]


class Estimator:
    """A model with its training, evaluation and predictions (TensorFlow: the same name).

    Args:
      model_fn: a function (features, labels, mode, params, config) that builds the model and
        returns a `tf.estimator.EstimatorSpec`. Arguments are given by name, those that it has;
        `labels` is None in PREDICT mode.
      model_dir: a folder for checkpoints and summaries. If it has a checkpoint, the estimator goes
        on from there. By default that of `config`, or a temporary folder.
      config: a `tf.estimator.RunConfig`.
      params: a dict for `model_fn` and `input_fn`.
      warm_start_from: a checkpoint, its folder, or a `tf.estimator.WarmStartSettings`: where
        variables get their first values from.

    Raises:
      ValueError: for a `model_fn` that cannot be called so, or a subclass that overrides members.

    Example:
      >>> def model_fn(features, labels, mode):
      ...     w = tf.get_variable("w", initializer=0.0)
      ...     predictions = {"price": w * features["size"]}
      ...     if mode == tf.estimator.ModeKeys.PREDICT:
      ...         return tf.estimator.EstimatorSpec(mode, predictions)
      ...     loss = tf.losses.mean_squared_error(labels, predictions["price"])
      ...     optimizer = tf.train.GradientDescentOptimizer(0.1)
      ...     train_op = optimizer.minimize(loss, global_step=tf.train.get_global_step())
      ...     return tf.estimator.EstimatorSpec(mode, predictions, loss, train_op)
      >>> x, y = {"size": np.array([1.0, 2.0], np.float32)}, np.array([3.0, 6.0], np.float32)
      >>> numpy_input_fn = tf.estimator.inputs.numpy_input_fn
      >>> estimator = tf.estimator.Estimator(model_fn, "./prices")
      >>> training = numpy_input_fn(x, y, batch_size=2, num_epochs=None, shuffle=True)
      >>> model = estimator.train(training, steps=50)
      >>> results = estimator.evaluate(numpy_input_fn(x, y, shuffle=False))
      >>> int(results["global_step"]), bool(results["loss"] < 1e-6)
      (50, True)
      >>> [round(float(p["price"])) for p in estimator.predict(numpy_input_fn(x, shuffle=False))]
      [3, 6]
    """

    def __init__(
        self,
        model_fn: Callable[..., EstimatorSpec],
        model_dir: str | os.PathLike[str] | None = None,
        config: RunConfig | None = None,
        params: dict[str, Any] | None = None,
        warm_start_from: Any = None,
    ):
        self._check_members()
        self._config = _complete(config, model_dir)
        _logger.info("Using config: %s", vars(self._config))
        self._model_dir: str = self._config.model_dir
        self._device_fn = self._config.device_fn or _device_setter(self._config)
        verify_model_fn_args(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})

    @classmethod
    def _check_members(cls) -> None:
        own = {name: member for name, member in vars(Estimator).items() if name[:2] != "__"}
        overridden = [
            name for name in sorted(own.keys() - _MAY_OVERRIDE) if getattr(cls, name) != _of(name)
        ]
        if overridden:
            raise ValueError(
                f"Subclasses of Estimator cannot override members of Estimator. {cls} does "
                f"override {overridden}. What the model is goes into model_fn."
            )

    @property
    def model_dir(self) -> str:
        """The folder of checkpoints and summaries."""
        return self._model_dir

    @property
    def config(self) -> RunConfig:
        """How it runs."""
        return self._config

    @property
    def params(self) -> dict[str, Any]:
        """A copy of the parameters."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., EstimatorSpec]:
        """The model's function (features, labels, mode, config), with the parameters bound."""

        def public_model_fn(features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    # What is in the folder ----------------------------------------------------------------------

    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint; None if there is none."""
        return latest_checkpoint(self._model_dir)

    def get_variable_names(self) -> list[str]:
        """The names of all variables in the latest checkpoint; ValueError if there is none."""
        return [name for name, _ in list_variables(self._trained())]

    def get_variable_value(self, name: str) -> Any:
        """The value of a variable in the latest checkpoint; ValueError if there is none."""
        return load_variable(self._trained(), name)

    def eval_dir(self, name: str | None = None) -> str:
        """Where the summaries of an evaluation of this name go."""
        return os.path.join(self._model_dir, f"eval_{name}" if name else "eval")

    def _trained(self) -> str:
        path = self.latest_checkpoint()
        if path is None:
            raise ValueError(
                f"Could not find trained model in model_dir: {self._model_dir}. "
                f"estimator.train(input_fn, steps=...) saves one there."
            )
        return path

    # Training -----------------------------------------------------------------------------------

    def train(
        self,
        input_fn: InputFn,
        hooks: Any = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Any = None,
    ) -> Estimator:
        """Train, from the latest checkpoint on, and save.

        Args:
          input_fn: a function that returns a `tf.data.Dataset` of (features, labels), or the two
            as tensors or dicts of tensors; it may have the arguments mode, params and config.
            Training ends when the input does.
          hooks: a list of `tf.train.SessionRunHook`.
          steps: so many more steps. max_steps: until there have been so many in all. Without both
            until the input ends.
          saving_listeners: a list of `tf.train.CheckpointSaverListener`.

        Returns:
          itself.

        Raises:
          ValueError: for both steps and max_steps, or what is not positive; in a parameter
            server or evaluator. What the model and its hooks raise.
        """
        if self._config.task_type in (TaskType.EVALUATOR, TaskType.PS):
            raise ValueError(
                f"Train has been called wrong configuration. Please use "
                f"tf.estimator.train_and_evaluate which calls proper API according to given "
                f"configuration. TF_CONFIG says that this task is a {self._config.task_type}."
            )
        if steps is not None and max_steps is not None:
            raise ValueError(
                f"Can not provide both steps and max_steps. steps={steps} are so many more, "
                f"max_steps={max_steps} so many in all, with those of earlier trainings."
            )
        for name, number in (("steps", steps), ("max_steps", max_steps)):
            if number is not None and number <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {number}")
        if max_steps is not None and max_steps <= self._steps_done():
            _logger.info("Skipping training since max_steps has already saved.")
            return self
        hooks = checked_hooks(hooks)
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        with Graph().as_default(), device(self._device_fn):
            loss = self._train_model(input_fn, hooks, _checked_listeners(saving_listeners))
        _logger.info("Loss for final step: %s.", loss)
        return self

    def _steps_done(self) -> int:
        path = self.latest_checkpoint()
        return 0 if path is None else int(load_checkpoint(path).get_tensor(GraphKeys.GLOBAL_STEP))

    def _train_model(self, input_fn: InputFn, hooks: list[Any], listeners: list[Any]) -> Any:
        self._begin_graph()
        global_step_read()
        features, labels, input_hooks = parse(self._call_input_fn(input_fn, ModeKeys.TRAIN))
        spec = self._call_model_fn(features, labels, ModeKeys.TRAIN, self._config)
        config, graph, step = self._config, get_default_graph(), get_global_step()
        if not any(each.op.name == "loss" for each in graph.get_collection(GraphKeys.SUMMARIES)):
            scalar("loss", spec.loss)
        graph.add_to_collection(GraphKeys.LOSSES, spec.loss)
        worker_hooks = [*input_hooks, *hooks, NanTensorHook(spec.loss)]
        if config.log_step_count_steps is not None:
            shown = {"loss": spec.loss, "step": step}
            worker_hooks.append(LoggingTensorHook(shown, every_n_iter=config.log_step_count_steps))
        worker_hooks.extend(spec.training_hooks)
        if not (spec.scaffold.saver or graph.get_collection(GraphKeys.SAVERS)):
            graph.add_to_collection(GraphKeys.SAVERS, self._saver())
        chief_hooks = self._checkpoint_hooks(spec, worker_hooks, listeners)
        frequencies = self._summary_frequencies(spec, worker_hooks)
        with MonitoredTrainingSession(
            master=config.master,
            is_chief=config.is_chief,
            checkpoint_dir=self._model_dir,
            scaffold=spec.scaffold,
            hooks=worker_hooks,
            chief_only_hooks=[*chief_hooks, *spec.training_chief_hooks],
            save_checkpoint_secs=0,
            config=config.session_config,
            max_wait_secs=config.session_creation_timeout_secs,
            save_graph_def=config.checkpoint_save_graph_def,
            **frequencies,
        ) as session:
            loss, steps = None, 0
            while not session.should_stop():
                steps += 1
                _, loss = session.run([spec.train_op, spec.loss])
        if not steps:
            _logger.warning(
                "Training with estimator made no steps. Perhaps input is empty or misspecified."
            )
        return loss

    def _saver(self) -> Saver:
        return Saver(
            sharded=True,
            max_to_keep=self._config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours,
            defer_build=True,
            save_relative_paths=True,
        )

    def _checkpoint_hooks(self, spec: Any, hooks: list[Any], listeners: list[Any]) -> list[Any]:
        """What saves, if no hook of the user's does; with the listeners."""
        config, made = self._config, []
        savers = [
            hook
            for hook in (*hooks, *spec.training_chief_hooks)
            if isinstance(hook, CheckpointSaverHook)
        ]
        if not savers and (config.save_checkpoints_secs or config.save_checkpoints_steps):
            savers = made = [
                CheckpointSaverHook(
                    self._model_dir,
                    save_secs=config.save_checkpoints_secs,
                    save_steps=config.save_checkpoints_steps,
                    scaffold=spec.scaffold,
                    save_graph_def=config.checkpoint_save_graph_def,
                )
            ]
        if listeners and not savers:
            raise ValueError(
                "There should be a CheckpointSaverHook to use saving_listeners. Please set one of "
                "the RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs."
            )
        if listeners:
            known = savers[0]._listeners
            known.extend(each for each in listeners if each not in known)
        return made

    def _summary_frequencies(self, spec: Any, hooks: list[Any]) -> dict[str, Any]:
        """How often the chief writes; in a cluster with a master worker 0 does it in its place."""
        config = self._config
        steps, log_steps = config.save_summary_steps, config.log_step_count_steps
        if not {TaskType.MASTER, TaskType.WORKER} <= set(config.cluster_spec.jobs):
            return {"save_summaries_steps": steps, "log_step_count_steps": log_steps}
        if (config.task_type, config.task_id) == (TaskType.WORKER, 0):
            if steps:
                where = {"output_dir": self._model_dir, "scaffold": spec.scaffold}
                hooks.append(SummarySaverHook(save_steps=steps, **where))
            if log_steps:
                hooks.append(StepCounterHook(log_steps, output_dir=self._model_dir))
        return {"save_summaries_steps": 0, "log_step_count_steps": None}

    # Evaluation ---------------------------------------------------------------------------------

    def evaluate(
        self,
        input_fn: InputFn,
        steps: int | None = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """Evaluate a checkpoint, and write the metrics for TensorBoard.

        Args:
          input_fn: as in `train`. steps: so many batches; None: until the input ends, which an
            input that repeats never does.
          hooks: a list of `tf.train.SessionRunHook`.
          checkpoint_path: by default the latest; without one variables have their initial values.
          name: tells evaluations apart, of other data for example; see `eval_dir`.

        Returns:
          the metrics of `model_fn` by name, the mean "loss" over batches, and the "global_step".

        Raises:
          ValueError: for steps that are not positive, or a metric called "loss" or "global_step".
        """
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        hooks = [*checked_hooks(hooks), StopAfterEvals(steps)]
        path = checkpoint_path or self._latest_or_told("evaluate")
        with Graph().as_default():
            scaffold, update_op, final_ops, more_hooks = self._build_evaluation(input_fn, path)
            config = self._config
            results = evaluate_once(
                path,
                config.evaluation_master,
                scaffold,
                update_op,
                final_ops,
                [*more_hooks[0], *hooks, *more_hooks[1]],
                config.session_config,
            )
            write_results(self.eval_dir(name), results, results[GraphKeys.GLOBAL_STEP], path)
        return results

    def _build_evaluation(self, input_fn: InputFn, path: str | None) -> tuple[Any, ...]:
        self._begin_graph()
        features, labels, input_hooks = parse(self._call_input_fn(input_fn, ModeKeys.EVAL))
        spec = self._call_model_fn(features, labels, ModeKeys.EVAL, self._config)
        for taken in (LOSS_METRIC_KEY, GraphKeys.GLOBAL_STEP):
            if taken in spec.eval_metric_ops:
                raise ValueError(
                    f'Metric with name "{taken}" is not allowed, because Estimator already defines '
                    f"a default metric with the same name."
                )
        metrics = {**spec.eval_metric_ops, LOSS_METRIC_KEY: mean(spec.loss)}
        values = {name: value for name, (value, _) in sorted(metrics.items())}
        update_op = group(*(update for _, (_, update) in sorted(metrics.items())))
        values[GraphKeys.GLOBAL_STEP] = get_global_step()
        scaffold = spec.scaffold
        if scaffold.local_init_op is not None:
            eval_step()  # so that it is initialised, too
            both = group(scaffold.local_init_op, Scaffold.default_local_init_op())
            scaffold = Scaffold(local_init_op=both, copy_from_scaffold=scaffold)
        return scaffold, update_op, values, (input_hooks, spec.evaluation_hooks)

    # Predictions --------------------------------------------------------------------------------

    def predict(
        self,
        input_fn: InputFn,
        predict_keys: Any = None,
        hooks: Any = None,
        checkpoint_path: str | None = None,
        yield_single_examples: bool = True,
    ) -> Iterator[Any]:
        """The predictions for an input, one after the other.

        It is a generator: the model is built when the first one is asked for.

        Args:
          input_fn: as in `train`; labels are ignored. Predictions end when the input does.
          predict_keys: a list with the names of those wanted; by default all.
          hooks: a list of `tf.train.SessionRunHook`.
          checkpoint_path: by default the latest; without one variables have their initial values.
          yield_single_examples: whether batches are taken apart.

        Yields:
          what `model_fn` predicts, as numpy arrays: of each example, or of each batch.

        Raises:
          ValueError: if none of `predict_keys` is there, or batches have different lengths.
        """
        hooks = checked_hooks(hooks)
        path = checkpoint_path or self._latest_or_told("predict")
        # The graph is the default one while it is built, not while the caller's code runs.
        with Graph().as_default():
            self._begin_graph()
            features, _, input_hooks = parse(self._call_input_fn(input_fn, ModeKeys.PREDICT))
            if never_ends(features):
                _logger.warning(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means "
                    "predict yields forever. This is probably a mistake."
                )
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self._config)
            predictions = _chosen(spec.predictions, predict_keys)
            creator = ChiefSessionCreator(
                spec.scaffold,
                self._config.master,
                self._config.session_config,
                checkpoint_filename_with_path=path,
            )
            session = MonitoredSession(creator, [*input_hooks, *hooks, *spec.prediction_hooks])
        with session:
            while not session.should_stop():
                batch = session.run(predictions)
                yield from _examples(batch) if yield_single_examples else [batch]

    def _latest_or_told(self, what: str) -> str | None:
        path = self.latest_checkpoint()
        if path is None:
            _logger.info(
                "Could not find trained model in model_dir: %s, running initialization to %s.",
                self._model_dir,
                what,
            )
        return path

    # Building -----------------------------------------------------------------------------------

    def _begin_graph(self) -> None:
        set_random_seed(self._config.tf_random_seed)
        create_global_step()

    def _call_input_fn(self, input_fn: InputFn, mode: str) -> Any:
        if not callable(input_fn):
            raise TypeError(
                f"input_fn must be a function that returns features and labels; it is called once "
                f"the estimator has made a graph. Given: {input_fn!r}. Without data: "
                f"input_fn=lambda: ..."
            )
        values = (("mode", mode), ("params", self.params), ("config", self._config))
        with device("/cpu:0"):
            return input_fn(**pick(input_fn, values))

    def _call_model_fn(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        model_fn = self._model_fn
        if labels is not None and "labels" not in argument_names(model_fn):
            raise ValueError("model_fn does not take labels, but input_fn returns labels.")
        values = (("labels", labels), ("mode", mode), ("params", self.params), ("config", config))
        _logger.info("Calling model_fn.")
        try:
            spec = model_fn(features=features, **pick(model_fn, values))
        except (ValueError, TypeError) as error:
            if mode == ModeKeys.PREDICT and "labels" in argument_names(model_fn):
                error.add_note(
                    "(In mode tf.estimator.ModeKeys.PREDICT model_fn gets labels=None: it must "
                    "return EstimatorSpec(mode, predictions=...) before it uses them.)"
                )
            raise
        _logger.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(
                f"model_fn should return an EstimatorSpec. It has returned {spec!r} in mode {mode!r}."
            )
        return spec


def _of(name: str) -> Any:
    return getattr(Estimator, name)


def _complete(config: Any, model_dir: Any) -> RunConfig:
    """A configuration with a folder, and with a configuration for sessions."""
    if config is None:
        config = RunConfig()
        _logger.info("Using default config.")
    if not isinstance(config, RunConfig):
        raise ValueError(f"config must be an instance of `RunConfig`, but provided {config}.")
    if config.session_config is None:
        config = config.replace(session_config=session_config_of())
    model_dir = None if model_dir is None else os.fspath(model_dir)
    if model_dir is not None and config.model_dir not in (None, model_dir):
        raise ValueError(
            f"`model_dir` are set both in constructor and `RunConfig`, but with different values. "
            f"In constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' "
        )
    if not model_dir and config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        _logger.warning("Using temporary folder as model directory: %s", model_dir)
    return config.replace(model_dir=model_dir) if model_dir else config


def _device_setter(config: RunConfig) -> Any:
    if not config.num_ps_replicas:
        return None
    return replica_device_setter(
        ps_tasks=config.num_ps_replicas,
        worker_device=f"/job:{config.task_type}/task:{config.task_id}",
        merge_devices=True,
        ps_ops=list(STANDARD_PS_OPS),
        cluster=config.cluster_spec,
    )


def _checked_listeners(listeners: Any) -> list[Any]:
    for each in listeners or ():
        if not isinstance(each, CheckpointSaverListener):
            raise TypeError(
                f"saving_listeners must be a list of CheckpointSaverListener, given: {each}"
            )
    return list(listeners or ())


def _chosen(predictions: Any, keys: Any) -> Any:
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict predictions.")
    chosen = {name: value for name, value in predictions.items() if name in keys}
    if not chosen:
        raise ValueError(
            f"Expected to run at least one output from {list(predictions)}, provided {keys}."
        )
    return chosen


def _examples(batch: Any) -> Iterator[Any]:
    """The examples of a batch of predictions."""
    if not isinstance(batch, dict):
        yield from batch
        return
    lengths = {name: len(value) for name, value in batch.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Batch length of predictions should be same. There are {lengths}. "
            f"yield_single_examples=False gives whole batches."
        )
    for number in range(next(iter(lengths.values()), 0)):
        yield {name: value[number] for name, value in batch.items()}
