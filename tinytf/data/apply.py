"""`apply`: what a function makes of a dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data.base import D, DatasetBase


def apply(self: D, transformation_func: Callable[[Any], Any]) -> Any:
    """What a function makes of this dataset (TensorFlow: `Dataset.apply`).

    Raises:
      TypeError: if it is no dataset.

    Example:
      >>> tf.data.Dataset.range(2).apply(lambda dataset: dataset.repeat(2))  # [0, 1, 0, 1]
    """
    result = transformation_func(self)
    if not isinstance(result, DatasetBase):
        raise TypeError(
            f"`transformation_func` must return a `tf.data.Dataset` object. Got {type(result)}."
        )
    return result
