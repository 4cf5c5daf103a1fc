"""Words to numbers and back, in one call.

Mirrors tensorflow/python/ops/lookup_ops.py, and contrib/lookup/lookup_ops.py of 1.15.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.constant_value import constant_value
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.range import range as number_range
from tinytf.ops.array.shape import size
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.lookup import initializers, mutable
from tinytf.ops.lookup.id_tables import FastHashSpec, HasherSpec, IdTableWithHashBuckets
from tinytf.ops.lookup.initialize_table_ops import LINE_NUMBER, WHOLE_LINE
from tinytf.ops.lookup.tables import StaticHashTable
from tinytf.ops.math.cast import cast


def index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    key_dtype: Any = dtypes.string,
    name: str | None = None,
    key_column_index: int = WHOLE_LINE,
    value_column_index: int = LINE_NUMBER,
    delimiter: str = "\t",
) -> Any:
    r"""A table from the words of a file to their line numbers.

    TensorFlow: `tf.contrib.lookup.index_table_from_file`.

    Args:
      vocabulary_file: its name, a string or a scalar tensor.
      num_oov_buckets: numbers for other words, behind the known ones; hashes choose among them.
      vocab_size: how many lines to read; None for all.
      default_value: for other words if there are no buckets.
      hasher_spec: the hash function. key_dtype: strings or integers. name: of the scope.
      key_column_index, value_column_index, delimiter: see `tf.lookup.TextFileInitializer`.

    Returns:
      a table: `lookup(words)`, `initializer`, `size()`.

    Raises:
      ValueError: without a file, for a negative number of buckets, a `vocab_size` below 1.
      TypeError: for other keys.

    Example:
      >>> with open("words.txt", "w") as file:
      ...     size = file.write("emerson\nlake\npalmer\n")
      >>> table = tf.contrib.lookup.index_table_from_file("words.txt", num_oov_buckets=1)
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant(["lake", "king"])))
      array([1, 3])
    """
    _check_file(vocabulary_file)
    _check_buckets(num_oov_buckets, "num_oov_buckets")
    key_dtype = dtypes.as_dtype(key_dtype)
    if vocab_size is not None and vocab_size < 1:
        shown = vocabulary_file
        if isinstance(shown, Tensor):
            shown = constant_value(shown) or "?"
        raise ValueError(
            f"`vocab_size` must be greater than 0, got {vocab_size} for vocabulary_file: {shown}."
        )
    if not key_dtype.is_integer and key_dtype.base_dtype != dtypes.string:
        raise TypeError("Dtype for `keys` should be either integer or string.")
    with op_scope(name, "string_to_index"):
        with get_default_graph().name_scope("hash_table"):
            init = initializers.TextFileIdTableInitializer(
                vocabulary_file,
                vocab_size=vocab_size,
                name="table_init",
                key_dtype=dtypes.int64 if key_dtype.is_integer else key_dtype,
                key_column_index=key_column_index,
                value_column_index=value_column_index,
                delimiter=delimiter,
            )
            table = StaticHashTable(init, default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=key_dtype)


def _check_file(file: Any) -> None:
    if file is None or (isinstance(file, str) and not file):
        raise ValueError("`vocabulary_file` must be specified and must not be empty.")


def _check_buckets(count: int, what: str) -> None:
    if count < 0:
        raise ValueError(f"{what} must be greater or equal than 0, got {count}.")


def index_table_from_tensor(
    vocabulary_list: Any = None,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    dtype: Any = dtypes.string,
    name: str | None = None,
    mapping: Any = None,
) -> Any:
    """A table from words to their places in a vector.

    TensorFlow: `tf.contrib.lookup.index_table_from_tensor`, `lookup_ops.index_table_from_tensor`.

    Args:
      vocabulary_list, mapping: a vector of strings or integers, by either of its names.
      num_oov_buckets, default_value, hasher_spec, name: see `index_table_from_file`.
      dtype: of the keys.

    Raises:
      ValueError: without a vector, for another type, for a negative number of buckets.
      TypeError: for keys that are neither.

    Example:
      >>> table = tf.contrib.lookup.index_table_from_tensor(["emerson", "lake", "palmer"])
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant(["lake", "king"])))
      array([ 1, -1])
    """
    words = _one_name(vocabulary_list, mapping, "`vocabulary_list` must be specified.")
    _check_buckets(num_oov_buckets, "`num_oov_buckets`")
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError("`dtype` must either be integer or string.")
    with op_scope(name, "string_to_index"):
        keys = convert_to_tensor(words)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = "integer" if dtype.is_integer else "non-integer"
            raise ValueError(f"Invalid `dtype`: Expected {kind}, got {keys.dtype}.")
        if not dtype.is_integer and keys.dtype.base_dtype != dtype:
            raise ValueError(f"Invalid `dtype`: Expected {dtype}, got {keys.dtype}.")
        values = cast(number_range(size(keys)), dtypes.int64)
        with get_default_graph().name_scope("hash_table"):
            keys = cast(keys, dtypes.int64) if keys.dtype.is_integer else keys
            init = initializers.KeyValueTensorInitializer(keys, values, name="table_init")
            table = StaticHashTable(init, default_value)
        if not num_oov_buckets:
            return table
        return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)


def _one_name(newer: Any, older: Any, message: str) -> Any:
    if newer is None and older is None:
        raise ValueError(message)
    return older if newer is None else newer


def index_to_string_table_from_file(
    vocabulary_file: Any,
    vocab_size: int | None = None,
    default_value: Any = "UNK",
    name: str | None = None,
    key_column_index: int = LINE_NUMBER,
    value_column_index: int = WHOLE_LINE,
    delimiter: str = "\t",
) -> StaticHashTable:
    r"""A table from line numbers to the words of a file.

    TensorFlow: `tf.contrib.lookup.index_to_string_table_from_file`.

    Args:
      vocabulary_file: its name, a string or a scalar tensor.
      vocab_size: how many lines to read; None for all.
      default_value: for other numbers. name: of the scope.
      key_column_index, value_column_index, delimiter: see `tf.lookup.TextFileInitializer`.

    Raises:
      ValueError: without a file, or for a `vocab_size` below 1.

    Example:
      >>> with open("words.txt", "w") as file:
      ...     size = file.write("emerson\nlake\n")
      >>> table = tf.contrib.lookup.index_to_string_table_from_file("words.txt")
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant([1, 9], tf.int64))).tolist()
      [b'lake', b'UNK']
    """
    _check_file(vocabulary_file)
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f"`vocab_size` must be greater than 0, got {vocab_size}.")
    with op_scope(name, "index_to_string"):
        init = initializers.TextFileStringTableInitializer(
            vocabulary_file,
            vocab_size=vocab_size,
            name="table_init",
            key_column_index=key_column_index,
            value_column_index=value_column_index,
            delimiter=delimiter,
        )
        return StaticHashTable(init, default_value)


def index_to_string_table_from_tensor(
    vocabulary_list: Any = None,
    default_value: Any = "UNK",
    name: str | None = None,
    mapping: Any = None,
) -> StaticHashTable:
    """A table from places in a vector to the words there.

    TensorFlow: `tf.contrib.lookup.index_to_string_table_from_tensor`.

    Args:
      vocabulary_list, mapping: a vector of strings, by either of its names.
      default_value: for other numbers. name: of the scope.

    Raises:
      ValueError: without a vector.

    Example:
      >>> table = tf.contrib.lookup.index_to_string_table_from_tensor(["emerson", "lake"])
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant([1, 9], tf.int64))).tolist()
      [b'lake', b'UNK']
    """
    words = _one_name(vocabulary_list, mapping, "`vocabulary_list` argument must be specified.")
    with op_scope(name, "index_to_string"):
        words = convert_to_tensor(words, dtypes.string)
        keys = cast(number_range(size(words)), dtypes.int64)
        init = initializers.KeyValueTensorInitializer(keys, words, name="table_init")
        return StaticHashTable(init, default_value)


# As tf.contrib.lookup had them --------------------------------------------------------------------


def string_to_index_table_from_file(
    vocabulary_file: Any = None,
    num_oov_buckets: int = 0,
    vocab_size: int | None = None,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_file` by its older name.

    TensorFlow: `tf.contrib.lookup.string_to_index_table_from_file`.
    """
    return index_table_from_file(
        vocabulary_file, num_oov_buckets, vocab_size, default_value, hasher_spec, name=name
    )


