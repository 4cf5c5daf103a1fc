"""What became of names of tf.contrib that the programs use, for a TensorFlow that has lost it.

The recorder gives programs a `tf.contrib` made of this: each name is TensorFlow 1.15's own code
under its other name, or computes the same, by what it documents.
"""

from __future__ import annotations

import importlib
import inspect
import operator
from types import SimpleNamespace
from typing import Any

import numpy as np

from tests.programs.moved_opt import opt
from tests.programs.moved_rnn import rnn
from tests.programs.moved_seq2seq import seq2seq
from tests.programs.moved_training import training


def contrib(tf: Any) -> Any:
    """A tf.contrib of what 2.15.1 still has under other names."""
    slim = _slim(tf)
    return SimpleNamespace(
        rnn=SimpleNamespace(**rnn(tf)),
        layers=SimpleNamespace(**_layers(tf, slim)),
        slim=SimpleNamespace(**_layers(tf, slim)),
        framework=SimpleNamespace(**_framework(tf, slim)),
        training=SimpleNamespace(**training(tf)),
        opt=SimpleNamespace(**opt(tf)),
        lookup=_lookup(),
        seq2seq=SimpleNamespace(**seq2seq(tf)),
        data=_data(tf),
        distributions=_distributions(tf),
        losses=_losses(tf),
        metrics=_metrics(tf),
        staging=_staging(),
        estimator=_estimator(),
        feature_column=_feature_column(tf),
    )


#: Modules of TensorFlow -> what tf_slim, which is older than 2.15, looks for in them.
_WHERE_SLIM_LOOKS = {
    "framework.ops": "IndexedSlices Tensor",
    "layers.normalization": "layers.BatchNormalization",
    "ops.array_ops": "stack unstack",
    "ops.control_flow_ops": "Assert case cond while_loop",
    "ops.variable_scope": "Variable",  # as variable
}


def _slim(tf: Any) -> Any:
    """What became of the layers, and of what went with them, as tf.contrib.slim and others."""
    import tf_slim

    for module, names in _WHERE_SLIM_LOOKS.items():
        holder = importlib.import_module(f"tensorflow.python.{module}")
        for name in names.split():
            setattr(holder, name.split(".")[-1], operator.attrgetter(name)(tf))
    holder.variable = holder.Variable
    return tf_slim


def _layers(tf: Any, slim: Any) -> dict[str, Any]:
    """Those of tf_slim, with the columns that tf.feature_column has under other names."""
    columns = tf.feature_column

    def real_valued_column(name: str, dimension: int = 1, *how: Any, **named: Any) -> Any:
        return columns.numeric_column(name, dimension, *how, **named)

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
            look_up = tf.nn.embedding_lookup
            if unique:
                from tensorflow.python.ops.embedding_ops import embedding_lookup_unique as look_up
            return look_up(table, ids)

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
        "sparse_column_with_integerized_feature": columns.categorical_column_with_identity,
        "sparse_column_with_keys": columns.categorical_column_with_vocabulary_list,
        "sparse_column_with_vocabulary_file": columns.categorical_column_with_vocabulary_file,
        "weighted_sparse_column": columns.weighted_categorical_column,
    }


def _framework(tf: Any, slim: Any) -> dict[str, Any]:
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
