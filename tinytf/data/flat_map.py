"""`flat_map`: the elements of the datasets that a function makes, one dataset after the other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data.base import Self
from tinytf.data.cards import CALLS, FUNCTION, METADATA, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction, dataset_of, dataset_spec
from tinytf.data.stages import Context, Next, Stage, in_stage


@dataset_op(CALLS, FUNCTION, METADATA)
class FlatMapDataset(FunctionDataset):
    """The elements of the datasets that a function makes, one dataset after the other."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        inner: Stage | None = None
        before = 0  # elements of inner stages that are at their end

        def begin() -> Stage:
            try:
                return dataset_of(function(advance()), "flat_map").iterate(context, stage)
            except StopIteration:
                raise
            except Exception as error:
                raise in_stage(error, stage) from None

        def flat() -> tuple:
            nonlocal inner, before
            while True:
                if inner is None:
                    inner = begin()
                try:
                    return inner.next()
                except StopIteration:
                    before += inner.produced
                    stage.drop(inner)
                    inner = None

        stage.count = lambda: before + (0 if inner is None else inner.produced)
        return flat


def flat_map(self: Self, map_func: Callable[..., Any], name: str | None = None) -> Self:
    """The elements of the datasets that a function makes (TensorFlow: `Dataset.flat_map`).

    Args:
      map_func: gets the components of an element, returns a dataset.

    Raises:
      TypeError: if it returns anything else.

    Example:
      >>> tf.data.Dataset.range(3).flat_map(tf.data.Dataset.range)  # [0, 0, 1]
    """
    function = StructuredFunction(map_func, "Dataset.flat_map()", self.element_spec)
    spec = dataset_spec(function, "flat_map")
    return self._derived(
        FlatMapDataset.card, function.captured, f=function.attr, spec=spec, name=name
    )
