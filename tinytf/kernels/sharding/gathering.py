"""The results of shards, put together."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tinytf.kernels.sharding.pool import ShardPool


def gather(
    pool: ShardPool, edges: Sequence[int], part: Callable[[int, int], Any], axis: int = 0
) -> Any:
    """What `part(0, end)` returns, computed as `part(edges[0], edges[1])` and so on.

    Args:
      edges: from 0 to the size of the result along `axis`, ascending.
      part: an array, or a tuple of some, of which `axis` has the size `stop - start`.
    """
    results = _Results(edges[-1], axis)

    def work(index: int) -> None:
        results.put(edges[index], edges[index + 1], part(edges[index], edges[index + 1]))

    pool.run(len(edges) - 1, work)
    return results.value()


class _Results:
    """Arrays for the whole, made when the first part is there: then dtype and shape are known."""

    def __init__(self, size: int, axis: int):
        self._size, self._axis = size, axis
        self._lock = threading.Lock()
        self._arrays: tuple[Any, ...] = ()  # guarded by self._lock while empty
        self._single = False

    def put(self, start: int, stop: int, part: Any) -> None:
        parts = part if isinstance(part, tuple) else (part,)
        with self._lock:
            if not self._arrays:
                self._single = parts is not part
                self._arrays = tuple(_like(p, self._size, self._axis) for p in parts)
        place = (slice(None),) * self._axis + (slice(start, stop),)
        for array, value in zip(self._arrays, parts, strict=True):
            array[place] = value

    def value(self) -> Any:
        return self._arrays[0] if self._single else self._arrays


def _like(part: Any, size: int, axis: int) -> Any:
    """An array like a part in dtype and order in memory, with so many rows.

    Kernels downstream may round differently for another order: it has to be the whole kernel's.
    """
    shape = (*part.shape[:axis], size, *part.shape[axis + 1 :])
    if part.flags.c_contiguous:
        return np.empty(shape, part.dtype)
    step = part.strides[0]
    reach = sum((n - 1) * s for n, s in zip(part.shape[1:], part.strides[1:])) + part.itemsize
    if axis == 0 and min(part.strides) > 0 and step >= reach and not step % part.itemsize:
        # Images inside their padding, or with the channels in another place: all one after another.
        buffer = np.empty(math.prod((size, step // part.itemsize)), part.dtype)
        return np.lib.stride_tricks.as_strided(buffer, shape, part.strides)
    return np.empty_like(part, shape=shape)


def rows(array: Any, axis: int, start: int, stop: int) -> Any:
    """A view of some rows along an axis."""
    return array[(slice(None),) * axis + (slice(start, stop),)]
