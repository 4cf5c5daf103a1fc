"""The op types that make lookup tables. Mirrors tensorflow/core/kernels/lookup_table_op.h.

The tables are in `resources.tables` and `resources.dense_table`. A table is shared under its
`shared_name` (or its node's name, with `use_node_name_sharing`), or belongs to its node; anonymous
ones live for a step. The old types hand on references; nothing builds them any more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework.dtypes import DType, string
from tinytf.framework.errors import invalid
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.shape_inference import is_scalar
from tinytf.ops.base.resource_cards import WHERE, own_or_shared, string_handle, string_handle_shape
from tinytf.ops.math.cast import kernel_name
from tinytf.ops.strings.hashing import murmur
from tinytf.resources.dense_table import DenseTable
from tinytf.resources.manager import DEFAULT_CONTAINER
from tinytf.resources.queues.elements import shown
from tinytf.resources.tables import LookupTable, MutableTable, StaticTable

STATE = "a table is state"
_WHERE = f"{WHERE}, use_node_name_sharing: bool = false"
_DTYPES = "key_dtype: type, value_dtype: type"
_OF_ROWS = "value_shape: shape = {}"
_DENSE = f"{_OF_ROWS}, initial_num_buckets: int = 131072, max_load_factor: float = 0.8"
_MARKS = "empty_key: key_dtype, deleted_key: key_dtype"

#: Makes a table from its name, its container, its node and its inputs.
Make = Callable[..., LookupTable]


def _define(name: str, make: Make, attrs: str = "", inputs: str = "", old: bool = False) -> OpCard:
    """An op type for a table in a container; `old` types hand on a reference."""

    def kernel(*marks: Any, node: Any, resources: Any) -> Any:
        attrs = node.attrs
        where = attrs["container"].decode() or DEFAULT_CONTAINER
        shared_name = attrs["shared_name"].decode()
        if not shared_name and attrs["use_node_name_sharing"]:
            shared_name = node.name

        def make_own(name: str) -> LookupTable:
            return make(name, where, node, *marks)

        found = own_or_shared(LookupTable, make_own, node, resources, shared_name)
        if (found.key_dtype, found.value_dtype) != _dtypes(node):
            raise invalid(
                f"Conflicting key/value dtypes {_types(*_dtypes(node))} with "
                f"{_types(found.key_dtype, found.value_dtype, '-')} for table {found.name}"
            )
        return string_handle(found, node) if old else found

    return define_op(
        name,
        f"{inputs} -> table_handle: {'Ref(string)' if old else 'resource'}",
        _WHERE,
        _DTYPES,
        attrs,
        stateful=True,
        shape=string_handle_shape if old else is_scalar,
        kernel=kernel,
        no_gradient=STATE,
    )


def _types(key: DType, value: DType, sign: str = "->") -> str:
    return f"{kernel_name(key)}{sign}{kernel_name(value)}"


def _define_anonymous(name: str, make: Make, attrs: str = "", inputs: str = "") -> OpCard:
    """An op type for a table that nobody finds but by its handle."""

    def kernel(*marks: Any, node: Any) -> LookupTable:
        return make(node.name, "", node, *marks)

    return define_op(
        name,
        f"{inputs} -> table_handle: resource",
        _DTYPES,
        attrs,
        stateful=True,
        shape=is_scalar,
        kernel=kernel,
        no_gradient=STATE,
    )


def _dtypes(node: Any) -> tuple[DType, DType]:
    return node.attrs["key_dtype"], node.attrs["value_dtype"]


# HashTableV2, HashTable, AnonymousHashTable -------------------------------------------------------


def _make_static(name: str, container: str, node: Any) -> LookupTable:
    return StaticTable(name, container, *_dtypes(node))


hash_table = _define("HashTableV2", _make_static)
anonymous_hash_table = _define_anonymous("AnonymousHashTable", _make_static)
_define("HashTable", _make_static, old=True)

# MutableHashTableV2, MutableHashTable, AnonymousMutableHashTable ----------------------------------


def _make_mutable(name: str, container: str, node: Any) -> LookupTable:
    return MutableTable(name, container, *_dtypes(node))


mutable_hash_table = _define("MutableHashTableV2", _make_mutable)
anonymous_mutable_hash_table = _define_anonymous("AnonymousMutableHashTable", _make_mutable)
_define("MutableHashTable", _make_mutable, old=True)

# MutableHashTableOfTensorsV2, ... -----------------------------------------------------------------


def _value_shape(node: Any) -> tuple[int, ...]:
    sizes = node.attrs["value_shape"].sizes
    if sizes is None or None in sizes:
        raise invalid(
            f"Shape {'<unknown>' if sizes is None else shown(sizes)} is not fully defined"
        )
    return tuple(sizes)


def _make_of_rows(name: str, container: str, node: Any) -> LookupTable:
    shape = _value_shape(node)
    if len(shape) != 1:
        raise invalid(f"Default value must be a vector, got shape {shown(shape)}")
    return MutableTable(name, container, *_dtypes(node), shape)


mutable_hash_table_of_tensors = _define("MutableHashTableOfTensorsV2", _make_of_rows, _OF_ROWS)
anonymous_mutable_hash_table_of_tensors = _define_anonymous(
    "AnonymousMutableHashTableOfTensors", _make_of_rows, _OF_ROWS
)
_define("MutableHashTableOfTensors", _make_of_rows, _OF_ROWS, old=True)

# MutableDenseHashTableV2, ... ---------------------------------------------------------------------

_MASK = (1 << 64) - 1


def _combined(first: int, second: int) -> int:
    """The hash of two hashes, as TensorFlow's `Hash64Combine`."""
    return first ^ (second + 0x9E3779B97F4A7800 + (first << 10) + (first >> 4) & _MASK)


def _hash_of_numbers(key: tuple[Any, ...]) -> int:
    if len(key) == 1:
        return int(key[0])
    result = 0
    for part in key:
        result = _combined(result, part & _MASK)
    return result


def _hash_of_texts(key: tuple[Any, ...]) -> int:
    hashes = [int(murmur(np.frombuffer(part, np.uint8).reshape(1, -1))[0]) for part in key]
    return _hash_of_numbers(tuple(hashes))


def _make_dense(
    name: str, container: str, node: Any, empty: Any, deleted: Any = None
) -> LookupTable:
    key_dtype, value_dtype = _dtypes(node)
    empty, deleted = (np.asarray(mark, key_dtype.as_numpy_dtype) for mark in (empty, deleted))
    return DenseTable(
        name,
        container,
        key_dtype,
        value_dtype,
        _value_shape(node),
        empty,
        deleted,
        node.attrs["initial_num_buckets"],
        node.attrs["max_load_factor"],
        _hash_of_texts if key_dtype == string else _hash_of_numbers,
    )


mutable_dense_hash_table = _define("MutableDenseHashTableV2", _make_dense, _DENSE, _MARKS)
anonymous_mutable_dense_hash_table = _define_anonymous(
    "AnonymousMutableDenseHashTable", _make_dense, _DENSE, _MARKS
)


def _make_old_dense(name: str, container: str, node: Any, empty: Any) -> LookupTable:
    raise invalid(
        "Unknown input name: deleted_key: a MutableDenseHashTable of old graphs has none, and "
        "TensorFlow itself can no longer make one. MutableDenseHashTableV2 has."
    )


_define("MutableDenseHashTable", _make_old_dense, _DENSE, "empty_key: key_dtype", old=True)
