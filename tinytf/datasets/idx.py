"""The format of MNIST's files: a magic number, sizes, bytes; compressed by gzip."""

from __future__ import annotations

import gzip
import zlib
from typing import Any, BinaryIO

import numpy as np

from tinytf.framework import errors

IMAGES, LABELS = 2051, 2049
#: MNIST has 60,000 images of 28 by 28; a few bytes must not fill the memory.
_MOST = 1 << 30


def read(file: BinaryIO, magic: int, what: str) -> np.ndarray:
    """The bytes of a file, in their shape.

    Args:
      file: open for reading. magic: `IMAGES` or `LABELS`. what: the file is of, for errors.

    Raises:
      ValueError: for another magic number. tf.errors.DataLossError: for a damaged file.

    Example:
      >>> with open("train-labels-idx1-ubyte.gz", "rb") as file:
      ...     read(file, LABELS, "label").shape
      (60000,)
    """
    name = getattr(file, "name", "the file")
    try:
        with gzip.GzipFile(fileobj=file) as stream:
            found = _number(stream, name)
            if found != magic:
                raise ValueError(f"Invalid magic number {found} in MNIST {what} file: {name}")
            shape = [_number(stream, name) for _ in range(3 if magic == IMAGES else 1)]
            size = int(np.prod(shape, dtype=object))
            if size > _MOST:
                raise errors.DataLossError(f"{name} says that it holds {size:,} bytes, of {shape}")
            content = stream.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise errors.DataLossError(f"{name} is no gzip file, or is damaged: {error}") from error
    if len(content) < size:
        raise errors.DataLossError(f"{name} has {len(content):,} of {size:,} bytes: it is cut off")
    return np.frombuffer(content, np.uint8).reshape(shape)


def _number(stream: Any, name: str) -> int:
    content = stream.read(4)
    if len(content) < 4:
        raise errors.DataLossError(f"{name} ends in its header")
    return int.from_bytes(content, "big")
