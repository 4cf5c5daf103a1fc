"""Features of finitely many values: as they are counted, by a hash, by a vocabulary; weighted."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import numpy as np

from tinytf import ops
from tinytf.feature_column.base import (
    CategoricalColumn,
    IdWeightPair,
    Inputs,
    KeyedColumn,
    OfCategorical,
    check_key,
    check_text_or_integers,
    require,
    to_sparse,
)
from tinytf.framework import dtypes
from tinytf.framework.scope_functions import control_dependencies
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.io.feature_configs import VarLenFeature
from tinytf.ops.lookup.vocabularies import index_table_from_file, index_table_from_tensor
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import greater_equal, less
from tinytf.ops.math.logical import logical_or
from tinytf.ops.sparse.conversion import convert_to_tensor_or_sparse_tensor
from tinytf.ops.strings.hashing import string_to_hash_bucket_fast
from tinytf.ops.strings.numbers import as_string
from tinytf.resources import file_system


class _OfFeature(KeyedColumn, CategoricalColumn):
    """A categorical column of one feature."""

    def transform_feature(self, inputs: Inputs) -> Any:
        """The ids, sparse."""
        return self.ids(to_sparse(inputs.get(self.key)))

    def ids(self, features: SparseTensor) -> SparseTensor:
        """The ids of sparse features."""
        raise NotImplementedError

    def check_kind(self, features: SparseTensor) -> None:
        """Features are integers where the column's are, and text where those are text."""
        check_text_or_integers(features.dtype, f"column_name: {self.key} input_tensor")
        given = f"column dtype: {self.dtype}, tensor dtype: {features.dtype}"
        require(
            self.dtype.is_integer == features.dtype.is_integer,
            f"Column dtype and SparseTensors dtype must be compatible. key: {self.key}, {given}",
        )


# Identity -----------------------------------------------------------------------------------------


class IdentityCategoricalColumn(_OfFeature, namedtuple("_", "key number_buckets default_value")):
    """See `categorical_column_with_identity`."""

    dtype = dtypes.int64

    @property
    def num_buckets(self) -> int:
        """As the column was made."""
        return self.number_buckets

    def ids(self, features: SparseTensor) -> SparseTensor:
        """The features themselves, or the default."""
        integer = features.dtype.is_integer
        require(integer, f"Invalid input, not integer. key: {self.key} dtype: {features.dtype}")
        values: Any = features.values
        if values.dtype != dtypes.int64:
            values = cast(values, dtypes.int64, name="values")
        if self.default_value is not None:
            values = cast(features.values, dtypes.int64, name="values")
            count = cast(self.num_buckets, dtypes.int64, name="num_buckets")
            zero = cast(0, dtypes.int64, name="zero")
            outside = logical_or(
                less(values, zero), greater_equal(values, count), name="out_of_range"
            )
            default = ops.fill(
                ops.shape(values), cast(self.default_value, dtypes.int64), name="default_values"
            )
            values = where_v2(outside, default, values)
        return SparseTensor(features.indices, values, features.dense_shape)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """A feature of numbers that are ids already, from 0 on.

    TensorFlow: `tf.feature_column.categorical_column_with_identity`.

    Args:
      key: the feature's name; the column's, too. Dense features are none where they are -1.
      num_buckets: all ids are below it.
      default_value: what takes the place of others; None for an error in the run.

    Raises:
      ValueError: for a default that is not below `num_buckets`.

    Example:
      >>> hour = tf.feature_column.categorical_column_with_identity("hour", 3)
      >>> column = tf.feature_column.indicator_column(hour)
      >>> y = tf.feature_column.input_layer({"hour": [[2], [0]]}, [column])
      >>> y  # [[0., 0., 1.], [1., 0., 0.]]
    """
    require(num_buckets >= 1, f"num_buckets {num_buckets} < 1, column_name {key}")
    inside = default_value is None or 0 <= default_value < num_buckets
    given = f"default_value {default_value} not in range [0, {num_buckets}), column_name {key}"
    require(inside, given)
    check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


# Hash buckets -------------------------------------------------------------------------------------


class HashedCategoricalColumn(_OfFeature, namedtuple("_", "key hash_bucket_size dtype")):
    """See `categorical_column_with_hash_bucket`."""

    @property
    def num_buckets(self) -> int:
        """As the column was made."""
        return self.hash_bucket_size

    def ids(self, features: SparseTensor) -> SparseTensor:
        """The buckets of the features."""
        self.check_kind(features)
        texts = features.values if self.dtype == dtypes.string else as_string(features.values)
        ids = string_to_hash_bucket_fast(texts, self.hash_bucket_size, name="lookup")
        return SparseTensor(features.indices, ids, features.dense_shape)


def categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = dtypes.string
) -> HashedCategoricalColumn:
    """A feature of many values, which share buckets by their hash.

    TensorFlow: `tf.feature_column.categorical_column_with_hash_bucket`.

    Args:
      key: the feature's name; the column's, too. Dense features are none where they are "" or -1.
      hash_bucket_size: how many buckets.
      dtype: of the feature, text or integers; integers are hashed as they are written.

    Raises:
      ValueError: without buckets; for another dtype.

    Example:
      >>> word = tf.feature_column.categorical_column_with_hash_bucket("word", 4)
      >>> column = tf.feature_column.indicator_column(word)
      >>> y = tf.feature_column.input_layer({"word": [["a"], ["b"]]}, [column])
      >>> y  # [[0., 0., 0., 1.], [0., 0., 1., 0.]]
    """
    require(hash_bucket_size is not None, f"hash_bucket_size must be set. key: {key}")
    given = f"hash_bucket_size: {hash_bucket_size}, key: {key}"
    require(hash_bucket_size >= 1, f"hash_bucket_size must be at least 1. {given}")
    check_key(key)
    dtype = dtypes.as_dtype(dtype)
    check_text_or_integers(dtype, f"column_name: {key}")
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


# Vocabularies -------------------------------------------------------------------------------------


class _OfVocabulary(_OfFeature):
    """Ids from a lookup table, of 64-bit integers or text."""

    def ids(self, features: Any) -> SparseTensor:
        """What the table has for each feature."""
        self.check_kind(features)
        key_dtype = self.dtype
        if features.dtype.is_integer:
            key_dtype = dtypes.int64
            features = cast(features, dtypes.int64)
        with control_dependencies(None):  # a table is the graph's, wherever it is asked for first
            table = self.make_table(key_dtype, f"{self.key}_lookup")
        return table.lookup(features)

    def make_table(self, key_dtype: Any, name: str) -> Any:
        """A table from the vocabulary to ids."""
        raise NotImplementedError


class VocabularyListCategoricalColumn(
    _OfVocabulary, namedtuple("_", "key vocabulary_list dtype default_value num_oov_buckets")
):
    """See `categorical_column_with_vocabulary_list`."""

    @property
    def num_buckets(self) -> int:
        """The vocabulary, and the buckets for what is not in it."""
        return len(self.vocabulary_list) + self.num_oov_buckets

    def make_table(self, key_dtype: Any, name: str) -> Any:
        """A table of the list."""
        return index_table_from_tensor(
            vocabulary_list=tuple(self.vocabulary_list),
            num_oov_buckets=self.num_oov_buckets,
            default_value=self.default_value,
            dtype=key_dtype,
            name=name,
        )


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Any,
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """A feature whose values are listed; a value's id is its place in the list.

    TensorFlow: `tf.feature_column.categorical_column_with_vocabulary_list`.

    Args:
      key: the feature's name; the column's, too. Dense features are none where they are "" or -1.
      vocabulary_list: all values, each once: text or integers.
      dtype: of the feature; by default the list's.
      default_value: the id of what is not listed; with -1 it counts for nothing.
      num_oov_buckets: instead of a default: so many buckets that share what is not listed.

    Raises:
      ValueError: for an empty list, for values that come twice, for a default beside buckets, for
        other types.

    Example:
      >>> sex = tf.feature_column.categorical_column_with_vocabulary_list("sex", ["female", "male"])
      >>> column = tf.feature_column.indicator_column(sex)
      >>> y = tf.feature_column.input_layer({"sex": [["male"], ["?"]]}, [column])
      >>> sess.run(tf.tables_initializer())
      >>> y  # [[0., 1.], [0., 0.]]
    """
    filled = vocabulary_list is not None and len(vocabulary_list)
    where = f"column_name: {key}"
    require(filled, f"vocabulary_list {vocabulary_list} must be non-empty, {where}")
    unique = len(set(vocabulary_list)) == len(vocabulary_list)
    require(unique, f"Duplicate keys in vocabulary_list {vocabulary_list}, {where}")
    kind = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(key, num_oov_buckets, None if default_value == -1 else default_value)
    check_text_or_integers(kind, f"column_name: {key} vocabulary")
    dtype = kind if dtype is None else dtypes.as_dtype(dtype)
    same = dtype.is_integer == kind.is_integer
    require(same, f"dtype {dtype} and vocabulary dtype {kind} do not match, {where}")
    check_text_or_integers(dtype, f"column_name: {key}")
    check_key(key)
    return VocabularyListCategoricalColumn(
        key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets
    )


def _check_buckets(key: Any, num_oov_buckets: Any, default_value: Any) -> None:
    both = num_oov_buckets and default_value is not None
    require(not both, f"Can't specify both num_oov_buckets and default_value in {key}.")
    valid = not num_oov_buckets or num_oov_buckets > 0
    require(valid, f"Invalid num_oov_buckets {num_oov_buckets} in {key}.")


