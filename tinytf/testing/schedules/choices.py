"""The choices that make a schedule: by a seed, or written down.

Each choice has a number, in the order in which they come, and a default, 0: the thread that has
the turn keeps it, the node that has been ready for longest is next. So a schedule is what it does
otherwise, "12:1 30:2": at choice 12 the second of those there were, at choice 30 the third. Seed 0
is the schedule that is all defaults.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

#: How a schedule is asked for: a seed, or choices as text.
Seed = int | str


class Choices:
    """See the module.

    Args:
      seed: an int, or text such as "12:1 30:2"; "" is all defaults.

    Raises:
      ValueError, TypeError: for anything else.
    """

    def __init__(self, seed: Seed):
        self.seed = seed
        #: what was chosen, by the number of the choice
        self.taken: list[int] = []
        self._fixed: dict[int, int] | None = None
        if isinstance(seed, str):
            self._fixed = _parse(seed)
        elif isinstance(seed, bool) or not isinstance(seed, int):
            raise TypeError(f"seed must be an int, or choices as text; got {seed!r}")
        elif seed == 0:
            self._fixed = {}
        self._random = random.Random(str(seed))
        #: how much each schedule likes to go on with the same thread: some bugs need many changes
        #: of turn, others few at the right moment
        self._stay = self._random.choice((0.0, 0.5, 0.9))

    def weight(self) -> float:
        """How often a new thread gets its turn; one in four threads is a slow one."""
        return self._random.choice((1.0, 1.0, 1.0, 0.05))

    def thread(self, weights: Sequence[float], can_stay: bool) -> int:
        """Whose turn it is; the first one has it now, if it can stay."""
        if len(weights) == 1:
            return 0
        if self._fixed is None and can_stay and self._random.random() < self._stay:
            return self._note(0)
        return self._choose(weights)

    def node(self, count: int) -> int:
        """Which of the ready nodes."""
        if count == 1 or self._fixed is not None:
            return 0 if count == 1 else self._choose([1.0] * count)
        return self._note(int(self._random.random() * count))

    def _choose(self, weights: Sequence[float]) -> int:
        if self._fixed is not None:
            return self._note(min(self._fixed.get(len(self.taken), 0), len(weights) - 1))
        return self._note(self._random.choices(range(len(weights)), weights)[0])

    def _note(self, choice: int) -> int:
        self.taken.append(choice)
        return choice


def as_text(taken: dict[int, int]) -> str:
    """Choices as text, to run them again."""
    return " ".join(f"{number}:{choice}" for number, choice in sorted(taken.items()))


def unusual(taken: Sequence[int]) -> dict[int, int]:
    """The choices that are not the default, by number."""
    return {number: choice for number, choice in enumerate(taken) if choice}


def _parse(text: str) -> dict[int, int]:
    if not re.fullmatch(r"\s*(\d+:\d+\s*)*", text):
        raise ValueError(
            f"A schedule as text is like '12:1 30:2', as explore() writes it; got {text!r}"
        )
    pairs = (item.split(":") for item in text.split())
    return {int(number): int(choice) for number, choice in pairs}
