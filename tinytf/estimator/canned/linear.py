"""Linear models.

Mirrors tensorflow_estimator/python/estimator/canned/linear.py.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from tinytf import ops
from tinytf.estimator.canned import checks
from tinytf.estimator.canned.declared import LEAST_PART, CannedEstimator, ModelFn, parts_for
from tinytf.estimator.canned.optimizers import optimizer_of
from tinytf.feature_column.resource_models import linear_model
from tinytf.framework import dtypes
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.ops.summary.summaries import histogram, scalar
from tinytf.ops.variables.scope import variable_scope
from tinytf.training.ftrl import FtrlOptimizer

_LEARNING_RATE = 0.2


def linear_logits(features: Any, columns: Any, units: int, sparse_combiner: str) -> Tensor:
    """The results of a linear model, [batch, units]; made in the current variable scope."""
    result, bias, others = linear_model(features, columns, units, sparse_combiner)
    if units > 1:
        histogram("bias", bias)
    else:
        scalar("bias", bias[0][0])
    scalar("fraction_of_zero_weights", _fraction_of_zeros(others))
    return result


def _fraction_of_zeros(variables: Sequence[Any]) -> Tensor:
    with name_scope("zero_fraction"):
        with name_scope("total_size"):
            sizes = [ops.size(each, out_type=dtypes.int64) for each in variables]
            total = ops.add_n(sizes)
        with name_scope("total_zero"):
            zeros = ops.add_n([_zeros(each, size) for each, size in zip(variables, sizes)])
        with name_scope("compute"):
            fraction = ops.truediv(zeros, ops.cast(total, dtypes.float32, name="float32_size"))
        return ops.identity(fraction, name="zero_fraction_or_nan")


def _zeros(variable: Any, size: Tensor) -> Tensor:
    """How many elements are 0, as float32."""
    return ops.cond(
        ops.equal(size, ops.constant(0, dtype=dtypes.int64)),
        lambda: ops.constant(0, dtype=dtypes.float32),
        lambda: ops.zero_fraction(variable) * ops.cast(size, dtypes.float32),
        name="zero_count",
    )


class _Linear(CannedEstimator):
    @staticmethod
    def model_fn_of(given: Any, head: Any) -> ModelFn:
        """A linear model in the scope "linear"."""
        columns = tuple(given.feature_columns or [])

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            checks.features(features)
            parts = given.partitioner or parts_for(config, min_slice_size=LEAST_PART)
            with variable_scope("linear", partitioner=parts):
                units = head.logits_dimension
                logits = linear_logits(features, columns, units, given.sparse_combiner)
                usual = FtrlOptimizer(min(_LEARNING_RATE, 1 / math.sqrt(len(columns))))
                training = optimizer_of(given.optimizer or usual, _LEARNING_RATE)
                return head.create_estimator_spec(features, mode, logits, labels, training)

        return model_fn


class LinearClassifier(_Linear):
    """A linear model that tells classes apart (TensorFlow: `tf.estimator.LinearClassifier`).

    Args:
      feature_columns: columns of any kind.
      model_dir: a folder for checkpoints and summaries.
      n_classes: how many classes; labels are from 0 to n_classes - 1.
      weight_column: the name of a feature, or a numeric column: what examples count.
      label_vocabulary: the names of the classes, if labels are text.
      optimizer: a `tf.train.Optimizer`, a function that returns one, or a name: Adagrad, Adam,
        Ftrl, RMSProp, SGD.
      config: a `tf.estimator.RunConfig`.
      partitioner: of the weights; by default for the parameter servers.
      warm_start_from: a checkpoint, or `tf.estimator.WarmStartSettings`.
      loss_reduction: a `tf.losses.Reduction`: how the losses of a batch become one.
      sparse_combiner: of an example's values of one column: "sum", "mean" or "sqrtn".

    Raises:
      ValueError: for wrong arguments; when it runs, for features or labels that do not fit.

    Example:
      >>> x = {"x": np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)}
      >>> numpy_input_fn = tf.estimator.inputs.numpy_input_fn
      >>> column = tf.feature_column.numeric_column("x")
      >>> classifier = tf.estimator.LinearClassifier([column], "./line")
      >>> training = numpy_input_fn(x, np.array([0, 0, 1, 1]), 4, num_epochs=9, shuffle=False)
      >>> classifier.train(training).get_variable_names()[-2:]
      ['linear/linear_model/x/weights/part_0/Ftrl', 'linear/linear_model/x/weights/part_0/Ftrl_1']
    """

    arguments = """
        feature_columns model_dir n_classes weight_column label_vocabulary optimizer config
        partitioner warm_start_from loss_reduction sparse_combiner
    """


class LinearRegressor(_Linear):
    """A linear model that predicts numbers (TensorFlow: `tf.estimator.LinearRegressor`).

    Args:
      label_dimension: how many numbers.
      feature_columns and the rest: as of `LinearClassifier`.

    Raises:
      ValueError: for wrong arguments; when it runs, for features or labels that do not fit.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> regressor = tf.estimator.LinearRegressor([column], "./numbers", optimizer="SGD")
    """

    arguments = """
        feature_columns model_dir label_dimension weight_column optimizer config partitioner
        warm_start_from loss_reduction sparse_combiner
    """


class LinearEstimator(_Linear):
    """A linear model with a head of one's own (TensorFlow: `tf.estimator.LinearEstimator`).

    Args:
      head: as of `tf.estimator.DNNEstimator`.
      feature_columns and the rest: as of `LinearClassifier`.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> head = tf.contrib.estimator.regression_head(label_dimension=2)
      >>> estimator = tf.estimator.LinearEstimator(head, [column], "./pairs")
    """

    arguments = """
        head feature_columns model_dir optimizer config partitioner sparse_combiner warm_start_from
    """
