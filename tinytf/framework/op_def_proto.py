"""Schemas of operations as TensorFlow's OpDef messages."""

from __future__ import annotations

import functools
from typing import Any

from tinytf.framework import attr_value, registry
from tinytf.framework.op_def import ArgDef, AttrDef, OpDef
from tinytf.protos import graph_pb2, op_def_pb2


def to_proto(schema: OpDef) -> op_def_pb2.OpDef:
    """A schema as a message."""
    message = op_def_pb2.OpDef(
        name=schema.name,
        is_stateful=schema.is_stateful,
        is_commutative=schema.is_commutative,
        is_aggregate=schema.is_aggregate,
        allows_uninitialized_input=schema.allows_uninitialized_input,
    )
    for arguments, field in ((schema.inputs, "input_arg"), (schema.outputs, "output_arg")):
        for argument in arguments:
            _write_argument(argument, getattr(message, field).add())
    for attr in schema.attrs.values():
        _write_attr(attr, message.attr.add())
    return message


#: Of a registered op; to be copied, not changed.
message_of = functools.cache(lambda name: to_proto(registry.op_defs.lookup(name)))


def _write_argument(argument: ArgDef, message: Any) -> None:
    message.name, message.is_ref = argument.name, argument.is_ref
    if argument.dtype is not None:
        message.type = argument.dtype.base_dtype.as_datatype_enum
    for name in ("type_attr", "type_list_attr", "number_attr"):
        if getattr(argument, name):
            setattr(message, name, getattr(argument, name))


def _write_attr(attr: AttrDef, message: Any) -> None:
    message.name, message.type = attr.name, attr.type
    if attr.has_default:
        message.default_value.CopyFrom(attr_value.to_proto(attr.default))
    if attr.allowed is not None:
        message.allowed_values.CopyFrom(attr_value.to_proto(tuple(attr.allowed)))
    if attr.minimum is not None:
        message.has_minimum, message.minimum = True, attr.minimum


def op_list(graph_def: graph_pb2.GraphDef) -> op_def_pb2.OpList:
    """The schemas of the operations that a graph and its functions use, by name."""
    functions = {function.signature.name for function in graph_def.library.function}
    used = {node.op for node in graph_def.node}
    for function in graph_def.library.function:
        used.update(node.op for node in function.node_def)
    return op_def_pb2.OpList(
        op=[message_of(name) for name in sorted(used - functions) if name in registry.op_defs]
    )


def is_default(op_type: str, name: str, value: Any) -> bool:
    """Whether an `AttrValue` of a node is what the schema has as its default anyway."""
    schema = registry.op_defs.get(op_type)
    attr = None if schema is None else schema.attrs.get(name)
    if attr is None or not attr.has_default:
        return False
    return attr_value.to_proto(attr.default) == value
