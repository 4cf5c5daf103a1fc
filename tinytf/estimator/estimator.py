"""`tf.estimator.Estimator`: a model that trains, evaluates and predicts, with its folder.

Each of the three builds a graph anew: the input, the model, and what a monitored session needs.
Mirrors tensorflow_estimator/python/estimator/estimator.py.
"""

from __future__ import annotations

import copy
import logging
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tinytf.estimator.evaluating import StopAfterEvals, eval_step, evaluate_once, write_results
from tinytf.estimator.export.saving import export_saved_model
from tinytf.estimator.input_results import never_ends, parse
from tinytf.estimator.model_fn import (
    LOSS_METRIC_KEY,
    EstimatorSpec,
    ModeKeys,
    argument_names,
    hooks_of,
    note_of_inputs,
    pick,
    verify_model_fn_args,
)
from tinytf.estimator.run_config import RunConfig, TaskType, complete, device_setter_of
from tinytf.estimator.training import train_model
from tinytf.estimator.warm_starting import settings_of, warm_start
from tinytf.framework.errors import OpError
from tinytf.framework.graph import Graph
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.random_seed import set_random_seed
from tinytf.framework.scope_functions import device
from tinytf.metrics import mean
from tinytf.ops.control_flow.grouping import group
from tinytf.training.checkpoint_reading import list_variables, load_checkpoint, load_variable
from tinytf.training.checkpoint_state import latest_checkpoint
from tinytf.training.global_step import create_global_step, get_global_step
from tinytf.training.hooks.checkpoint_saver import CheckpointSaverListener
from tinytf.training.hooks.stop_at_step import StopAtStepHook
from tinytf.training.managed.monitored_session import MonitoredSession
from tinytf.training.managed.scaffold import Scaffold
from tinytf.training.managed.session_creators import ChiefSessionCreator

