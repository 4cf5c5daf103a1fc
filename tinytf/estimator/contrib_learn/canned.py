"""Deep and linear models of `tf.contrib.learn`, made of those of `tf.estimator`.

Mirrors contrib/learn's estimators/dnn.py, linear.py and dnn_linear_combined.py.
"""

from __future__ import annotations

import inspect
import math
from typing import Any

from tinytf import estimator as core
from tinytf import losses, ops
from tinytf.data.base import DatasetBase
from tinytf.estimator.canned.declared import bound_to, sign
from tinytf.estimator.canned.optimizers import optimizer_of
from tinytf.estimator.contrib_learn.base import BaseEstimator, InputFn
from tinytf.estimator.model_fn import EstimatorSpec
from tinytf.ops.nn.relu import relu
from tinytf.training.contrib_opt.clipping import Clipping

_DEFAULTS = {"n_classes": 2, "label_dimension": 1, "activation_fn": relu, "dnn_activation_fn": relu}
#: Arguments that have other names in `tf.estimator`.
_RENAMED = {"weight_column_name": "weight_column", "label_keys": "label_vocabulary"}
#: What is not here, if it is asked for.
_REFUSED = {
    "enable_centered_bias": "the logits have a bias of their own",
    **dict.fromkeys(
        ("_joint_weight", "_joint_weights", "_joint_linear_weights"),
        "each column has weights of its own",
    ),
    "embedding_lr_multipliers": "write a model_fn with tf.contrib.layers.optimize_loss, which "
    "has gradient_multipliers",
}
#: Metrics of two classes: their names in `tf.estimator` -> in tf.contrib.learn.
_OLD_METRICS = {
    "label/mean": ("labels/actual_label_mean", "accuracy/baseline_label_mean"),
    "prediction/mean": ("labels/prediction_mean",),
    "accuracy": ("accuracy", "accuracy/threshold_0.500000_mean"),
    "precision": ("precision/positive_threshold_0.500000_mean",),
    "recall": ("recall/positive_threshold_0.500000_mean",),
    "accuracy_baseline": (),
}


class PredictionKey:
    """The names of predictions (TensorFlow: `tf.contrib.learn.PredictionKey`).

    Example:
      >>> tf.contrib.learn.PredictionKey.CLASSES
      'classes'
    """

    CLASSES = "classes"
    LOGISTIC = "logistic"
    LOGITS = "logits"
    PROBABILITIES = "probabilities"
    SCORES = "scores"
    GENERIC = "output"


class _Canned(BaseEstimator):
    """What they share.

    Attributes:
      kind: of tf.estimator. arguments: of the constructor, in TensorFlow's order.
      usual: the prediction that `predict` gives.
    """

    kind: type
    arguments = ""
    usual = "classes"

    def __init_subclass__(cls) -> None:
        if cls.arguments:
            sign(cls, cls.arguments, _DEFAULTS)

    def __init__(self, *args: Any, **kwargs: Any):
        given = bound_to(type(self), args, kwargs)
        for name, why in _REFUSED.items():
            if given.get(name):
                raise NotImplementedError(f"{name} is not part of tinytf: {why}.")
        super().__init__(given["model_dir"], given["config"])
        self._engineered = given["feature_engineering_fn"]
        self._has_names = given.get("label_keys") is not None
        known = inspect.signature(self.kind).parameters
        made = {_RENAMED.get(name, name): value for name, value in given.items()}
        made = {name: value for name, value in made.items() if name in known}
        made |= {"model_dir": self.model_dir, "config": self.config}
        made["loss_reduction"] = losses.Reduction.SUM_OVER_BATCH_SIZE
        for name in [name for name in made if "optimizer" in name]:
            made[name] = _optimizer(name, made, given["gradient_clip_norm"])
        self._model_fn = self.kind(**made).model_fn

    def _adapted(self, input_fn: InputFn) -> InputFn:
        def adapted() -> Any:
            found = input_fn()
            if isinstance(found, DatasetBase):
                return found
            features, labels = found if isinstance(found, tuple | list) else (found, None)
            features = features if isinstance(features, dict) else {"": features}
            if self._engineered:
                features, labels = self._engineered(features, labels)
            return features if labels is None else (features, labels)

        return adapted

    def _model(self, features: Any, labels: Any, mode: str, config: Any) -> EstimatorSpec:
        features = features if isinstance(features, dict) else {"": features}
        spec = self._model_fn(features, labels, mode, config)
        metrics = dict(spec.eval_metric_ops)
        metrics.pop("average_loss", None)
        if "accuracy_baseline" in metrics:  # two classes
            for name, old_names in _OLD_METRICS.items():
                metrics |= dict.fromkeys(old_names, metrics.pop(name))
        predictions = self._old_predictions(spec.predictions) if spec.predictions else {}
        return spec._replace(predictions=predictions, eval_metric_ops=metrics)

    def _old_predictions(self, found: Any) -> dict[str, Any]:
        raise NotImplementedError

    def predict(
        self,
        x: Any = None,
        input_fn: InputFn | None = None,
        batch_size: int | None = None,
        outputs: Any = None,
        as_iterable: bool = True,
        iterate_batches: bool = False,
    ) -> Any:
        """The classes or numbers, or, with `outputs`, dicts; see `BaseEstimator.predict`."""
        if not outputs:
            return self._one(self.usual, x, input_fn, batch_size, as_iterable)
        return super().predict(x, input_fn, batch_size, outputs, as_iterable, iterate_batches)

    def _one(
        self,
        key: str,
        x: Any = None,
        input_fn: InputFn | None = None,
        batch_size: int | None = None,
        as_iterable: bool = True,
    ) -> Any:
        """One of the predictions."""
        found = super().predict(x, input_fn, batch_size, [key], as_iterable)
        return (each[key] for each in found) if as_iterable else found[key]


