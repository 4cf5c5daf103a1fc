"""Ops that shuffle datasets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from tinytf.data.card_sources import HANDLE, METADATA, REASON, TYPES
from tinytf.data.shuffle import Seeds, ShuffleDataset
from tinytf.data.value import Dataset
from tinytf.framework import shape_inference
from tinytf.framework.op_card import define_op
from tinytf.ops.random.philox import blocks_at

#: Blocks of four numbers that are made at once: the first ones are few, for short datasets.
_FEW, _MANY = 16, 512

# ShuffleDataset, ShuffleAndRepeatDataset, ShuffleDatasetV3 ----------------------------------------

_SHUFFLE = ["input_dataset: variant", "buffer_size: int64", "seed: int64", "seed2: int64"]
shuffle_dataset = define_op(
    "ShuffleDataset", _SHUFFLE, HANDLE,
    ["reshuffle_each_iteration: bool = true", *TYPES, METADATA],
)  # fmt: skip
shuffle_and_repeat_dataset = define_op(
    "ShuffleAndRepeatDataset", [*_SHUFFLE, "count: int64"], HANDLE,
    [*TYPES, "reshuffle_each_iteration: bool = true", METADATA],
)  # fmt: skip
for _card in (shuffle_dataset, shuffle_and_repeat_dataset):
    _card.shape(shape_inference.is_scalar)
    _card.not_differentiable(REASON)


@shuffle_dataset.kernel
def _shuffle(
    source: Dataset, size: Any, seed: Any, seed2: Any, *, reshuffle_each_iteration: bool, node: Any
) -> ShuffleDataset:
    return _made(node, source, size, seed, seed2, reshuffle_each_iteration)


@shuffle_and_repeat_dataset.kernel
def _shuffle_and_repeat(
    source: Dataset, size: Any, seed: Any, seed2: Any, count: Any, *,
    reshuffle_each_iteration: bool, node: Any,
) -> ShuffleDataset:  # fmt: skip
    return _made(node, source, size, seed, seed2, reshuffle_each_iteration, int(count))


def _made(
    node: Any, source: Dataset, size: Any, seed: Any, seed2: Any, changes: bool, count: int = 1
) -> ShuffleDataset:
    seeds = Seeds(int(seed), int(seed2), numbers, changes)
    return ShuffleDataset(node, source, int(size), seeds, numbers, count)


def numbers(seed: int, seed2: int) -> Iterator[int]:
    """TensorFlow's sequence of 32-bit numbers for a pair of seeds."""
    return chain.from_iterable(_number_lists(seed, seed2))  # nothing of Python for each number


def _number_lists(seed: int, seed2: int) -> Iterator[list[int]]:
    counter, done, size = (seed2 & 0xFFFFFFFFFFFFFFFF) << 64, 0, _FEW
    while True:
        blocks = blocks_at(seed, counter, np.arange(done, done + size, dtype=np.uint64))
        yield blocks.ravel().tolist()
        done += size
        size = _MANY
