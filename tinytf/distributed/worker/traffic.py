"""What a task has sent to others, and how much of it."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np


class Sent(NamedTuple):
    """The tensors of one name that went from one task to another: how often, and bytes in all."""

    source: str
    destination: str
    tensor: str
    times: int
    bytes: int


class Traffic:
    """A table of tensors sent: their bytes, not those of messages around them. Thread-safe."""

    #: How many names are kept; further ones are counted together.
    MOST = 10_000
    OTHERS = "(others)"

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str, str], list[int]] = {}  # guarded by self._lock

    def count(self, source: str, destination: str, tensor: str, value: Any) -> None:
        """A tensor goes from one task to another."""
        size = size_of(value)
        with self._lock:
            key = source, destination, tensor
            if key not in self._counts and len(self._counts) >= self.MOST:
                key = source, destination, self.OTHERS
            entry = self._counts.setdefault(key, [0, 0])
            entry[0] += 1
            entry[1] += size

    def table(self) -> list[Sent]:
        """All of it, in order of first mention."""
        with self._lock:
            return [Sent(*key, *counts) for key, counts in self._counts.items()]


_NUMBERS = np.ndarray, np.generic


def size_of(value: Any) -> int:
    """The bytes of a tensor; of texts, those of all texts."""
    if isinstance(value, _NUMBERS) and value.dtype != object:
        return int(value.nbytes)
    array = np.asarray(value, object) if isinstance(value, bytes) else np.asarray(value)
    if array.dtype == object:
        return sum(len(text) for text in array.reshape(-1) if isinstance(text, bytes))
    return int(array.nbytes)
