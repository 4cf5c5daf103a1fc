"""`take` and `skip`: the first elements, and what comes after them."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import D, int64
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage
from tinytf.framework.op_card import OpCard

# TakeDataset --------------------------------------------------------------------------------------


@dataset_op("input_dataset: variant, count: int64", FORM)
class TakeDataset(DatasetValue):
    """The first elements; all of them if `count` is below 0."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance, left = self.inputs[0].iterate(context, stage).next, self.given.count

        def take() -> tuple:
            nonlocal left
            if left == 0:
                raise StopIteration
            element = advance()
            left -= 1
            return element

        stage.count = lambda: self.given.count - left
        return take

    def cardinality(self) -> int:
        size, count = self.inputs[0].cardinality(), self.given.count
        if size == INFINITE:
            return INFINITE if count < 0 else count
        if size == UNKNOWN:
            return UNKNOWN
        return size if count < 0 else min(size, count)


def take(self: D, count: Any, name: str | None = None) -> D:
    """The first elements (TensorFlow: `Dataset.take`).

    Args:
      count: how many; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(10).take(2)  # [0, 1]
    """
    return with_count(self, TakeDataset.card, count, name)


# SkipDataset --------------------------------------------------------------------------------------


@dataset_op("input_dataset: variant, count: int64", FORM)
class SkipDataset(DatasetValue):
    """What comes after the first elements; nothing if `count` is below 0."""

    def start(self, context: Context, stage: Stage) -> Next:
        if self.given.count < 0:
            return iter(()).__next__
        source, left = self.inputs[0].iterate(context, stage), self.given.count
        advance = source.next

        def skip() -> tuple:
            nonlocal left
            while left:
                if not left & 255:  # it may last
                    context.check()
                advance()
                left -= 1
            return advance()

        stage.count = lambda: source.produced - (self.given.count - left)
        return skip

    def cardinality(self) -> int:
        size, count = self.inputs[0].cardinality(), self.given.count
        if size < 0:
            return size if count >= 0 else 0
        return 0 if count < 0 else max(size - count, 0)


def skip(self: D, count: Any, name: str | None = None) -> D:
    """What comes after the first elements (TensorFlow: `Dataset.skip`).

    Args:
      count: how many to leave out; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(5).skip(3)  # [3, 4]
    """
    return with_count(self, SkipDataset.card, count, name)


def with_count(dataset: D, card: OpCard, count: Any, name: str | None) -> D:
    """What an op makes of a dataset and a number; None: all, or for ever."""
    return dataset._derived(card, int64(-1 if count is None else count, "count"), name=name)
