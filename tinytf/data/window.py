"""`window`: datasets of several elements each."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import Any

from tinytf.data import structure
from tinytf.data.base import Self, int64
from tinytf.data.batch import elements_of, gather
from tinytf.data.cards import FORM, dataset_op
from tinytf.data.stages import Context, DatasetValue, HeldDataset, Next, Stage
from tinytf.data.structure import DatasetSpec
from tinytf.framework import dtypes
from tinytf.framework.conversion import convert_to_tensor
from tinytf.framework.errors import invalid

_INPUTS = "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool"


@dataset_op(_INPUTS, FORM)
class WindowDataset(DatasetValue):
    """Datasets of several elements each: for each component of the elements one.

    Raises:
      InvalidArgumentError: if one of the numbers is not positive.
    """

    def check(self) -> None:
        for name in ("size", "shift", "stride"):
            value = getattr(self.given, name)
            if value <= 0:
                raise invalid(f"Window {name} must be greater than zero. It is {value}.")

    def start(self, context: Context, stage: Stage) -> Next:
        advance = self.inputs[0].iterate(context, stage).next
        elements = elements_of(advance)
        span = (self.given.size - 1) * self.given.stride + 1
        held: deque[tuple] = deque()
        to_skip, is_over = 0, False

        def fill() -> None:
            nonlocal to_skip, is_over
            try:
                while to_skip:
                    if not to_skip & 255:  # it may last
                        context.check()
                    advance()
                    to_skip -= 1
            except StopIteration:
                is_over = True
                return
            is_over = len(gather(elements, span, context, held)) < span

        def window() -> tuple:
            nonlocal to_skip
            if not is_over:
                fill()
            if not held or (len(held) < span and self.given.drop_remainder):
                held.clear()
                raise StopIteration
            chosen = list(islice(held, 0, None, self.given.stride))
            to_skip = max(self.given.shift - len(held), 0)
            for _ in range(min(self.given.shift, len(held))):
                held.popleft()
            source, columns = self.inputs[0], zip(*chosen, strict=True)
            parts = zip(columns, source.types, source.shapes, strict=True)
            return tuple(
                HeldDataset(zip(column), [kind], [shape], node=self.node)
                for column, kind, shape in parts
            )

        stage.buffer = lambda: (len(held), span)
        return window

    def cardinality(self) -> int:
        size = self.inputs[0].cardinality()
        if size < 0:
            return size
        beginnings = (
            size - (self.given.size - 1) * self.given.stride if self.given.drop_remainder else size
        )
        return max(-(-beginnings // self.given.shift), 0)


def window(
    self: Self,
    size: Any,
    shift: Any = None,
    stride: Any = 1,
    drop_remainder: Any = False,
    name: str | None = None,
) -> Self:
    """Datasets of several elements each (TensorFlow: `Dataset.window`).

    Args:
      size: how many elements a window has. shift: how far after it the next one begins; None:
        `size`. stride: every how many-th element of the input it has.
      drop_remainder: leave out windows with fewer elements.

    Example:
      >>> windows = tf.data.Dataset.range(5).window(3, shift=1, drop_remainder=True)
      >>> windows.flat_map(lambda window: window.batch(3))  # [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    """
    shift = size if shift is None else shift
    numbers = (("size", size), ("shift", shift), ("stride", stride))
    limits = [int64(value, what) for what, value in numbers]
    whole = convert_to_tensor(drop_remainder, dtypes.bool_, name="drop_remainder")
    spec = structure.map_structure(DatasetSpec, self.element_spec)
    return self._derived(WindowDataset.card, *limits, whole, spec=spec, name=name)
