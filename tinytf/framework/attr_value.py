"""Attributes between Python's own types (as `Operation.attrs` holds them) and protocol buffers.

AttrValue field   type     shape         tensor        s      i    f      b     func           list
in Operation      DType    TensorShape   numpy array   bytes  int  float  bool  NameAttrList   tuple
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tinytf.framework import dtypes, tensor_value
from tinytf.framework.op_def import AttrDef
from tinytf.framework.tensor_shape import TensorShape, as_shape
from tinytf.protos import node_def_pb2, tensor_pb2

if TYPE_CHECKING:
    from tinytf.framework.operation import Operation

_LIST_FIELD = {
    dtypes.DType: "type",
    bool: "b",
    int: "i",
    float: "f",
    bytes: "s",
    TensorShape: "shape",
    np.ndarray: "tensor",
    node_def_pb2.NameAttrList: "func",
}
_KIND = {
    "type": "type",
    "b": "bool",
    "i": "int",
    "f": "float",
    "s": "string",
    "shape": "shape",
    "tensor": "tensor",
    "func": "func",
}


def to_proto(value: Any) -> node_def_pb2.AttrValue:
    """One attribute value as `AttrValue`."""
    proto = node_def_pb2.AttrValue()
    if isinstance(value, tuple | list):
        proto.list.SetInParent()
        for item in value:
            field = getattr(proto.list, _LIST_FIELD[_kind(item)])
            field.append(_scalar_to_proto(item))
        return proto
    kind = _kind(value)
    if kind is TensorShape:
        proto.shape.CopyFrom(value.as_proto())
        proto.shape.SetInParent()
    elif kind is np.ndarray:
        proto.tensor.CopyFrom(tensor_value.encode(value))
    elif kind is node_def_pb2.NameAttrList:
        proto.func.CopyFrom(value)
    else:
        setattr(proto, _LIST_FIELD[kind], _scalar_to_proto(value))
    return proto


def _kind(value: Any) -> Any:
    kind = type(value)
    if kind in _LIST_FIELD:
        return kind
    if isinstance(value, np.ndarray | np.generic):
        return np.ndarray
    raise TypeError(f"An attribute cannot hold {value!r} of type {kind.__name__}")


def _scalar_to_proto(value: Any) -> Any:
    if isinstance(value, dtypes.DType):
        return value.as_datatype_enum
    if isinstance(value, TensorShape):
        return value.as_proto()
    if isinstance(value, np.ndarray):
        return tensor_value.encode(value)
    return value


def from_proto(proto: node_def_pb2.AttrValue, kind: str | None = None) -> Any:
    """An `AttrValue` in Python's own types.

    Args:
      proto: the message. kind: the type that the schema wants ("int", "list(type)" ...), if any.

    Raises:
      ValueError: if it is empty, malformed, or of another kind.
    """
    field = proto.WhichOneof("value")
    if field is None:
        expected = f" with expected type '{kind}'" if kind else ""
        raise ValueError(f"AttrValue missing value{expected}")
    if kind is not None:
        _check_kind(proto, field, kind)
    if field == "list":
        return _list_from_proto(proto.list)
    return _field_from_proto(field, getattr(proto, field))


def _check_kind(proto: node_def_pb2.AttrValue, field: str, kind: str) -> None:
    found = _KIND.get(field, field)
    if field == "list":
        kinds = [name for key, name in _KIND.items() if getattr(proto.list, key)]
        if not kinds and kind.startswith("list("):
            return  # an empty list is of any type
        found = f"list({' and '.join(kinds)})"
    if found != kind:
        raise ValueError(f"AttrValue had value with type '{found}' when '{kind}' expected")


def _list_from_proto(proto: Any) -> tuple[Any, ...]:
    for field in ("s", "i", "f", "b", "type", "shape", "tensor", "func"):
        items = getattr(proto, field)
        if items:
            return tuple(_field_from_proto(field, item) for item in items)
    return ()


def _field_from_proto(field: str, value: Any) -> Any:
    if field == "type":
        try:
            return dtypes.as_dtype(int(value))
        except TypeError:
            raise ValueError(f"AttrValue has invalid DataType {value}") from None
    if field == "shape":
        return TensorShape(value)
    if field == "tensor":
        array = tensor_value.make_ndarray(value)
        array.flags.writeable = False
        return array
    if field == "func":
        copy = node_def_pb2.NameAttrList()
        copy.CopyFrom(value)
        return copy
    if field == "placeholder":
        raise ValueError(f"An AttrValue that is a placeholder ('{value}') outside a function")
    return value


def public_value(value: Any) -> Any:
    """A stored value as `Operation.get_attr` shows it."""
    if isinstance(value, tuple):
        return [public_value(item) for item in value]
    if isinstance(value, TensorShape):
        return value.as_proto()
    if isinstance(value, np.ndarray):
        return tensor_value.encode(value)
    return value


def from_public(value: Any) -> Any:
    """What a caller passes (protos included) as a stored value."""
    if isinstance(value, node_def_pb2.AttrValue):
        return from_proto(value)
    if isinstance(value, tensor_pb2.TensorProto):
        return tensor_value.make_ndarray(value)
    if isinstance(value, tensor_pb2.TensorShapeProto):
        return TensorShape(value)
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return tuple(from_public(item) for item in value)
    return value


# Values that callers pass for an attribute, checked against the schema. ------------------------


def coerce(attr: AttrDef, value: Any, op_name: str) -> Any:
    """`value` as the graph stores it.

    Raises:
      TypeError: if it is of the wrong kind, naming op, attribute and value.
      ValueError: if it is below the attribute's minimum or not among its allowed values.
    """
    if isinstance(value, node_def_pb2.AttrValue):
        value = from_proto(value)
    if attr.type.startswith("list("):
        return _coerce_list(attr, value, op_name)
    result = _coerce_one(attr.type, value, attr.name, op_name)
    _check_limits(attr, result, op_name)
    return result


def _coerce_list(attr: AttrDef, value: Any, op_name: str) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise TypeError(
            f"Expected list for attr '{attr.name}' of op '{op_name}', got "
            f"{type(value).__name__} {value!r}."
        )
    if attr.minimum is not None and len(value) < attr.minimum:
        raise ValueError(
            f"Attr '{attr.name}' of '{op_name}' Op passed list of length {len(value)} "
            f"less than minimum {attr.minimum}."
        )
    items = tuple(_coerce_one(attr.type[5:-1], item, attr.name, op_name) for item in value)
    if attr.allowed is not None:
        for item in items:
            _check_allowed(attr, item, op_name)
    return items


def _coerce_one(kind: str, value: Any, name: str, op_name: str) -> Any:
    try:
        return _CONVERT[kind](value)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Expected {kind} for argument '{name}' of op '{op_name}', got {value!r} of type "
            f"'{type(value).__name__}'. ({error})"
        ) from None


def _as_bytes(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, bytes):
        return value
    raise TypeError("it is not a string")


def _as_int(value: Any) -> int:
    if isinstance(value, bool | float | str | bytes):
        raise TypeError("it is not an integer")
    return int(value)


def _as_float(value: Any) -> float:
    if isinstance(value, str | bytes):
        raise TypeError("it is not a number")
    return float(np.float32(value))  # what a proto keeps of it


def _as_bool(value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise TypeError("it is not True or False")
    return bool(value)


def _as_tensor(value: Any) -> np.ndarray:
    if isinstance(value, tensor_pb2.TensorProto):
        array = tensor_value.make_ndarray(value)
    elif isinstance(value, np.ndarray):
        array = value
    else:
        raise TypeError("it is neither a TensorProto nor an array")
    array.flags.writeable = False
    return array


def _as_function(value: Any) -> node_def_pb2.NameAttrList:
    if isinstance(value, node_def_pb2.NameAttrList):
        return value
    name = value if isinstance(value, str) else getattr(value, "name", None)
    if name is None:
        raise TypeError("it is not a function")
    return node_def_pb2.NameAttrList(name=name)


_CONVERT: dict[str, Any] = {
    "type": dtypes.as_dtype,
    "int": _as_int,
    "float": _as_float,
    "bool": _as_bool,
    "string": _as_bytes,
    "shape": as_shape,
    "tensor": _as_tensor,
    "func": _as_function,
}


def _check_limits(attr: AttrDef, value: Any, op_name: str) -> None:
    if attr.minimum is not None and value < attr.minimum:
        raise ValueError(
            f"Attr '{attr.name}' of '{op_name}' Op passed {value} less than minimum {attr.minimum}."
        )
    if attr.allowed is not None:
        _check_allowed(attr, value, op_name)


def _check_allowed(attr: AttrDef, value: Any, op_name: str) -> None:
    allowed = attr.allowed or ()
    if isinstance(value, dtypes.DType):
        if value.base_dtype not in allowed:
            raise TypeError(
                f"Value passed to parameter '{attr.name}' has DataType {value.name} not in list "
                f"of allowed values: {', '.join(t.name for t in allowed)} (op '{op_name}')"
            )
    elif value not in allowed:
        raise ValueError(
            f"Attr '{attr.name}' of '{op_name}' Op passed string '{value.decode()}' not in: "
            + ", ".join(f'"{a.decode()}"' for a in allowed)
            + "."
        )


# NodeDef --------------------------------------------------------------------------------------


def node_def_of(op: Operation) -> node_def_pb2.NodeDef:
    """The `NodeDef` of an operation: inputs in TensorFlow's spelling ("x", "x:1", "^control")."""
    node = node_def_pb2.NodeDef(name=op.name, op=op.type, device=op.device)
    for tensor in op.inputs:
        node.input.append(tensor.op.name if tensor.value_index == 0 else tensor.name)
    # Sorted, as TensorFlow writes them.
    node.input.extend(sorted(f"^{control.name}" for control in op.control_inputs))
    for name, value in op.attrs.items():
        node.attr[name].CopyFrom(to_proto(value))
    if op.type == "Const":  # an array of int8 does not tell that it stands for qint8
        node.attr["value"].tensor.dtype = op.attrs["dtype"].as_datatype_enum
    return node
