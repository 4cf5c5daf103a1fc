"""Lookup tables: keys and values that outlive a step.

Static ones are filled once, and then only read; mutable ones can be changed at any time. A key is a
Python number or a string of bytes; a value is one as well, or a row of an array.
Mirrors tensorflow/core/kernels/lookup_table_op.cc and lookup_table_init_op.cc.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType
from tinytf.framework.errors import (
    AbortedError,
    FailedPreconditionError,
    InvalidArgumentError,
    UnimplementedError,
)
from tinytf.resources.queues.elements import shown


def elements(values: np.ndarray) -> list[Any]:
    """The elements of an array as Python numbers or strings of bytes."""
    flat: list[Any] = values.reshape(-1).tolist()
    return flat


class LookupTable:
    """What all tables have in common. Thread-safe; no method waits.

    Args:
      name: for messages. container: where it is.
      key_dtype, value_dtype: of its entries.
      value_shape: of each value.
    """

    def __init__(
        self,
        name: str,
        container: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...] = (),
    ):
        self.name, self.container = name, container
        self.key_dtype, self.value_dtype = key_dtype, value_dtype
        self.value_shape = value_shape
        self._lock = threading.Lock()

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """The value of each key, or the default one (one for all, or one for each)."""
        raise NotImplementedError

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Add entries; of keys that are there, the values change."""
        raise NotImplementedError

    def remove(self, keys: np.ndarray) -> None:
        """Drop entries; keys that are not there are ignored."""
        raise NotImplementedError

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Have these entries and no others."""
        raise NotImplementedError

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        """All keys and values at this moment."""
        raise NotImplementedError

    def size(self) -> int:
        """The number of entries."""
        raise NotImplementedError

    def initialise(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        """Fill it, once. InvalidArgumentError for a table that is not filled so."""
        raise InvalidArgumentError(
            f"Table {self.container} {self.name} is not initializable: it is a mutable table, "
            f"which takes entries by insert() at any time"
        )

    def check_values(self, keys_shape: tuple[int, ...], values: np.ndarray) -> None:
        """InvalidArgumentError unless there is one value of the right shape for each key."""
        expected = (*keys_shape, *self.value_shape)
        if values.shape != expected:
            raise InvalidArgumentError(
                f"Expected shape {shown(expected)} for value, got {shown(values.shape)}"
            )

    def check_default(self, keys_shape: tuple[int, ...], default: np.ndarray) -> bool:
        """Whether there is a default value for each key, rather than one for all."""
        whole = (*keys_shape, *self.value_shape)
        if default.shape == self.value_shape:
            return False
        if default.shape == whole:
            return True
        raise InvalidArgumentError(
            f"Expected shape {shown(self.value_shape)} or {shown(whole)} for default "
            f"value, got {shown(default.shape)}"
        )

    def _found(self, entries: dict[Any, Any], keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        """What `find` returns."""
        one_each = self.check_default(keys.shape, default)
        wanted = elements(keys)
        spare: Any = elements(default)
        if self.value_shape:
            spare = default.reshape(-1, *self.value_shape)
        get = entries.get
        if one_each:
            found = [get(key, other) for key, other in zip(wanted, spare, strict=True)]
        else:
            other = spare[0]
            found = [get(key, other) for key in wanted]
        return rows_of(found, self.value_dtype, self.value_shape, keys.shape)

    def _exported(self, entries: dict[Any, Any]) -> tuple[np.ndarray, np.ndarray]:
        keys = rows_of(list(entries), self.key_dtype, (), (len(entries),))
        values = list(entries.values())
        return keys, rows_of(values, self.value_dtype, self.value_shape, keys.shape)


def rows_of(
    values: list[Any], dtype: DType, value_shape: tuple[int, ...], shape: tuple[int, ...]
) -> np.ndarray:
    """Values, each of one shape, as an array; `shape` is that of their keys."""
    array = np.empty((len(values), *value_shape), dtype.as_numpy_dtype)
    if values:
        array[:] = values
    return array.reshape((*shape, *value_shape))


class StaticTable(LookupTable):
    """`tf.lookup.StaticHashTable`: filled once."""

    def __init__(self, name: str, container: str, key_dtype: DType, value_dtype: DType):
        super().__init__(name, container, key_dtype, value_dtype)
        self._entries: dict[Any, Any] | None = None

    @property
    def is_initialised(self) -> bool:
        """Whether it has been filled."""
        return self._entries is not None

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        if self._entries is None:
            raise FailedPreconditionError(
                f"Table not initialized. It is {self.name!r}: run tf.tables_initializer() in this "
                f"session (or the table's own initializer) before what looks something up."
            )
        return self._found(self._entries, keys, default)

    def initialise(self, keys: Sequence[Any], values: Sequence[Any]) -> None:
        """Fill it. Filling it again with as many entries does nothing.

        Raises:
          FailedPreconditionError: if a key has two values, or it has been filled with other data.
        """
        with self._lock:
            if self._entries is not None:
                if len(keys) != len(self._entries):
                    raise FailedPreconditionError(
                        f"Table was already initialized with different data. {self.name!r} has "
                        f"{len(self._entries)} entries, and {len(keys)} were given. Two "
                        f"initializers of one table (or of one shared name) have to agree."
                    )
                return
            entries: dict[Any, Any] = {}
            for key, value in zip(keys, values, strict=True):
                if entries.setdefault(key, value) != value:
                    raise FailedPreconditionError(
                        f"HashTable has different value for same key. Key {_text(key)} has "
                        f"{_text(entries[key])} and trying to add value {_text(value)}"
                    )
            self._entries = entries

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        """It cannot be changed."""
        raise self._is_static("Insert")

    def remove(self, keys: np.ndarray) -> None:
        """It cannot be changed."""
        raise self._is_static("Remove")

    def _is_static(self, what: str) -> UnimplementedError:
        return UnimplementedError(
            f"{what} not supported by InitializableLookupTable implementations. "
            f"tf.lookup.experimental.MutableHashTable is a table that can be changed."
        )

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        """Fill it: what a graph's initializers do."""
        self.check_values(keys.shape, values)
        check_not_empty(keys)
        self.initialise(elements(keys), elements(values))

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        if self._entries is None:
            raise AbortedError("HashTable is not initialized.")
        return self._exported(self._entries)

    def size(self) -> int:
        return len(self._entries or ())


