"""A dataset whose elements come out of a function that is called again and again."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from tinytf.data.stages import Next, Stage
from tinytf.data.value import Captured, Context, Dataset
from tinytf.framework.errors import OpError
from tinytf.framework.operation import Operation


class GeneratorDataset(Dataset):
    """What `next` returns, until it says that there is no more (OutOfRangeError).

    Args:
      functions: (function, captured) of `init`, which makes a state; of `next`, which gets it; of
        `finalize`, which gets it at the end, or when nobody needs more.
    """

    __slots__ = ("_functions",)

    def __init__(self, node: Operation, functions: Sequence[tuple[Any, Sequence[Any]]]):
        super().__init__(node)
        self._functions = tuple(functions)

    def start(self, context: Context, stage: Stage) -> Next:
        """See `Dataset.start`."""
        make, advance, end = (Captured(context, *function) for function in self._functions)
        state: tuple | None = None
        is_over = False

        def finalize() -> None:
            nonlocal state, is_over
            held, state, is_over = state, None, True
            if held is not None:
                with suppress(OpError, StopIteration):  # what the user's `finally` does, he sees
                    end(held)

        def generated() -> tuple:
            nonlocal state
            if is_over:
                raise StopIteration
            if state is None:
                state = tuple(make(()))  # the dummy is among what is captured
            try:
                return tuple(advance(state))
            except StopIteration:
                finalize()
                raise

        stage.on_close(finalize)
        return generated
