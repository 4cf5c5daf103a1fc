"""What always says the same: the yardstick of other models.

Mirrors tensorflow_estimator/python/estimator/canned/baseline.py.
"""

from __future__ import annotations

from typing import Any

from tinytf import ops
from tinytf.estimator.canned.declared import CannedEstimator, ModelFn
from tinytf.estimator.canned.optimizers import optimizer_of
from tinytf.feature_column.numeric import NumericColumn
from tinytf.framework.scope_functions import control_dependencies
from tinytf.ops.check.assert_values import assert_equal
from tinytf.ops.variables.initializers import Zeros
from tinytf.ops.variables.scope import get_variable, variable_scope
from tinytf.training.global_step import get_global_step

_LEARNING_RATE = 0.3


class _Baseline(CannedEstimator):
    @staticmethod
    def model_fn_of(given: Any, head: Any) -> ModelFn:
        """A bias, in the scope "baseline"."""
        # As in TensorFlow, whose regressors do not know which feature is no feature.
        weight_column = given.weight_column if hasattr(given, "n_classes") else None

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            def train(loss: Any) -> Any:
                found = optimizer_of(given.optimizer, _LEARNING_RATE)
                return found.minimize(loss, global_step=get_global_step())

            logits = _logits(features, head.logits_dimension, weight_column)
            return head.create_estimator_spec(features, mode, logits, labels, train_op_fn=train)

        return model_fn


def _logits(features: Any, units: int, weight_column: Any) -> Any:
    """A bias for each unit, the same for all examples."""
    weight_key = weight_column.key if isinstance(weight_column, NumericColumn) else weight_column
    sizes = [ops.shape(x)[0] for key, x in features.items() if key != weight_key]  # type: ignore[index]
    checks = [assert_equal(sizes[0], size) for size in sizes[1:]]
    with control_dependencies(checks), variable_scope("baseline"):
        bias = get_variable("bias", [units], initializer=Zeros())
        return ops.multiply(bias, ops.ones([sizes[0], units]))


class BaselineClassifier(_Baseline):
    """A classifier that sees no features (TensorFlow: `tf.estimator.BaselineClassifier`).

    It predicts how frequent each class is.

    Args:
      model_dir: a folder for checkpoints and summaries.
      n_classes, weight_column, label_vocabulary, optimizer, config, loss_reduction: as of
        `tf.estimator.DNNClassifier`.

    Raises:
      ValueError: for wrong arguments; when it runs, for labels that do not fit.

    Example:
      >>> x = {"x": np.zeros([4, 1], np.float32)}
      >>> numpy_input_fn = tf.estimator.inputs.numpy_input_fn
      >>> classifier = tf.estimator.BaselineClassifier("./baseline")
      >>> training = numpy_input_fn(x, np.array([0, 1, 1, 1]), 4, num_epochs=20, shuffle=False)
      >>> int(next(classifier.train(training).predict(training))["class_ids"][0])
      1
    """

    arguments = "model_dir n_classes weight_column label_vocabulary optimizer config loss_reduction"


class BaselineRegressor(_Baseline):
    """A regressor that sees no features (TensorFlow: `tf.estimator.BaselineRegressor`).

    It predicts the mean of the labels.

    Args:
      label_dimension: how many numbers.
      model_dir and the rest: as of `BaselineClassifier`.

    Raises:
      ValueError: for wrong arguments; when it runs, for labels that do not fit.

    Example:
      >>> regressor = tf.estimator.BaselineRegressor("./baseline", optimizer="SGD")
    """

    arguments = "model_dir label_dimension weight_column optimizer config loss_reduction"


class BaselineEstimator(_Baseline):
    """Sees no features, with a head of one's own (TensorFlow: `tf.estimator.BaselineEstimator`).

    Args:
      head: as of `tf.estimator.DNNEstimator`.
      model_dir, optimizer, config: as of `BaselineClassifier`.

    Example:
      >>> head = tf.contrib.estimator.regression_head(label_dimension=2)
      >>> estimator = tf.estimator.BaselineEstimator(head, "./pairs")
    """

    arguments = "head model_dir optimizer config"
