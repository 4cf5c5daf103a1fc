"""Tables that can be changed at any time. Mirrors tensorflow/python/ops/lookup_ops.py."""

from __future__ import annotations

from typing import Any

from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.operation import Operation
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.lookup import hash_table_ops
from tinytf.ops.lookup.lookup_table_ops import (
    lookup_table_export,
    lookup_table_find,
    lookup_table_insert,
    lookup_table_remove,
    lookup_table_size,
)
from tinytf.ops.lookup.tables import LookupInterface


class BaseMutableTable(LookupInterface):
    """What both kinds share; make one of the subclasses."""

    _resource_handle: Tensor
    _default_value: Tensor

    def _begin(self, handle: Tensor, is_saved: bool) -> None:
        self._resource_handle = handle
        self._name: str = handle.op.name.split("/")[-1]
        if is_saved:
            self.export()  # the nodes that a saver reads, as in TensorFlow's graphs

    @property
    def name(self) -> str:
        return self._name

    @property
    def resource_handle(self) -> Tensor:
        """The table, as operations take it."""
        return self._resource_handle

    def size(self, name: str | None = None) -> Tensor:
        with self._scope(name, "Size"), self._near():
            size: Tensor = lookup_table_size(self._resource_handle)
            return size

    def insert(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Add entries; of keys that are there, the values change.

        Args:
          keys, values: tensors, or what converts to them: one value for each key.

        Raises:
          When it runs: InvalidArgumentError for shapes that do not fit.
        """
        with self._scope(name, "lookup_table_insert", keys, values):
            keys = convert_to_tensor(keys, self._key_dtype, "keys")
            values = convert_to_tensor(values, self._value_dtype, "values")
            with self._near():
                op: Operation = lookup_table_insert(self._resource_handle, keys, values)
                return op

    def _find(self, keys: Any, default: Any, name: str | None) -> Tensor:
        with self._scope(name, "lookup_table_find", keys):
            keys = convert_to_tensor(keys, self._key_dtype, "keys")
            with self._near():
                found: Tensor = lookup_table_find(self._resource_handle, keys, default)
                return found

    def _remove(self, keys: Any, name: str | None) -> Operation:
        with self._scope(name, "lookup_table_remove", keys):
            op: Operation = lookup_table_remove(self._resource_handle, keys)
            return op

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values, in one order."""
        with self._scope(name, "lookup_table_export_values"), self._near():
            keys, values = lookup_table_export(
                self._resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
            return keys, values

    def _scope(self, name: str | None, what: str, *inputs: Any) -> op_scope:
        return op_scope(name, f"{self._name}_{what}", (self._resource_handle, *inputs))

    def _near(self) -> Any:
        return get_default_graph().colocate_with(self._resource_handle.op)


class MutableHashTable(BaseMutableTable):
    """A table that can be changed (TensorFlow: `tf.lookup.experimental.MutableHashTable`).

    Args:
      key_dtype, value_dtype: of its entries.
      default_value: for keys that are not there; a vector makes a table of vectors.
      name: of the operation that makes it.
      checkpoint: whether it will be saved: its node's name finds it then.
      experimental_is_anonymous: whether each step makes one of its own.

    Raises:
      When it runs: InvalidArgumentError for types that TensorFlow has no table for.

    Example:
      >>> table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, default_value=-1)
      >>> sess.run(table.insert(["emerson", "lake"], [10, 20]))
      >>> sess.run(table.lookup(["lake", "king"]))
      array([20, -1])
    """

    #: Found under this name by all sessions of a server; contrib's tables may have one.
    _shared_name = ""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        name: str = "MutableHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        shape = self._default_value.shape
        attrs: dict[str, Any] = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if shape.ndims != 0:
            attrs["value_shape"] = shape
        if experimental_is_anonymous:
            makers = (
                hash_table_ops.anonymous_mutable_hash_table,
                hash_table_ops.anonymous_mutable_hash_table_of_tensors,
            )
        else:
            attrs["shared_name"] = self._shared_name
            attrs["use_node_name_sharing"] = checkpoint and not self._shared_name
            makers = (
                hash_table_ops.mutable_hash_table,
                hash_table_ops.mutable_hash_table_of_tensors,
            )
        self._begin(makers[shape.ndims != 0](name=name, **attrs), checkpoint)

    def lookup(self, keys: Any, dynamic_default_values: Any = None, name: str | None = None) -> Any:
        """The values of keys, in their shape.

        Args:
          keys: a tensor, or what converts to one.
          dynamic_default_values: instead of the table's default value: for all keys, or each.
        """
        default = self._default_value
        if dynamic_default_values is not None:
            default = dynamic_default_values
        return self._find(keys, default, name)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Drop entries; keys that are not there are ignored.

        Args:
          keys: a tensor of at least one dimension.

        Raises:
          TypeError: for keys of another type.
        """
        if keys.dtype != self._key_dtype:
            raise TypeError(
                f"Dtype of argument `keys` must be {self._key_dtype}, received: {keys.dtype}"
            )
        return self._remove(keys, name)


class DenseHashTable(BaseMutableTable):
    """A table in buckets that an export shows.

    TensorFlow: `tf.lookup.experimental.DenseHashTable`.

    Args:
      key_dtype, value_dtype: of its entries.
      default_value: for keys that are not there; its shape is that of all values.
      empty_key, deleted_key: different keys that no program uses; their shape is that of all keys.
      initial_num_buckets: 4, 8, 16 ...
      name: of the operation that makes it.
      checkpoint: whether it will be saved: its node's name finds it then.
      experimental_is_anonymous: whether each step makes one of its own.

    Raises:
      When it runs: InvalidArgumentError for settings that do not fit, or one of the two keys.

    Example:
      >>> table = tf.lookup.experimental.DenseHashTable(
      ...     tf.int64, tf.int64, default_value=-1, empty_key=0, deleted_key=-1)
      >>> sess.run(table.insert(tf.constant([7], tf.int64), tf.constant([70], tf.int64)))
      >>> sess.run(table.lookup(tf.constant([7, 8], tf.int64)))
      array([70, -1])
    """

    _shared_name = ""

    def __init__(
        self,
        key_dtype: Any,
        value_dtype: Any,
        default_value: Any,
        empty_key: Any,
        deleted_key: Any,
        initial_num_buckets: int | None = None,
        name: str = "MutableDenseHashTable",
        checkpoint: bool = True,
        experimental_is_anonymous: bool = False,
    ):
        super().__init__(key_dtype, value_dtype)
        self._default_value = convert_to_tensor(default_value, self._value_dtype, "default_value")
        empty = convert_to_tensor(empty_key, self._key_dtype, "empty_key")
        deleted = convert_to_tensor(deleted_key, self._key_dtype, "deleted_key")
        attrs: dict[str, Any] = {
            "value_dtype": self._value_dtype,
            "value_shape": self._default_value.shape,
        }
        if initial_num_buckets is not None:
            attrs["initial_num_buckets"] = initial_num_buckets
        if experimental_is_anonymous:
            make = hash_table_ops.anonymous_mutable_dense_hash_table
        else:
            make = hash_table_ops.mutable_dense_hash_table
            attrs["shared_name"] = self._shared_name
            attrs["use_node_name_sharing"] = checkpoint and not self._shared_name
        self._begin(make(empty, deleted, name=name, **attrs), checkpoint)

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys.

        Args:
          keys: a tensor, or what converts to one.
        """
        return self._find(keys, self._default_value, name)

    def insert_or_assign(self, keys: Any, values: Any, name: str | None = None) -> Operation:
        """Add entries, as `insert` does."""
        return self.insert(keys, values, name)

    def erase(self, keys: Any, name: str | None = None) -> Operation:
        """Drop entries; keys that are not there are ignored.

        Args:
          keys: a tensor of at least one dimension.

        Raises:
          TypeError: for keys of another type.
        """
        if keys.dtype != self._key_dtype:
            raise TypeError(
                f"Signature mismatch. Keys must be dtype {self._key_dtype}, got {keys.dtype}."
            )
        return self._remove(keys, name)

    def remove(self, keys: Any, name: str | None = None) -> Operation:
        """Drop entries, as `erase` does."""
        return self.erase(keys, name)