def string_to_index_table_from_tensor(
    mapping: Any,
    num_oov_buckets: int = 0,
    default_value: Any = -1,
    hasher_spec: HasherSpec = FastHashSpec,
    name: str | None = None,
) -> Any:
    """`index_table_from_tensor` by its older name.

    TensorFlow: `tf.contrib.lookup.string_to_index_table_from_tensor`.
    """
    with op_scope(name, "string_to_index") as scope:
        return index_table_from_tensor(
            mapping, num_oov_buckets, default_value, hasher_spec, name=scope
        )


def string_to_index(
    tensor: Any, mapping: Any, default_value: Any = -1, name: str | None = None
) -> Any:
    """Words as their places in a vector (TensorFlow: `tf.contrib.lookup.string_to_index`).

    Args:
      tensor: words, a tensor or a SparseTensor. mapping: a vector of strings.
      default_value: for words that are not in it. name: of the scope.

    Example:
      >>> places = tf.contrib.lookup.string_to_index(tf.constant(["b"]), mapping=["a", "b"])
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(places)
      array([1])
    """
    table = index_table_from_tensor(mapping, default_value=default_value, name=name)
    return table.lookup(tensor)


def index_to_string(
    tensor: Any, mapping: Any, default_value: Any = "UNK", name: str | None = None
) -> Any:
    """Places in a vector as the words there (TensorFlow: `tf.contrib.lookup.index_to_string`).

    Args:
      tensor: int64, a tensor or a SparseTensor. mapping: a vector of strings.
      default_value: for other numbers. name: of the scope.

    Example:
      >>> words = tf.contrib.lookup.index_to_string(tf.constant([1], tf.int64), ["a", "b"])
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(words).tolist()
      [b'b']
    """
    return index_to_string_table_from_tensor(mapping, default_value, name).lookup(tensor)


