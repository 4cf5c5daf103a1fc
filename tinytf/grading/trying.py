"""Try an exercise on its own answers: does it say what it should of the solution, stub and bugs?"""

from __future__ import annotations

import re
from pathlib import Path

from tinytf.grading.check import check_source
from tinytf.grading.exercise import Exercise
from tinytf.grading.report import Report

#: What a bug is caught by: the first line of its file.
_LOSES = re.compile(r"# loses( hidden)?: (.+)")


def try_exercise(exercise: Exercise) -> list[str]:
    """What is not as it should be, a text for each; nothing if all is well.

    The solution has full marks, the stub none, and each planted bug loses the check that its first
    line names: a visible one, or, if it loses only a hidden one, that.

    Example:
      >>> try_exercise(exercise.find("ch01.ex1"))
      []
    """
    problems = []
    report = check_source(exercise, exercise.solution, hidden=True)
    if not report.passed:
        problems.append(f"solution.py has not full marks:\n{report}")
    report = check_source(exercise, exercise.stub, hidden=True)
    if report.score or not report.outcomes:
        problems.append(f"stub.py has points, or was not checked:\n{report}")
    if not exercise.bugs:
        problems.append("there are no planted bugs: wrong answers that show what the checks catch")
    return problems + [text for path in exercise.bugs if (text := try_bug(exercise, path))]


def try_bug(exercise: Exercise, path: Path) -> str:
    """Why the checks do not treat a planted bug as they should; "" if they do."""
    source = path.read_text(encoding="utf-8")
    return judge_bug(exercise, path.name, source, check_source(exercise, source, hidden=True))


def judge_bug(exercise: Exercise, name: str, source: str, report: Report) -> str:
    """The same for a report that there is already."""
    wanted = expected_loss(source)
    if wanted is None:
        return f"bugs/{name} does not begin with '# loses: <title of the check>'"
    is_hidden, title = wanted
    lost = {outcome.title: outcome for outcome in report.outcomes if not outcome.passed}
    if title not in lost:
        return f"bugs/{name} does not lose {title!r}:\n{report}"
    if is_hidden != lost[title].hidden:
        return f"bugs/{name}: {title!r} is {'' if lost[title].hidden else 'not '}a hidden check"
    visible = [outcome.title for outcome in lost.values() if not outcome.hidden]
    if is_hidden and visible:
        return f"bugs/{name} should be caught by a hidden check only, but loses {visible}"
    if not lost[title].reason or "Traceback" in lost[title].reason:
        return f"bugs/{name} loses {title!r} without a reason:\n{report}"
    return ""


def expected_loss(source: str) -> tuple[bool, str] | None:
    """Whether a bug is caught by a hidden check only, and the check's title."""
    match = _LOSES.match(source)
    return (match.group(1) is not None, match.group(2).strip()) if match else None
