"""`interleave`: the elements of several datasets that a function makes, in turns."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tinytf.data.base import Self, int64, order
from tinytf.data.cards import CALLS, FUNCTION, METADATA, dataset_op
from tinytf.data.functions import FunctionDataset, StructuredFunction, dataset_of, dataset_spec
from tinytf.data.parallel_interleave import ParallelInterleaveDataset
from tinytf.data.stages import AUTOTUNE, Context, Next, Stage
from tinytf.framework.errors import invalid


@dataset_op(f"{CALLS}, cycle_length: int64, block_length: int64", FUNCTION, METADATA)
class InterleaveDataset(FunctionDataset):
    """The elements of several such datasets at once, in turns.

    Raises:
      InvalidArgumentError: if one of them is not positive.
    """

    def check(self) -> None:
        given = self.given
        if given.cycle_length == AUTOTUNE:
            given.cycle_length = os.cpu_count() or 1
        for name in ("cycle_length", "block_length"):
            if getattr(given, name) <= 0:
                raise invalid(f"{name} must be greater than zero.")

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        function = self.prepared(context)
        open_ones: list[Stage | None] = [None] * self.given.cycle_length
        block = self.given.block_length
        place = given = are_open = 0
        no_more = False

        def next_place() -> None:
            nonlocal place, given
            place, given = (place + 1) % len(open_ones), 0

        def interleaved() -> tuple:
            nonlocal given, no_more, are_open
            while are_open or not no_more:
                inner = open_ones[place]
                if inner is None:
                    if no_more:
                        context.check()  # it may be far to the next one
                        next_place()
                        continue
                    try:
                        element = advance()
                    except StopIteration:
                        no_more = True
                        continue
                    inner = dataset_of(function(element), "interleave").iterate(context, stage)
                    open_ones[place] = inner
                    are_open += 1
                try:
                    result = inner.next()
                except StopIteration:
                    stage.drop(inner)
                    open_ones[place] = None
                    are_open -= 1
                    next_place()
                    continue
                given += 1
                if given == block:
                    next_place()
                return result
            raise StopIteration

        return interleaved


def interleave(
    self: Self,
    map_func: Callable[..., Any],
    cycle_length: Any = None,
    block_length: Any = None,
    num_parallel_calls: Any = None,
    deterministic: bool | None = None,
    name: str | None = None,
) -> Self:
    """The elements of several datasets that a function makes, in turns.

    TensorFlow: `Dataset.interleave`.

    Args:
      map_func: gets the components of an element, returns a dataset.
      cycle_length: how many are open at once. block_length: how many elements each gives in
        its turn. num_parallel_calls, deterministic: see `map`.

    Raises:
      TypeError: if the function returns no dataset.

    Example:
      >>> tens = tf.data.Dataset.from_tensor_slices([10, 20])
      >>> thrice = lambda x: tf.data.Dataset.from_tensors(x).repeat(3)
      >>> tens.interleave(thrice, 2, block_length=2)  # [10, 10, 20, 20, 10, 20]
    """
    function = StructuredFunction(map_func, "Dataset.interleave()", self.element_spec)
    common = {"f": function.attr, "spec": dataset_spec(function, "interleave"), "name": name}
    cycle = int64(AUTOTUNE if cycle_length is None else cycle_length, "cycle_length")
    block = int64(1 if block_length is None else block_length, "block_length")
    if num_parallel_calls is None:
        return self._derived(InterleaveDataset.card, function.captured, cycle, block, **common)
    return self._derived(
        ParallelInterleaveDataset.card,
        function.captured,
        cycle,
        block,
        int64(AUTOTUNE, "buffer_output_elements"),
        int64(AUTOTUNE, "prefetch_input_elements"),
        int64(num_parallel_calls, "num_parallel_calls"),
        deterministic=order(deterministic),
        **common,
    )