class HashTable(StaticHashTable):
    """`tf.lookup.StaticHashTable` as contrib had it (TensorFlow: `tf.contrib.lookup.HashTable`).

    Args:
      initializer, default_value, name: see `tf.lookup.StaticHashTable`.
      shared_name: one table for all sessions of a server that use the name.

    Example:
      >>> pairs = tf.contrib.lookup.KeyValueTensorInitializer(["emerson", "lake"], [10, 20])
      >>> table = tf.contrib.lookup.HashTable(pairs, -1)
      >>> sess.run(table.init)
      >>> sess.run(table.lookup(tf.constant(["lake"])))
      array([20], dtype=int32)
    """

    def __init__(
        self,
        initializer: initializers.TableInitializerBase,
        default_value: Any,
        shared_name: str | None = None,
        name: str | None = None,
    ):
        self._asked_shared_name = shared_name
        super().__init__(initializer, default_value, name)

    def _make(self, default_value: Any) -> None:
        if self._asked_shared_name:
            self._shared_name = self._asked_shared_name
        super()._make(default_value)


class MutableHashTable(mutable.MutableHashTable):
    """A table that can be changed (TensorFlow: `tf.contrib.lookup.MutableHashTable`).

    Args:
      shared_name: one table for all sessions of a server that use the name.
      Others: see `tf.lookup.experimental.MutableHashTable`.

    Example:
      >>> table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1, shared_name="words")
    """

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        shared_name: str | None = None,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
    ):
        self._shared_name = shared_name or ""
        super().__init__(key_dtype, value_dtype, default_value, name, checkpoint)
