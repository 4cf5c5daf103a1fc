"""tf.contrib.layers, slim and framework: tf_slim, which is what became of them."""

from __future__ import annotations

import importlib
import operator
from typing import Any

#: Modules of TensorFlow -> what tf_slim, which is older than 2.15, looks for in them.
_WHERE_SLIM_LOOKS = {
    "framework.ops": "IndexedSlices Tensor",
    "layers.normalization": "layers.BatchNormalization",
    "ops.array_ops": "stack unstack",
    "ops.control_flow_ops": "Assert case cond while_loop",
    "ops.variable_scope": "Variable",  # as variable
}


def slim(tf: Any) -> Any:
    """What became of the layers, and of what went with them, as tf.contrib.slim and others."""
    import tf_slim

    for module, names in _WHERE_SLIM_LOOKS.items():
        holder = importlib.import_module(f"tensorflow.python.{module}")
        for name in names.split():
            setattr(holder, name.split(".")[-1], operator.attrgetter(name)(tf))
    holder.variable = holder.Variable
    return tf_slim


def layers(tf: Any, slim: Any) -> dict[str, Any]:
    """Those of tf_slim, with the columns that tf.feature_column has under other names."""
    columns = tf.feature_column

    def real_valued_column(
        column_name: str,
        dimension: int = 1,
        default_value: Any = None,
        dtype: Any = tf.float32,
        normalizer: Any = None,
    ) -> Any:
        return columns.numeric_column(column_name, dimension, default_value, dtype, normalizer)

    def infer_real_valued_columns(features: Any) -> Any:
        named = features if isinstance(features, dict) else {"": features}
        widths = {name: int((*each.shape, 1)[1]) for name, each in named.items()}
        return [
            columns.numeric_column(name, widths[name], None, tf.as_dtype(each.dtype))
            for name, each in sorted(named.items())
        ]

    def embed_sequence(
        ids: Any,
        vocab_size: Any = None,
        embed_dim: Any = None,
        unique: bool = False,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool = True,
        scope: Any = None,
        reuse: Any = None,
    ) -> Any:
        with tf.variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
            shape = [vocab_size, embed_dim]
            table = slim.model_variable(
                "embeddings", shape, None, initializer, regularizer, trainable
            )
            return tf.nn.embedding_lookup(table, ids)

    return {
        **vars(slim),
        "bucketized_column": columns.bucketized_column,
        "crossed_column": columns.crossed_column,
        "embed_sequence": embed_sequence,
        "embedding_column": columns.embedding_column,
        "infer_real_valued_columns": infer_real_valued_columns,
        "one_hot_column": columns.indicator_column,
        "real_valued_column": real_valued_column,
        "safe_embedding_lookup_sparse": tf.nn.safe_embedding_lookup_sparse,
        "shared_embedding_columns": columns.shared_embedding_columns,
        "sparse_column_with_hash_bucket": columns.categorical_column_with_hash_bucket,
        "sparse_column_with_integerized_feature": lambda column_name, bucket_size: (
            columns.categorical_column_with_identity(column_name, bucket_size)
        ),
        "sparse_column_with_keys": lambda column_name, keys: (
            columns.categorical_column_with_vocabulary_list(column_name, keys)
        ),
        "sparse_column_with_vocabulary_file": lambda name, path, num_oov_buckets, vocab_size: (
            columns.categorical_column_with_vocabulary_file(name, path, vocab_size, num_oov_buckets)
        ),
        "weighted_sparse_column": columns.weighted_categorical_column,
    }


def framework(tf: Any, slim: Any) -> dict[str, Any]:
    from tensorflow.python.ops.confusion_matrix import remove_squeezable_dimensions

    taken_over = """CriticalSection TensorSpec argsort assert_scalar broadcast_to is_tensor nest
        convert_to_tensor_or_sparse_tensor py_func sort"""
    of_train = "init_from_checkpoint list_variables load_checkpoint load_variable"
    return {
        **vars(slim),
        **{name: getattr(tf, name) for name in taken_over.split()},
        **{name: getattr(tf.train, name) for name in of_train.split()},
        "assert_same_float_dtype": tf.debugging.assert_same_float_dtype,
        "remove_squeezable_dimensions": remove_squeezable_dimensions,
        "get_or_create_global_step": tf.train.get_or_create_global_step,
    }
