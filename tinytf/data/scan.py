"""`scan`: what a function makes of a state and each element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Self
from tinytf.data.cards import METADATA, TYPES, dataset_op
from tinytf.data.functions import FunctionDataset, settled
from tinytf.data.stages import UNKNOWN, Context, Next, Stage

_INPUTS = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments"
_ATTRS = (
    f"f: func, Tstate: list(type) >= 1, Targuments: list(type) >= 0, {TYPES}, "
    "preserve_cardinality: bool = false, use_default_device: bool = true"
)


@dataset_op(_INPUTS, _ATTRS, METADATA)
class ScanDataset(FunctionDataset):
    """What a function makes of a state and each element; the new state it returns goes first."""

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        state, size = self.given.initial_state, len(self.given.initial_state)

        def scanned() -> tuple:
            nonlocal state
            results = tuple(function(state + advance()))
            state = results[:size]
            return results[size:]

        return scanned

    def cardinality(self) -> int:
        kept = self.node.attrs.get("preserve_cardinality")
        return self.inputs[0].cardinality() if kept else UNKNOWN


def scan(
    self: Self, initial_state: Any, scan_func: Callable[..., Any], name: str | None = None
) -> Self:
    """What a function makes of a state and each element (TensorFlow: `Dataset.scan`).

    Args:
      initial_state: tensors in tuples and dictionaries.
      scan_func: gets state and element, returns the new state and what to give.

    Raises:
      TypeError: if the state changes its form or its types.

    Example:
      >>> total = lambda state, x: (state + x, state + x)
      >>> tf.data.Dataset.range(5).scan(tf.constant(0, tf.int64), total)  # [0, 1, 3, 6, 10]
    """
    state = structure.normalised(initial_state)

    def state_of(results: Any) -> Any:
        if not isinstance(results, tuple) or len(results) != 2:
            raise TypeError(
                "Invalid `scan_func`. `scan_func` should return a pair consisting of new state "
                f"and the output value but its return type is {structure.classes_of(results)}."
            )
        return results[0]

    given = structure.spec_of(state)
    function, _ = settled(scan_func, "Dataset.scan()", given, self.element_spec, state_of)
    return self._derived(
        ScanDataset.card,
        structure.to_tensors(state),
        function.captured,
        f=function.attr,
        preserve_cardinality=True,
        spec=function.spec[1],
        name=name,
    )
