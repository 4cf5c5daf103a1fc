"""`take` and `skip`: the first elements, and what comes after them."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import D, int64
from tinytf.data.cards import METADATA, TYPES, define_dataset
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage
from tinytf.framework.op_card import OpCard
from tinytf.framework.operation import Operation


class Counted(DatasetValue):
    """What a dataset and a number make: `take`, `skip`, `repeat`."""

    def __init__(self, source: DatasetValue, count: Any, *, node: Operation):
        super().__init__(source, node=node)
        self._count = int(count)


def define_counted(name: str, kind: type[Counted]) -> OpCard:
    """The card of such an op."""
    inputs = "input_dataset: variant, count: int64"
    return define_dataset(name, inputs, TYPES, METADATA, kernel=kind)


# TakeDataset --------------------------------------------------------------------------------------


class TakeDataset(Counted):
    """The first elements; all of them if `count` is below 0."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance, left = self.inputs[0].iterate(context, stage).next, self._count

        def take() -> tuple:
            nonlocal left
            if left == 0:
                raise StopIteration
            element = advance()
            left -= 1
            return element

        stage.count = lambda: self._count - left
        return take

    def cardinality(self) -> int:
        size, count = self.inputs[0].cardinality(), self._count
        if size == INFINITE:
            return INFINITE if count < 0 else count
        if size == UNKNOWN:
            return UNKNOWN
        return size if count < 0 else min(size, count)


take_dataset = define_counted("TakeDataset", TakeDataset)


def take(self: D, count: Any, name: str | None = None) -> D:
    """The first elements (TensorFlow: `Dataset.take`).

    Args:
      count: how many; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(10).take(2)  # [0, 1]
    """
    return with_count(self, take_dataset, count, name)


# SkipDataset --------------------------------------------------------------------------------------


class SkipDataset(Counted):
    """What comes after the first elements; nothing if `count` is below 0."""

    def start(self, context: Context, stage: Stage) -> Next:
        if self._count < 0:
            return iter(()).__next__
        source, left = self.inputs[0].iterate(context, stage), self._count
        advance = source.next

        def skip() -> tuple:
            nonlocal left
            while left:
                if not left & 255:  # it may last
                    context.check()
                advance()
                left -= 1
            return advance()

        stage.count = lambda: source.produced - (self._count - left)
        return skip

    def cardinality(self) -> int:
        size, count = self.inputs[0].cardinality(), self._count
        if size < 0:
            return size if count >= 0 else 0
        return 0 if count < 0 else max(size - count, 0)


skip_dataset = define_counted("SkipDataset", SkipDataset)


def skip(self: D, count: Any, name: str | None = None) -> D:
    """What comes after the first elements (TensorFlow: `Dataset.skip`).

    Args:
      count: how many to leave out; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(5).skip(3)  # [3, 4]
    """
    return with_count(self, skip_dataset, count, name)


def with_count(dataset: D, card: OpCard, count: Any, name: str | None) -> D:
    """What an op makes of a dataset and a number; None: all, or for ever."""
    return dataset._derived(card, int64(-1 if count is None else count, "count"), name=name)
