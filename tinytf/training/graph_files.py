"""Graphs in files: `tf.train.write_graph` and reading them back."""

from __future__ import annotations

import os
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from google.protobuf.message import DecodeError, Message

from tinytf.framework import files
from tinytf.framework.graph import Graph
from tinytf.protos import graph_pb2, node_def_pb2

M = TypeVar("M", bound=Message)

#: What was exported of a graph last, and its state then; not of graphs with large constants.
_exported: WeakKeyDictionary[Graph, tuple[Any, bytes]] = WeakKeyDictionary()
_KEPT_BYTES = 4 << 20


def graph_def_of(graph: Graph) -> graph_pb2.GraphDef:
    """A graph with its static shapes, which the files of one checkpoint hold several times."""
    state = [graph._changes, graph.graph_def_versions, list(graph._functions)]
    # Nodes may get shapes and attributes without a change that the graph knows of.
    for op in graph.get_operations():
        state += len(op.attrs), *(tensor.shape for tensor in op.outputs)
    kept = _exported.get(graph)
    if kept is not None and kept[0] == state:
        return graph_pb2.GraphDef.FromString(kept[1])
    result = graph.as_graph_def(add_shapes=True)
    if result.ByteSize() < _KEPT_BYTES:
        _exported[graph] = state, result.SerializeToString()
    return result


def write_graph(
    graph_or_graph_def: Any, logdir: str | os.PathLike[str], name: str, as_text: bool = True
) -> str:
    """Write a graph to a file (TensorFlow: `tf.train.write_graph`, `tf.io.write_graph`).

    Args:
      graph_or_graph_def: a `Graph`, a `GraphDef` or another message.
      logdir: the folder; made if it is not there.
      name: the file's name.
      as_text: text if true, otherwise bytes.

    Returns:
      the file's path. Whoever looks finds a whole file, the old one or the new one.

    Raises:
      TypeError: if it is no graph. tf.errors.OpError: if the file cannot be written.

    Example:
      >>> import pathlib, tempfile
      >>> a = tf.constant(1, name="a")
      >>> path = tf.train.write_graph(tf.get_default_graph(), tempfile.mkdtemp(), "graph.pbtxt")
      >>> print(*pathlib.Path(path).read_text().splitlines()[:2])
      node {   name: "a"
    """
    message = graph_or_graph_def
    if isinstance(message, Graph):
        message = message.as_graph_def()
    if not isinstance(message, Message):
        raise TypeError(
            f"Expected a Graph or a GraphDef to write, got {graph_or_graph_def!r} of type "
            f"{type(graph_or_graph_def).__name__}"
        )
    folder = os.fspath(logdir)
    files.make_folder(folder)
    path = os.path.join(folder, name)
    if as_text:
        content = _text(message).encode()
    else:
        content = message.SerializeToString()
    files.write_file(path, content)
    return path


def _text(message: Any) -> str:
    """A message as text. Of a graph, attributes that many nodes have are written out once."""
    from google.protobuf.text_format import MessageToString

    if message.DESCRIPTOR.name != "GraphDef":
        return MessageToString(message)
    known: dict[tuple[str, bytes], str] = {}
    bare, alone = type(message)(), node_def_pb2.NodeDef()
    bare.CopyFrom(message)
    for node in bare.node:
        node.ClearField("attr")
    nodes = MessageToString(bare).split("\n}\n")  # not indented: the ends of nodes, and of the rest
    for index, node in enumerate(message.node):
        for name in sorted(node.attr):
            key = name, node.attr[name].SerializeToString(deterministic=True)
            if key not in known:
                alone.Clear()
                alone.attr[name].CopyFrom(node.attr[name])
                known[key] = "\n" + MessageToString(alone, indent=2)[:-1]
            nodes[index] += known[key]
    return "\n}\n".join(nodes)


def read_message(path: str | os.PathLike[str], kind: type[M]) -> M:
    """A message from a file, binary or text.

    Raises:
      OSError: if there is no such file, or it is neither.
    """
    name = os.fspath(path)
    if not os.path.isfile(name):
        raise OSError(f"File does not exist. Received: {name}.")
    with open(name, "rb") as file:
        content = file.read()
    try:
        return kind.FromString(content)
    except DecodeError:
        pass  # then it is text
    from google.protobuf import text_format

    message = kind()
    try:
        text_format.Merge(content.decode(), message)
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(
            f"Cannot parse file {name}: it is neither a serialised {kind.DESCRIPTOR.name} nor one "
            f"as text ({error})."
        ) from None
    return message
