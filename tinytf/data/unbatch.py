"""`unbatch`: the rows of each element, one after the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.from_tensor_slices import rows
from tinytf.data.map import map as mapped
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework.errors import InvalidArgumentError


@dataset_op("input_dataset: variant", FORM)
class UnbatchDataset(DatasetValue):
    """The rows of each element, one after the other."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        current: Any = iter(())

        def unbatched() -> tuple:
            nonlocal current
            while True:
                row = next(current, None)
                if row is not None:
                    return row
                context.check()  # those without rows may never end
                current = _rows_of(advance())

        return unbatched


def _rows_of(element: tuple) -> Any:
    for index, value in enumerate(element):
        if np.ndim(value) == 0:
            raise InvalidArgumentError(
                f"Input element must have a non-scalar value in each component: component "
                f"{index} is a scalar."
            )
        if len(value) != len(element[0]):
            raise InvalidArgumentError(
                f"Input element must have the same batch size in each component. Component 0 had "
                f"size {len(element[0])} but component {index} had size {len(value)}."
            )
    return zip(*map(rows, element), strict=True)


def unbatch(self: Self, name: str | None = None) -> Self:
    """The rows of each element, one after the other (TensorFlow: `Dataset.unbatch`).

    Raises:
      ValueError: for scalars.

    Example:
      >>> tf.data.Dataset.from_tensor_slices([[1, 2], [3, 4]]).unbatch()  # [1, 2, 3, 4]
    """

    def normalize(*arguments: Any) -> Any:
        return arguments if len(arguments) > 1 else arguments[0]

    source = mapped(self, normalize)
    spec = structure.map_structure(_row_spec, self.element_spec)
    return source._derived(UnbatchDataset.card, spec=spec, name=name)


def _row_spec(leaf: Any) -> Any:
    if leaf.shape.sizes == ():
        raise ValueError(
            "Cannot unbatch an input with scalar components: the elements have no rows."
        )
    return structure.row_spec(leaf)
