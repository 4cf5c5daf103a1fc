"""`take`: the first elements."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import Self, with_count
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage


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


def take(self: Self, count: Any, name: str | None = None) -> Self:
    """The first elements (TensorFlow: `Dataset.take`).

    Args:
      count: how many; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(10).take(2)  # [0, 1]
    """
    return with_count(self, TakeDataset.card, count, name)
