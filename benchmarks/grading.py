"""How long one waits for a reply, and for the marks of a class: `python -m benchmarks.grading`.

Each exercise's solution through the instant check (visible checks), beside a process that only
imports tinytf; an answer that hangs, beside its deadline; and a class of twelve (the solution,
the stub, planted bugs) through nbgrader in the sandbox. Bars, on a machine that does nothing else:
REPLY seconds for a right answer, GRACE seconds after the deadline for a hung one, CLASS seconds for
the class (exit code 1 otherwise).
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat

from benchmarks.load import load
from tinytf.grading import exercise, sandbox
from tinytf.grading.check import check_source
from tinytf.grading.course import submissions
from tinytf.grading.course.course import Course

REPLY, GRACE, CLASS = 3.0, 2.0, 60.0
LEARNERS = 12
HUNG = "import threading\ndef {symbol}(*_):\n    threading.Event().wait()\n"


def seconds(function, *arguments, **named) -> tuple[float, object]:
    """How long a call took, and what it returned."""
    start = time.perf_counter()
    result = function(*arguments, **named)
    return time.perf_counter() - start, result


def replies() -> bool:
    """The instant check of every solution."""
    alone, _ = seconds(subprocess.run, [sys.executable, "-c", "import tinytf"], check=True)
    print(f"a process that imports tinytf      {alone:6.2f} s")
    slow = False
    for name in exercise.names():
        found = exercise.find(name)
        took, report = seconds(check_source, found, found.solution)
        slow |= took > REPLY or not report.passed
        print(f"{name}  {report.score:2d}/{report.worth:2d}                    {took:6.2f} s")
    return slow


def hung() -> bool:
    """An answer that waits for ever, with a deadline of one second."""
    found = exercise.find("ch01.ex1")
    took, report = seconds(check_source, found, HUNG.format(symbol=found.symbol), deadline=1.0)
    print(f"hung, a deadline of 1 s            {took:6.2f} s  {report.problem.splitlines()[0]}")
    return took > 1.0 + GRACE


def a_class(chapter: str) -> bool:
    """Twelve learners' notebooks of a chapter."""
    with tempfile.TemporaryDirectory() as folder:
        course = Course.create(Path(folder) / "course", [chapter])
        release = course.release(chapter)
        for number in range(LEARNERS):
            hand_in(course, chapter, release, number)
        took, marks = seconds(course.grade, chapter)
    scores = " ".join(f"{mark.score:g}" for mark in marks)
    print(f"a class of {len(marks)}, {chapter}             {took:6.2f} s  points: {scores}")
    return took > CLASS


def hand_in(course: Course, chapter: str, release: Path, number: int) -> None:
    """Learner 0 has the solutions, 1 the stubs, the others planted bugs."""
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


def main() -> int:
    """Print the figures; return the exit code."""
    print(f"{load()}; sandbox: {sandbox.obstacle() or 'bubblewrap'}")
    found = [replies(), hung(), a_class("ch03")]
    return 1 if any(found) else 0


if __name__ == "__main__":
    sys.exit(main())
