"""The cells of an exercise in a notebook: made from its folder, never written by hand."""

from __future__ import annotations

from tinytf.grading.exercise import Exercise


def task(exercise: Exercise) -> str:
    """The markdown of the task, with its hints, which unfold one at a time.

    Each hint lies inside of the one before: it cannot be opened first, and no kernel is needed.

    Example:
      >>> print(task(exercise.find("ch03.ex1")).splitlines()[0])
      ### Exercise 1: in order, but not more than that
    """
    number = exercise.label.removeprefix("ex")
    title = exercise.title[:1].lower() + exercise.title[1:]
    return f"### Exercise {number}: {title}\n\n{exercise.text}{_fold(exercise.hints)}"


def _fold(hints: tuple[str, ...], number: int = 1) -> str:
    if not hints:
        return ""
    inner = _fold(hints[1:], number + 1)
    summary = "A hint" if number == 1 else "Another hint"
    # Blank lines around: the inside is markdown again.
    return f"\n\n<details><summary>{summary}</summary>\n\n{hints[0]}{inner}\n\n</details>"


def answer(exercise: Exercise) -> str:
    """The code cell in which the learner answers."""
    return exercise.stub.strip()
