"""What became of names of tf.contrib that the programs use, for a TensorFlow that has lost it.

The recorder gives programs a `tf.contrib` made of this: each name is TensorFlow 1.15's own code,
or computes the same by what it documents.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any


def contrib(tf: Any) -> Any:
    """A tf.contrib of what 2.15.1 still has under other names."""

    def l2_regularizer(scale: float) -> Any:
        return lambda weights: tf.multiply(scale, tf.nn.l2_loss(weights))

    def l1_regularizer(scale: float) -> Any:
        return lambda weights: tf.multiply(scale, tf.reduce_sum(tf.abs(weights)))

    def index_table_from_tensor(mapping: Any, *arguments: Any, **named: Any) -> Any:
        return lookup_ops.index_table_from_tensor(mapping, *arguments, **named)

    from tensorflow.python.ops import lookup_ops

    cells = {
        name: getattr(tf.nn.rnn_cell, name) for name in dir(tf.nn.rnn_cell) if name[0].isupper()
    }
    return SimpleNamespace(
        rnn=SimpleNamespace(**cells, static_rnn=tf.nn.static_rnn),
        layers=SimpleNamespace(
            xavier_initializer=tf.glorot_uniform_initializer,
            l1_regularizer=l1_regularizer,
            l2_regularizer=l2_regularizer,
            flatten=tf.layers.flatten,
        ),
        lookup=SimpleNamespace(
            HashTable=lookup_ops.StaticHashTableV1,
            KeyValueTensorInitializer=lookup_ops.KeyValueTensorInitializer,
            MutableHashTable=lookup_ops.MutableHashTable,
            index_table_from_file=lookup_ops.index_table_from_file,
            index_table_from_tensor=index_table_from_tensor,
            index_to_string_table_from_file=lookup_ops.index_to_string_table_from_file,
        ),
        framework=SimpleNamespace(
            get_or_create_global_step=tf.train.get_or_create_global_step,
            get_variables=tf.get_collection,
        ),
    )
