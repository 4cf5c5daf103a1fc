"""A table whose buckets can be seen: `tf.lookup.experimental.DenseHashTable`.

Two keys that no program uses mark buckets that are empty, or were left. An export shows all
buckets, and an import takes them as they are, so the order in which keys find their buckets is
TensorFlow's: open addressing with quadratic steps. Here only buckets in use take memory.
Mirrors `MutableDenseHashTable` of tensorflow/core/kernels/lookup_table_op.cc.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import ResourceExhaustedError, invalid
from tinytf.resources.queues.elements import shown
from tinytf.resources.tables import LookupTable, elements, rows_of

Key = tuple[Any, ...]
#: So many buckets are exported: a client's small message must not fill a server's memory.
_MOST_SHOWN = 1 << 26


class DenseTable(LookupTable):
    """See the module.

    Args:
      name, container, key_dtype, value_dtype, value_shape: see `LookupTable`.
      empty_key, deleted_key: scalars or vectors of one shape.
      bucket_count: to begin with: 4, 8, 16 ...
      max_load: the part of the buckets in use beyond which there are twice as many.
      hash_of: the number that decides on a key's bucket.

    Raises:
      InvalidArgumentError: for settings that do not fit.
    """

    def __init__(
        self,
        name: str,
        container: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...],
        empty_key: np.ndarray,
        deleted_key: np.ndarray,
        bucket_count: int,
        max_load: float,
        hash_of: Callable[[Key], int],
    ):
        super().__init__(name, container, key_dtype, value_dtype, value_shape)
        if not 0 < max_load < 1:
            raise invalid(f"max_load_factor must be between 0 and 1, got: {max_load:g}")
        if empty_key.shape != deleted_key.shape:
            raise invalid(
                "Empty and deleted keys must have same shape, got shapes: "
                f"{shown(empty_key.shape)} and {shown(deleted_key.shape)}"
            )
        self.key_shape: tuple[int, ...] = empty_key.shape
        self._empty, self._deleted = _key(empty_key), _key(deleted_key)
        if self._empty == self._deleted:
            raise invalid("Empty and deleted keys cannot be equal")
        self._check_count(bucket_count)
        self._max_load, self._hash_of = max_load, hash_of
        self._bucket_count = bucket_count
        self._at: dict[int, tuple[Key, Any]] = {}  # bucket -> its entry, or what was left there
        self._bucket_of: dict[Key, int] = {}
        #: what an export shows of a single number
        self._rows_of_keys = self.key_shape or (1,)
        self._rows_of_values = self.value_shape or (1,)

    def _check_count(self, count: int) -> None:
        if count < 4 or count & (count - 1):
            raise invalid(f"Number of buckets must be at least 4 and a power of 2, got: {count}")

    # Keys -----------------------------------------------------------------------------------------

    def _keys(self, keys: np.ndarray) -> list[Key]:
        """The keys of a tensor of them, none of which is one of the two marks."""
        count = len(keys) if keys.ndim else 1
        if keys.size != count * math.prod(self.key_shape):
            raise invalid(
                f"Expected key shape {shown((count, *self.key_shape))} got {shown(keys.shape)}"
            )
        found = self._split(keys)
        for key in found:
            for what, mark in (("empty", self._empty), ("deleted", self._deleted)):
                if key == mark:
                    raise invalid(
                        f"Using the {what}_key as a table key is not allowed: this table marks "
                        f"its {what} buckets by {mark}"
                    )
        return found

    def _split(self, keys: np.ndarray) -> list[Key]:
        rows = keys.reshape(-1, math.prod(self.key_shape))
        return list(map(tuple, rows.tolist()))

    def _batch(self, keys: np.ndarray) -> tuple[int, ...]:
        """How many keys there are, as a shape."""
        rank = len(self.key_shape)
        if rank and keys.shape[-rank:] != self.key_shape:
            raise invalid(
                f"Input key shape {shown(keys.shape)} must end with the table's key shape "
                f"{shown(self.key_shape)}"
            )
        return keys.shape[: keys.ndim - rank]

    # What all tables do ---------------------------------------------------------------------------

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """See `LookupTable.find`; of several default values the first one counts, as there."""
        batch = self._batch(keys)
        wanted = self._keys(keys)
        self.check_default(batch, default)
        other = default.reshape(-1, *self.value_shape)[0] if default.size else default
        if not self.value_shape:
            other = other.item()
        with self._lock:
            at, bucket_of = self._at, self._bucket_of
            found = [at[bucket_of[key]][1] if key in bucket_of else other for key in wanted]
        return rows_of(found, self.value_dtype, self.value_shape, batch)

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        self.check_values(self._batch(keys), values)
        given = self._keys(keys)
        new = self._values(values)
        with self._lock:
            self._grow(len(given))
            for key, value in zip(given, new, strict=True):
                self._put(key, value)

    def _values(self, values: np.ndarray) -> Iterable[Any]:
        if self.value_shape:
            return np.array(values).reshape(-1, *self.value_shape)
        return elements(values)

    def _put(self, key: Key, value: Any) -> None:
        bucket = self._bucket_of.get(key)
        if bucket is None:
            mask = self._bucket_count - 1
            bucket, steps = self._hash_of(key) & mask, 0
            while bucket in self._at and self._at[bucket][0] != self._deleted:
                steps += 1
                bucket = (bucket + steps) & mask
            self._bucket_of[key] = bucket
        self._at[bucket] = key, value

    def _grow(self, more: int) -> None:
        """As many buckets as so many entries more may need."""
        pending, count = len(self._bucket_of) + more, self._bucket_count
        if pending <= count * self._max_load:
            return
        while pending > count * self._max_load:
            count *= 2
        self._check_count(count)
        old = sorted((bucket, key) for key, bucket in self._bucket_of.items())
        entries = [self._at[bucket] for bucket, _ in old]
        self._bucket_count, self._at, self._bucket_of = count, {}, {}
        for key, value in entries:
            self._put(key, value)

    def remove(self, keys: np.ndarray) -> None:
        self._batch(keys)
        gone = self._keys(keys)
        with self._lock:
            for key in gone:
                bucket = self._bucket_of.pop(key, None)
                if bucket is not None:
                    self._at[bucket] = self._deleted, self._at[bucket][1]

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Take the buckets of an export."""
        rank = len(self._rows_of_keys)
        expected = (*keys.shape[: keys.ndim - rank], *self._rows_of_values)
        if values.shape != expected:
            raise invalid(f"Expected shape {shown(expected)} for value, got {shown(values.shape)}")
        if keys.shape[1:] != self._rows_of_keys:
            raise invalid(
                f"Expected key shape {shown(self._rows_of_keys)} of each bucket, got "
                f"{shown(keys.shape)}"
            )
        self._check_count(len(keys))
        entries = enumerate(zip(self._split(keys), self._values(values), strict=True))
        at = {bucket: entry for bucket, entry in entries if entry[0] != self._empty}
        bucket_of = {k: bucket for bucket, (k, _) in at.items() if k != self._deleted}
        with self._lock:
            self._bucket_count, self._at, self._bucket_of = len(keys), at, bucket_of

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """The keys and values of all buckets, the empty ones too."""
        with self._lock:
            count, at = self._bucket_count, dict(self._at)
        if count > _MOST_SHOWN:
            raise ResourceExhaustedError(
                f"OOM when allocating the {count} buckets of table {self.name}, which an export "
                f"shows, empty ones too; at most {_MOST_SHOWN} are shown. Begin with fewer: "
                f"initial_num_buckets"
            )
        keys = np.empty((count, math.prod(self.key_shape)), self.key_dtype.as_numpy_dtype)
        keys[:] = self._empty
        shape = (count, *self._rows_of_values)
        if self.value_dtype.as_numpy_dtype is object:
            values = np.full(shape, b"", object)
        else:
            values = np.zeros(shape, self.value_dtype.as_numpy_dtype)
        for bucket, (key, value) in at.items():
            keys[bucket] = key
            values[bucket] = value
        return keys.reshape((count, *self._rows_of_keys)), values

    def size(self) -> int:
        return len(self._bucket_of)


def _key(value: np.ndarray) -> Key:
    return tuple(elements(value))