def _optimizer(name: str, arguments: dict[str, Any], norm: float | None) -> Any:
    """The optimizer that was given, or the usual one; gradients clipped to a norm, if there is one.

    Args:
      name: the argument that it is.
    """
    given, columns = arguments[name], arguments[name.replace("optimizer", "feature_columns")]
    usual, rate = "Ftrl", min(0.2, 1 / math.sqrt(len(columns or [None])))
    if "hidden_units" in arguments or name.startswith("dnn"):
        usual, rate = "Adagrad", 0.05

    def build() -> Any:
        made = optimizer_of(given or usual, rate)
        return made if norm is None else Clipping(made, norm)

    return build


class _Classifier(_Canned):
    def _old_predictions(self, found: Any) -> dict[str, Any]:
        kept = {n: found[n] for n in ("logits", "logistic", "probabilities") if n in found}
        classes = found["classes" if self._has_names else "class_ids"]
        return {**kept, "classes": ops.squeeze(classes, [1])}

    def predict_classes(self, *args: Any, **kwargs: Any) -> Any:
        """The class of each example; arguments as of `predict`."""
        return self._one("classes", *args, **kwargs)

    def predict_proba(self, *args: Any, **kwargs: Any) -> Any:
        """How probable each class is, for each example; arguments as of `predict`."""
        return self._one("probabilities", *args, **kwargs)


class _Regressor(_Canned):
    usual = "scores"

    def _old_predictions(self, found: Any) -> dict[str, Any]:
        scores = found["predictions"]
        return {"scores": ops.squeeze(scores, [1]) if scores.shape[1] == 1 else scores}

    def predict_scores(self, *args: Any, **kwargs: Any) -> Any:
        """The numbers of each example; arguments as of `predict`."""
        return self._one("scores", *args, **kwargs)


class DNNClassifier(_Classifier):
    """A deep network that tells classes apart (TensorFlow: `tf.contrib.learn.DNNClassifier`).

    Args:
      hidden_units: the sizes of the hidden layers. feature_columns: what the first of them sees.
      model_dir: a folder for checkpoints. n_classes: how many.
      weight_column_name: the feature that says what examples count.
      optimizer: by default Adagrad. activation_fn, dropout: of the hidden layers.
      gradient_clip_norm: the greatest norm of all gradients together.
      config: a `tf.contrib.learn.RunConfig`.
      feature_engineering_fn: a function (features, labels) that changes both.
      label_keys: the names of the classes, if labels are text.
      input_layer_min_slice_size: ignored. Others: not here.

    Raises:
      NotImplementedError: for what is not here. ValueError: for wrong arguments.

    Example:
      >>> x = np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)
      >>> y = np.array([0, 0, 1, 1])
      >>> columns = tf.contrib.learn.infer_real_valued_columns_from_input(x)
      >>> classifier = tf.contrib.learn.DNNClassifier([8], columns, "./deep")
      >>> fitted = classifier.fit(x, y, steps=5)
      >>> sorted(classifier.evaluate(x, y))[:2]
      ['accuracy', 'accuracy/baseline_label_mean']
      >>> len(list(classifier.predict(x)))
      4
    """

    kind = core.DNNClassifier
    arguments = """
        hidden_units feature_columns model_dir n_classes weight_column_name optimizer activation_fn
        dropout gradient_clip_norm enable_centered_bias config feature_engineering_fn
        embedding_lr_multipliers input_layer_min_slice_size label_keys
    """


