"""How long one waits for a reply to an answer, and for the marks of a class.

The solution of each exercise through the instant check (visible checks), beside a process that only
imports tinytf; an answer that hangs, beside its deadline; and a class of twelve (the solution, the
stub, planted bugs) through nbgrader, in the sandbox where there is one.
"""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tinytf.grading import exercise
from tinytf.grading.check import check_source

LEARNERS = 12
SIDES = "the check", "import tinytf alone"
PARTS = {"median": "s", "slowest": "s"}
HUNG = "import threading\ndef {symbol}(*_):\n    threading.Event().wait()\n"


def taken(function: Callable[..., Any], *arguments: Any, **named: Any) -> float:
    """How long a call took."""
    start = time.perf_counter()
    function(*arguments, **named)
    return time.perf_counter() - start


def replies(tf: Any, folder: str) -> dict[str, list[float]]:
    """The instant check of every solution: the median and the slowest."""
    found = []
    for one in map(exercise.find, exercise.names()):
        start = time.perf_counter()
        report = check_source(one, one.solution)
        found.append(time.perf_counter() - start)
        if not report.passed:
            raise RuntimeError(f"{one.name}: the solution does not pass")
    alone = [sys.executable, "-c", "import tinytf"]
    imports = [taken(subprocess.run, alone, check=True) for _ in range(3)]
    return {side: [statistics.median(all), max(all)] for side, all in zip(SIDES, (found, imports))}


def hung(tf: Any, folder: str) -> float:
    """How late the reply is to an answer that waits for ever, with a deadline of one second."""
    found = exercise.find("ch01.ex1")
    return taken(check_source, found, HUNG.format(symbol=found.symbol), deadline=1.0) - 1.0


def a_class(tf: Any, folder: str) -> float:
    """Twelve learners' notebooks of a chapter."""
    from tinytf.grading.course.course import Course  # needs nbgrader

    with tempfile.TemporaryDirectory() as place:
        course = Course.create(Path(place) / "course", ["ch03"])
        release = course.release("ch03")
        for number in range(LEARNERS):
            hand_in(course, "ch03", release, number)
        return taken(course.grade, "ch03")


def hand_in(course: Any, chapter: str, release: Path, number: int) -> None:
    """Learner 0 has the solutions, 1 the stubs, the others planted bugs."""
    import nbformat

    from tinytf.grading.course import submissions

    notebook = nbformat.read(release, as_version=4)
    answers = {}
    for one in course.exercises(chapter):
        bugs = [path.read_text() for path in one.bugs]
        answer = [one.solution, one.stub][number] if number < 2 else bugs[number % len(bugs)]
        answers[one.name.replace(".", "_") + "_answer"] = answer
    for cell in notebook.cells:
        cell.source = answers.get(submissions.grade_id(cell), cell.source)
    path = course.folder / "submitted" / f"learner{number:02d}" / chapter / f"{chapter}.ipynb"
    path.parent.mkdir(parents=True)
    path.write_text(nbformat.writes(notebook))


PROGRAMS: dict[str, Callable[[Any, str], Any]] = {
    "the instant check of a solution": replies,
    "after the deadline of a hung answer": hung,
    "a class of twelve": a_class,
}
