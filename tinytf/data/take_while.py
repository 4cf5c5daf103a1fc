"""`take_while`: the elements up to the first for which a function says False."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data.base import Self
from tinytf.data.cards import CALLS, FORM, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction
from tinytf.data.stages import Context, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.tensor_spec import TensorSpec


@dataset_op(CALLS, "predicate: func, Targuments: list(type) >= 0", FORM)
class TakeWhileDataset(FunctionDataset):
    """The elements up to the first for which a function says False."""

    function = "predicate"

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        is_over = False

        def taken() -> tuple:
            nonlocal is_over
            if is_over:
                raise StopIteration
            element = advance()
            if not function(element)[0]:
                is_over = True
                raise StopIteration
            return element

        return taken


_BOOL = TensorSpec((), dtypes.bool_)


def take_while(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
    """The elements up to the first for which a function says False.

    TensorFlow: `Dataset.take_while`.

    Raises:
      ValueError: if the function returns no boolean scalar.

    Example:
      >>> tf.data.Dataset.range(10).take_while(lambda x: x < 3)  # [0, 1, 2]
    """
    function = StructuredFunction(predicate, "Dataset.take_while()", self.element_spec)
    spec = function.spec
    if not isinstance(spec, TensorSpec) or not spec.is_compatible_with(_BOOL):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor but its "
            f"return type is{spec}."
        )
    return self._derived(
        TakeWhileDataset.card, function.captured, predicate=function.attr, name=name
    )
