"""Hints, one at a time, and the worked solution for who has solved an exercise or gives up."""

from __future__ import annotations

from dataclasses import dataclass

from tinytf.grading.exercise import Exercise, find
from tinytf.grading.progress import has_passed, progress

__all__ = ["Page", "hint", "solution"]

#: Exercise -> how many of its hints were shown in this kernel.
_shown: dict[str, int] = {}


@dataclass(slots=True, frozen=True)
class Page:
    """Something to read: markdown in a notebook, plain text elsewhere."""

    text: str
    markdown: str

    def __repr__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.markdown


def hint(name: str, number: int | None = None) -> Page:
    """Show the next hint to an exercise; the ones before are folded below it.

    Args:
      name: of the exercise, "ch03.ex1".
      number: of the hint; by default the one after the last that was shown since the kernel began.

    Returns:
      a page, which a notebook shows.

    Raises:
      UnknownExerciseError: if there is no such exercise. ValueError: if there is no such hint.

    Example:
      >>> tinytf.grading.hint("ch03.ex1")  # doctest: +SKIP
      ch03.ex1, hint 1 of 3
      1. What does an operation that is built inside of the block wait for?
    """
    found = find(name)
    count = len(found.hints)
    if number is None:
        number = _shown.get(name, 0) + 1
    elif isinstance(number, bool) or not isinstance(number, int) or not 1 <= number <= count:
        there = f"hints 1 to {count}" if count > 1 else ("one hint" if count else "no hints")
        raise ValueError(f"There is no hint {number!r} to {name}; it has {there}.")
    _shown[name] = min(number, count)
    if number > count:
        return _after_the_last(found)
    title = f"{name}, hint {number} of {count}"
    after = "Another one" if number < count else "That was the last one. The worked solution"
    call = f'grading.hint("{name}")' if number < count else f'grading.solution("{name}")'
    before = _folded(found.hints[: number - 1])
    return Page(
        "\n".join([title, *_numbered(found.hints[:number]), f"{after}: {call}"]),
        f"**{title}**\n\n{found.hints[number - 1]}{before}\n\n{after}: `{call}`",
    )


def _after_the_last(exercise: Exercise) -> Page:
    name, count = exercise.name, len(exercise.hints)
    title = f"{name} has no more hints; there are {count}." if count else f"{name} has no hints."
    call = f'grading.solution("{name}")'
    return Page(
        "\n".join([title, *_numbered(exercise.hints), f"The worked solution: {call}"]),
        f"**{title}**{_folded(exercise.hints)}\n\nThe worked solution: `{call}`",
    )


def _numbered(hints: tuple[str, ...]) -> list[str]:
    lines = []
    for number, text in enumerate(hints, start=1):
        first, *rest = text.splitlines() or [""]
        lines += [f"{number}. {first}", *(f"   {line}".rstrip() for line in rest)]
    return lines


def _folded(hints: tuple[str, ...]) -> str:
    """Earlier hints, the last one outermost, each inside of the one that came after it."""
    if not hints:
        return ""
    inner = _folded(hints[:-1])
    # Blank lines around: the inside is markdown again.
    summary = f"<summary>Hint {len(hints)}</summary>"
    return f"\n\n<details>{summary}\n\n{hints[-1]}{inner}\n\n</details>"


def solution(name: str, give_up: bool = False) -> Page:
    """Show the worked solution of an exercise that was solved, or given up.

    Args:
      name: of the exercise, "ch03.ex1". give_up: show it to who has not solved it.

    Returns:
      a page, which a notebook shows; it says so if the solution is not to be seen yet.

    Raises:
      UnknownExerciseError: if there is no such exercise.

    Example:
      >>> tinytf.grading.solution("ch03.ex1", give_up=True)  # doctest: +SKIP
    """
    found = find(name)
    passed = has_passed(name)
    if not passed and not give_up:
        return _not_yet(found)
    try:
        code = found.solution.strip()
    except FileNotFoundError:
        line = f"The worked solution of {name} is not in this copy of the course: ask your teacher."
        return Page(line, line)
    title = f"{name}, a worked solution"
    title += "" if passed else ", given up: read it, close it, and write your own"
    fence = "```" if "```" not in code else "~~~"
    return Page(f"{title}\n\n{code}", f"**{title}**\n\n{fence}python\n{code}\n{fence}")


def _not_yet(exercise: Exercise) -> Page:
    name = exercise.name
    row = next(row for row in progress().rows if row.exercise == name)
    reached = f"{row.points} of {row.worth}" if row.tries and not row.before else "none yet"
    line = f"The worked solution of {name} opens with all points (your best try: {reached})."
    ways = []
    if exercise.hints:
        ways.append(("A hint", f'grading.hint("{name}")'))
    ways.append(("To give up and read it", f'grading.solution("{name}", give_up=True)'))
    text = "\n".join([line, *(f"{what}: {call}" for what, call in ways)])
    return Page(text, "<br>\n".join([line, *(f"{what}: `{call}`" for what, call in ways)]))
