"""`cardinality`: how many elements there are; and an error unless there are so many."""

from __future__ import annotations

from typing import Any

import numpy as np

from tinytf.data.base import DatasetBase, Transformation, int64
from tinytf.data.cards import TYPES, dataset_op
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage
from tinytf.framework import shape_inference
from tinytf.framework.errors import FailedPreconditionError
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor import Tensor

# DatasetCardinality -------------------------------------------------------------------------------

dataset_cardinality = define_op(
    "DatasetCardinality",
    "input_dataset: variant -> cardinality: int64",
    "cardinality_options: string = ''",
    shape=shape_inference.is_scalar,
    no_gradient="a dataset is no number",
)


@dataset_cardinality.kernel
def _cardinality(dataset: DatasetValue) -> np.int64:
    return np.int64(dataset.cardinality())


def cardinality(self: DatasetBase) -> Tensor:
    """How many elements there are (TensorFlow: `Dataset.cardinality`).

    Returns:
      an int64 scalar; -1: endless; -2: nobody knows before they are counted (filter, map).

    Example:
      >>> tf.data.Dataset.range(7).batch(2).cardinality()  # 4
    """
    return dataset_cardinality(self._variant_tensor)


# AssertCardinalityDataset -------------------------------------------------------------------------


@dataset_op("input_dataset: variant, cardinality: int64", TYPES)
class AssertCardinalityDataset(DatasetValue):
    """The same elements; an error if there are not as many as expected."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance, expected, given = (
            self.inputs[0].iterate(context, stage).next,
            self.given.cardinality,
            0,
        )

        def checked() -> tuple:
            nonlocal given
            try:
                element = advance()
            except StopIteration:
                if given != expected and expected != UNKNOWN:
                    raise _unexpected(expected, f"only {_elements(given)}") from None
                raise
            given += 1
            if 0 <= expected < given:
                raise _unexpected(expected, f"at least {_elements(given)}")
            return element

        return checked

    def cardinality(self) -> int:
        return self.given.cardinality


def _elements(count: int) -> str:
    known = {INFINITE: "an infinite number of elements", UNKNOWN: "an unknown number of elements"}
    return known.get(count, f"{count} element{'' if count == 1 else 's'}")


def _unexpected(expected: int, found: str) -> FailedPreconditionError:
    return FailedPreconditionError(
        f"Input dataset was expected to contain {_elements(expected)} but contained {found}."
    )


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """An error unless there are so many elements.

    TensorFlow: `tf.data.experimental.assert_cardinality`.

    Raises:
      FailedPreconditionError: when it runs, if there are more or fewer.
    """
    return lambda dataset: dataset._derived(
        AssertCardinalityDataset.card, int64(expected_cardinality, "expected_cardinality")
    )
