"""Nodes that no public function builds, the same way in both libraries."""

from __future__ import annotations

import importlib
from typing import Any, NamedTuple


def node(tf: Any, op_type: str, inputs: list[Any], **attrs: Any) -> list[Any]:
    """Add a node by its op type; gives its outputs.

    Args:
      tf: the library.
      op_type: for example "ConcatOffset".
      inputs: all inputs, flat.
      attrs: every attribute without a default: dtypes, ints, bools, texts; lists of dtypes, as
        tuples; functions as `Function`s, or a list of them; lists of shapes as `Shapes`; lists of
        texts; or an `AttrValue`.
    """
    values = {name: _attr(tf, value) for name, value in attrs.items()}
    graph = tf.get_default_graph()
    return list(graph.create_op(op_type, inputs, attrs=values, name=op_type).outputs)


class Function(NamedTuple):
    """The name of a function, as the value of an attribute."""

    name: str


class Shapes:
    """Static shapes, as the value of an attribute: `Shapes([], [None, 3])`."""

    def __init__(self, *shapes: list[int | None]):
        self.shapes = shapes


def function_module(tf: Any) -> Any:
    """The module with the library's `Defun`."""
    ours = tf.__name__.startswith("tinytf")
    name = "tinytf.api.function" if ours else "tensorflow.python.framework.function"
    return importlib.import_module(name)


def _attr(tf: Any, value: Any) -> Any:
    if isinstance(value, tf.AttrValue):
        return value
    if isinstance(value, Function):
        return tf.AttrValue(func=tf.NameAttrList(name=value.name))
    if isinstance(value, Shapes):
        protos = [tf.TensorShape(shape).as_proto() for shape in value.shapes]
        return tf.AttrValue(list=tf.AttrValue.ListValue(shape=protos))
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tf.AttrValue(list=tf.AttrValue.ListValue(s=[item.encode() for item in value]))
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return tf.AttrValue(list=tf.AttrValue.ListValue(i=value))
    if isinstance(value, list):
        calls = [tf.NameAttrList(name=function.name) for function in value]
        return tf.AttrValue(list=tf.AttrValue.ListValue(func=calls))
    if isinstance(value, tuple):
        kinds = [tf.as_dtype(kind).as_datatype_enum for kind in value]
        return tf.AttrValue(list=tf.AttrValue.ListValue(type=kinds))
    if isinstance(value, bool):
        return tf.AttrValue(b=value)
    if isinstance(value, int):
        return tf.AttrValue(i=value)
    if isinstance(value, str):
        return tf.AttrValue(s=value.encode())
    return tf.AttrValue(type=tf.as_dtype(value).as_datatype_enum)
