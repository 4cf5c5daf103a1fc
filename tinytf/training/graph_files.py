"""Graphs in files: `tf.train.write_graph` and reading them back."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message

from tinytf.framework import files
from tinytf.framework.graph import Graph

M = TypeVar("M", bound=Message)


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
        from google.protobuf import text_format

        content = text_format.MessageToString(message).encode()
    else:
        content = message.SerializeToString()
    files.write_file(path, content)
    return path


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
