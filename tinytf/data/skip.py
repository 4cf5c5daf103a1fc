"""`skip`: what comes after the first elements."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import Self, with_count
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage


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


def skip(self: Self, count: Any, name: str | None = None) -> Self:
    """What comes after the first elements (TensorFlow: `Dataset.skip`).

    Args:
      count: how many to leave out; -1: all. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(5).skip(3)  # [3, 4]
    """
    return with_count(self, SkipDataset.card, count, name)
