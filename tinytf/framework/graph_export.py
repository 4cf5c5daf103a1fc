"""A graph as TensorFlow's GraphDef."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tinytf.framework import attr_value
from tinytf.framework.function_library import export_library
from tinytf.protos import graph_pb2

if TYPE_CHECKING:
    from tinytf.framework.graph import Graph
    from tinytf.framework.operation import Operation

#: The GraphDef version that brought functions.
CONSUMER_OF_FUNCTIONS = 12


def export_graph(graph: Graph, from_version: int, add_shapes: bool) -> graph_pb2.GraphDef:
    """All operations built since `from_version`, in the order they were built."""
    result = export_operations(graph.get_operations()[from_version:], add_shapes)
    result.versions.CopyFrom(graph.graph_def_versions)
    if graph._functions:
        result.library.CopyFrom(export_library(graph._functions))
        result.versions.min_consumer = max(result.versions.min_consumer, CONSUMER_OF_FUNCTIONS)
    return result


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
