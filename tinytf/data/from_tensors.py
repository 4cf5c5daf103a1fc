"""`Dataset.from_tensors`: one element."""

from __future__ import annotations

from typing import Any

from tinytf.data import structure
from tinytf.data.base import made
from tinytf.data.cards import METADATA, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage

_ATTRS = "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1"


@dataset_op("components: Toutput_types", _ATTRS, METADATA, stateful=True)
class TensorDataset(DatasetValue):
    """One element."""

    def start(self, context: Context, stage: Stage) -> Next:
        return iter([self.given.components]).__next__

    def cardinality(self) -> int:
        return 1


def from_tensors(tensors: Any, name: str | None = None) -> Any:
    """A dataset of one element (TensorFlow: `Dataset.from_tensors`).

    Args:
      tensors: tensors, or what can be made one, in tuples and dictionaries.
      name: kept in the graph.

    Example:
      >>> tf.data.Dataset.from_tensors([1, 2])  # [[1, 2]]
    """
    element = structure.normalised(tensors)
    spec = structure.spec_of(element)
    return made(TensorDataset.card, structure.to_tensors(element), spec=spec, name=name)
