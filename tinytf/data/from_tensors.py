"""`Dataset.from_tensors`: one element."""

from __future__ import annotations

from typing import Any

from tinytf.data import structure
from tinytf.data.base import made
from tinytf.data.cards import METADATA, define_dataset
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework.operation import Operation


class TensorDataset(DatasetValue):
    """One element."""

    def __init__(self, *components: Any, node: Operation):
        super().__init__(node=node)
        self._element = components

    def start(self, context: Context, stage: Stage) -> Next:
        return iter([self._element]).__next__

    def cardinality(self) -> int:
        return 1


tensor_dataset = define_dataset(
    "TensorDataset",
    "components: Toutput_types",
    "Toutput_types: list(type) >= 1, output_shapes: list(shape) >= 1",
    METADATA,
    stateful=True,
    kernel=TensorDataset,
)


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
    return made(tensor_dataset, structure.to_tensors(element), spec=spec, name=name)
