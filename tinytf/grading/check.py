"""`check`: send an answer to a process of its own and report what came of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from tinytf.grading import answer_process, collecting, progress, sandbox
from tinytf.grading.exercise import Exercise, find
from tinytf.grading.report import NOT_BEGUN, Outcome, Report


class NoSandboxError(RuntimeError):
    """An answer was to run in a sandbox, and there is none here; the message says why."""


def check(
    exercise: str,
    answer: Callable[..., Any] | None = None,
    deadline: float | None = None,
    *,
    hidden: bool = False,
) -> Report:
    """Check an answer to an exercise, in a process of its own.

    Args:
      exercise: its name, "ch01.ex1".
      answer: the function asked for; by default the one of the right name in the notebook.
      deadline: seconds until it is given up; default: the exercise's own.
      hidden: run the hidden checks as well, as an instructor does.

    Returns:
      a `Report`, which a notebook shows: points, and for each check why it failed.

    Raises:
      UnknownExerciseError: if there is no such exercise.

    Example:
      >>> tinytf.grading.check("ch01.ex1")  # doctest: +SKIP
    """
    found = find(exercise)
    namespace = sys._getframe(1).f_globals
    if answer is None:
        answer = namespace.get(found.symbol)
    if answer is None:
        problem = collecting.missing(found.symbol, collecting.functions_of(namespace))
        report = Report(found.name, problem=problem)
    else:
        report = _check_live(found, answer, deadline, hidden)
    if not hidden:  # a learner's try; an instructor's is none
        progress.note(report)
    return report


def _check_live(
    exercise: Exercise, answer: Callable[..., Any], deadline: float | None, hidden: bool
) -> Report:
    """Check a function of this process."""
    try:
        source = collecting.collect(answer)
    except collecting.CannotCollectError as error:
        return Report(exercise.name, problem=str(error))
    return check_source(exercise, source, deadline, symbol=answer.__name__, hidden=hidden)


def check_source(
    exercise: Exercise,
    source: str,
    deadline: float | None = None,
    symbol: str | None = None,
    *,
    hidden: bool = False,
    confined: bool = False,
) -> Report:
    """Check an answer given as source text; see `check`.

    Args:
      confined: in a sandbox, where the answer sees no file of the course.

    Raises:
      NoSandboxError: if it is to be confined and there is no sandbox.
    """
    if confined and (obstacle := sandbox.obstacle()):
        raise NoSandboxError(obstacle)
    limit = exercise.deadline if deadline is None else deadline
    name = symbol or exercise.symbol
    heard = answer_process.run(exercise, source, name, limit, hidden, confined)
    return _report(exercise, heard)


def _report(exercise: Exercise, heard: answer_process.Heard) -> Report:
    checks: list[tuple[str, int, bool]] = []
    reasons: dict[int, str] = {}
    problem = ""
    for message in heard.messages:
        if message["kind"] == "checks":
            checks = [tuple(item) for item in message["checks"]]
        elif message["kind"] == "problem":
            problem = message["text"]
        elif message["kind"] == "done":
            reasons[message["number"]] = message["reason"]
    if not checks:
        problem = f"The check itself failed: {heard.printed[-300:] or heard.ended}"
    elif not problem and len(reasons) < len(checks):
        problem = heard.ended
        reasons.update(dict.fromkeys(range(len(reasons) + 1, len(checks)), "Not checked."))
    elif set(reasons.values()) == {NOT_BEGUN}:
        problem = NOT_BEGUN
    outcomes = [
        Outcome(
            title, 0 if reasons.get(i, problem) else worth, worth, reasons.get(i, problem), hidden
        )
        for i, (title, worth, hidden) in enumerate(checks)
    ]
    advice = f'Stuck? grading.hint("{exercise.name}")' if exercise.hints else ""
    return Report(exercise.name, outcomes, problem, heard.printed.rstrip(), advice)
