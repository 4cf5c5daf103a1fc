"""What a `model_fn` is asked for, and what it returns: `ModeKeys`, `EstimatorSpec`.

Mirrors tensorflow_estimator/python/estimator/model_fn.py.
"""

from __future__ import annotations

import functools
import inspect
import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from tinytf.estimator.checked import Checked
from tinytf.estimator.export.outputs import export_outputs_of
from tinytf.framework import nest
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.reshape import reshape
from tinytf.ops.variables.variable import Variable
from tinytf.training.managed.monitored_session import checked_hooks
from tinytf.training.managed.scaffold import Scaffold

#: The name of the metric that every evaluation has.
LOSS_METRIC_KEY = "loss"
#: The arguments that a `model_fn` may have.
_ARGUMENTS = {"features", "labels", "mode", "params", "self", "config"}
_KINDS = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY


class ModeKeys:
    """What a model is built for (TensorFlow: `tf.estimator.ModeKeys`).

    Example:
      >>> tf.estimator.ModeKeys.PREDICT
      'infer'
    """

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


_PREDICT = ModeKeys.PREDICT


class _Fields(NamedTuple):
    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None
    export_outputs: Any = None
    training_chief_hooks: Any = None
    training_hooks: Any = None
    scaffold: Any = None
    evaluation_hooks: Any = None
    prediction_hooks: Any = None


class EstimatorSpec(Checked, _Fields):
    """What a `model_fn` returns (TensorFlow: `tf.estimator.EstimatorSpec`).

    Args:
      mode: the one that `model_fn` was called with. TRAIN needs `loss` and `train_op`, EVAL needs
        `loss`, PREDICT needs `predictions`; others may be given in any mode.
      predictions: a tensor, or a dict of them.
      loss: a scalar.
      train_op: does one step of training, and counts it in the global step.
      eval_metric_ops: name -> (value, update_op), as the functions of `tf.metrics` return them.
      export_outputs: name -> a `tf.estimator.export.ExportOutput`; by default the predictions.
      training_chief_hooks: hooks for the chief's training. training_hooks: for all workers'.
      scaffold: a `tf.train.Scaffold`. evaluation_hooks, prediction_hooks: more hooks.

    Raises:
      ValueError: if something needed is missing, of another graph, or the loss not a scalar.
      TypeError: if something is of another type.

    Example:
      >>> def model_fn(features, labels, mode):
      ...     w = tf.get_variable("w", initializer=0.0)
      ...     predictions = w * features["x"]
      ...     if mode == tf.estimator.ModeKeys.PREDICT:  # without labels
      ...         return tf.estimator.EstimatorSpec(mode, predictions=predictions)
      ...     loss = tf.losses.mean_squared_error(labels, predictions)
      ...     step = tf.train.get_global_step()
      ...     train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=step)
      ...     return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)
    """

    __slots__ = ()

    @classmethod
    def _checked(cls, given: _Fields) -> _Fields:
        mode = given.mode
        train_op = _checked_train_op(given.train_op, mode)
        loss = _checked_loss(given.loss, mode)
        predictions = _checked_predictions(given.predictions, mode)
        outputs = given.export_outputs
        hooks: dict[str, Any] = {
            name: tuple(hooks_of(value, "All hooks must be SessionRunHook instances"))
            for name, value in given._asdict().items()
            if "hooks" in name
        }
        return given._replace(
            predictions=predictions,
            loss=loss,
            train_op=train_op,
            eval_metric_ops=_checked_metrics(given.eval_metric_ops),
            export_outputs=export_outputs_of(outputs, predictions) if mode == _PREDICT else outputs,
            scaffold=_checked_scaffold(given.scaffold),
            **hooks,
        )

    def _replace(self, **kwargs: Any) -> EstimatorSpec:
        """A changed copy, checked again; its mode stays."""
        if kwargs.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        changed: EstimatorSpec = super()._replace(**kwargs)
        return changed


def _checked_train_op(train_op: Any, mode: str) -> Any:
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError(
                "Missing train_op. model_fn was called with mode=tf.estimator.ModeKeys.TRAIN: then "
                "EstimatorSpec needs train_op=optimizer.minimize(loss, "
                "global_step=tf.train.get_global_step())."
            )
        return None
    if not isinstance(train_op, Operation | Tensor | Variable):
        raise TypeError(f"train_op must be Operation or Tensor, given: {train_op}")
    op = train_op.op if isinstance(train_op, Variable) else train_op
    _check_graph(op, "train_op", op.name)
    return op


def _checked_loss(loss: Any, mode: str) -> Any:
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError(
                f"Missing loss. model_fn was called with mode={mode!r}: EstimatorSpec needs "
                f"loss=..., a scalar, to train and to evaluate."
            )
        return None
    _check_tensor(loss, "loss")
    if loss.shape.num_elements() not in (None, 1):
        raise ValueError(
            f"Loss must be scalar, given: {loss}. tf.reduce_mean(loss) is the mean over its "
            f"{loss.shape.num_elements()} numbers; the functions of tf.losses return a scalar."
        )
    if not loss.shape.is_compatible_with([]):
        loss = reshape(loss, [])
    _check_graph(loss, "loss", loss.name)
    return loss


