"""`enumerate`: pairs of a number and an element."""

from __future__ import annotations

from typing import Any

from tinytf.data.base import Self
from tinytf.data.cards import TYPES, define_dataset
from tinytf.data.range import range
from tinytf.data.stages import DatasetValue
from tinytf.data.zip import zip

rewrite_dataset = define_dataset(
    "RewriteDataset", "input_dataset: variant, rewrite_name: string", TYPES
)


@rewrite_dataset.kernel
def _rewrite(source: DatasetValue, rewrite_name: Any) -> DatasetValue:
    return source


def replicated_on_split(dataset: Self) -> Self:
    """The same elements, with a hint for datasets that are distributed."""
    return dataset._derived(rewrite_dataset, "replicate_on_split")


def enumerate(self: Self, start: Any = 0, name: str | None = None) -> Self:
    """Pairs of a number and an element (TensorFlow: `Dataset.enumerate`).

    Args:
      start: the first number, int64.

    Example:
      >>> tf.data.Dataset.from_tensor_slices([1.5, 2.5]).enumerate()  # [(0, 1.5), (1, 2.5)]
    """
    numbers = replicated_on_split(range(start, 2**63 - 1, name=name))
    return zip((numbers, self), name=name)
