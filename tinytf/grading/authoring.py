"""How an exercise is written.

An exercise is a folder, `exercises/ch01/ex1/`:

    exercise.toml   title, name of the function asked for, deadline in seconds, hints
    text.md         the task, without its heading
    stub.py         what the learner starts from: imports, and the function that raises
                    NotImplementedError
    solution.py     an answer with full marks
    checks.py       functions marked with `@point`: they take the learner's function
    hidden.py       more of them, which only an instructor runs; what they share with the others
                    they import from `exercise_checks`
    bugs/*.py       wrong answers that learners really give; each begins with a comment
                    "# loses: <title of the check that catches it>", or, if it passes all but
                    a hidden one, "# loses hidden: <title>"
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The file name under which an answer's source is compiled.
ANSWER_FILE = "your answer"


class Wrong(AssertionError):
    """Raised by a check: the answer is wrong, in a way the learner can be told.

    Args:
      message: what went wrong, in the learner's words.
      expected, got: the two values, where there are two. hint: what to think about.

    Example:
      >>> print(tinytf.grading.Wrong("The sum is wrong", expected=8, got=7))
      The sum is wrong; expected 8, got 7
    """

    def __init__(self, message: str, expected: Any = None, got: Any = None, hint: str = ""):
        super().__init__(message)
        self.message = message
        self.expected = expected
        self.got = got
        self.hint = hint

    def __str__(self) -> str:
        parts = [self.message]
        if self.expected is not None or self.got is not None:
            parts.append(f"expected {self.expected}, got {self.got}")
        if self.hint:
            parts.append(f"hint: {self.hint}")
        return "; ".join(parts)


@dataclass(slots=True, frozen=True)
class Check:
    """One check of an exercise.

    Attributes:
      title: what holds when it passes, as a sentence. points: what it is worth.
      function: takes the learner's function; raises `Wrong`.
    """

    title: str
    points: int
    function: Callable[[Callable[..., Any]], None]


def point(title: str, points: int = 1) -> Callable[[Callable[..., None]], Check]:
    """Mark a function of `checks.py` as a check (decorator).

    Args:
      title: what holds when it passes. points: what it is worth.

    Example:
      >>> @tinytf.grading.point("It adds", points=2)
      ... def it_adds(answer):
      ...     if answer(3, 5) != 8:
      ...         raise tinytf.grading.Wrong("The sum is wrong", expected=8, got=answer(3, 5))
    """

    def mark(function: Callable[..., None]) -> Check:
        return Check(title, points, function)

    return mark
