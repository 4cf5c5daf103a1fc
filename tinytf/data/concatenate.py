"""`concatenate`: the elements of one dataset, then those of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import INFINITE, UNKNOWN, Context, DatasetValue, Next, Stage


@dataset_op("input_dataset: variant, another_dataset: variant", FORM)
class ConcatenateDataset(DatasetValue):
    """All elements of one, then those of the next."""

    def start(self, context: Context, stage: Stage) -> Next:
        sources: Sequence[DatasetValue] = self.inputs
        number = produced = 0
        running = sources[0].iterate(context, stage)
        advance = running.next

        def concatenated() -> tuple:
            nonlocal number, running, advance, produced
            while True:
                try:
                    element = advance()
                    produced += 1
                    return element
                except StopIteration:
                    number += 1
                    if number >= len(sources):
                        raise
                    stage.drop(running)
                    running = sources[number].iterate(context, stage)
                    advance = running.next

        stage.count = lambda: produced
        return concatenated

    def cardinality(self) -> int:
        sizes = [source.cardinality() for source in self.inputs]
        if INFINITE in sizes:
            return INFINITE
        return UNKNOWN if UNKNOWN in sizes else sum(sizes)


def concatenate(self: Self, dataset: Any, name: str | None = None) -> Self:
    """These elements, then those of `dataset` (TensorFlow: `Dataset.concatenate`).

    Raises:
      TypeError: if its elements are of another form, or other types.

    Example:
      >>> tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(7, 9))  # [0, 1, 7, 8]
    """
    spec, other = self.element_spec, dataset.element_spec
    try:
        structure.assert_same_structure(spec, other)
    except (TypeError, ValueError):
        raise _not_alike(self, dataset) from None
    if structure.flat_types(spec) != structure.flat_types(other):
        raise _not_alike(self, dataset)
    both = structure.map_structure(structure.common, spec, other)
    tensor = dataset._variant_tensor
    return self._derived(ConcatenateDataset.card, tensor, spec=both, others=[dataset], name=name)


def _not_alike(one: Any, other: Any) -> TypeError:
    return TypeError(
        f"Incompatible dataset elements:\n  {one.element_spec} vs.   {other.element_spec}\n"
        f"Dataset.map makes them alike."
    )