class DNNRegressor(_Regressor):
    """A deep network that predicts numbers (TensorFlow: `tf.contrib.learn.DNNRegressor`).

    Args:
      label_dimension: how many numbers.
      hidden_units and the rest: as of `DNNClassifier`.

    Example:
      >>> column = tf.contrib.layers.real_valued_column("x")
      >>> regressor = tf.contrib.learn.DNNRegressor([4, 4], [column], "./numbers")
    """

    kind = core.DNNRegressor
    arguments = """
        hidden_units feature_columns model_dir weight_column_name optimizer activation_fn
        dropout gradient_clip_norm enable_centered_bias config feature_engineering_fn
        label_dimension embedding_lr_multipliers input_layer_min_slice_size
    """


class LinearClassifier(_Classifier):
    """A linear model that tells classes apart (TensorFlow: `tf.contrib.learn.LinearClassifier`).

    Args:
      feature_columns: what it sees. optimizer: by default Ftrl.
      model_dir and the rest: as of `DNNClassifier`.

    Example:
      >>> column = tf.contrib.layers.sparse_column_with_keys("colour", ["red", "blue"])
      >>> classifier = tf.contrib.learn.LinearClassifier([column], "./colours")
    """

    kind = core.LinearClassifier
    arguments = """
        feature_columns model_dir n_classes weight_column_name optimizer gradient_clip_norm
        enable_centered_bias _joint_weight config feature_engineering_fn label_keys
    """


class LinearRegressor(_Regressor):
    """A linear model that predicts numbers (TensorFlow: `tf.contrib.learn.LinearRegressor`).

    Args:
      feature_columns: what it sees. label_dimension: how many numbers.
      model_dir and the rest: as of `DNNClassifier`.

    Example:
      >>> column = tf.contrib.layers.real_valued_column("x")
      >>> regressor = tf.contrib.learn.LinearRegressor([column], "./line")
    """

    kind = core.LinearRegressor
    arguments = """
        feature_columns model_dir weight_column_name optimizer gradient_clip_norm
        enable_centered_bias label_dimension _joint_weights config feature_engineering_fn
    """


class DNNLinearCombinedClassifier(_Classifier):
    """A deep and a linear model together (TensorFlow: the same name, of tf.contrib.learn).

    Args:
      linear_feature_columns, linear_optimizer: as of `LinearClassifier`.
      dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout: as of
        `DNNClassifier`, with the rest.

    Example:
      >>> column = tf.contrib.layers.real_valued_column("x")
      >>> classifier = tf.contrib.learn.DNNLinearCombinedClassifier(
      ...     "./both", linear_feature_columns=[column]
      ... )
    """

    kind = core.DNNLinearCombinedClassifier
    arguments = """
        model_dir n_classes weight_column_name linear_feature_columns linear_optimizer
        _joint_linear_weights dnn_feature_columns dnn_optimizer dnn_hidden_units dnn_activation_fn
        dnn_dropout gradient_clip_norm enable_centered_bias config feature_engineering_fn
        embedding_lr_multipliers input_layer_min_slice_size label_keys
        fix_global_step_increment_bug
    """


class DNNLinearCombinedRegressor(_Regressor):
    """Predicts numbers, deep and linear (TensorFlow: the same name, of tf.contrib.learn).

    Args:
      label_dimension: how many numbers.
      model_dir and the rest: as of `DNNLinearCombinedClassifier`.

    Example:
      >>> column = tf.contrib.layers.real_valued_column("x")
      >>> regressor = tf.contrib.learn.DNNLinearCombinedRegressor(
      ...     "./sum", linear_feature_columns=[column]
      ... )
    """

    kind = core.DNNLinearCombinedRegressor
    arguments = """
        model_dir weight_column_name linear_feature_columns linear_optimizer _joint_linear_weights
        dnn_feature_columns dnn_optimizer dnn_hidden_units dnn_activation_fn dnn_dropout
        gradient_clip_norm enable_centered_bias config feature_engineering_fn label_dimension
        embedding_lr_multipliers input_layer_min_slice_size fix_global_step_increment_bug
    """
