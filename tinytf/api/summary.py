"""`tf.summary`: what TensorBoard shows."""

from tinytf.api.not_yet import explained
from tinytf.ops.media_summaries import audio, image
from tinytf.ops.summaries import histogram, merge, merge_all, scalar, tensor_summary, text
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
    "Event", "FileWriter", "FileWriterCache", "SessionLog", "Summary", "SummaryDescription",
    "TaggedRunMetadata", "audio", "get_summary_description", "histogram", "image", "merge",
    "merge_all", "scalar", "tensor_summary", "text",
]  # fmt: skip

__getattr__ = explained(__name__, "summary")
