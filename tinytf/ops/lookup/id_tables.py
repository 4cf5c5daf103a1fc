"""Numbers for words outside of a vocabulary, too. Mirrors tensorflow/python/ops/lookup_ops.py."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.array.where import where_v2
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.control_flow.primitives import no_op
from tinytf.ops.lookup.tables import LookupInterface, StaticHashTable, like_keys, values_of_keys
from tinytf.ops.math.arithmetic import add
from tinytf.ops.math.cast import cast
from tinytf.ops.math.comparison import not_equal
from tinytf.ops.strings import hashing
from tinytf.ops.strings.numbers import as_string


class HasherSpec(NamedTuple):
    """Which hash function (TensorFlow: `tf.contrib.lookup.HasherSpec`).

    Attributes:
      hasher: "fasthash", "stronghash" or "legacy". key: of "stronghash", two numbers.
    """

    hasher: str
    key: Any


FastHashSpec = HasherSpec("fasthash", None)


class StrongHashSpec(HasherSpec):
    """A hash function with a key (TensorFlow: `tf.contrib.lookup.StrongHashSpec`).

    Args:
      key: two unsigned integers, which nobody else should know.

    Raises:
      ValueError: for another number of them. TypeError: for what is no integer.

    Example:
      >>> spec = tf.contrib.lookup.StrongHashSpec([12, 34])
    """

    __slots__ = ()

    def __new__(cls, key: Any) -> StrongHashSpec:
        """See the class."""
        if len(key) != 2:
            raise ValueError(f"`key` must have size 2, received {len(key)}")
        if not all(isinstance(part, int) for part in key):
            raise TypeError(f"Invalid key {key}. Must be unsigned integer values.")
        return super().__new__(cls, "stronghash", key)


class IdTableWithHashBuckets(LookupInterface):
    """Numbers for all words: those of a table, and buckets of hashes behind them.

    TensorFlow: `tf.contrib.lookup.IdTableWithHashBuckets`.

    Args:
      table: from strings or int64 to int64, or None.
      num_oov_buckets: how many buckets there are for keys that are not in the table.
      hasher_spec: the hash function that chooses among them.
      name: by default the table's.
      key_dtype: of the keys; integers of another size than the table's are cast.

    Raises:
      ValueError: without table and buckets. TypeError: for types that do not fit.

    Example:
      >>> words = tf.contrib.lookup.index_table_from_tensor(["emerson", "lake"])
      >>> all_words = tf.contrib.lookup.IdTableWithHashBuckets(words, num_oov_buckets=3)
    """

    def __init__(
        self,
        table: Any,
        num_oov_buckets: int,
        hasher_spec: HasherSpec = FastHashSpec,
        name: str | None = None,
        key_dtype: Any = None,
    ):
        name = name.rstrip("/") if name else name
        if table is not None:
            key_dtype = table.key_dtype if key_dtype is None else dtypes.as_dtype(key_dtype)
            _check_table(table.key_dtype, table.value_dtype, key_dtype)
            name = name or table.name
        elif num_oov_buckets <= 0:
            raise ValueError("`oov_buckets` must be > 0 if no `table` is supplied.")
        else:
            key_dtype = dtypes.string if key_dtype is None else dtypes.as_dtype(key_dtype)
        if not key_dtype.is_integer and key_dtype != dtypes.string:
            raise TypeError(f"Invalid `key_dtype`, expected integer or string, got {key_dtype}.")
        if not isinstance(hasher_spec, HasherSpec):
            raise TypeError(f"`hasher_spec` must be of type HasherSpec, got {type(hasher_spec)}.")
        super().__init__(key_dtype, dtypes.int64)
        self._table, self._count, self._spec = table, num_oov_buckets, hasher_spec
        self._name = (name or "hash_bucket").split("/")[-1]

    @property
    def name(self) -> str:
        return self._name

    @property
    def resource_handle(self) -> Tensor | None:
        """Of its table, if it has one."""
        return None if self._table is None else self._table.resource_handle

    @property
    def initializer(self) -> Operation:
        """The operation that fills its table."""
        if self._table is not None:
            found: Operation = self._table.initializer
            return found
        with get_default_graph().name_scope("init"):
            return no_op()

    @property
    def init(self) -> Operation:
        """The initializer, by its older name."""
        return self.initializer

    def size(self, name: str | None = None) -> Tensor:
        """The entries of its table and the buckets: a scalar, int64."""
        with op_scope(name, f"{self.name}_Size"):
            if self._table is not None:
                size = self._table.size()
            else:
                size = convert_to_tensor(0, dtypes.int64)
            return size + self._count

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The numbers of keys, int64, in their shape.

        Args:
          keys: a tensor, or a SparseTensor: then the numbers are one, too.

        Raises:
          TypeError: for keys of another type. ValueError: for an unknown hash function.
        """
        wanted = values_of_keys(keys, self._key_dtype)
        if self._table is not None and self._table.key_dtype == dtypes.int64:
            wanted = cast(wanted, dtypes.int64)
        if self._count == 0:
            return like_keys(keys, self._table.lookup(wanted, name=name))
        with op_scope(name, f"{self.name}_Lookup"):
            text = wanted if wanted.dtype.base_dtype == dtypes.string else as_string(wanted)
            ids = _hasher(self._spec)(text, num_buckets=self._count, name="hash_bucket")
            if self._table is not None:
                known = self._table.lookup(wanted)
                ids = add(ids, self._table.size())
                ids = where_v2(not_equal(known, self._table.default_value), known, ids)
        return like_keys(keys, ids)


