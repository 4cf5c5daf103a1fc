"""Seeded distributions: what TensorFlow makes of a Philox sequence's blocks of four words.

A "sequence" here is a function from block numbers (uint64, of any shape) to blocks (uint32, four
each): the part of a node's numbers that one run has reserved, or a stateless op's whole counter.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.framework import dtypes
from tinytf.framework.cancellation import look
from tinytf.ops.random import philox
from tinytf.ops.random.normal_numbers import box_muller

Sequence = Callable[[np.ndarray], np.ndarray]
#: Blocks that belong to each output of a distribution which may reject numbers.
BLOCKS_PER_OUTPUT = 256
_CUT = 2.0


def words(sequence: Sequence, count: int, per_block: int = 4) -> np.ndarray:
    """The first blocks, (blocks, 4): as many as `count` outputs need, `per_block` in each."""
    return sequence(np.arange(-(-count // per_block), dtype=np.uint64))


def uniform(sequence: Sequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    """Floating-point numbers in [0, 1); bfloat16 as float32 (they are exact)."""
    if dtype is dtypes.float64:
        pairs = words(sequence, count, 2).reshape(-1, 2)
        return philox.to_float64(pairs[:, 0], pairs[:, 1])[:count]
    bits = words(sequence, count).reshape(-1)[:count]
    if dtype is dtypes.float32:
        return philox.to_float32(bits)
    return philox.to_float16(bits) if dtype is dtypes.float16 else philox.to_bfloat16(bits)


def all_integers(sequence: Sequence, count: int, kind: Any) -> np.ndarray:
    """Whole numbers of the numpy type `kind` (32 or 64 bits), each equally likely."""
    if np.dtype(kind).itemsize == 4:
        return words(sequence, count).reshape(-1)[:count].view(kind)
    # The first word of a pair is the lower half, on every machine.
    pairs = words(sequence, count, 2).reshape(-1, 2)[:count].astype(np.uint64)
    return (pairs[:, 0] | pairs[:, 1] << np.uint64(32)).view(kind)


def integers(sequence: Sequence, count: int, low: int, high: int, kind: Any) -> np.ndarray:
    """Whole numbers in [low, high): the remainders of all numbers, as TensorFlow has it."""
    unsigned = np.dtype(f"u{np.dtype(kind).itemsize}")
    # In unsigned arithmetic, so that the widest ranges wrap around to the right number.
    offsets = all_integers(sequence, count, unsigned) % unsigned.type(high - low)
    return (offsets + unsigned.type(low % 2 ** (8 * unsigned.itemsize))).view(kind)


def _normals(bits: np.ndarray, double: bool) -> np.ndarray:
    """Normal numbers out of words, along the last dimension: one for each, or each two."""
    if double:
        groups = bits.reshape(*bits.shape[:-1], -1, 4)
        u1 = philox.to_float64(groups[..., 0], groups[..., 1])
        u2 = philox.to_float64(groups[..., 2], groups[..., 3])
    else:
        groups = bits.reshape(*bits.shape[:-1], -1, 2)
        u1, u2 = philox.to_float32(groups[..., 0]), philox.to_float32(groups[..., 1])
    return box_muller(u1, u2).reshape(*bits.shape[:-1], -1)


def normal(sequence: Sequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    """Normal numbers, float64 or float32 (which the 16-bit types are rounded from)."""
    double = dtype is dtypes.float64
    return _normals(words(sequence, count, 2 if double else 4).reshape(-1), double)[:count]


def truncated_normal(sequence: Sequence, count: int, dtype: dtypes.DType) -> np.ndarray:
    """Normal numbers between -2 and 2; types as for `normal`.

    Each group of four (float64: two) has blocks of its own to look for them.
    """
    double = dtype is dtypes.float64
    size = 2 if double else 4
    starts = np.arange(-(-count // size), dtype=np.uint64)
    starts *= np.uint64(size * BLOCKS_PER_OUTPUT // 4)
    result = np.empty((len(starts), size), np.float64 if double else np.float32)
    waiting, number = np.arange(len(starts)), 1
    while len(waiting):
        look()
        offsets = starts[waiting, None] + np.arange(number, dtype=np.uint64)
        normals = _normals(sequence(offsets).reshape(len(waiting), -1), double)
        inside = np.abs(normals) < _CUT
        # The first `size` numbers inside, in their order; groups with fewer look further.
        found = inside & (np.cumsum(inside, 1) <= size)
        full = found.sum(1) == size
        result[waiting[full]] = normals[full][found[full]].reshape(-1, size)
        waiting, number = waiting[~full], number * 2
    return result.reshape(-1)[:count]


class Streams:
    """A stream of numbers for each output, for algorithms that draw until they accept.

    Every output has its own blocks. A block gives some numbers, which are handed out from its
    last to its first; the next block is taken when they are used up.

    Args:
      sequence: see the module. count: the number of outputs.
    """

    def __init__(self, sequence: Sequence, count: int):
        self._sequence = sequence
        self._next = np.arange(count, dtype=np.uint64) * np.uint64(BLOCKS_PER_OUTPUT)
        self._uniforms, self._normals = np.empty((count, 2)), np.empty((count, 2))
        self._uniforms_left = np.zeros(count, np.intp)
        self._normals_left = np.zeros(count, np.intp)

    def uniform(self, which: np.ndarray) -> np.ndarray:
        """The next uniform number (float64) of each output in `which`, an array of indices."""
        return self._taken(which, self._uniforms, self._uniforms_left, uniform)

    def normal(self, which: np.ndarray) -> np.ndarray:
        """The next normal number of each output in `which`."""
        return self._taken(which, self._normals, self._normals_left, normal)

    def _taken(
        self, which: np.ndarray, held: np.ndarray, left: np.ndarray, draw: Any
    ) -> np.ndarray:
        empty = which[left[which] == 0]
        if len(empty):
            blocks = self._sequence(self._next[empty])
            numbers = draw(lambda _: blocks, 2 * len(empty), dtypes.float64)
            held[empty] = numbers.reshape(-1, 2)
            self._next[empty] += np.uint64(1)
            left[empty] = 2
        left[which] -= 1
        return held[which, left[which]]
