"""`repeat`: the elements again and again."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import Self, with_count
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import INFINITE, Context, DatasetValue, Next, Stage


@dataset_op("input_dataset: variant, count: int64", FORM)
class RepeatDataset(DatasetValue):
    """Its input again and again: `count` times, or for ever if that is below 0.

    An input without elements is not asked for ever: it is the end.
    """

    def start(self, context: Context, stage: Stage) -> Next:
        source, left = self.inputs[0], self.given.count
        running: Stage | None = None
        advance: Next | None = None
        is_first, produced = True, 0

        def repeat() -> tuple:
            nonlocal running, advance, left, is_first, produced
            while left:
                if advance is None:
                    context.check()  # an input may be empty very often
                    running = source.iterate(context, stage)
                    advance, is_first = running.next, True
                try:
                    element = advance()
                    is_first = False
                    produced += 1
                    return element
                except StopIteration:
                    if running is not None:
                        stage.drop(running)
                    running = advance = None
                    left -= 1
                    if is_first and left < 0:
                        left = 0
            raise StopIteration

        stage.count = lambda: produced
        return repeat

    def cardinality(self) -> int:
        return times(self.inputs[0].cardinality(), self.given.count)


def times(size: int, count: int) -> int:
    """A cardinality, so many times; `count` below 0 stands for ever."""
    if count < 0:
        return 0 if size == 0 else INFINITE
    return size * count if size >= 0 else (0 if count == 0 else size)


def repeat(self: Self, count: Any = None, name: str | None = None) -> Self:
    """The elements again and again (TensorFlow: `Dataset.repeat`).

    Args:
      count: how often; None or -1: for ever. name: kept in the graph.

    Example:
      >>> tf.data.Dataset.range(2).repeat(2)  # [0, 1, 0, 1]
    """
    return with_count(self, RepeatDataset.card, count, name)