def _check_table(table_keys: Any, table_values: Any, key_dtype: Any) -> None:
    supported = (dtypes.int64, dtypes.string)
    if table_keys not in supported:
        raise TypeError(f"Invalid `key_dtype`, expected one of {supported}, received {key_dtype}.")
    if table_keys.is_integer != key_dtype.is_integer:
        kind = "integer" if key_dtype.is_integer else "non-integer"
        raise TypeError(f"Invalid `key dtype`, expected {kind} but got {table_keys}.")
    if table_values != dtypes.int64:
        raise TypeError(f"Invalid `value_dtype`: expected int64 but got {table_values}.")


def _hasher(spec: HasherSpec) -> Callable[..., Tensor]:
    if spec.hasher == "fasthash":
        return hashing.string_to_hash_bucket_fast
    if spec.hasher == "legacy":
        return hashing.string_to_hash_bucket
    if spec.hasher == "stronghash":
        return functools.partial(hashing.string_to_hash_bucket_strong, key=spec.key)
    raise ValueError(f"Found unknown hasher {spec.hasher} in `hasher_spec`")


class StaticVocabularyTable(IdTableWithHashBuckets):
    """Numbers for words, the unknown ones too (TensorFlow: `tf.lookup.StaticVocabularyTable`).

    Args:
      initializer: from strings or int64 to int64; None for buckets only.
      num_oov_buckets: how many numbers there are for unknown words, behind the known ones.
      lookup_key_dtype: of the keys; integers of another size than the table's are cast.
      name: by default the table's.
      experimental_is_anonymous: whether each step makes one of its own.

    Raises:
      ValueError: without buckets. TypeError: for types that do not fit.

    Example:
      >>> pairs = tf.lookup.KeyValueTensorInitializer(
      ...     ["emerson", "lake"], [0, 1], tf.string, tf.int64)
      >>> table = tf.lookup.StaticVocabularyTable(pairs, num_oov_buckets=3)
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant(["lake", "king"])))  # king is in bucket 2, 3 or 4
      array([1, 3])
    """

    def __init__(
        self,
        initializer: Any,
        num_oov_buckets: int,
        lookup_key_dtype: Any = None,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        if num_oov_buckets <= 0:
            raise ValueError("`num_oov_buckets` must be > 0; use StaticHashTable.")
        table = None
        if initializer is not None:
            wanted = initializer.key_dtype if lookup_key_dtype is None else lookup_key_dtype
            _check_table(initializer.key_dtype, initializer.value_dtype, dtypes.as_dtype(wanted))
            table = StaticHashTable(
                initializer, default_value=-1, experimental_is_anonymous=experimental_is_anonymous
            )
        else:
            lookup_key_dtype = dtypes.string
        super().__init__(table, num_oov_buckets, name=name, key_dtype=lookup_key_dtype)
