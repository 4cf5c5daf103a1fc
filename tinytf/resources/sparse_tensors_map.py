"""A table of sparse tensors: what travels through a queue in their place is a number."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from tinytf.framework.errors import InvalidArgumentError


class SparseParts(NamedTuple):
    """A sparse tensor: `indices` int64 [n, rank], `values` [n], `dense_shape` int64 [rank]."""

    indices: np.ndarray
    values: np.ndarray
    dense_shape: np.ndarray


class SparseTensorsMap:
    """Keeps sparse tensors until somebody takes them. Thread-safe.

    Args:
      name: for messages.
    """

    def __init__(self, name: str):
        self.name = name
        self._handles = itertools.count()
        self._parts: dict[int, SparseParts] = {}

    def add(self, parts: SparseParts) -> int:
        """Keep one; the number to take it with."""
        handle = next(self._handles)
        self._parts[handle] = parts
        return handle

    def take(self, handles: Iterable[int]) -> list[SparseParts]:
        """The ones with these numbers, which are then forgotten.

        Raises:
          InvalidArgumentError: for a number that is unknown, or was taken before.
        """
        found = []
        for handle in handles:
            parts = self._parts.pop(handle, None)
            if parts is None:
                raise InvalidArgumentError(
                    f"Unable to find SparseTensor: {handle} in map: {self.name}"
                )
            found.append(parts)
        return found

    def __len__(self) -> int:
        return len(self._parts)
