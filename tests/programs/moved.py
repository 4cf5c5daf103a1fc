"""What became of names of tf.contrib that the programs use, for a TensorFlow that has lost it.

The recorder gives programs a `tf.contrib` made of this: each name is TensorFlow 1.15's own code
under its other name, or computes the same, by what it documents.
"""

from __future__ import annotations

import inspect
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np


def contrib(tf: Any) -> Any:
    """A tf.contrib of what 2.15.1 still has under other names."""
    cells = {
        name: getattr(tf.nn.rnn_cell, name) for name in dir(tf.nn.rnn_cell) if name[0].isupper()
    }
    return SimpleNamespace(
        rnn=SimpleNamespace(**cells, static_rnn=tf.nn.static_rnn),
        layers=_layers(tf),
        lookup=_lookup(),
        seq2seq=_seq2seq(tf),
        data=_data(tf),
        distributions=_distributions(tf),
        losses=_losses(tf),
        metrics=_metrics(tf),
        staging=_staging(),
        estimator=_estimator(),
        feature_column=_feature_column(tf),
        framework=SimpleNamespace(get_or_create_global_step=tf.train.get_or_create_global_step),
    )


def _layers(tf: Any) -> Any:
    def fully_connected(
        inputs: Any,
        num_outputs: int,
        activation_fn: Any = tf.nn.relu,
        weights_initializer: Any = None,
        weights_regularizer: Any = None,
        biases_initializer: Any = None,
        reuse: Any = None,
        scope: Any = None,
    ) -> Any:
        with tf.variable_scope(scope, "fully_connected", reuse=reuse):
            shape = [int(inputs.shape[-1]), num_outputs]
            weights = tf.get_variable(
                "weights", shape, None, weights_initializer, weights_regularizer
            )
            zeros = tf.zeros_initializer()
            biases = tf.get_variable("biases", shape[1:], None, biases_initializer or zeros)
            outputs = tf.nn.bias_add(tf.matmul(inputs, weights), biases)
            return outputs if activation_fn is None else activation_fn(outputs)

    return SimpleNamespace(
        fully_connected=fully_connected,
        xavier_initializer=tf.glorot_uniform_initializer,
        l1_regularizer=lambda scale: lambda w: tf.multiply(scale, tf.reduce_sum(tf.abs(w))),
        l2_regularizer=lambda scale: lambda w: tf.multiply(scale, tf.nn.l2_loss(w)),
    )


def _turned(function: Any, fewer: int | None = None) -> Any:
    """With its first two arguments the other way round.

    Weights of 2016 are aligned with the first dimensions of the losses: those of a loss, which have
    `fewer` dimensions than the predictions, are given as many.
    """
    second, first, *others = inspect.signature(function).parameters

    def turned(*arguments: Any, **named: Any) -> Any:
        named.update(zip((first, second, *others), arguments, strict=False))
        if fewer is not None and np.ndim(named.get("weights", 1.0)):
            weights, ndim = named["weights"], len(named[first].shape) - fewer
            named["weights"] = np.reshape(weights, (len(weights),) + (1,) * (ndim - 1))
        return function(**named)

    return turned


def _losses(tf: Any) -> Any:
    """Those of tf.losses, with predictions first; the others had the order that they have."""
    elementwise = "absolute_difference cosine_distance log_loss mean_squared_error"
    names = dict.fromkeys([*elementwise.split(), "sigmoid_cross_entropy"], 0)
    names |= {"softmax_cross_entropy": 1, "sparse_softmax_cross_entropy": 1}
    turned = {name: _turned(getattr(tf.losses, name), fewer) for name, fewer in names.items()}

    def hinge_loss(logits: Any, labels: Any) -> Any:
        return tf.nn.relu(1.0 - (2.0 * labels - 1.0) * logits)  # of each, in no collection

    def mean_pairwise_squared_error(predictions: Any, labels: Any, weights: Any = 1.0) -> Any:
        d = predictions - labels
        pairs = tf.square(d[:, :, tf.newaxis] - d[:, tf.newaxis])  # and of each with itself
        loss = tf.reduce_sum(weights * tf.reduce_mean(pairs, [1, 2]))
        tf.losses.add_loss(loss)
        return loss

    def compute_weighted_loss(losses: Any, weights: Any) -> Any:
        weights = np.reshape(weights, np.shape(weights) + (1,) * (len(losses.shape) - 1))
        return tf.losses.compute_weighted_loss(losses, weights)

    own = (hinge_loss, mean_pairwise_squared_error, compute_weighted_loss)
    turned |= {function.__name__: function for function in own}
    return SimpleNamespace(**{**vars(tf.losses), **turned})


def _metrics(tf: Any) -> Any:
    """Those of tf.metrics as "streaming", predictions first where there are labels."""
    of_values = {
        "mean": "mean",
        "mean_tensor": "mean_tensor",
        "percentage_less": "percentage_below",
    }
    streaming = {
        f"streaming_{name}": _turned(getattr(tf.metrics, name))
        for name in dir(tf.metrics)
        if name[0] != "_" and name not in of_values.values()
    }
    streaming |= {f"streaming_{old}": getattr(tf.metrics, n) for old, n in of_values.items()}

    def accuracy(predictions: Any, labels: Any, weights: Any = 1.0) -> Any:
        right = tf.cast(tf.equal(predictions, labels), tf.float32)
        return tf.reduce_sum(right * weights) / tf.reduce_sum(tf.ones_like(right) * weights)

    sets = {f"set_{name}": getattr(tf.sets, name) for name in dir(tf.sets) if name[0] != "_"}
    return SimpleNamespace(**streaming, **sets, accuracy=accuracy)


