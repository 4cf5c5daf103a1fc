"""`tf.data.TextLineDataset`: the lines of text files."""

from __future__ import annotations

from functools import partial
from typing import Any

from tinytf.data.cards import METADATA, define_dataset
from tinytf.data.files import (
    FileDataset,
    RecordsDataset,
    buffer_tensor,
    compression_tensor,
    reading,
)
from tinytf.framework.tensor import Tensor
from tinytf.resources.file_formats.lines import TextLines

text_line_dataset = define_dataset(
    "TextLineDataset",
    "filenames: string, compression_type: string, buffer_size: int64",
    METADATA,
    stateful=True,
)


@text_line_dataset.kernel
def _text_lines(
    filenames: Any, compression: Any, buffer: Any, *, node: Any, resources: Any
) -> FileDataset:
    opener = partial(TextLines, **reading(buffer, compression), drop_carriage_returns=True)
    return FileDataset(filenames, opener, node=node, root=resources.files)


class TextLineDataset(RecordsDataset):
    """The lines of text files (TensorFlow: `tf.data.TextLineDataset`).

    Args:
      filenames: a string tensor, what can be made one, or a dataset of filenames.
      compression_type: "", "ZLIB" or "GZIP". buffer_size: in bytes.
      num_parallel_reads: how many files are read at once, their lines in turns; None: one.
      name: kept in the graph.

    Raises:
      TypeError: if `filenames` are no strings. NotFoundError ...: when it runs.

    Example:
      >>> lines = tf.data.TextLineDataset(["a.csv", "b.csv"]).skip(1)
    """

    def __init__(
        self,
        filenames: Any,
        compression_type: Any = None,
        buffer_size: Any = None,
        num_parallel_reads: Any = None,
        name: str | None = None,
    ):
        def arguments() -> list[Tensor]:
            return [compression_tensor(compression_type), buffer_tensor(buffer_size)]

        self._read(text_line_dataset, filenames, arguments, num_parallel_reads, name)