def _checked_predictions(predictions: Any, mode: str) -> Any:
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError(
                "Missing predictions. model_fn was called with "
                "mode=tf.estimator.ModeKeys.PREDICT, and without labels: before it needs them, "
                "return EstimatorSpec(mode, predictions=...)."
            )
        return {}
    if not isinstance(predictions, dict):
        _check_tensor(predictions, "predictions")
        _check_graph(predictions, "prediction values", predictions.name)
        return predictions
    for key, value in predictions.items():
        _check_tensor(value, f"predictions[{key}]")
        _check_graph(value, "prediction values", f"{key}: {value.name}")
    return dict(predictions)


def _checked_metrics(metrics: Any) -> dict[str, tuple[Any, Any]]:
    if metrics is None:
        return {}
    if not isinstance(metrics, dict):
        raise TypeError(
            f"eval_metric_ops must be a dict, given: {metrics}. For example "
            f'{{"accuracy": tf.metrics.accuracy(labels, classes)}}.'
        )
    for key, value in metrics.items():
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError(
                f"Values of eval_metric_ops must be (metric_value, update_op) tuples, given: "
                f"{value} for key: {key}. The functions of tf.metrics return such pairs; "
                f"tf.metrics.mean({key}) makes one of a tensor."
            )
        for each in nest.flatten(value):
            _check_graph(each, "eval_metric_ops", f"{key}: {each.name}")
    return dict(metrics)


def _checked_scaffold(scaffold: Any) -> Scaffold:
    scaffold = scaffold or Scaffold()
    if not isinstance(scaffold, Scaffold):
        raise TypeError(f"scaffold must be tf.train.Scaffold. Given: {scaffold}")
    return scaffold


def hooks_of(given: Any, wanted: str) -> list[Any]:
    """Hooks as a list; TypeError, with what was wanted, for what is none."""
    try:
        return checked_hooks(given)
    except TypeError as error:
        raise TypeError(f"{wanted}, given: {given}. {error}") from None


def _check_tensor(value: Any, name: str) -> None:
    if not isinstance(value, Tensor):
        raise TypeError(f"{name} must be Tensor, given: {value}")


def _check_graph(value: Any, what: str, name: str) -> None:
    if value.graph is not get_default_graph():
        raise ValueError(
            f'{what} with "{name}" must be from the default graph. An estimator makes a new graph '
            f"for each train, evaluate and predict and calls model_fn in it: build all of the "
            f"model inside model_fn, at each call."
        )


# Calling functions of the user's ----------------------------------------------------------------


def argument_names(function: Callable[..., Any]) -> list[str]:
    """The names of a function's arguments that a caller may give by name."""
    parameters = inspect.signature(function).parameters.values()
    bound = function.keywords if isinstance(function, functools.partial) else ()
    return [each.name for each in parameters if each.kind in _KINDS and each.name not in bound]


def verify_model_fn_args(model_fn: Any, params: Mapping[str, Any] | None) -> None:
    """Raise ValueError unless a `model_fn` can be called as an estimator does."""
    if not callable(model_fn):
        raise ValueError(
            f"model_fn must be provided to Estimator. It is a function (features, labels, mode), "
            f"given: {model_fn!r}"
        )
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) must include features argument. Arguments are given by name: "
            f"def model_fn(features, labels, mode, params). It has {names}."
        )
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is "
            f"passed to Estimator."
        )
    if params is None and "params" in names:
        logging.getLogger("tinytf").warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to "
            "Estimator.",
            model_fn,
        )
    if others := sorted(set(names) - _ARGUMENTS):
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {others}. What a model is "
            f"made with goes into the dict params."
        )


def pick(function: Callable[..., Any], values: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """Those of the values that a function has an argument for."""
    names = argument_names(function)
    return {name: value for name, value in values if name in names}


def note_of_inputs(error: str, features: Any, labels: Any, mode: str) -> str:
    """What inputs may have to do with an error of a model_fn; perhaps nothing."""
    if features is None and "None" in error:
        return "(input_fn has returned no features: its `return` is missing?)"
    if hasattr(features, "__array_interface__"):
        return (
            "(input_fn has returned an array of numpy's. Features are tensors, or a dict of them: "
            'tf.estimator.inputs.numpy_input_fn({"x": array}, ...) makes such an input_fn.)'
        )
    if isinstance(features, dict) and error.startswith("'") and error.strip("'") not in features:
        return f"(input_fn returns the features {sorted(map(str, features))}.)"  # a KeyError
    if mode == ModeKeys.PREDICT and ("label" in error or "None" in error):
        return (
            "(In mode tf.estimator.ModeKeys.PREDICT model_fn gets labels=None: it must return "
            "EstimatorSpec(mode, predictions=...) before it uses them.)"
        )
    if isinstance(labels, Tensor) and labels.shape.ndims == 1 and "hapes" in error:
        return (
            f"(The labels have the shape {labels.shape}. Where the model gives a column, [?, 1], "
            f"tf.expand_dims(labels, 1) makes one of them.)"
        )
    return ""
