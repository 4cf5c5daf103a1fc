"""What an estimator does with the results of a model: loss, predictions, metrics, training.

Mirrors tensorflow_estimator/python/estimator/canned/head.py, node by node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from tinytf import losses, metrics, ops
from tinytf.estimator.canned import checks
from tinytf.estimator.export.outputs import (
    ClassificationOutput,
    ExportOutput,
    PredictOutput,
    RegressionOutput,
)
from tinytf.estimator.model_fn import EstimatorSpec, ModeKeys
from tinytf.feature_column.base import require
from tinytf.framework import dtypes
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import get_collection, name_scope
from tinytf.ops.lookup.vocabularies import (
    index_table_from_tensor,
    index_to_string_table_from_tensor,
)
from tinytf.ops.strings.numbers import as_string
from tinytf.ops.summary.summaries import scalar
from tinytf.training.global_step import get_global_step

Reduction = losses.Reduction
Metrics = dict[str, tuple[Any, Any]]


class Loss(NamedTuple):
    """The loss of a batch: all in one; of each example; what these count; labels as numbers."""

    training: Any
    each: Any
    weights: Any
    labels: Any


class Head:
    """What is made of the results of a model, its "logits".

    Args:
      logits_dimension: how many numbers the model gives for an example.
      weight_column: a feature's name, or a column: what examples count; None for 1.
      loss_reduction: a `tf.losses.Reduction`, but NONE.

    Raises:
      ValueError: for another reduction.
    """

    #: Whether weights may be given for each logit apart.
    _weights_of_logits = False

    def __init__(self, logits_dimension: int, weight_column: Any, loss_reduction: str):
        require(
            loss_reduction in Reduction.all() and loss_reduction != Reduction.NONE,
            f"Invalid loss_reduction: {loss_reduction}. It is one of tf.losses.Reduction, but "
            "NONE: training needs one number.",
        )
        self.logits_dimension = self._label_dimension = logits_dimension
        self._weight_column = weight_column
        self._loss_reduction = loss_reduction

    # What kinds of heads differ in -----------------------------------------------------------

    def _predictions(self, logits: Any) -> dict[str, Any]:
        """The predictions by name, "logits" with their checked shape among them."""
        raise NotImplementedError

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        """What is served under which name, the usual one first."""
        raise NotImplementedError

    def _losses(self, logits: Any, labels: Any) -> tuple[Any, Any]:
        """The loss of each example, and the labels as numbers."""
        raise NotImplementedError

    def _metrics(self, predictions: dict[str, Any], loss: Loss, labels: Any) -> Metrics:
        raise NotImplementedError

    # What they have in common ------------------------------------------------------------------

    def create_loss(self, features: Any, mode: str, logits: Any, labels: Any) -> Loss:
        """The loss of a batch."""
        labels = checks.labels(labels, logits, self._label_dimension)
        each, labels = self._losses(logits, labels)
        weights = checks.weights(features, self._weight_column, logits, self._weights_of_logits)
        training = losses.compute_weighted_loss(
            each, weights=weights, reduction=self._loss_reduction
        )
        return Loss(training, each, weights, labels)

    def create_estimator_spec(
        self,
        features: Any,
        mode: str,
        logits: Any,
        labels: Any = None,
        optimizer: Any = None,
        train_op_fn: Callable[[Any], Any] | None = None,
    ) -> EstimatorSpec:
        """What a `model_fn` returns.

        Args:
          features: by name. mode: a `ModeKeys`. logits: what the model gave.
          labels: needed to train and to evaluate.
          optimizer: whose `minimize` trains. train_op_fn: or a function from the loss to what does.

        Raises:
          ValueError: for labels or weights that do not fit; for both or none of optimizer and
            train_op_fn in training.
        """
        with name_scope(None, "head"):
            predictions = self._predictions(logits)
            if mode == ModeKeys.PREDICT:
                usual, *rest = self._outputs(predictions).items()
                outputs = {"serving_default": usual[1], **dict([usual, *rest])}
                outputs["predict"] = PredictOutput(predictions)
                return EstimatorSpec(mode, predictions, export_outputs=outputs)
            # Of one head the predictions do not have the logits.
            logits = predictions.get("logits", predictions.get("predictions"))
            loss = self.create_loss(features, mode, logits, labels)
            if mode == ModeKeys.TRAIN:
                train_op = self._train_op(loss.training, optimizer, train_op_fn)
                mean_loss = None
                if self._loss_reduction == Reduction.SUM:
                    count = ops.reduce_sum(loss.weights * ops.ones_like(loss.each))
                    mean_loss = loss.training / count
        if mode == ModeKeys.EVAL:
            found = self._metrics(predictions, loss, labels)
            return EstimatorSpec(mode, predictions, loss.training, eval_metric_ops=found)
        with name_scope(""):
            scalar("loss", loss.training)
            if mean_loss is not None:
                scalar("average_loss", mean_loss)
        return EstimatorSpec(mode, predictions, loss.training, train_op)

    @staticmethod
    def _train_op(loss: Any, optimizer: Any, train_op_fn: Any) -> Any:
        both = "None" if optimizer is None else "set"
        single = (optimizer is None) != (train_op_fn is None)
        require(single, f"train_op_fn and optimizer cannot both be {both}.")
        if optimizer is None:
            train_op = train_op_fn(loss)
        else:
            train_op = optimizer.minimize(loss, global_step=get_global_step())
        updates = get_collection(GraphKeys.UPDATE_OPS)
        return ops.group(train_op, *updates) if updates else train_op


# Classes ------------------------------------------------------------------------------------------


class ClassHead(Head):
    """A head that predicts one of several classes.

    Args:
      n_classes: how many. label_vocabulary: their names, as labels have them; None for numbers.
    """

    def __init__(
        self,
        n_classes: int,
        logits_dimension: int,
        weight_column: Any,
        label_vocabulary: Any,
        loss_reduction: str,
    ):
        super().__init__(logits_dimension, weight_column, loss_reduction)
        require(
            label_vocabulary is None or isinstance(label_vocabulary, list | tuple),
            f"label_vocabulary should be a list or tuple. Given type: {type(label_vocabulary)}",
            ValueError if n_classes > 2 else TypeError,
        )
        self._label_dimension = 1
        self._n_classes = n_classes
        self._vocabulary = label_vocabulary

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        scores = predictions["probabilities"]
        return {"classification": ClassificationOutput(scores, self._all_classes(scores))}

    def _label_ids(self, labels: Any) -> Any:
        if self._vocabulary is None:
            return labels
        table = index_table_from_tensor(
            vocabulary_list=tuple(self._vocabulary), name="class_id_lookup"
        )
        return table.lookup(labels)

    def _all_classes(self, logits: Any) -> Any:
        batch = ops.shape(logits)[0]  # type: ignore[index]
        classes = self._vocabulary or as_string(ops.range(self._n_classes))
        return ops.tile(ops.expand_dims(classes, axis=0), [batch, 1])

    def _all_class_ids(self, logits: Any) -> Any:
        batch = ops.shape(logits)[0]  # type: ignore[index]
        return ops.tile(ops.expand_dims(ops.range(self._n_classes), axis=0), [batch, 1])

    def _classes(self, class_ids: Any) -> Any:
        if not self._vocabulary:
            return as_string(class_ids, name="str_classes")
        table = index_to_string_table_from_tensor(
            vocabulary_list=self._vocabulary, name="class_string_lookup"
        )
        return table.lookup(class_ids)


class MultiClassHead(ClassHead):
    """One of three or more classes: softmax, and cross entropy."""

    def __init__(self, n_classes: int, *args: Any):
        more = isinstance(n_classes, int) and n_classes > 2
        require(more, f"n_classes must be > 2: {n_classes}.")
        super().__init__(n_classes, n_classes, *args)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        logits = checks.logits(logits, self.logits_dimension)
        with name_scope(None, "predictions"):
            all_class_ids, all_classes = self._all_class_ids(logits), self._all_classes(logits)
            class_ids = ops.expand_dims(ops.argmax(logits, axis=-1, name="class_ids"), axis=-1)
            classes = self._classes(class_ids)
            return {
                "logits": logits,
                "probabilities": ops.softmax(logits, name="probabilities"),
                "class_ids": class_ids,
                "classes": classes,
                "all_class_ids": all_class_ids,
                "all_classes": all_classes,
            }

    def _losses(self, logits: Any, labels: Any) -> tuple[Any, Any]:
        given = f"Instead got {labels.dtype}"
        named = self._vocabulary is not None
        integer = named or labels.dtype.is_integer
        hint = "If labels are names, label_vocabulary has them all."
        require(integer, f"Labels dtype should be integer. {given}. {hint}")
        text = not named or labels.dtype == dtypes.string
        require(text, f"Labels dtype should be string if there is a vocabulary. {given}")
        ids = checks.in_range(self._label_ids(labels), self._n_classes)
        each = losses.sparse_softmax_cross_entropy(
            labels=ids, logits=logits, reduction=Reduction.NONE
        )
        return ops.expand_dims(each, axis=-1), ids

    def _metrics(self, predictions: dict[str, Any], loss: Loss, labels: Any) -> Metrics:
        with name_scope(None, "metrics"):
            how = {"weights": loss.weights}
            mean = metrics.mean(loss.each, name="average_loss", **how)
            hits = metrics.accuracy(loss.labels, predictions["class_ids"], name="accuracy", **how)
            return {"average_loss": mean, "accuracy": hits}


class BinaryHead(ClassHead):
    """One of two classes: one logit, sigmoid, and its cross entropy."""

    def __init__(
        self,
        weight_column: Any,
        label_vocabulary: Any,
        loss_reduction: str,
        thresholds: Iterable[float] | None = None,
    ):
        self._thresholds = tuple(thresholds or ())
        inside = all(0.0 < threshold < 1.0 for threshold in self._thresholds)
        require(inside, f"thresholds not in (0, 1): {self._thresholds}.")
        super().__init__(2, 1, weight_column, label_vocabulary, loss_reduction)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        with name_scope(None, "predictions"):
            logits = checks.logits(logits, 1)
            logistic = ops.sigmoid(logits, name="logistic")
            both = ops.concat((ops.zeros_like(logits), logits), axis=-1, name="two_class_logits")
            probabilities = ops.softmax(both, name="probabilities")
            class_ids = ops.expand_dims(ops.argmax(both, axis=-1, name="class_ids"), axis=-1)
            all_class_ids, all_classes = self._all_class_ids(logits), self._all_classes(logits)
            return {
                "logits": logits,
                "logistic": logistic,
                "probabilities": probabilities,
                "class_ids": class_ids,
                "classes": self._classes(class_ids),
                "all_class_ids": all_class_ids,
                "all_classes": all_classes,
            }

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        regression = RegressionOutput(predictions["logistic"])
        return {**super()._outputs(predictions), "regression": regression}

    def _losses(self, logits: Any, labels: Any) -> tuple[Any, Any]:
        labels = checks.in_range(ops.cast(self._label_ids(labels), dtypes.float32), 2)
        return ops.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits), labels

    def _metrics(self, predictions: dict[str, Any], loss: Loss, labels: Any) -> Metrics:
        logistic = predictions["logistic"]
        how = {"weights": loss.weights}
        with name_scope(None, "metrics"):
            labels_mean = _mean(loss.labels, loss.weights, "label/mean", "labels")
            hits = {"labels": loss.labels, "predictions": predictions["class_ids"], **how}
            found = {
                "average_loss": metrics.mean(loss.each, name="average_loss", **how),
                "accuracy": metrics.accuracy(name="accuracy", **hits),
                "precision": metrics.precision(name="precision", **hits),
                "recall": metrics.recall(name="recall", **hits),
                "prediction/mean": predictions_mean(logistic, loss.weights),
                "label/mean": labels_mean,
                "accuracy_baseline": _baseline(labels_mean),
                "auc": _auc(loss, logistic, "ROC", "auc"),
                "auc_precision_recall": _auc(loss, logistic, "PR", "auc_precision_recall"),
            }
            for threshold in self._thresholds:
                found |= _at_threshold(loss, logistic, threshold)
            return found


def _mean(values: Any, weights: Any, name: str, what: str) -> tuple[Any, Any]:
    with name_scope(name) as scope:
        values = ops.cast(values, dtypes.float32, name=what)
        return metrics.mean(values, weights=ops.broadcast_weights(weights, values), name=scope)


def predictions_mean(predictions: Any, weights: Any) -> tuple[Any, Any]:
    """The mean of predictions as a metric."""
    return _mean(predictions, weights, "prediction/mean", "predictions")


def _baseline(labels_mean: tuple[Any, Any]) -> tuple[Any, Any]:
    """How good one would be that always says what is most frequent."""
    value, update = labels_mean
    with name_scope(None, "accuracy_baseline"):
        return ops.maximum(value, 1.0 - value, name="value"), ops.maximum(
            update, 1 - update, name="update_op"
        )


def _auc(loss: Loss, predictions: Any, curve: str, name: str) -> tuple[Any, Any]:
    with name_scope(name) as scope:
        predictions = ops.cast(predictions, dtypes.float32, name="predictions")
        weights = ops.broadcast_weights(loss.weights, predictions)
        return metrics.auc(loss.labels, predictions, weights=weights, curve=curve, name=scope)


def _at_threshold(loss: Loss, predictions: Any, threshold: float) -> Metrics:
    """How good the classes are that one gets with another limit than a half."""
    end = f"positive_threshold_{threshold:g}"
    found = {}
    with name_scope(name := f"accuracy/{end}") as scope:
        classes = ops.cast(
            ops.greater_equal(predictions, threshold), dtypes.float32, name="ToFloat"
        )
        found[name] = metrics.accuracy(loss.labels, classes, weights=loss.weights, name=scope)
    for name, metric in (
        (f"precision/{end}", metrics.precision_at_thresholds),
        (f"recall/{end}", metrics.recall_at_thresholds),
    ):
        with name_scope(name) as scope:
            of = loss.labels, predictions, (threshold,)
            value, update = metric(*of, weights=loss.weights, name=scope)
            found[name] = ops.squeeze(value), ops.squeeze(update)
    return found


def classification_head(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: str
) -> ClassHead:
    """The head of two classes, or of more."""
    if n_classes == 2:
        return BinaryHead(weight_column, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


# Numbers ------------------------------------------------------------------------------------------


class RegressionHead(Head):
    """Numbers, and the squares of their errors."""

    _weights_of_logits = True

    def __init__(self, label_dimension: int, weight_column: Any, loss_reduction: str):
        require(label_dimension >= 1, f"Invalid label_dimension {label_dimension}.")
        super().__init__(label_dimension, weight_column, loss_reduction)

    def _predictions(self, logits: Any) -> dict[str, Any]:
        return {"predictions": checks.logits(logits, self.logits_dimension)}

    def _outputs(self, predictions: dict[str, Any]) -> dict[str, ExportOutput]:
        return {"regression": RegressionOutput(predictions["predictions"])}

    def _losses(self, logits: Any, labels: Any) -> tuple[Any, Any]:
        numbers = ops.cast(labels, dtypes.float32)
        return losses.mean_squared_error(numbers, logits, reduction=Reduction.NONE), numbers

    def _metrics(self, predictions: dict[str, Any], loss: Loss, labels: Any) -> Metrics:
        return {
            "average_loss": metrics.mean(loss.each, weights=loss.weights),
            "prediction/mean": predictions_mean(predictions["predictions"], loss.weights),
            "label/mean": metrics.mean(labels, weights=loss.weights),
        }


# For estimators with a head of one's own ----------------------------------------------------------


def multi_class_head(
    n_classes: int,
    weight_column: Any = None,
    label_vocabulary: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
) -> MultiClassHead:
    """A head of three classes or more (TensorFlow: `tf.contrib.estimator.multi_class_head`).

    Args:
      n_classes, weight_column, label_vocabulary, loss_reduction: as of
        `tf.estimator.DNNClassifier`; but the loss is a mean.

    Raises:
      ValueError: for wrong arguments.

    Example:
      >>> tf.contrib.estimator.multi_class_head(n_classes=3).logits_dimension
      3
    """
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)


def binary_classification_head(
    weight_column: Any = None,
    thresholds: Iterable[float] | None = None,
    label_vocabulary: Any = None,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
) -> BinaryHead:
    """A head of two classes (TensorFlow: `tf.contrib.estimator.binary_classification_head`).

    Args:
      weight_column, label_vocabulary, loss_reduction: as of `multi_class_head`.
      thresholds: limits other than a half, for which accuracy, precision and recall are told, too.

    Raises:
      TypeError, ValueError: for wrong arguments.

    Example:
      >>> tf.contrib.estimator.binary_classification_head().logits_dimension
      1
    """
    return BinaryHead(weight_column, label_vocabulary, loss_reduction, thresholds)


def regression_head(
    weight_column: Any = None,
    label_dimension: int = 1,
    loss_reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
) -> RegressionHead:
    """A head of numbers (TensorFlow: `tf.contrib.estimator.regression_head`).

    Args:
      label_dimension: how many. weight_column, loss_reduction: as of `multi_class_head`.

    Raises:
      ValueError: for wrong arguments.

    Example:
      >>> tf.contrib.estimator.regression_head(label_dimension=2).logits_dimension
      2
    """
    return RegressionHead(label_dimension, weight_column, loss_reduction)
