"""Schemas in one plain form, ours and TensorFlow's, so that they can be compared."""

from __future__ import annotations

import struct
from typing import Any

from tests.oracle.tables import dtype_name
from tinytf.framework.op_def import OpDef
from tinytf.protos import op_def_pb2

FLAGS = ("is_stateful", "is_commutative", "is_aggregate", "allows_uninitialized_input")


def of_card(card: OpDef) -> dict[str, Any]:
    """The plain form of a schema of ours."""

    def argument(arg: Any) -> dict[str, Any]:
        return {
            "name": arg.name,
            "type": arg.dtype.base_dtype.name if arg.dtype is not None else None,
            "type_attr": arg.type_attr,
            "type_list_attr": arg.type_list_attr,
            "number_attr": arg.number_attr,
            "is_ref": arg.is_ref,
        }

    def attribute(attr: Any) -> dict[str, Any]:
        allowed = None if attr.allowed is None else {_plain(value) for value in attr.allowed}
        default = _plain(attr.default) if attr.has_default else "no default"
        return {"type": attr.type, "default": default, "allowed": allowed, "minimum": attr.minimum}

    return {
        "inputs": [argument(arg) for arg in card.inputs],
        "outputs": [argument(arg) for arg in card.outputs],
        "attrs": {name: attribute(attr) for name, attr in card.attrs.items()},
        **{flag: getattr(card, flag) for flag in FLAGS},
    }


def _plain(value: Any) -> Any:
    """A default or allowed value without classes of ours: names, numbers, bytes, tuples."""
    if isinstance(value, (tuple, list)):
        return tuple(_plain(item) for item in value)
    if hasattr(value, "as_datatype_enum"):
        return dtype_name(value.as_datatype_enum)
    if hasattr(value, "as_list"):  # a TensorShape
        return "unknown rank" if value.ndims is None else _sizes(value.as_list())
    if hasattr(value, "tobytes"):  # an array
        return str(value.dtype), value.tolist()
    if isinstance(value, float):  # messages hold them in 32 bits
        return struct.unpack("f", struct.pack("f", value))[0]
    return value


def _sizes(sizes: list[int | None]) -> str:
    return "shape " + str([-1 if size is None else size for size in sizes])


def of_proto(schema: op_def_pb2.OpDef) -> dict[str, Any]:
    """The plain form of TensorFlow's schema."""

    def argument(arg: Any) -> dict[str, Any]:
        return {
            "name": arg.name,
            "type": dtype_name(arg.type) if arg.type else None,
            "type_attr": arg.type_attr or None,
            "type_list_attr": arg.type_list_attr or None,
            "number_attr": arg.number_attr or None,
            "is_ref": arg.is_ref,
        }

    def attribute(attr: Any) -> dict[str, Any]:
        has_allowed, has_default = attr.HasField("allowed_values"), attr.HasField("default_value")
        allowed = set(_attr_value(attr.allowed_values, "list")) if has_allowed else None
        default = _attr_value(attr.default_value, attr.type) if has_default else "no default"
        return {
            "type": attr.type,
            "default": default,
            "allowed": allowed,
            "minimum": attr.minimum if attr.has_minimum else None,
        }

    return {
        "inputs": [argument(arg) for arg in schema.input_arg],
        "outputs": [argument(arg) for arg in schema.output_arg],
        "attrs": {attr.name: attribute(attr) for attr in schema.attr},
        **{flag: getattr(schema, flag) for flag in FLAGS},
    }


def _attr_value(value: Any, attr_type: str) -> Any:
    kind = value.WhichOneof("value")
    if kind == "list":
        for field, items in value.list.ListFields():
            return tuple(_scalar(field.name, item) for item in items)
        return ()
    return _scalar(kind, getattr(value, kind))


def _scalar(kind: str, value: Any) -> Any:
    if kind == "type":
        return dtype_name(value)
    if kind == "shape":
        return "unknown rank" if value.unknown_rank else _sizes([dim.size for dim in value.dim])
    if kind == "tensor":  # there is one: the colour of an image summary
        return dtype_name(value.dtype), list(value.int_val)
    return value


def differences(ours: dict[str, Any], theirs: dict[str, Any]) -> list[str]:
    """Where two plain forms differ, in words; empty if they agree."""
    found = []
    for part in ("inputs", "outputs", *FLAGS):
        if ours[part] != theirs[part]:
            found.append(f"{part}: {ours[part]}, but TensorFlow has {theirs[part]}")
    order, real_order = (list(form["attrs"]) for form in (ours, theirs))
    if order != real_order and sorted(order) == sorted(real_order):
        found.append(f"order of attributes: {order}, but TensorFlow has {real_order}")
    for name in sorted(ours["attrs"].keys() | theirs["attrs"].keys()):
        mine, real = ours["attrs"].get(name), theirs["attrs"].get(name)
        if mine != real:
            found.append(f"attribute {name}: {mine}, but TensorFlow has {real}")
    return found
