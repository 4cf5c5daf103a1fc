"""`Dataset.range`: whole numbers."""

from __future__ import annotations

import builtins
from itertools import chain
from typing import Any

import numpy as np

from tinytf.data.base import int64, made
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, Next, Stage
from tinytf.framework import dtypes
from tinytf.framework.errors import invalid
from tinytf.framework.tensor_spec import TensorSpec

#: How many numbers are made at once.
_AT_ONCE = 512


@dataset_op(
    "start: int64, stop: int64, step: int64",
    FORM,
    "replicate_on_split: bool = false",
    stateful=True,
)
class RangeDataset(DatasetValue):
    """Whole numbers from `start` to `stop`.

    Raises:
      InvalidArgumentError: for a step of zero.
    """

    def check(self) -> None:
        start, stop, step = self.given.start, self.given.stop, self.given.step
        if step == 0:
            raise invalid("step must be a non-zero integer.")
        self._numbers = builtins.range(start, stop, step)

    def start(self, context: Context, stage: Stage) -> Next:
        numbers, kind = self._numbers, self.types[0].as_numpy_dtype
        given, left = 0, lambda: 0

        def some(start: int) -> Any:
            """Numbers are made many at a time."""
            nonlocal given, left
            part = numbers[start : start + _AT_ONCE]
            made: Any = iter(np.arange(part.start, part.stop, part.step).astype(kind))
            given, left = start + len(part), made.__length_hint__
            return made

        stage.count = lambda: given - left()
        starts = builtins.range(0, self.cardinality(), _AT_ONCE)
        return zip(chain.from_iterable(map(some, starts))).__next__

    def cardinality(self) -> int:
        numbers = self._numbers  # which may be more than `len` can tell
        towards = 1 if numbers.step > 0 else -1
        return max((numbers.stop - numbers.start + numbers.step - towards) // numbers.step, 0)


def range(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> Any:
    """A dataset of whole numbers (TensorFlow: `Dataset.range`).

    Args:
      *args: stop; start and stop; or start, stop and step. May be int64 tensors.
      output_type: of the elements. name: kept in the graph.

    Raises:
      ValueError: for none, or more than three.

    Example:
      >>> tf.data.Dataset.range(1, 6, 2)  # [1, 3, 5]
    """
    if not 1 <= len(args) <= 3:
        raise ValueError(
            f"Invalid `args`. The length of `args` should be between 1 and 3 but was "
            f"{len(args)}: (stop), (start, stop) or (start, stop, step)."
        )
    start, stop, step = {1: (0, args[0], 1), 2: (*args, 1)}.get(len(args), args)
    limits = int64(start, "start"), int64(stop, "stop"), int64(step, "step")
    spec = TensorSpec((), dtypes.as_dtype(output_type))
    return made(RangeDataset.card, *limits, spec=spec, name=name)
