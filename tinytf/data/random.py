"""`Dataset.random`, and the random numbers of `shuffle`: TensorFlow's own for a given seed."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from itertools import chain
from typing import Any

import numpy as np

from tinytf.data.base import made
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import INFINITE, Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.random_seed import get_seed
from tinytf.framework.scope_functions import name_scope
from tinytf.framework.tensor import Tensor
from tinytf.framework.tensor_spec import TensorSpec
from tinytf.ops.array.where import where_v2
from tinytf.ops.math.comparison import equal
from tinytf.ops.math.logical import logical_and
from tinytf.ops.random.philox import blocks_at

#: Blocks of four numbers that are made at once: the first ones are few, for short datasets.
_FEW, _MANY = 16, 512


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


def any_seeds() -> tuple[int, int]:
    """Seeds that nobody can know."""
    return secrets.randbits(63), secrets.randbits(63)


def dataset_seeds(seed: Any) -> tuple[Tensor, Tensor]:
    """The two seeds of a dataset that draws random numbers, as int64 scalars; two zeros: none."""
    first, second = get_seed(seed)
    graph_seed = convert_to_tensor(0 if first is None else first, dtypes.int64, name="seed")
    if second is None:
        return graph_seed, convert_to_tensor(0, dtypes.int64, name="seed2")
    with name_scope("seed2") as scope:
        op_seed = convert_to_tensor(second, dtypes.int64)
        both_zero = logical_and(equal(graph_seed, 0), equal(op_seed, 0))
        limit = convert_to_tensor(2**31 - 1, dtypes.int64)
        return graph_seed, where_v2(both_zero, limit, op_seed, name=scope)


# RandomDataset ------------------------------------------------------------------------------------


@dataset_op("seed: int64, seed2: int64", FORM, stateful=True)
class RandomDataset(DatasetValue):
    """Endless random numbers from 0 to 2**32 - 1; with two seeds of zero any."""

    def check(self) -> None:
        seeds = self.given.seed, self.given.seed2
        self._seeds = seeds if any(seeds) else any_seeds()

    def start(self, context: Context, stage: Stage) -> Next:
        return zip(map(np.int64, numbers(*self._seeds))).__next__

    def cardinality(self) -> int:
        return INFINITE


def random(
    seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
) -> Any:
    """Endless random int64 numbers below 2**32 (TensorFlow: `Dataset.random`)."""
    spec = TensorSpec((), dtypes.int64)
    return made(RandomDataset.card, *dataset_seeds(seed), spec=spec, name=name)
