"""Feature columns by the names that they had in `tf.contrib.layers`.

They are `tf.feature_column`'s. What a column of old was told itself is told to a model now: a
combiner other than "sum" is `sparse_combiner` of `tf.estimator.LinearClassifier`.
Mirrors tensorflow/contrib/layers/python/layers/feature_column.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tinytf.feature_column import categorical, crossed, embedding, numeric
from tinytf.feature_column.base import require
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.tensor_shape import TensorShape


def real_valued_column(
    column_name: str,
    dimension: int | None = 1,
    default_value: Any = None,
    dtype: Any = dtypes.float32,
    normalizer: Callable[[Any], Any] | None = None,
) -> numeric.NumericColumn:
    """A feature of numbers (TensorFlow: `tf.contrib.layers.real_valued_column`).

    Args:
      column_name: the feature's key; "" for the one that is no dict.
      dimension: how many numbers. default_value: for examples without it. dtype: of the numbers.
      normalizer: a function of the tensor.

    Raises:
      ValueError: without a dimension.

    Example:
      >>> column = tf.contrib.layers.real_valued_column("", dimension=4)
    """
    require(
        dimension is not None,
        f"real_valued_column({column_name!r}, dimension=None): features of different lengths are "
        f"not part of tinytf. Pad them, and give the dimension.",
    )
    return numeric.numeric_column(column_name, (dimension,), default_value, dtype, normalizer)


def sparse_column_with_keys(
    column_name: str,
    keys: Sequence[Any],
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
) -> Any:
    """A feature whose values are listed (TensorFlow: `tf.contrib.layers`).

    Args:
      column_name: the feature's key. keys: its values. default_value: the id of others.
      combiner: "sum". dtype: of the values.

    Raises:
      ValueError: for another combiner.

    Example:
      >>> column = tf.contrib.layers.sparse_column_with_keys("gender", ["female", "male"])
    """
    _check(combiner)
    make = categorical.categorical_column_with_vocabulary_list
    return make(column_name, keys, dtype, default_value)


def sparse_column_with_hash_bucket(
    column_name: str, hash_bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.string
) -> Any:
    """A feature of many values, which share buckets (TensorFlow: `tf.contrib.layers`).

    Args:
      column_name: the feature's key. hash_bucket_size: how many buckets.
      combiner: "sum". dtype: of the values.

    Raises:
      ValueError: for another combiner.

    Example:
      >>> column = tf.contrib.layers.sparse_column_with_hash_bucket("occupation", 1000)
    """
    _check(combiner)
    return categorical.categorical_column_with_hash_bucket(column_name, hash_bucket_size, dtype)


def sparse_column_with_integerized_feature(
    column_name: str, bucket_size: int, combiner: str = "sum", dtype: Any = dtypes.int64
) -> Any:
    """A feature of numbers that are ids already (TensorFlow: `tf.contrib.layers`).

    Args:
      column_name: the feature's key. bucket_size: how many ids. combiner: "sum". dtype: ignored.

    Raises:
      ValueError: for another combiner.

    Example:
      >>> column = tf.contrib.layers.sparse_column_with_integerized_feature("digit", 10)
    """
    _check(combiner)
    return categorical.categorical_column_with_identity(column_name, bucket_size)


def sparse_column_with_vocabulary_file(
    column_name: str,
    vocabulary_file: str,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: int = -1,
    combiner: str = "sum",
    dtype: Any = dtypes.string,
) -> Any:
    """A feature whose values are the lines of a file (TensorFlow: `tf.contrib.layers`).

    Args:
      column_name: the feature's key. vocabulary_file: its path. vocab_size: so many lines.
      num_oov_buckets: buckets for other values. default_value: without buckets, the id of those.
      combiner: "sum". dtype: of the values.

    Raises:
      ValueError: for another combiner, or without vocab_size.

    Example:
      >>> column = tf.contrib.layers.sparse_column_with_vocabulary_file(
      ...     "word", "words.txt", vocab_size=1000
      ... )
    """
    _check(combiner)
    require(vocab_size is not None, "vocab_size should be defined.")
    make = categorical.categorical_column_with_vocabulary_file
    default = None if num_oov_buckets else default_value
    return make(column_name, vocabulary_file, vocab_size, num_oov_buckets, default, dtype)


def weighted_sparse_column(
    sparse_id_column: Any, weight_column_name: str, dtype: Any = dtypes.float32
) -> Any:
    """A column whose values count more or less (TensorFlow: `tf.contrib.layers`).

    Args:
      sparse_id_column: a sparse column. weight_column_name: the feature of the weights.
      dtype: of the weights.

    Example:
      >>> words = tf.contrib.layers.sparse_column_with_hash_bucket("words", 1000)
      >>> column = tf.contrib.layers.weighted_sparse_column(words, "frequencies")
    """
    return categorical.weighted_categorical_column(sparse_id_column, weight_column_name, dtype)


def crossed_column(
    columns: Iterable[Any],
    hash_bucket_size: int,
    combiner: str = "sum",
    ckpt_to_load_from: str | None = None,
    tensor_name_in_ckpt: str | None = None,
    hash_key: int | None = None,
) -> Any:
    """All combinations of columns, in hash buckets (TensorFlow: `tf.contrib.layers`).

    Args:
      columns: sparse, bucketized or crossed ones. hash_bucket_size: how many buckets.
      combiner: "sum". ckpt_to_load_from, tensor_name_in_ckpt: not here.
      hash_key: as of `tf.feature_column.crossed_column`.

    Raises:
      ValueError: for another combiner, or a checkpoint.

    Example:
      >>> layers = tf.contrib.layers
      >>> sparse = layers.sparse_column_with_hash_bucket
      >>> column = layers.crossed_column([sparse("country", 100), sparse("language", 100)], 1000)
    """
    _check(combiner)
    require(
        ckpt_to_load_from is None and tensor_name_in_ckpt is None,
        "ckpt_to_load_from is not part of tinytf: warm_start_from of tf.estimator's models is.",
    )
    hashed = categorical.HashedCategoricalColumn
    keys = [each.key if isinstance(each, hashed) else each for each in columns]
    return crossed.crossed_column(keys, hash_bucket_size, hash_key)


def infer_real_valued_columns(features: Any) -> list[numeric.NumericColumn]:
    """A column for each feature (TensorFlow: `tf.contrib.layers.infer_real_valued_columns`).

    Args:
      features: numbers, [batch] or [batch, n]; or a dict of such.

    Raises:
      ValueError: for other shapes or types.

    Example:
      >>> [column] = tf.contrib.layers.infer_real_valued_columns(tf.zeros([2, 3]))
      >>> column.shape
      (3,)
    """
    named: Mapping[str, Any] = features if isinstance(features, Mapping) else {"": features}
    return [_inferred(name, named[name]) for name in sorted(named)]


def _inferred(name: str, given: Any) -> numeric.NumericColumn:
    if not hasattr(given, "shape"):
        given = convert_to_tensor(given)
    kind, shape = dtypes.as_dtype(given.dtype), TensorShape(given.shape).as_list()
    require(
        kind.is_integer or kind.is_floating,
        f"features must be integer or floating types, got {kind.name} for feature {name!r}.",
    )
    require(len(shape) in (1, 2), f"Expected 2-dim shape for feature {name!r}, got {shape}.")
    return numeric.numeric_column(name, tuple(shape[1:]) or (1,), dtype=kind)


def _check(combiner: str) -> None:
    require(
        combiner == "sum",
        f"combiner={combiner!r}: here a linear model says how the values of an example are "
        f"combined, tf.estimator.LinearClassifier(columns, sparse_combiner={combiner!r}); an "
        f"embedding_column has a combiner.",
    )


one_hot_column = embedding.indicator_column
embedding_column = embedding.embedding_column
shared_embedding_columns = embedding.shared_embedding_columns
bucketized_column = numeric.bucketized_column
