"""Philox 4x32-10: random numbers by encrypting a counter, exactly as TensorFlow draws them.

Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (2011). There is no
state but the counter, so number n can be computed without the ones before it. That makes the
numbers of a seeded op independent of threads, and the same on every machine.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

import numpy as np

from tinytf.framework.cancellation import look

_MULTIPLIER_A, _MULTIPLIER_B = 0xD2511F53, 0xCD9E8D57
_WEYL_A, _WEYL_B = 0x9E3779B9, 0xBB67AE85
_LOW32 = 0xFFFFFFFF
_LOW64 = 0xFFFFFFFFFFFFFFFF
_COUNTERS = 1 << 128
#: Blocks computed together: few enough for the processor's cache.
_CHUNK = 1 << 14
#: Below this number of blocks Python's own integers are faster than numpy.
_FEW = 8


def _keys(seed: int) -> list[tuple[int, int]]:
    """The keys of the ten rounds."""
    low, high = seed & _LOW32, seed >> 32 & _LOW32
    return [((low + i * _WEYL_A) & _LOW32, (high + i * _WEYL_B) & _LOW32) for i in range(10)]


def _one_block(counter: int, keys: list[tuple[int, int]]) -> tuple[int, int, int, int]:
    c0, c1 = counter & _LOW32, counter >> 32 & _LOW32
    c2, c3 = counter >> 64 & _LOW32, counter >> 96 & _LOW32
    for key0, key1 in keys:
        first, second = _MULTIPLIER_A * c0, _MULTIPLIER_B * c2
        c0 = second >> 32 ^ c1 ^ key0
        c1 = second & _LOW32
        c2 = first >> 32 ^ c3 ^ key1
        c3 = first & _LOW32
    return c0, c1, c2, c3


def _many_blocks(low: np.ndarray, high: np.ndarray, keys: list[tuple[int, int]]) -> np.ndarray:
    shift, mask = np.uint64(32), np.uint64(_LOW32)
    a, b = np.uint64(_MULTIPLIER_A), np.uint64(_MULTIPLIER_B)
    c0, c1, c2, c3 = low & mask, low >> shift, high & mask, high >> shift
    for key0, key1 in keys:
        first, second = a * c0, b * c2
        c0 = (second >> shift) ^ c1 ^ np.uint64(key0)
        c1 = second & mask
        c2 = (first >> shift) ^ c3 ^ np.uint64(key1)
        c3 = first & mask
    result = np.empty((len(low), 4), np.uint32)
    for column, words in enumerate((c0, c1, c2, c3)):
        result[:, column] = words
    return result


def blocks_at(seed: int, counter: int, offsets: np.ndarray) -> np.ndarray:
    """The blocks at `counter + offsets`.

    Args:
      seed: the key, 64 bits. counter: 128 bits. offsets: uint64, of any shape.

    Returns:
      uint32 of shape offsets.shape + (4,).
    """
    keys, flat = _keys(seed), offsets.reshape(-1)
    if len(flat) <= _FEW:
        found = [_one_block((counter + int(offset)) % _COUNTERS, keys) for offset in flat]
        return np.array(found, np.uint32).reshape(*offsets.shape, 4)
    low, high = np.uint64(counter & _LOW64), np.uint64(counter >> 64)
    result = np.empty((len(flat), 4), np.uint32)
    for start in range(0, len(flat), _CHUNK):
        look()
        part = slice(start, start + _CHUNK)
        sums = low + flat[part]
        carried = high + (sums < low)  # the addition of 64 bits wrapped around
        result[part] = _many_blocks(sums, carried.astype(np.uint64), keys)
    return result.reshape(*offsets.shape, 4)


class PhiloxSequence:
    """The numbers of one seeded op in one session: every run goes on where the last one stopped.

    Args:
      seed, seed2: the attributes of the op. Thread-safe.
    """

    def __init__(self, seed: int, seed2: int):
        self._key = seed & _LOW64
        self._counter = (seed2 & _LOW64) << 64  # guarded by self._lock
        self._lock = threading.Lock()

    def reserve(self, outputs: int) -> Callable[[np.ndarray], np.ndarray]:
        """Take the part of the sequence that belongs to one run.

        TensorFlow reserves 256 blocks for each output, so that an op which rejects some numbers
        (a truncated normal) does not run into the next one's.

        Args:
          outputs: how many numbers will be drawn.

        Returns:
          a function from block numbers (uint64, of any shape) to blocks (uint32, four each).
        """
        return self.reserve_blocks(outputs * 256)

    def reserve_blocks(self, blocks: int) -> Callable[[np.ndarray], np.ndarray]:
        """As `reserve`, for an op that knows how many blocks it needs."""
        with self._lock:
            counter = self._counter
            self._counter = (counter + blocks) % _COUNTERS
        return lambda offsets: blocks_at(self._key, counter, offsets)


# From random bits to numbers --------------------------------------------------------------------


def to_float32(bits: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from the lower 23 bits of each word."""
    return ((bits & np.uint32(0x7FFFFF)) | np.uint32(0x3F800000)).view(np.float32) - np.float32(1)


def to_float64(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from 20 bits of `low` and the 32 bits of `high`."""
    upper = (low & np.uint32(0xFFFFF)).astype(np.uint64) | np.uint64(0x3FF00000)
    return (upper << np.uint64(32) | high).view(np.float64) - 1.0


def to_float16(bits: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from the lower 10 bits of each word."""
    exact = ((bits & np.uint32(0x3FF)) | np.uint32(0x3C00)).astype(np.uint16)
    return exact.view(np.float16) - np.float16(1)


def to_bfloat16(bits: np.ndarray) -> np.ndarray:
    """Numbers in [0, 1) from the lower 7 bits of each word, as float32 (they are exact)."""
    return (bits & np.uint32(0x7F)).astype(np.float32) / np.float32(128)
