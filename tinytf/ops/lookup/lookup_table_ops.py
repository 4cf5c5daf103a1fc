"""What is done with lookup tables: find, insert, remove, import, export, size.

Mirrors tensorflow/core/kernels/lookup_table_op.cc and ops/lookup_ops.cc. Each has an older type, on
references, with the same kernel.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tinytf.framework import shape_inference
from tinytf.framework.dtypes import DType
from tinytf.framework.errors import invalid
from tinytf.framework.handle_data import handle_source
from tinytf.framework.op_card import OpCard, define_op
from tinytf.framework.tensor_shape import TensorShape, scalar, unknown_shape
from tinytf.ops.lookup.hash_table_ops import STATE
from tinytf.ops.math.cast import kernel_name
from tinytf.resources.handles import behind
from tinytf.resources.tables import LookupTable

_TABLE, _OLD_TABLE = "table_handle: resource", "table_handle: Ref(string)"
_IN_OUT = "Tin: type, Tout: type"
_ENTRIES = ", keys: Tin, values: Tout"


def define_both(name: str, schema: str, *attrs: str, **facets: Any) -> OpCard:
    """An op type on a table and the one before it, on a reference. Returns the newer one.

    Args:
      schema: what follows the handle. facets: the shape function and the kernel.
    """
    facets["no_gradient"] = STATE
    define_op(name, _OLD_TABLE + schema, *attrs, **facets)
    return define_op(f"{name}V2", _TABLE + schema, *attrs, stateful=True, **facets)


def table_of(handle: Any) -> LookupTable:
    """The table behind a handle of either kind; InvalidArgumentError for another resource."""
    found = behind(handle)
    if isinstance(found, LookupTable):
        return found
    raise invalid(
        "Trying to access a handle's resource using the wrong type. It is that of "
        f"{found!r}, and a lookup table is asked for"
    )


def check_types(node: Any, have: str, expected: str) -> None:
    """InvalidArgumentError unless an operation's types, "{keys}->{values}", are the table's."""
    if have != expected:
        handle = "resource" if node.type.endswith("V2") else "string_ref"
        raise invalid(
            f"Signature mismatch, have: {handle}{have} expected: {handle}{expected}. The second "
            f"is the table's: tf.cast changes dtypes"
        )


def signature(keys: DType, values: DType) -> str:
    """The types of an operation that takes keys and values."""
    return f", {kernel_name(keys)}, {kernel_name(values)}->"


def array(value: Any, dtype: DType) -> np.ndarray:
    """An input, as an array even if it is a single string."""
    return np.asarray(value, dtype.as_numpy_dtype)


# Static shapes ------------------------------------------------------------------------------------


class _Entries(NamedTuple):
    """What the node that makes a mutable table says about its entries."""

    key_dtype: DType
    value_dtype: DType
    key_shape: TensorShape
    value_shape: TensorShape


def _entries(c: shape_inference.InferenceContext) -> _Entries | None:
    """Of the table that the first input is, if it is a mutable one in sight."""
    node = handle_source(c.inputs[0])
    if node is None or (not node.type.endswith("V2") and not node.type.startswith("Anonymous")):
        return None
    if "Mutable" not in node.type:
        return None
    attrs = node.attrs
    key_shape = node.inputs[0].shape if node.inputs else scalar()
    return _Entries(
        attrs["key_dtype"], attrs["value_dtype"], key_shape, attrs.get("value_shape", scalar())
    )


def _check_dtypes(entries: _Entries, keys: DType, values: DType) -> None:
    for given, wanted in ((keys, entries.key_dtype), (values, entries.value_dtype)):
        if given != wanted:
            raise ValueError(
                f"Trying to read value with wrong dtype. Expected {kernel_name(wanted)} got "
                f"{kernel_name(given)}"
            )


def _find_shape(c: shape_inference.InferenceContext) -> TensorShape:
    entries = _entries(c)
    if entries is None:
        return unknown_shape()
    _check_dtypes(entries, c.attrs["Tin"], c.attrs["Tout"])
    keys, suffix = c.input(1), entries.key_shape
    if keys.sizes is None or suffix.sizes is None:
        return unknown_shape()
    rank = len(keys.sizes) - len(suffix.sizes)
    if rank < 0 or not TensorShape.of(keys.sizes[rank:]).is_compatible_with(suffix):
        raise ValueError(
            f"Expected keys to have suffix {shape_inference.brackets(suffix)} but saw shape: "
            f"{shape_inference.brackets(TensorShape.of(keys.sizes[max(rank, 0) :]))}"
        )
    return TensorShape.of(keys.sizes[:rank]).concatenate(entries.value_shape)


def _export_shapes(c: shape_inference.InferenceContext) -> list[TensorShape]:
    entries = _entries(c)
    if entries is not None:
        _check_dtypes(entries, c.attrs["Tkeys"], c.attrs["Tvalues"])
    if c.op_def.name == "LookupTableExport":
        return [TensorShape.of((None,)), unknown_shape()]
    return [unknown_shape()] * 2


def _import_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    keys, values = shape_inference.with_rank(c.input(1), 1), c.input(2)
    if keys.sizes is not None and values.sizes:
        shape_inference.merge_dimension(keys.sizes[0], values.sizes[0])
    return []


def _remove_shape(c: shape_inference.InferenceContext) -> list[TensorShape]:
    shape_inference.with_rank_at_least(c.input(1), 1)
    return []


# LookupTableFindV2, LookupTableFind ---------------------------------------------------------------


def _find(
    handle: Any, keys: Any, default_value: Any, *, Tin: DType, Tout: DType, node: Any
) -> np.ndarray:
    table = table_of(handle)
    check_types(
        node,
        signature(Tin, Tout) + kernel_name(Tout),
        signature(table.key_dtype, table.value_dtype) + kernel_name(table.value_dtype),
    )
    return table.find(array(keys, Tin), array(default_value, Tout))


lookup_table_find = define_both(
    "LookupTableFind",
    ", keys: Tin, default_value: Tout -> values: Tout",
    _IN_OUT,
    shape=_find_shape,
    kernel=_find,
)

# LookupTableInsertV2, LookupTableImportV2, and before ---------------------------------------------


def _entries_of(handle: Any, keys: Any, values: Any, node: Any) -> tuple[Any, Any, Any]:
    table = table_of(handle)
    Tin, Tout = node.attrs["Tin"], node.attrs["Tout"]
    check_types(node, signature(Tin, Tout), signature(table.key_dtype, table.value_dtype))
    return table, array(keys, Tin), array(values, Tout)


def _insert(handle: Any, keys: Any, values: Any, *, node: Any) -> tuple[()]:
    table, keys, values = _entries_of(handle, keys, values, node)
    table.insert(keys, values)
    return ()


def _import(handle: Any, keys: Any, values: Any, *, node: Any) -> tuple[()]:
    table, keys, values = _entries_of(handle, keys, values, node)
    table.replace(keys, values)
    return ()


lookup_table_insert = define_both(
    "LookupTableInsert", _ENTRIES, _IN_OUT, shape=shape_inference.no_outputs, kernel=_insert
)
lookup_table_import = define_both(
    "LookupTableImport", _ENTRIES, _IN_OUT, shape=_import_shape, kernel=_import
)

# LookupTableRemoveV2 ------------------------------------------------------------------------------

lookup_table_remove = define_op(
    "LookupTableRemoveV2",
    f"{_TABLE}, keys: Tin",
    "Tin: type",
    stateful=True,
    shape=_remove_shape,
    no_gradient=STATE,
)


@lookup_table_remove.kernel
def _remove(table_handle: Any, keys: Any, *, Tin: DType, node: Any) -> tuple[()]:
    table = table_of(table_handle)
    check_types(node, f", {kernel_name(Tin)}->", f", {kernel_name(table.key_dtype)}->")
    table.remove(array(keys, Tin))
    return ()


# LookupTableExportV2, LookupTableSizeV2, and before -----------------------------------------------


def _export(handle: Any, *, Tkeys: DType, Tvalues: DType, node: Any) -> Any:
    table = table_of(handle)
    expected = f"->{kernel_name(table.key_dtype)}, {kernel_name(table.value_dtype)}"
    check_types(node, f"->{kernel_name(Tkeys)}, {kernel_name(Tvalues)}", expected)
    return table.export()


def _size(handle: Any) -> Any:
    return np.int64(table_of(handle).size())


lookup_table_export = define_both(
    "LookupTableExport",
    " -> keys: Tkeys, values: Tvalues",
    "Tkeys: type, Tvalues: type",
    shape=_export_shapes,
    kernel=_export,
)
lookup_table_size = define_both(
    "LookupTableSize", " -> size: int64", shape=shape_inference.is_scalar, kernel=_size
)