_logger = logging.getLogger("tinytf")
#: Members that a subclass may have for its own.
_MAY_OVERRIDE = {"model_fn", "latest_checkpoint"}
_TRAIN = "estimator.train(input_fn, steps=...) saves one there."
_WANTED_HOOKS = "Hooks must be a SessionRunHook"
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
        self._config = complete(config, model_dir)
        _logger.info("Using config: %s", vars(self._config))
        self._model_dir: str = self._config.model_dir
        self._device_fn = self._config.device_fn or device_setter_of(self._config)
        verify_model_fn_args(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = settings_of(warm_start_from)

    @classmethod
    def _check_members(cls) -> None:
        between = cls.__mro__[: cls.__mro__.index(Estimator)]
        own = {name for kind in between for name in vars(kind) if name[:2] != "__"}
        overridden = sorted((own & vars(Estimator).keys()) - _MAY_OVERRIDE)
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
                f"Could not find trained model in model_dir: {self._model_dir}. {_TRAIN}"
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
        hooks = hooks_of(hooks, _WANTED_HOOKS)
        if steps is not None or max_steps is not None:
            hooks.append(StopAtStepHook(steps, max_steps))
        with Graph().as_default(), device(self._device_fn), self._told_of_other_models():
            loss = train_model(self, input_fn, hooks, checked_listeners(saving_listeners))
        _logger.info("Loss for final step: %s.", loss)
        return self

    def _steps_done(self) -> int:
        path = self.latest_checkpoint()
        return 0 if path is None else int(load_checkpoint(path).get_tensor(GraphKeys.GLOBAL_STEP))

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
        hooks = [*hooks_of(hooks, _WANTED_HOOKS), StopAfterEvals(steps)]
        path = checkpoint_path or self._latest_or_told("evaluate")
        with Graph().as_default(), self._told_of_other_models():
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
        for taken, shown in ((LOSS_METRIC_KEY, '"loss"'), (GraphKeys.GLOBAL_STEP, "`global_step`")):
            if taken in spec.eval_metric_ops:
                raise ValueError(
                    f"Metric with name {shown} is not allowed, because Estimator already defines "
                    f"a default metric with the same name."
                )
        self._warm_start_unless(path)
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
        hooks = hooks_of(hooks, _WANTED_HOOKS)
        path = checkpoint_path or self._latest_or_told("predict")
        # The graph is the default one while it is built, not while the caller's code runs.
        with Graph().as_default(), self._told_of_other_models():
            self._begin_graph()
            features, _, input_hooks = parse(self._call_input_fn(input_fn, ModeKeys.PREDICT))
            if never_ends(features):
                _logger.warning(
                    "Input graph does not use tf.data.Dataset or contain a QueueRunner. That means "
                    "predict yields forever. This is probably a mistake."
                )
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT, self._config)
            self._warm_start_unless(path)
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

    # Serving ------------------------------------------------------------------------------------

    def export_saved_model(
        self,
        export_dir_base: str | os.PathLike[str],
        serving_input_receiver_fn: Callable[[], Any],
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: str | None = None,
        **ignored: Any,
    ) -> bytes:
        """Write the model as a SavedModel, into a new folder whose name is the time.

        Args:
          export_dir_base: the folder above it.
          serving_input_receiver_fn: returns a `tf.estimator.export.ServingInputReceiver`.
          assets_extra: name -> path of a file that is copied to "assets.extra".
          as_text: whether the graph is written as text. checkpoint_path: by default the latest.
          ignored: TensorFlow's other arguments; the model is built for PREDICT.

        Returns:
          the path of the new folder.

        Raises:
          ValueError: without a receiver function, or a checkpoint that has all variables.
        """
        if serving_input_receiver_fn is None:
            raise ValueError("An input_receiver_fn must be defined.")
        path = checkpoint_path or self.latest_checkpoint()
        if path is None:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}. {_TRAIN}")
        receiver_fn = serving_input_receiver_fn
        return export_saved_model(self, export_dir_base, receiver_fn, assets_extra, as_text, path)

    export_savedmodel = export_saved_model

    # Building -----------------------------------------------------------------------------------

    @contextmanager
    def _told_of_other_models(self) -> Iterator[None]:
        """An error about a checkpoint that is not this model's says where it came from."""
        try:
            yield
        except OpError as error:
            if error.message.startswith("Restoring from checkpoint failed"):
                error.add_note(
                    f"(An estimator goes on from the checkpoint in its model_dir, and the one in "
                    f"{self._model_dir} is of another model: Estimator(model_fn, model_dir=...) "
                    f"with another folder begins anew.)"
                )
            raise

    def _begin_graph(self) -> None:
        set_random_seed(self._config.tf_random_seed)
        create_global_step()

    def _warm_start_unless(self, checkpoint: str | None) -> None:
        if checkpoint is None and self._warm_start_settings:
            _logger.info("Warm-starting with WarmStartSettings: %s", self._warm_start_settings)
            warm_start(*self._warm_start_settings)

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
        except (ValueError, TypeError, LookupError) as error:
            if note := note_of_inputs(str(error), features, labels, mode):
                error.add_note(note)
            raise
        _logger.info("Done calling model_fn.")
        if not isinstance(spec, EstimatorSpec):
            raise ValueError(
                f"model_fn should return an EstimatorSpec. It has returned {spec!r} in "
                f"mode {mode!r}."
            )
        return spec


def checked_listeners(
    listeners: Any, wanted: str = "saving_listeners must be a list of CheckpointSaverListener"
) -> list[Any]:
    """Listeners as a list; TypeError, with what was wanted, for what is none."""
    for each in listeners or ():
        if not isinstance(each, CheckpointSaverListener):
            raise TypeError(f"{wanted}, given: {each}")
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
    if not lengths:
        raise ValueError("predictions is an empty dict: there is nothing to predict, without end.")
    if len(set(lengths.values())) > 1:
        raise ValueError(
            f"Batch length of predictions should be same. There are {lengths}. "
            f"yield_single_examples=False gives whole batches."
        )
    for number in range(next(iter(lengths.values()))):
        yield {name: value[number] for name, value in batch.items()}
