"""`tf.data.TextLineDataset`: the lines of text files."""

from __future__ import annotations

from functools import partial

from tinytf.data.files import (
    RecordsDataset,
    define_records,
)
from tinytf.resources.file_formats.lines import TextLines


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

    _card = define_records("TextLineDataset", partial(TextLines, drop_carriage_returns=True))
