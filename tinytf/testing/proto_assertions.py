"""Protocol messages and graphs that should be equal: what differs, line by line."""

from __future__ import annotations

import difflib
import functools
from typing import Any

from google.protobuf import text_format

from tinytf.protos import graph_pb2

_one_line = functools.partial(text_format.MessageToString, as_one_line=True)


def assert_protos_equal(
    test: Any, expected: Any, message: Any, msg: Any = None, relative_tolerance: float | None = None
) -> None:
    """See `TestCase.assertProtoEquals`."""
    if isinstance(expected, str | bytes):
        expected = text_format.Merge(expected, type(message)())
    elif not isinstance(expected, type(message)):
        raise AssertionError(f"Can't compare protos of type {type(expected)} and {type(message)}.")
    if expected == message:
        return
    if relative_tolerance is not None and _near(expected, message, relative_tolerance):
        return
    old, new = (text_format.MessageToString(one).splitlines() for one in (expected, message))
    lines = difflib.unified_diff(old, new, "expected", "actual", lineterm="", n=2)
    test.fail("\n".join([f"{msg or 'The messages differ'}:", *lines]))


def _near(one: Any, other: Any, tolerance: float) -> bool:
    """Whether messages are equal but for floats that are near."""
    if isinstance(one, float) and isinstance(other, float):
        return one == other or abs(one - other) <= tolerance * max(abs(one), abs(other))
    if hasattr(one, "ListFields") and hasattr(other, "ListFields"):
        mine, yours = one.ListFields(), other.ListFields()
        return [field.number for field, _ in mine] == [field.number for field, _ in yours] and all(
            _near(a, b, tolerance) for (_, a), (_, b) in zip(mine, yours, strict=True)
        )
    if hasattr(one, "keys") and hasattr(other, "keys"):
        return set(one) == set(other) and all(_near(one[k], other[k], tolerance) for k in one)
    if isinstance(one, str | bytes) or not hasattr(one, "__len__"):
        return bool(one == other)
    return len(one) == len(other) and all(
        _near(a, b, tolerance) for a, b in zip(one, other, strict=True)
    )


def assert_equal_graph_def(
    actual: Any, expected: Any, checkpoint_v2: bool = False, hash_table_shared_name: bool = False
) -> None:
    """The same nodes, in any order (TensorFlow: `tf.test.assert_equal_graph_def`).

    Versions do not matter, nor the order of control inputs, nor attributes that begin with "_".

    Args:
      actual, expected: GraphDefs.
      checkpoint_v2: names of temporary folders in the nodes of savers do not matter.
      hash_table_shared_name: nor do the shared names of hash tables.

    Raises:
      TypeError: for what is no GraphDef. AssertionError: names the first node that differs.

    Example:
      >>> definition = tf.get_default_graph().as_graph_def()
      >>> tf.test.assert_equal_graph_def(definition, definition)
    """
    for name, value in (("actual", actual), ("expected", expected)):
        if not isinstance(value, graph_pb2.GraphDef):
            raise TypeError(f"Expected tf.GraphDef for {name}, got {type(value).__name__}")
    found = {node.name: node for node in actual.node}
    wanted = {node.name: node for node in expected.node}
    for name in wanted:
        if name not in found:
            raise AssertionError(f"Did not find expected node '{{{{node {name}}}}}'")
    for name, node in found.items():
        if name not in wanted:
            raise AssertionError(f"Found unexpected node '{{{{node {name}}}}}'")
        if difference := _difference(node, wanted[name], checkpoint_v2, hash_table_shared_name):
            raise AssertionError(f"Node named '{name}' {difference}")


def _difference(node: Any, expected: Any, checkpoint_v2: bool, hash_tables: bool) -> str:
    """What is different about a node; "" for nothing."""
    for what in ("op", "device"):
        mine, wanted = getattr(node, what), getattr(expected, what)
        if mine != wanted:
            return f"has {what} '{mine}' that is not expected '{wanted}'"
    for mine, wanted in zip(_inputs(node), _inputs(expected), strict=True):
        if mine != wanted:
            return f"has inputs {mine} that don't match expected {wanted}"
    ignored = {name for name in (*node.attr, *expected.attr) if name.startswith("_")}
    if hash_tables and node.op == "HashTableV2":
        ignored.add("shared_name")
    if checkpoint_v2 and node.op == "Const" and b"_temp_" in node.attr["value"].SerializeToString():
        ignored.add("value")
    for name in sorted({*node.attr, *expected.attr} - ignored):
        if name not in node.attr:
            return f"missing expected attr '{name}'"
        if name not in expected.attr:
            return f"has unexpected attr '{name}' with value: {_one_line(node.attr[name])}"
        if node.attr[name] != expected.attr[name]:
            return (
                f"has attr '{name}' with value: {_one_line(node.attr[name])} that does not match "
                f"expected: {_one_line(expected.attr[name])}"
            )
    return ""


def _inputs(node: Any) -> tuple[list[str], set[str]]:
    data = [name.removesuffix(":0") for name in node.input if not name.startswith("^")]
    return data, {name for name in node.input if name.startswith("^")}
