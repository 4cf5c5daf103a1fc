"""`tinytf grade`: exercises of the course in a class (docs/instructors.md)."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from importlib.util import find_spec
from pathlib import Path

from tinytf.cli.machine import install_command
from tinytf.grading import exercise, sandbox
from tinytf.grading.check import NoSandboxError, check_source
from tinytf.grading.collecting import CannotCollectError
from tinytf.grading.extracting import extract
from tinytf.grading.progress_file import UnusableError
from tinytf.grading.tally import tally
from tinytf.grading.trying import try_exercise

#: Steps that work without nbgrader.
_ALONE = ("test", "notebook", "predictions")


def run(options: argparse.Namespace) -> int:
    """Do one step; the exit code is 0 if it was done, and its result is what it should be."""
    if options.step not in _ALONE and find_spec("nbgrader") is None:
        print(f"nbgrader is not installed here. Type:  {install_command('grade')}")
        return 1
    from tinytf.cli import grade_course

    steps: dict[str, Callable[[argparse.Namespace], int]] = {
        "test": _test,
        "notebook": _notebook,
        "predictions": _predictions,
        **grade_course.STEPS,
    }
    try:
        return steps[options.step](options)
    except (grade_course.CourseError, exercise.UnknownExerciseError, NoSandboxError) as error:
        print(error)
    except OSError as error:
        print(f"{error.filename or ''}: {error.strerror or error}")
    return 1


def _predictions(options: argparse.Namespace) -> int:
    """What learners predicted first, question by question."""
    try:
        print(tally(options.chapter, map(Path, options.files)))
    except (UnusableError, ValueError) as error:
        print(error)
        return 1
    return 0


def _test(options: argparse.Namespace) -> int:
    """Solutions, stubs and bugs of exercises score what they should."""
    of_course = Path(options.course) / "exercises"
    place = of_course if of_course.is_dir() else None
    names = [
        name
        for name in exercise.names(place)
        if not options.names or name in options.names or name.partition(".")[0] in options.names
    ]
    for wanted in options.names:
        if not any(name == wanted or name.startswith(f"{wanted}.") for name in names):
            exercise.find(wanted, place)  # raises, and says what there is
    failed = 0
    for name in names:
        problems = try_exercise(exercise.find(name, place))
        print(f"{name}: {'as it should be' if not problems else 'NOT as it should be'}", flush=True)
        for problem in problems:
            print("    " + problem.replace("\n", "\n    "))
        failed += bool(problems)
    return 1 if failed else 0


def _notebook(options: argparse.Namespace) -> int:
    """Grade one notebook, of the course or a release."""
    path = Path(options.file)
    try:
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError) as error:
        print(f"{path} is not a notebook ({type(error).__name__}: {error}).")
        return 1
    confined = options.sandbox == "always" or (options.sandbox == "auto" and not sandbox.obstacle())
    if options.sandbox == "auto" and not confined:
        print(f"There is no sandbox: {sandbox.obstacle()}. The answers may do what you may do.")
    score = worth = 0
    for found in _asked_in(sources):
        try:
            report = check_source(
                found, extract(sources, found.symbol), hidden=True, confined=confined
            )
        except CannotCollectError as error:
            print(f"{found.name}: 0 points\n  {error}")
            worth += 1
            continue
        print(report)
        score, worth = score + report.score, worth + report.worth
    if not worth:
        print(f"{path} asks for no exercise: no cell has grading.check(...).")
        return 1
    print(f"In all: {score} of {worth} points")
    return 0 if score == worth else 2


def _asked_in(sources: Iterable[str]) -> list[exercise.Exercise]:
    """The exercises that a notebook's cells check."""
    text = "\n".join(sources)
    return [exercise.find(n) for n in exercise.names() if f'grading.check("{n}"' in text]


def main() -> int:
    """For `python -m tinytf.cli.grade`."""
    from tinytf.cli import main as tinytf

    return tinytf(["grade", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
