"""`unique`: each element once."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes


@dataset_op("input_dataset: variant", FORM)
class UniqueDataset(DatasetValue):
    """Each element once: where it comes first. Elements of one component."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        seen: set[Any] = set()

        def unique() -> tuple:
            while True:
                element = advance()
                value = np.asarray(element[0])
                content = tuple(value.flat) if value.dtype == object else value.tobytes()
                key = (value.shape, content)
                if key not in seen:
                    seen.add(key)
                    return element
                context.check()  # there may be no other any more

        return unique


def unique(self: Self, name: str | None = None) -> Self:
    """Each element once, where it comes first (TensorFlow: `Dataset.unique`).

    Raises:
      TypeError: for elements of several components, or of other types than whole numbers and
        strings.

    Example:
      >>> tf.data.Dataset.from_tensor_slices([1, 2, 1]).unique()  # [1, 2]
    """
    for kind in structure.flat_types(self.element_spec):
        if kind not in (dtypes.int32, dtypes.int64, dtypes.string):
            raise TypeError(
                f"`tf.data.Dataset.unique` does not support type {kind} -- only `tf.int32`, "
                f"`tf.int64`, and `tf.string` are supported."
            )
    return self._derived(UniqueDataset.card, name=name)
