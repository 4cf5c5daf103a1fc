"""A linear model and a deep network, added up: "wide and deep".

Mirrors tensorflow_estimator/python/estimator/canned/dnn_linear_combined.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from tinytf.estimator.canned import checks
from tinytf.estimator.canned.declared import LEAST_PART, CannedEstimator, ModelFn, parts_for
from tinytf.estimator.canned.dnn import DeepNetwork, add_layer_summary
from tinytf.estimator.canned.linear import linear_logits
from tinytf.estimator.canned.optimizers import optimizer_of
from tinytf.feature_column.base import require
from tinytf.framework.graph_keys import GraphKeys
from tinytf.framework.scope_functions import control_dependencies, get_collection
from tinytf.ops.control_flow.grouping import group
from tinytf.ops.variables.scope import variable_scope
from tinytf.ops.variables.state import assign_add
from tinytf.training.global_step import get_global_step
from tinytf.training.optimizer import Optimizer
from tinytf.training.sync_replicas.optimizer import SyncReplicasOptimizer

_DEEP_RATE, _LINEAR_RATE = 0.001, 0.005
#: Arguments that the three have in common.
_MODEL = """
    model_dir linear_feature_columns linear_optimizer dnn_feature_columns dnn_optimizer
    dnn_hidden_units dnn_activation_fn dnn_dropout
"""
_REST, _LAST = "input_layer_partitioner config", "batch_norm linear_sparse_combiner"
#: A part of the model that is trained: its results, its optimizer, the scope of its variables.
_Part = tuple[Any, Optimizer, str]


class _Combined(CannedEstimator):
    @staticmethod
    def model_fn_of(given: Any, head: Any) -> ModelFn:
        """A network in the scope "dnn", and a linear model in the scope "linear"."""
        columns = tuple(given.linear_feature_columns or [])
        deep_columns = tuple(given.dnn_feature_columns or [])
        how = given.dnn_activation_fn, given.dnn_dropout, given.batch_norm
        network = DeepNetwork(given.dnn_hidden_units, deep_columns, *how)
        require(
            columns or deep_columns,
            "Either linear_feature_columns or dnn_feature_columns must be defined.",
        )

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            checks.features(features)
            units = head.logits_dimension
            found: list[_Part] = []
            parts = given.input_layer_partitioner
            parts = parts or parts_for(config, min_slice_size=LEAST_PART)
            if deep_columns:
                optimizer = _single(given.dnn_optimizer, _DEEP_RATE)
                missing = "dnn_hidden_units must be defined when dnn_feature_columns is specified."
                require(network.hidden_units, missing)
                with variable_scope("dnn", partitioner=parts_for(config)) as scope:
                    deep = network.logits(features, mode, units, parts)
                found.append((deep, optimizer, scope.name))
            if columns:
                rate = min(_LINEAR_RATE, 1 / math.sqrt(len(columns)))
                optimizer = _single(given.linear_optimizer, rate)
                with variable_scope("linear", partitioner=parts) as scope:
                    linear = linear_logits(features, columns, units, given.linear_sparse_combiner)
                    add_layer_summary(linear, scope.name)
                found.append((linear, optimizer, scope.name))
            logits = found[0][0] if len(found) == 1 else found[0][0] + found[1][0]
            return head.create_estimator_spec(
                features, mode, logits, labels, train_op_fn=lambda loss: _train(loss, found)
            )

        return model_fn


def _train(loss: Any, parts: Iterable[_Part]) -> Any:
    """Each part is trained by its own optimizer; then the step counts."""
    trained = [
        optimizer.minimize(loss, var_list=get_collection(GraphKeys.TRAINABLE_VARIABLES, scope))
        for _, optimizer, scope in parts
    ]
    with control_dependencies([group(*trained)]):
        return assign_add(get_global_step(), 1).op


def _single(optimizer: Any, rate: float) -> Optimizer:
    found = optimizer_of(optimizer, rate)
    require(
        not isinstance(found, SyncReplicasOptimizer),
        "SyncReplicasOptimizer does not support multi optimizers case. Therefore, it is not "
        "supported in DNNLinearCombined model. If you want to use this optimizer, please use "
        "either DNN or Linear model.",
    )
    return found


class DNNLinearCombinedClassifier(_Combined):
    """A linear model and a deep network that tell classes apart together.

    TensorFlow: `tf.estimator.DNNLinearCombinedClassifier`.

    Args:
      model_dir: a folder for checkpoints and summaries.
      linear_feature_columns, linear_optimizer: of the linear model, as of `LinearClassifier`.
      dnn_feature_columns, dnn_optimizer, dnn_hidden_units, dnn_activation_fn, dnn_dropout,
        batch_norm: of the network, as of `DNNClassifier`.
      n_classes, weight_column, label_vocabulary, config, warm_start_from, loss_reduction: as there.
      input_layer_partitioner: of embeddings and linear weights.
      linear_sparse_combiner: as `sparse_combiner` of `LinearClassifier`.

    Raises:
      ValueError: without columns; as of the other two.

    Example:
      >>> word = tf.feature_column.categorical_column_with_hash_bucket("word", 100)
      >>> classifier = tf.estimator.DNNLinearCombinedClassifier(
      ...     "./wide_and_deep",
      ...     linear_feature_columns=[word],
      ...     dnn_feature_columns=[tf.feature_column.embedding_column(word, 4)],
      ...     dnn_hidden_units=[8],
      ... )
    """

    arguments = f"""
        {_MODEL} n_classes weight_column label_vocabulary {_REST} warm_start_from loss_reduction
        {_LAST}
    """


class DNNLinearCombinedRegressor(_Combined):
    """A linear model and a deep network that predict numbers together.

    TensorFlow: `tf.estimator.DNNLinearCombinedRegressor`.

    Args:
      label_dimension: how many numbers.
      model_dir and the rest: as of `DNNLinearCombinedClassifier`.

    Raises:
      ValueError: without columns; as of the other two.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> regressor = tf.estimator.DNNLinearCombinedRegressor(
      ...     "./numbers", [column], dnn_feature_columns=[column], dnn_hidden_units=[4]
      ... )
    """

    arguments = f"""
        {_MODEL} label_dimension weight_column {_REST} warm_start_from loss_reduction {_LAST}
    """


class DNNLinearCombinedEstimator(_Combined):
    """A linear model and a deep network with a head of one's own.

    TensorFlow: `tf.estimator.DNNLinearCombinedEstimator`.

    Args:
      head: as of `tf.estimator.DNNEstimator`.
      model_dir and the rest: as of `DNNLinearCombinedClassifier`.

    Raises:
      ValueError: without columns; as of the other two.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> head = tf.contrib.estimator.regression_head(label_dimension=2)
      >>> estimator = tf.estimator.DNNLinearCombinedEstimator(head, "./pairs", [column])
    """

    arguments = f"head {_MODEL} {_REST} {_LAST}"
