"""`shard`: a worker's part of the elements."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import Self, int64
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework.errors import invalid


@dataset_op(
    "input_dataset: variant, num_shards: int64, index: int64",
    "require_non_empty: bool = false",
    FORM,
)
class ShardDataset(DatasetValue):
    """Every n-th element, beginning with number `index`.

    Raises:
      InvalidArgumentError: if there is no such shard.
    """

    def check(self) -> None:
        count, index = self.given.num_shards, self.given.index
        if count < 1:
            raise invalid(
                f"Number of shards must be greater than zero (currently num_shards = {count})."
            )
        if not 0 <= index < count:
            raise invalid(f"Index must be between 0 and {count - 1} (currently index = {index}).")

    def start(self, context: Context, stage: Stage) -> Next:
        advance, before = self.inputs[0].iterate(context, stage).next, self.given.index
        between, produced = self.given.num_shards - 1, 0

        def shard() -> tuple:
            nonlocal before, produced
            while before > 255:  # it may last
                context.check()
                for _ in range(255):
                    advance()
                    before -= 1
            while before:
                advance()
                before -= 1
            element = advance()
            before = between
            produced += 1
            return element

        stage.count = lambda: produced
        return shard

    def cardinality(self) -> int:
        size = self.inputs[0].cardinality()
        return (
            size
            if size < 0
            else (size - self.given.index + self.given.num_shards - 1) // self.given.num_shards
        )


def shard(self: Self, num_shards: Any, index: Any, name: str | None = None) -> Self:
    """Every `num_shards`-th element, beginning with `index` (TensorFlow: `Dataset.shard`).

    So each of several workers gets its own part of one dataset.

    Raises:
      ValueError, InvalidArgumentError: if there is no such shard.

    Example:
      >>> tf.data.Dataset.range(6).shard(num_shards=3, index=1)  # [1, 4]
    """
    shards, number = int64(num_shards, "num_shards"), int64(index, "index")
    return self._derived(ShardDataset.card, shards, number, name=name)
