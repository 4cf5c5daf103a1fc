"""A graph as TensorFlow's GraphDef."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tinytf.framework import attr_value, tensor_value
from tinytf.framework.function_library import export_library
from tinytf.protos import graph_pb2

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.framework.operation import Operation

#: The GraphDef version that brought functions.
CONSUMER_OF_FUNCTIONS = 12


def export_graph(graph: Graph, from_version: int, add_shapes: bool) -> graph_pb2.GraphDef:
    """All operations built since `from_version`, in the order they were built."""
    ops = graph.get_operations()[from_version:]
    _check_size(ops)
    result = export_operations(ops, add_shapes)
    result.versions.CopyFrom(graph.graph_def_versions)
    if graph._functions:
        result.library.CopyFrom(export_library(graph._functions))
        result.versions.min_consumer = max(result.versions.min_consumer, CONSUMER_OF_FUNCTIONS)
    return result


def _check_size(ops: Iterable[Operation]) -> None:
    """ValueError if the constants alone are more than a message can hold."""
    constants = [op for op in ops if op.type == "Const"]
    sizes = {op: getattr(op.attrs["value"], "nbytes", 0) for op in constants}
    total = sum(sizes.values())
    if total < tensor_value.MAX_BYTES:
        return
    largest = sorted(constants, key=sizes.__getitem__)[-3:]
    names = ", ".join(f"{op.name} ({sizes[op]:,} bytes)" for op in reversed(largest))
    raise ValueError(
        f"GraphDef cannot be larger than 2GB. Its constants have {total:,} bytes, the largest are "
        f"{names}. Feed such values to placeholders, or to variables' initializers."
    )


def export_operations(ops: Iterable[Operation], add_shapes: bool = False) -> graph_pb2.GraphDef:
    """These operations as a GraphDef; `add_shapes` writes static shapes as "_output_shapes"."""
    result = graph_pb2.GraphDef()
    for op in ops:
        node = result.node.add()
        node.CopyFrom(op.node_def)
        if add_shapes and op.outputs:
            shapes = tuple(tensor.shape for tensor in op.outputs)
            node.attr["_output_shapes"].CopyFrom(attr_value.to_proto(shapes))
    return result
