"""Nodes that no public function builds, the same way in both libraries."""

from __future__ import annotations

from typing import Any


def node(tf: Any, op_type: str, inputs: list[Any], **attrs: Any) -> list[Any]:
    """Add a node by its op type; gives its outputs.

    Args:
      tf: the library.
      op_type: for example "ConcatOffset".
      inputs: all inputs, flat.
      attrs: every attribute without a default: dtypes, ints, bools, texts.
    """
    values = {name: _attr(tf, value) for name, value in attrs.items()}
    graph = tf.get_default_graph()
    return list(graph.create_op(op_type, inputs, attrs=values, name=op_type).outputs)


def _attr(tf: Any, value: Any) -> Any:
    if isinstance(value, bool):
        return tf.AttrValue(b=value)
    if isinstance(value, int):
        return tf.AttrValue(i=value)
    if isinstance(value, str):
        return tf.AttrValue(s=value.encode())
    return tf.AttrValue(type=tf.as_dtype(value).as_datatype_enum)
