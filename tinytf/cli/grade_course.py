"""The steps of `tinytf grade` that need nbgrader."""

from __future__ import annotations

import argparse
import os
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from tinytf.cli import lab
from tinytf.grading import sandbox
from tinytf.grading.course import settings
from tinytf.grading.course.course import Course, CourseError, Mark

__all__ = ["STEPS", "CourseError"]


def _init(options: argparse.Namespace) -> int:
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    course = Course.create(folder, options.chapters, options.name)
    print(f"{course.folder} has the exercises of {', '.join(course.chapters())}.")
    print(f"Next:  cd {shlex.quote(options.folder)} && tinytf grade release {course.chapters()[0]}")
    return 0


def _release(options: argparse.Namespace) -> int:
    path = Course(Path(options.course)).release(options.chapter)
    print(f"{path} and, beside it, exercises{os.sep} are what learners get:")
    print("no solutions and no hidden checks are in it. They hand in the notebook.")
    return 0


def _collect(options: argparse.Namespace) -> int:
    course = Course(Path(options.course))
    names = course.collect(options.chapter, [Path(file) for file in options.files])
    print(f"{len(names)} handed in: {', '.join(names)}")
    return 0


def _autograde(options: argparse.Namespace) -> int:
    course = Course(Path(options.course))
    obstacle = sandbox.obstacle()
    wish = options.sandbox or settings.confine(course.folder)
    if wish == "always" and obstacle:
        raise CourseError(f"Nothing was graded, for there is no sandbox: {obstacle}.")
    if wish == "never":
        print("Without a sandbox, as you asked: the answers may do what you may do.")
    elif obstacle:
        print(f"There is no sandbox: {obstacle}. The answers may do what you may do.")
    else:
        print("Each answer runs in a sandbox.")
    _show(course.grade(options.chapter, options.student, wish))
    return 0


def _show(marks: list[Mark]) -> None:
    """A table: a line for each learner, and why there is no mark."""
    names = sorted({name for mark in marks for name in mark.points})
    width = max([len(mark.student) for mark in marks] + [7])
    print(" ".join(["learner".ljust(width), *(name.rjust(9) for name in names), "   in all"]))
    for mark in marks:
        cells = [_points(mark.points.get(name)).rjust(9) for name in names]
        total = f"{mark.score:g}/{mark.most:g}".rjust(9)
        print(" ".join([mark.student.ljust(width), *cells, total]))
        for remark in mark.remarks:
            print(f"    {remark}")


def _points(value: float | None) -> str:
    return "-" if value is None else f"{value:g}"


def _feedback(options: argparse.Namespace) -> int:
    course = Course(Path(options.course))
    folder = course.feedback(options.chapter)
    print(f"{folder}{os.sep}NAME{os.sep}{options.chapter}{os.sep}{options.chapter}.html")
    return 0


def _export(options: argparse.Namespace) -> int:
    print(Course(Path(options.course)).export(Path(options.to) if options.to else None))
    return 0


def _status(options: argparse.Namespace) -> int:
    course = Course(Path(options.course))
    for chapter in course.chapters():
        released = (course.folder / "release" / chapter).is_dir()
        students = course.students(chapter)
        print(f"{chapter}: {'released' if released else 'not released'}, {len(students)} handed in")
        if students and (course.folder / "gradebook.db").exists():
            _show([mark for mark in course.marks(chapter) if mark.student in students])
    return 0


def _lab(options: argparse.Namespace) -> int:
    """Become JupyterLab in the course's folder, where nbgrader's panels find their settings."""
    course = Course(Path(options.course))
    chapter = course.chapters()[0]
    notebook = Path("source") / chapter / f"{chapter}.ipynb"
    start = lab.start(course.folder, notebook, options.port, options.browser)
    start = replace(start, settings="jupyter_teacher")
    print(start.greeting(), flush=True)
    os.chdir(course.folder)
    command = start.command()
    os.execve(command[0], command, start.environment())


STEPS: dict[str, Callable[[argparse.Namespace], int]] = {
    step.__name__.removeprefix("_"): step
    for step in (_init, _release, _collect, _autograde, _feedback, _export, _status, _lab)
}
