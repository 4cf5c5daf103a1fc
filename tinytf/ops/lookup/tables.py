"""`tf.lookup.StaticHashTable`, and what all tables share.

Mirrors tensorflow/python/ops/lookup_ops.py.
"""

from __future__ import annotations

import uuid
from typing import Any

from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.dtypes import DType
from tinytf.framework.operation import Operation
from tinytf.framework.sparse_tensor import SparseTensor
from tinytf.framework.stacks import get_default_graph
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_shape import scalar
from tinytf.ops.base.op_scope import op_scope
from tinytf.ops.lookup.hash_table_ops import anonymous_hash_table, hash_table
from tinytf.ops.lookup.initializers import TableInitializerBase
from tinytf.ops.lookup.lookup_table_ops import (
    lookup_table_export,
    lookup_table_find,
    lookup_table_size,
)


class LookupInterface:
    """A table in the graph; see the subclasses (TensorFlow: `tf.contrib.lookup.LookupInterface`).

    Args:
      key_dtype, value_dtype: of its entries.
    """

    def __init__(self, key_dtype: Any, value_dtype: Any):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self) -> DType:
        """Of its keys."""
        return self._key_dtype

    @property
    def value_dtype(self) -> DType:
        """Of its values."""
        return self._value_dtype

    @property
    def name(self) -> Any:
        """Of the table, without its scopes."""
        raise NotImplementedError

    def size(self, name: str | None = None) -> Tensor:
        """How many entries it has: a scalar, int64."""
        raise NotImplementedError

    def lookup(self, keys: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of keys."""
        raise NotImplementedError

    def __getitem__(self, keys: Any) -> Any:
        return self.lookup(keys)


def values_of_keys(keys: Any, dtype: DType) -> Tensor:
    """The tensor that keys are, or that a SparseTensor of keys holds.

    Raises:
      TypeError: for keys of another type.
    """
    if keys.dtype.base_dtype != dtype:
        raise TypeError(f"Dtype of argument `keys` must be {dtype}, received: {keys.dtype}")
    return keys.values if isinstance(keys, SparseTensor) else keys


def like_keys(keys: Any, values: Tensor) -> Any:
    """What was found, as a SparseTensor where the keys were one."""
    if isinstance(keys, SparseTensor):
        return SparseTensor(keys.indices, values, keys.dense_shape)
    return values


class StaticHashTable(LookupInterface):
    """A table that is filled once (TensorFlow: `tf.lookup.StaticHashTable`).

    `tf.tables_initializer()` fills all of a graph's, its own `initializer` only this one: once in
    each session. Tables filled from the same lines of a file are one.

    Args:
      initializer: what it is filled with, a `tf.lookup.KeyValueTensorInitializer` for example.
      default_value: a scalar, for keys that are not there.
      name: of the operation that makes it.
      experimental_is_anonymous: whether each step makes one of its own.

    Raises:
      ValueError: if `default_value` is no scalar.
      When looked up: FailedPreconditionError if it has not been filled.

    Example:
      >>> pairs = tf.lookup.KeyValueTensorInitializer(["emerson", "lake"], [10, 20])
      >>> table = tf.lookup.StaticHashTable(pairs, default_value=-1)
      >>> sess.run(tf.tables_initializer())
      >>> sess.run(table.lookup(tf.constant(["lake", "king"])))
      array([20, -1], dtype=int32)
    """

    def __init__(
        self,
        initializer: TableInitializerBase,
        default_value: Any,
        name: str | None = None,
        experimental_is_anonymous: bool = False,
    ):
        super().__init__(initializer.key_dtype, initializer.value_dtype)
        self._initializer = initializer
        self._is_anonymous = experimental_is_anonymous
        self._shared_name = initializer.shared_name or f"hash_table_{uuid.uuid4()}"
        self._asked_name = name or "hash_table"
        self._make(default_value)

    def _make(self, default_value: Any) -> None:
        graph = get_default_graph()
        self._default_value = convert_to_tensor(default_value, self._value_dtype)
        self._default_value.shape.merge_with(scalar())
        is_inside = graph._scopes.flow is not None
        with graph.control_dependencies(None):  # it lives outside of conditionals and loops
            self._resource_handle = self._make_handle()
            if is_inside:
                self._init_op = self._initializer.initialize(self)
        if not is_inside:
            self._init_op = self._initializer.initialize(self)

    def _make_handle(self) -> Tensor:
        types = {"key_dtype": self._key_dtype, "value_dtype": self._value_dtype}
        if self._is_anonymous:
            made: Tensor = anonymous_hash_table(name=self._asked_name, **types)
        else:
            made = hash_table(name=self._asked_name, shared_name=self._shared_name, **types)
        self._name = made.op.name.split("/")[-1]
        return made

    @property
    def name(self) -> str:
        return self._name

    @property
    def resource_handle(self) -> Tensor:
        """The table, as operations take it."""
        return self._resource_handle

    @property
    def default_value(self) -> Tensor:
        """For keys that are not there."""
        return self._default_value

    @property
    def initializer(self) -> Operation:
        """The operation that fills it."""
        return self._init_op

    @property
    def init(self) -> Operation:
        """The initializer, by its older name."""
        return self._init_op

    def size(self, name: str | None = None) -> Tensor:
        with op_scope(name, f"{self.name}_Size", (self._resource_handle,)):
            size: Tensor = lookup_table_size(self._resource_handle)
            return size

    def lookup(self, keys: Any, name: str | None = None) -> Any:
        """The values of keys, in their shape.

        Args:
          keys: a tensor, or a SparseTensor: then the values are one, too.

        Raises:
          TypeError: for keys of another type.
        """
        wanted = values_of_keys(keys, self._key_dtype)
        inputs = (self._resource_handle, wanted, self._default_value)
        with op_scope(name, f"{self.name}_Lookup", inputs):
            values = lookup_table_find(*inputs)
        values.set_shape(wanted.shape)
        return like_keys(keys, values)

    def export(self, name: str | None = None) -> tuple[Tensor, Tensor]:
        """All keys, and their values, in one order."""
        with op_scope(name, f"{self.name}_Export", (self._resource_handle,)):
            keys, values = lookup_table_export(
                self._resource_handle, Tkeys=self._key_dtype, Tvalues=self._value_dtype
            )
        values.set_shape(keys.shape.concatenate(self._default_value.shape))
        return keys, values