def check_not_empty(keys: np.ndarray) -> None:
    """InvalidArgumentError if there is nothing to fill a static table with."""
    if not keys.size:
        raise InvalidArgumentError("keys and values cannot be empty tensors.")


def _text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else f"{value}"


class MutableTable(LookupTable):
    """`tf.lookup.experimental.MutableHashTable`: of numbers and strings, or of rows."""

    def __init__(
        self,
        name: str,
        container: str,
        key_dtype: DType,
        value_dtype: DType,
        value_shape: tuple[int, ...] = (),
    ):
        super().__init__(name, container, key_dtype, value_dtype, value_shape)
        self._entries: dict[Any, Any] = {}  # guarded by self._lock

    def find(self, keys: np.ndarray, default: np.ndarray) -> np.ndarray:
        with self._lock:
            return self._found(self._entries, keys, default)

    def _given(self, keys: np.ndarray, values: np.ndarray) -> Iterable[tuple[Any, Any]]:
        self.check_values(keys.shape, values)
        if self.value_shape:
            rows = list(np.array(values).reshape(-1, *self.value_shape))
        else:
            rows = elements(values)
        return zip(elements(keys), rows, strict=True)

    def insert(self, keys: np.ndarray, values: np.ndarray) -> None:
        given = self._given(keys, values)
        with self._lock:
            self._entries.update(given)

    def remove(self, keys: np.ndarray) -> None:
        with self._lock:
            for key in elements(keys):
                self._entries.pop(key, None)

    def replace(self, keys: np.ndarray, values: np.ndarray) -> None:
        given = dict(self._given(keys, values))
        with self._lock:
            self._entries = given

    def export(self) -> tuple[np.ndarray, np.ndarray]:
        with self._lock:
            return self._exported(self._entries)

    def size(self) -> int:
        return len(self._entries)
