"""What became of names of tf.contrib that the programs use, for a TensorFlow that has lost it.

The recorder gives programs a `tf.contrib` made of this: each name is TensorFlow 1.15's own code
under its other name, or computes the same, by what it documents.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, NamedTuple


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