class VocabularyFileCategoricalColumn(
    _OfVocabulary,
    namedtuple("_", "key vocabulary_file vocabulary_size num_oov_buckets dtype default_value"),
):
    """See `categorical_column_with_vocabulary_file`."""

    @property
    def num_buckets(self) -> int:
        """The vocabulary, and the buckets for what is not in it."""
        return self.vocabulary_size + self.num_oov_buckets

    def make_table(self, key_dtype: Any, name: str) -> Any:
        """A table of the file's lines."""
        return index_table_from_file(
            vocabulary_file=self.vocabulary_file,
            num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size,
            default_value=self.default_value,
            key_dtype=key_dtype,
            name=name,
        )


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str,
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = dtypes.string,
) -> VocabularyFileCategoricalColumn:
    r"""A feature whose values are the lines of a file; a value's id is the number of its line.

    TensorFlow: `tf.feature_column.categorical_column_with_vocabulary_file`.

    Args:
      key: the feature's name; the column's, too. Dense features are none where they are "" or -1.
      vocabulary_file: its path.
      vocabulary_size: how many lines are used; by default all.
      num_oov_buckets, default_value: as of `categorical_column_with_vocabulary_list`.
      dtype: of the feature: text or integers.

    Raises:
      ValueError: without a file; for a default beside buckets; for another dtype.

    Example:
      >>> with open("words.txt", "w") as file:
      ...     _ = file.write("to\nbe\n")
      >>> word = tf.feature_column.categorical_column_with_vocabulary_file("word", "words.txt")
      >>> column = tf.feature_column.indicator_column(word)
      >>> y = tf.feature_column.input_layer({"word": [["be"]]}, [column])
      >>> sess.run(tf.tables_initializer())
      >>> y  # [[0., 1.]]
    """
    require(vocabulary_file, f"Missing vocabulary_file in {key}.")
    if vocabulary_size is None:
        there = file_system.exists(vocabulary_file)
        missing = f"vocabulary_file in {key} does not exist. It should be {vocabulary_file}."
        require(there, missing)
        text = file_system.read(vocabulary_file)
        vocabulary_size = text.count(b"\n") + (not text.endswith(b"\n"))
    require(vocabulary_size >= 1, f"Invalid vocabulary_size in {key}.")
    _check_buckets(key, num_oov_buckets, default_value)
    dtype = dtypes.as_dtype(dtype)
    check_text_or_integers(dtype, f"column_name: {key}")
    check_key(key)
    default = -1 if default_value is None else default_value
    fields = (key, vocabulary_file, vocabulary_size, num_oov_buckets or 0, dtype, default)
    return VocabularyFileCategoricalColumn(*fields)


# Weights ------------------------------------------------------------------------------------------


class WeightedCategoricalColumn(
    OfCategorical, CategoricalColumn, namedtuple("_", "categorical_column weight_feature_key dtype")
):
    """See `weighted_categorical_column`."""

    @property
    def suffix(self) -> str:  # type: ignore[override]
        """What the name has after the column's."""
        return f"_weighted_by_{self.weight_feature_key}"

    @property
    def parse_example_spec(self) -> dict[str, Any]:
        """The column's, and as many weights."""
        key, spec = self.weight_feature_key, super().parse_example_spec
        require(key not in spec, f"Parse config {spec.get(key)} already exists for {key}.")
        return spec | {key: VarLenFeature(self.dtype)}

    @property
    def num_buckets(self) -> int:
        """The column's."""
        return self.categorical_column.num_buckets

    def transform_feature(self, inputs: Inputs) -> Any:
        """Ids and weights, both sparse."""
        weights: Any = convert_to_tensor_or_sparse_tensor(inputs.get(self.weight_feature_key))
        given = f"Bad dtype, expected {self.dtype}, but got {weights.dtype}."
        require(self.dtype == weights.dtype.base_dtype, given)
        weights = to_sparse(weights, 0.0)
        if not weights.dtype.is_floating:
            weights = cast(weights, dtypes.float32)
        return inputs.get(self.categorical_column), weights

    def get_sparse_tensors(self, inputs: Inputs) -> IdWeightPair:
        """Ids and weights."""
        return IdWeightPair(*inputs.get(self))


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: Any = dtypes.float32
) -> WeightedCategoricalColumn:
    """A categorical column whose values count more or less.

    TensorFlow: `tf.feature_column.weighted_categorical_column`.

    Args:
      categorical_column: what is weighted.
      weight_feature_key: a feature of numbers, as many as the column has values in an example.
      dtype: of the weights.

    Raises:
      ValueError: if they are no numbers.

    Example:
      >>> word = tf.feature_column.categorical_column_with_identity("word", 3)
      >>> column = tf.feature_column.weighted_categorical_column(word, "count")
      >>> features = {"word": [[0, 2]], "count": [[2.0, 0.5]]}
      >>> y = tf.feature_column.input_layer(features, [tf.feature_column.indicator_column(column)])
      >>> y  # [[2., 0., 0.5]]
    """
    dtype = dtypes.as_dtype(dtype)
    number = dtype.is_integer or dtype.is_floating
    require(number, f"dtype {dtype} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)
