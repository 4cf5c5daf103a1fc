"""`filter`: the elements for which a function says True."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.cards import CALLS, FORM, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction
from tinytf.data.stages import Context, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.errors import InvalidArgumentError


@dataset_op(CALLS, "predicate: func, Targuments: list(type) >= 0", FORM)
class FilterDataset(FunctionDataset):
    """The elements for which a function says True."""

    function = "predicate"

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)

        def filtered() -> tuple:
            while True:
                element = advance()
                result = function(element)
                if len(result) != 1 or result[0].shape != () or result[0].dtype != bool:
                    raise InvalidArgumentError(
                        "Filter predicate `predicate` must return a scalar bool."
                    )
                if result[0]:
                    return element

        return filtered


def filter(self: Self, predicate: Callable[..., Any], name: str | None = None) -> Self:
    """The elements for which a function says True (TensorFlow: `Dataset.filter`).

    Args:
      predicate: gets the components of an element, returns a boolean scalar.

    Raises:
      ValueError: if it returns anything else.

    Example:
      >>> tf.data.Dataset.range(5).filter(lambda x: tf.equal(x % 2, 0))  # [0, 2, 4]
    """
    function = StructuredFunction(predicate, "Dataset.filter()", self.element_spec)
    leaves = structure.flatten(function.spec)
    is_bool = len(leaves) == 1 and leaves[0].dtype is dtypes.bool_
    if not is_bool or leaves[0].shape.ndims not in (0, None):
        raise ValueError(
            f"Invalid `predicate`. `predicate` must return a `tf.bool` scalar tensor, but its "
            f"return type is {function.spec}."
        )
    return self._derived(FilterDataset.card, function.captured, predicate=function.attr, name=name)


def filter_with_legacy_function(self: Self, predicate: Callable[..., Any]) -> Self:
    """`filter`, for functions of older programs.

    TensorFlow: `Dataset.filter_with_legacy_function`. Functions are of one kind here.
    """
    return filter(self, predicate)