def _data(tf: Any) -> Any:
    """tf.data.experimental, and what became methods of data sets."""
    older = tf.data.experimental

    def sliding_window_batch(
        size: int, stride: int = 1, window_shift: int | None = None, window_stride: int = 1
    ) -> Any:
        window = (size, window_shift or stride, window_stride, True)
        return lambda dataset: dataset.window(*window).flat_map(lambda part: part.batch(size))

    def reduce_dataset(dataset: Any, reducer: Any) -> Any:
        one = older.group_by_reducer(lambda *_: tf.constant(0, tf.int64), reducer)
        return older.get_single_element(dataset.apply(one))

    own = {
        "assert_element_shape": lambda shape: lambda d: d.map(lambda x: tf.ensure_shape(x, shape)),
        "batch_and_drop_remainder": lambda size: lambda d: d.batch(size, True),
        "padded_batch_and_drop_remainder": lambda *a: lambda d: d.padded_batch(*a, True),
        "reduce_dataset": reduce_dataset,
        "sliding_window_batch": sliding_window_batch,
        "sloppy_interleave": lambda *a, **k: older.parallel_interleave(*a, sloppy=True, **k),
    }
    return SimpleNamespace(**{**vars(older), **own})


def _distributions(tf: Any) -> Any:
    """tf.distributions; several normal ones as one, by the sum of their logarithms."""
    from tensorflow.python.ops.distributions import kullback_leibler, util

    class MultivariateNormalDiag(tf.distributions.Normal):
        def __init__(self, loc: Any, scale_diag: Any) -> None:
            super().__init__(loc, scale_diag)
            self._batch_shape = lambda: self.loc.shape[:-1]
            self._event_shape = lambda: self.loc.shape[-1:]

        def _sample_n(self, n: Any, seed: Any = None) -> Any:
            shape = [n, *self.loc.shape.as_list()]
            return self.loc + self.scale * tf.random_normal(shape, seed=seed)

        def log_prob(self, value: Any) -> Any:
            return tf.reduce_sum(super().log_prob(value), -1)

        def entropy(self) -> Any:
            return tf.reduce_sum(super().entropy(), -1)

    normal = tf.distributions.Normal

    @kullback_leibler.RegisterKL(MultivariateNormalDiag, MultivariateNormalDiag)
    def _kl(a: Any, b: Any, name: Any = None) -> Any:
        parts = [normal(d.loc, d.scale) for d in (a, b)]
        return tf.reduce_sum(tf.distributions.kl_divergence(*parts), -1)

    own = {"MultivariateNormalDiag": MultivariateNormalDiag}
    own["softplus_inverse"] = util.softplus_inverse
    return SimpleNamespace(**{**vars(tf.distributions), **own})


def _staging() -> Any:
    from tensorflow.python.ops import data_flow_ops as areas

    return SimpleNamespace(MapStagingArea=areas.MapStagingArea, StagingArea=areas.StagingArea)


def _lookup() -> Any:
    from tensorflow.python.ops import lookup_ops

    def index_table_from_tensor(mapping: Any, *arguments: Any, **named: Any) -> Any:
        return lookup_ops.index_table_from_tensor(mapping, *arguments, **named)

    return SimpleNamespace(
        HashTable=lookup_ops.StaticHashTableV1,
        KeyValueTensorInitializer=lookup_ops.KeyValueTensorInitializer,
        MutableHashTable=lookup_ops.MutableHashTable,
        index_table_from_file=lookup_ops.index_table_from_file,
        index_table_from_tensor=index_table_from_tensor,
        index_to_string_table_from_file=lookup_ops.index_to_string_table_from_file,
    )


def _estimator() -> Any:
    """Heads as of 1.15: the private ones of today's package, with contrib's reduction."""
    from tensorflow_estimator.python.estimator.canned import head

    mean = {"loss_reduction": "weighted_sum_over_batch_size"}
    binary = head._binary_logistic_head_with_sigmoid_cross_entropy_loss
    several = head._multi_class_head_with_softmax_cross_entropy_loss
    return SimpleNamespace(
        binary_classification_head=lambda **named: binary(**mean, **named),
        multi_class_head=lambda n_classes, **named: several(n_classes, **mean, **named),
        regression_head=lambda **named: head._regression_head(**mean, **named),
    )


def _feature_column(tf: Any) -> Any:
    def sequence_input_layer(features: Any, feature_columns: Any) -> Any:
        return tf.keras.experimental.SequenceFeatures(feature_columns)(features)

    return SimpleNamespace(sequence_input_layer=sequence_input_layer)


def _seq2seq(tf: Any) -> Any:
    """Decoding what is given for training is `dynamic_rnn` over it; the loss is a weighted mean."""

    def dynamic_decode(decoder: Any, impute_finished: bool) -> Any:
        assert impute_finished  # else what comes after the end is not zero
        cell, (inputs, lengths), initial_state = decoder
        outputs, state = tf.nn.dynamic_rnn(cell, inputs, lengths, initial_state)
        sample_id = tf.argmax(outputs, axis=2, output_type=tf.int32)
        return SimpleOutput(outputs, sample_id), state, lengths

    def sequence_loss(
        logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True
    ) -> Any:
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=targets, logits=logits)
        axis = None if average_across_timesteps else 0
        total = tf.reduce_sum(losses * weights, axis)
        return total / (tf.reduce_sum(weights, axis) + 1e-12)

    return SimpleNamespace(
        TrainingHelper=lambda inputs, lengths: (inputs, lengths),
        BasicDecoder=lambda cell, helper, initial_state: (cell, helper, initial_state),
        dynamic_decode=dynamic_decode,
        sequence_loss=sequence_loss,
    )


class SimpleOutput(NamedTuple):
    """What a decoder puts out at each step."""

    rnn_output: Any
    sample_id: Any
