"""tf.contrib.learn for a TensorFlow that has lost it: tf.estimator, called as of old."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

import numpy as np


class ModelFnOps(NamedTuple):
    """What a model_fn returns."""

    mode: str
    predictions: Any = None
    loss: Any = None
    train_op: Any = None
    eval_metric_ops: Any = None


class PredictionKey:
    """Names of predictions."""

    CLASSES, LOGITS, LOGISTIC = "classes", "logits", "logistic"
    PROBABILITIES, SCORES = "probabilities", "scores"


class MetricSpec(NamedTuple):
    """A metric of one of the predictions and of one of the labels."""

    metric_fn: Any
    prediction_key: Any = None
    label_key: Any = None
    weight_key: Any = None

    def made(self, features: Any, labels: Any, predictions: Any) -> Any:
        """Its value and update."""
        predicted = predictions[self.prediction_key] if self.prediction_key else predictions
        wanted = labels[self.label_key] if self.label_key else labels
        weights = {"weights": features[self.weight_key]} if self.weight_key else {}
        return self.metric_fn(predictions=predicted, labels=wanted, **weights)


class SKCompat:
    """An estimator of arrays."""

    def __init__(self, estimator: Any):
        self.inner = estimator

    def fit(self, x: Any, y: Any, **how: Any) -> Any:
        """Train."""
        self.inner.fit(x, y, **how)
        return self

    def score(self, x: Any, y: Any, **how: Any) -> Any:
        """Evaluate."""
        return self.inner.evaluate(x, y, **how)

    def predict(self, x: Any) -> Any:
        """All predictions, in arrays."""
        found = list(BaseEstimator.predict(self.inner, x))
        return {key: np.array([each[key] for each in found]) for key in found[0]}


def _once(tf: Any) -> Any:
    class Once(tf.train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            run_context.request_stop()

    return Once()


class BaseEstimator:
    """Holds one of tf.estimator's, `inner`, which does the work."""

    usual: str | None = None

    def feed(self, x: Any, y: Any, input_fn: Any) -> Any:
        """Arrays as tensors; features that are no dictionary with a name."""

        def made() -> Any:
            found = input_fn() if input_fn else (x if y is None else (x, y))
            features, labels = found if isinstance(found, tuple) else (found, None)
            named = features if isinstance(features, dict) else {"features": features}
            named = {
                key: self.tf.convert_to_tensor_or_sparse_tensor(value)
                for key, value in named.items()
            }
            labels = labels if labels is None else self.tf.convert_to_tensor(labels)
            once = self.tf.data.Dataset.from_tensors((named, labels) if y is not None else named)
            return once if self.is_once and not input_fn else (named, labels)

        return made

    def fit(
        self, x: Any = None, y: Any = None, input_fn: Any = None, steps: Any = None, **how: Any
    ) -> Any:
        """Train."""
        self.is_once = False
        hooks, most = how.get("monitors"), how.get("max_steps")
        self.inner.train(self.feed(x, y, input_fn), hooks, steps, most)
        return self

    def evaluate(
        self,
        x: Any = None,
        y: Any = None,
        input_fn: Any = None,
        steps: Any = None,
        metrics: Any = None,
        **how: Any,
    ) -> Any:
        """The metrics by name."""
        from tensorflow_estimator.python.estimator.extenders import add_metrics

        def more(features: Any, labels: Any, predictions: Any) -> Any:
            given = features, labels, predictions
            return {name: spec.made(*given) for name, spec in metrics.items()}

        self.is_once = True
        model = add_metrics(self.inner, more) if metrics else self.inner
        found = model.evaluate(self.feed(x, y, input_fn), steps)
        found.pop("average_loss", None)
        return found

    def predict(self, x: Any = None, input_fn: Any = None, outputs: Any = None) -> Any:
        """Dictionaries, or what the model is for."""
        self.is_once = True
        hooks = [_once(self.tf)] if input_fn else None  # tensors that come from no queue end
        for each in self.inner.predict(self.feed(x, None, input_fn), None, hooks):
            yield {key: each[key] for key in outputs or each}


class Canned(BaseEstimator):
    """A model of tf.estimator."""

    def __init__(self, tf: Any, kind: Any, given: dict[str, Any]):
        self.tf = tf
        given["loss_reduction"] = tf.losses.Reduction.SUM_OVER_BATCH_SIZE
        self.inner = kind(**given)

    def one(self, key: str, x: Any, input_fn: Any) -> Any:
        """One of the predictions."""
        for each in super().predict(x, input_fn):
            classes = {"classes": each.get("class_ids", [0])[0]}
            yield {**each, **classes, "scores": each.get("predictions", [0])[0]}[key]

    def predict(self, x: Any = None, input_fn: Any = None, outputs: Any = None) -> Any:
        """The usual one, or dictionaries."""
        return self.one(self.usual, x, input_fn)

    def predict_classes(self, x: Any = None, input_fn: Any = None) -> Any:
        """Of classifiers."""
        return self.one("classes", x, input_fn)

    def predict_proba(self, x: Any = None, input_fn: Any = None) -> Any:
        """Of classifiers."""
        return self.one("probabilities", x, input_fn)

    def predict_scores(self, x: Any = None, input_fn: Any = None) -> Any:
        """Of regressors."""
        return self.one("scores", x, input_fn)


def learn(tf: Any) -> dict[str, Any]:
    """The names of tf.contrib.learn."""

    class Estimator(BaseEstimator):
        def __init__(
            self, model_fn: Any, model_dir: Any = None, params: Any = None, config: Any = None
        ):
            self.tf = tf

            def adapted(features: Any, labels: Any, mode: str, params: Any) -> Any:
                features = features.get("features", features)
                has = "params" in inspect.signature(model_fn).parameters
                made = model_fn(features, labels, mode, **({"params": params} if has else {}))
                if not isinstance(made, ModelFnOps):
                    made = ModelFnOps(mode, *made)
                return tf.estimator.EstimatorSpec(**made._asdict())

            self.inner = tf.estimator.Estimator(adapted, model_dir, config, params)

        def predict(self, x: Any = None, input_fn: Any = None, outputs: Any = None) -> Any:
            for each in super().predict(x, input_fn, outputs):
                yield each if len(each) > 1 or outputs else next(iter(each.values()))

    class ModeKeys:
        TRAIN, EVAL, INFER = "train", "eval", "infer"

    def canned(kind: Any, usual: str) -> Any:
        class Model(Canned):
            def __init__(self, *args: Any, **named: Any):
                self.usual = usual
                names = list(inspect.signature(kind).parameters)
                super().__init__(tf, kind, {**dict(zip(names, args)), **named})

        return Model

    families = ("DNN", "Linear", "DNNLinearCombined")
    kinds = {f"{family}Classifier": "classes" for family in families}
    kinds |= {f"{family}Regressor": "scores" for family in families}
    return {
        "BaseEstimator": BaseEstimator,
        "Estimator": Estimator,
        "MetricSpec": MetricSpec,
        "ModeKeys": ModeKeys,
        "ModelFnOps": ModelFnOps,
        "PredictionKey": PredictionKey,
        "RunConfig": tf.estimator.RunConfig,
        "SKCompat": SKCompat,
        "infer_real_valued_columns_from_input": lambda x: [
            tf.feature_column.numeric_column("features", x.shape[1])
        ],
        "infer_real_valued_columns_from_input_fn": lambda make: [
            tf.feature_column.numeric_column("features", int(make()[0].shape[1]))
        ],
        **{name: canned(getattr(tf.estimator, name), usual) for name, usual in kinds.items()},
    }
