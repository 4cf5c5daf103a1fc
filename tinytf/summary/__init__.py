"""`tf.summary`: what a run writes for TensorBoard, and reading it back.

event_file.py    a file of events, written by a thread of its own
file_writer.py   `FileWriter`: summaries, graphs and run metadata as events
reading.py       `tf.train.summary_iterator`

The operations that make summaries are in `tinytf/ops/summary/`.
"""

from tinytf.ops.summary.media import audio, image
from tinytf.ops.summary.summaries import histogram, merge, merge_all, scalar, tensor_summary, text
from tinytf.protos.summary_pb2 import (
    Event,
    SessionLog,
    Summary,
    SummaryDescription,
    TaggedRunMetadata,
)
from tinytf.summary.file_writer import FileWriter, FileWriterCache
from tinytf.summary.reading import get_summary_description

__all__ = [
    "Event",
    "FileWriter",
    "FileWriterCache",
    "SessionLog",
    "Summary",
    "SummaryDescription",
    "TaggedRunMetadata",
    "audio",
    "get_summary_description",
    "histogram",
    "image",
    "merge",
    "merge_all",
    "scalar",
    "tensor_summary",
    "text",
]
