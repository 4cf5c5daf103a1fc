"""Deep networks: hidden layers, each fully connected.

Mirrors tensorflow_estimator/python/estimator/canned/dnn.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tinytf.estimator.canned import checks
from tinytf.estimator.canned.declared import LEAST_PART, CannedEstimator, ModelFn, parts_for
from tinytf.estimator.canned.optimizers import optimizer_of
from tinytf.estimator.model_fn import ModeKeys
from tinytf.feature_column.resource_models import dense_features
from tinytf.framework.tensor import Tensor
from tinytf.layers.core import Dense, Dropout
from tinytf.layers.normalization import BatchNormalization
from tinytf.ops.nn.losses import zero_fraction
from tinytf.ops.summary.summaries import histogram, scalar
from tinytf.ops.variables.initializers import GlorotUniform
from tinytf.ops.variables.scope import variable_scope

_LEARNING_RATE = 0.05


@dataclass(frozen=True)
class DeepNetwork:
    """Hidden layers over feature columns; the fields are arguments of `DNNClassifier`."""

    hidden_units: Any
    feature_columns: Any
    activation_fn: Any
    dropout: Any
    batch_norm: bool

    def logits(self, features: Any, mode: str, units: int, partitioner: Any) -> Tensor:
        """The network's results, [batch, units]; made in the current variable scope.

        Args:
          partitioner: of the input layer's variables.
        """
        layers = [self._layers(n, size) for n, size in enumerate(self.hidden_units)]
        with variable_scope("logits", use_resource=True) as last:
            final = Dense(units, kernel_initializer=GlorotUniform(), name=last, _scope=last)
        training = mode == ModeKeys.TRAIN
        with variable_scope("input_from_feature_columns", partitioner=partitioner):
            net = dense_features(features, self.feature_columns)
        for scope, dense, dropout, normal in layers:
            net = dense(net)
            if dropout is not None and training:
                net = dropout(net, training=True)
            if normal is not None:
                net = normal(net, training=training)
            add_layer_summary(net, scope.name)
        result = final(net)
        add_layer_summary(result, last.name)
        return result

    def _layers(self, number: int, size: int) -> tuple[Any, ...]:
        """The scope of a hidden layer; what is in it, or None."""
        with variable_scope(f"hiddenlayer_{number}", use_resource=True) as scope:
            dense = Dense(
                size,
                activation=self.activation_fn,
                kernel_initializer=GlorotUniform(),
                name=scope,
                _scope=scope,
            )
            dropout = normal = None
            if self.dropout is not None:
                dropout = Dropout(self.dropout)
            if self.batch_norm:
                name = f"batchnorm_{number}"
                normal = BatchNormalization(momentum=0.999, name=name, _scope=name)
        return scope, dense, dropout, normal


def add_layer_summary(value: Any, tag: str) -> None:
    """Summaries of a layer's results."""
    scalar(f"{tag}/fraction_of_zero_values", zero_fraction(value))
    histogram(f"{tag}/activation", value)


class _Deep(CannedEstimator):
    defaults = {"optimizer": "Adagrad"}

    @staticmethod
    def model_fn_of(given: Any, head: Any) -> ModelFn:
        """A network in the scope "dnn"."""
        columns = tuple(given.feature_columns or [])
        how = given.activation_fn, given.dropout, given.batch_norm
        network = DeepNetwork(given.hidden_units, columns, *how)

        def model_fn(features: Any, labels: Any, mode: str, config: Any) -> Any:
            training = optimizer_of(given.optimizer, _LEARNING_RATE)
            checks.features(features)
            with variable_scope("dnn", partitioner=parts_for(config)):
                parts = given.input_layer_partitioner
                parts = parts or parts_for(config, min_slice_size=LEAST_PART)
                logits = network.logits(features, mode, head.logits_dimension, parts)
                return head.create_estimator_spec(features, mode, logits, labels, training)

        return model_fn


class DNNClassifier(_Deep):
    """A deep network that tells classes apart (TensorFlow: `tf.estimator.DNNClassifier`).

    Args:
      hidden_units: the sizes of the hidden layers.
      feature_columns: dense columns, what the first of them sees.
      model_dir: a folder for checkpoints and summaries.
      n_classes: how many classes; labels are from 0 to n_classes - 1.
      weight_column: the name of a feature, or a numeric column: what examples count.
      label_vocabulary: the names of the classes, if labels are text.
      optimizer: a `tf.train.Optimizer`, a function that returns one, or a name: Adagrad, Adam,
        Ftrl, RMSProp, SGD.
      activation_fn: of hidden layers; None for none.
      dropout: the share of hidden units that is set to 0 in training.
      input_layer_partitioner: of embeddings; by default for the parameter servers.
      config: a `tf.estimator.RunConfig`.
      warm_start_from: a checkpoint, or `tf.estimator.WarmStartSettings`.
      loss_reduction: a `tf.losses.Reduction`: how the losses of a batch become one.
      batch_norm: whether each hidden layer is followed by batch normalization.

    Raises:
      ValueError: for wrong arguments; when it runs, for features or labels that do not fit.

    Example:
      >>> x = {"x": np.array([[0.0], [1.0], [2.0], [3.0]], np.float32)}
      >>> y = np.array([0, 0, 1, 1])
      >>> numpy_input_fn = tf.estimator.inputs.numpy_input_fn
      >>> column = tf.feature_column.numeric_column("x")
      >>> classifier = tf.estimator.DNNClassifier([4], [column], "./classes", optimizer="Adam")
      >>> training = numpy_input_fn(x, y, batch_size=4, num_epochs=None, shuffle=False)
      >>> model = classifier.train(training, steps=5)
      >>> results = classifier.evaluate(numpy_input_fn(x, y, shuffle=False))
      >>> sorted(results)[:4]
      ['accuracy', 'accuracy_baseline', 'auc', 'auc_precision_recall']
      >>> next(classifier.predict(numpy_input_fn(x, shuffle=False)))["probabilities"].shape
      (2,)
    """

    arguments = """
        hidden_units feature_columns model_dir n_classes weight_column label_vocabulary optimizer
        activation_fn dropout input_layer_partitioner config warm_start_from loss_reduction
        batch_norm
    """


class DNNRegressor(_Deep):
    """A deep network that predicts numbers (TensorFlow: `tf.estimator.DNNRegressor`).

    Args:
      label_dimension: how many numbers.
      hidden_units and the rest: as of `DNNClassifier`.

    Raises:
      ValueError: for wrong arguments; when it runs, for features or labels that do not fit.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> regressor = tf.estimator.DNNRegressor([4, 4], [column], "./numbers")
    """

    arguments = """
        hidden_units feature_columns model_dir label_dimension weight_column optimizer
        activation_fn dropout input_layer_partitioner config warm_start_from loss_reduction
        batch_norm
    """


class DNNEstimator(_Deep):
    """A deep network with a head of one's own (TensorFlow: `tf.estimator.DNNEstimator`).

    Args:
      head: what has `logits_dimension` and `create_estimator_spec`; such as
        `tf.contrib.estimator.multi_class_head(3)`.
      hidden_units and the rest: as of `DNNClassifier`.

    Example:
      >>> column = tf.feature_column.numeric_column("x")
      >>> head = tf.contrib.estimator.regression_head(label_dimension=2)
      >>> estimator = tf.estimator.DNNEstimator(head, [4], [column], "./pairs")
    """

    arguments = """
        head hidden_units feature_columns model_dir optimizer activation_fn dropout
        input_layer_partitioner config warm_start_from batch_norm
    """
