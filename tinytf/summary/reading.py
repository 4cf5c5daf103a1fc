"""Reading event files: `tf.train.summary_iterator`; descriptions of old summaries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from tinytf.framework.errors import DataLossError
from tinytf.framework.files import op_errors
from tinytf.protos import summary_pb2
from tinytf.resources.records import read_records


def summary_iterator(path: str | os.PathLike[str]) -> Iterator[summary_pb2.Event]:
    """The events of an event file, in order (TensorFlow: `tf.train.summary_iterator`).

    Args:
      path: the file.

    Returns:
      an iterator of `tf.Event` messages. The first of them tells the file's version.

    Raises:
      NotFoundError: if there is no such file. DataLossError: where the file is damaged. Both at
        the iteration.

    Example:
      >>> import glob, tempfile
      >>> folder = tempfile.mkdtemp()
      >>> with tf.summary.FileWriter(folder) as writer:
      ...     writer.add_summary(tf.summary.scalar("loss", 0.5).eval(), global_step=7)
      >>> [path] = glob.glob(folder + "/events.*")
      >>> for event in tf.train.summary_iterator(path):
      ...     for value in event.summary.value:
      ...         print(event.step, value.tag, value.simple_value)
      7 loss 0.5
    """
    with op_errors(path), open(path, "rb") as file:
        for number, content in enumerate(read_records(file)):
            try:
                event = summary_pb2.Event.FromString(content)
            except DecodeError:
                raise DataLossError(
                    f"record {number} of {os.fspath(path)} is not an Event"
                ) from None
            yield event


def get_summary_description(node_def: Any) -> summary_pb2.SummaryDescription:
    """What a `TensorSummary` node says about its summary (TensorFlow 1.x, first version).

    Args:
      node_def: the node, of type "TensorSummary".

    Returns:
      a `tf.summary.SummaryDescription`.

    Raises:
      ValueError: if it is another node, or its description is not one.

    Example:
      >>> node = tf.NodeDef(op="TensorSummary")
      >>> node.attr["description"].s = b'{"typeHint": "scalar"}'
      >>> tf.summary.get_summary_description(node).type_hint
      'scalar'
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    from google.protobuf import json_format

    text = node_def.attr["description"].s.decode()
    try:
        return json_format.Parse(text, summary_pb2.SummaryDescription())
    except json_format.ParseError as error:
        raise ValueError(f"Node '{node_def.name}' has no description: {error}") from error
