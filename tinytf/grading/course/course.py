"""The steps of a course: set it up, release, grade, give feedback, export.

exercises/ch03/ex1/    the exercises, yours to change; everything else is made from them
source/ch03/           the notebook with solutions and hidden checks
release/ch03/          what learners get
submitted/NAME/ch03/   what they handed in
autograded/, feedback/, gradebook.db, grades.csv
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tinytf.grading import exercise
from tinytf.grading.course import settings, source_notebooks, submissions
from tinytf.grading.course.settings import SANDBOX_VARIABLE


class CourseError(Exception):
    """Something a course needs is not there; the message says what to type."""


@dataclass(slots=True)
class Mark:
    """What one learner has reached in an assignment.

    Attributes:
      student: the name of the folder. most: the points that there are.
      points: by exercise, "ch03_ex1"; None: nobody has given any yet.
      remarks: why there is no mark, and what was mended.
    """

    student: str
    points: dict[str, float | None] = field(default_factory=dict)
    most: float = 0.0
    remarks: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        """The points in all."""
        return sum(value or 0.0 for value in self.points.values())


class Course:
    """A folder of nbgrader's.

    Example:
      >>> course = Course.create(Path("autumn"), ["ch03"])
      >>> course.release("ch03")
    """

    def __init__(self, folder: Path):
        self.folder = folder.resolve()
        if not (self.folder / settings.FILE).exists():
            raise CourseError(
                f"{folder} is no course: it has no {settings.FILE}. Make one with `tinytf grade "
                f"init FOLDER`, or go to where yours is."
            )
        self._exercises = self.folder / "exercises"

    @classmethod
    def create(cls, folder: Path, chapters: Sequence[str] = (), name: str = "") -> Course:
        """Make a course with the exercises of some chapters (default: of all), as they are here.

        What is there already stays; a chapter that is there is not copied again.

        Raises:
          CourseError: for a chapter without exercises.
        """
        found = [exercise.find(one) for one in exercise.names()]
        known = sorted({one.chapter for one in found})
        strangers = sorted(set(chapters) - set(known))
        if strangers:
            raise CourseError(f"There are no exercises of {strangers[0]}; there are {known}.")
        for one in found:
            target = folder / "exercises" / one.chapter / one.label
            if (not chapters or one.chapter in chapters) and not target.exists():
                shutil.copytree(one.folder, target, ignore=shutil.ignore_patterns("__pycache__"))
        path = folder / settings.FILE
        if not path.exists():
            path.write_text(settings.render(name or folder.resolve().name), encoding="utf-8")
        (folder / settings.EXCHANGE).mkdir(exist_ok=True)
        course = cls(folder)
        for chapter in course.chapters():
            course.build(chapter)
        return course

    # Chapters -----------------------------------------------------------------------------------

    def chapters(self) -> list[str]:
        """The chapters that have exercises here."""
        return sorted({name.partition(".")[0] for name in exercise.names(self._exercises)})

    def exercises(self, chapter: str) -> list[exercise.Exercise]:
        """Those of a chapter, in order."""
        place = self._exercises
        found = [exercise.find(one, place) for one in exercise.names(place)]
        chosen = [one for one in found if one.chapter == chapter]
        if not chosen:
            raise CourseError(f"There is no assignment {chapter!r} here, only {self.chapters()}.")
        return chosen

    def build(self, chapter: str) -> Path:
        """Make the source notebook out of the exercises, as they are now."""
        return source_notebooks.write(self.exercises(chapter), self.folder / "source")

    def release(self, chapter: str) -> Path:
        """Make what learners get; return the notebook.

        Raises:
          CourseError: if exercises were added or taken away after somebody was graded.
        """
        self._refuse_other_exercises(chapter)
        self.build(chapter)
        self._nbgrader("generate_assignment", chapter, "--create", "--force")
        return self.released(chapter)

    def _refuse_other_exercises(self, chapter: str) -> None:
        """Say what nbgrader says only after it has removed the release that was there."""
        graded = self._graded_exercises(chapter)
        now = {source_notebooks.grade_id(one) for one in self.exercises(chapter)}
        if graded and graded != now:
            changes = [f"{one} is new" for one in sorted(now - graded)]
            changes += [f"{one} is gone" for one in sorted(graded - now)]
            raise CourseError(
                f"Somebody has points for {chapter} already, so its exercises have to stay as many "
                f"as they are, but {', '.join(changes)}. Put new ones into a chapter of their own."
            )

    def _graded_exercises(self, chapter: str) -> set[str]:
        """The exercises for which the gradebook has somebody's points."""
        from nbgrader.api import MissingEntry

        with self._gradebook() as book:
            try:
                notebook = book.find_notebook(chapter, chapter)
            except MissingEntry:
                return set()
            return {cell.name for cell in notebook.grade_cells if notebook.submissions}

    def released(self, chapter: str) -> Path:
        """The notebook that learners get."""
        return self.folder / "release" / chapter / f"{chapter}.ipynb"

    # Grading ------------------------------------------------------------------------------------

    def students(self, chapter: str) -> list[str]:
        """Who has handed something in."""
        folder = self.folder / "submitted"
        return sorted(p.parent.name for p in folder.glob(f"*/{chapter}") if p.is_dir())

    def collect(self, chapter: str, files: Iterable[Path]) -> list[str]:
        """Take notebooks into `submitted/`: the file's name, or its folder's, is the learner's.

        Returns:
          the names. One who has handed in before is replaced; the old file is kept beside it.

        Raises:
          CourseError: if there is no such chapter. OSError: if a file cannot be read.
        """
        self._require_release(chapter)
        names = []
        for file in (given := list(files)):
            file.stat()  # of several, none is taken if one is not there
        for file in given:
            name = file.resolve().parent.name if file.stem == chapter else file.stem
            target = self.folder / "submitted" / name / chapter / f"{chapter}.ipynb"
            target.parent.mkdir(parents=True, exist_ok=True)
            if target.exists():
                kept = target.with_name(target.name + submissions.KEPT)
                target.replace(submissions.free(kept))
            shutil.copyfile(file, target)
            names.append(name)
        return names

    def grade(
        self, chapter: str, students: Sequence[str] = (), confine: str = "auto"
    ) -> list[Mark]:
        """Grade what was handed in, again if it was graded before.

        Args:
          chapter: "ch03". students: names; default: all. confine: "auto", "always" or "never".

        Raises:
          CourseError: if nothing was released or handed in, or nbgrader fails.
        """
        self._require_release(chapter)
        known = self.students(chapter)
        names = list(students) or known
        if strangers := sorted(set(students) - set(known)):
            raise CourseError(
                f"{strangers[0]} has handed in nothing for {chapter}, only {known}. "
                f"`tinytf grade collect {chapter} FILES` takes notebooks."
            )
        if not names:
            raise CourseError(
                f"Nobody has handed anything in: there is no submitted/NAME/{chapter}/ here. "
                f"`tinytf grade collect {chapter} FILES` puts notebooks there."
            )
        for name in names:
            self._prepare(name, chapter)
        left_out = sorted(set(known) - set(names))
        exclude = f"--CourseDirectory.student_id_exclude={','.join(left_out)}"
        again = self._autograde(chapter, names, exclude, {SANDBOX_VARIABLE: confine})
        marks = [mark for mark in self.marks(chapter) if mark.student in names]
        for mark in marks:
            if mark.student in again:
                mark.remarks.append(
                    f"Graded once more, alone, for it failed:\n{again[mark.student]}"
                )
        return marks

    def _autograde(
        self, chapter: str, names: Sequence[str], exclude: str, environment: dict[str, str]
    ) -> dict[str, str]:
        """Have nbgrader do all; once more, one by one, whom it could not do: they are returned.

        Each with what nbgrader said of the failure, which is not to be lost.
        """
        try:
            self._nbgrader("autograde", chapter, "--force", exclude, environment=environment)
        except CourseError as error:
            # It goes on with the others, and leaves no folder of whom it could not do.
            graded = self.folder / "autograded"
            missing = [name for name in names if not (graded / name / chapter).is_dir()]
            if not missing:
                raise
            for name in missing:
                self._nbgrader(
                    "autograde", chapter, "--force", "--student", name, environment=environment
                )
            return dict.fromkeys(missing, str(error))
        return {}

    def _require_release(self, chapter: str) -> None:
        if not self.released(chapter).exists():
            raise CourseError(f"Nothing was released yet. Type:  tinytf grade release {chapter}")

    def _prepare(self, student: str, chapter: str) -> None:
        folder = self.folder / "submitted" / student / chapter
        path = folder / f"{chapter}.ipynb"
        others = [p for p in folder.glob("*.ipynb") if p != path]
        if not path.exists() and not path.is_symlink() and len(others) == 1:
            others[0].rename(path)  # renamed by the browser that downloaded it, as a rule
        submissions.prepare(path, self.released(chapter))

    def marks(self, chapter: str) -> list[Mark]:
        """What the gradebook has, with the remarks in the graded notebooks."""
        found = []
        with self._gradebook() as book:
            for entry in book.assignment_submissions(chapter):
                mark = Mark(entry.student.id, most=entry.max_score)
                for notebook in entry.notebooks:
                    for grade in notebook.grades:
                        mark.points[grade.cell.name] = _points(grade)
                found.append(mark)
        for mark in found:
            mark.points = dict(sorted(mark.points.items()))
            mark.remarks = self._remarks(mark.student, chapter)
        return sorted(found, key=lambda mark: mark.student)

    @contextmanager
    def _gradebook(self) -> Iterator[Any]:
        from nbgrader.api import Gradebook

        with warnings.catch_warnings(), _programs_found():
            warnings.simplefilter("ignore")
            with Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}") as book:
                yield book

    def _remarks(self, student: str, chapter: str) -> list[str]:
        path = self.folder / "autograded" / student / chapter / f"{chapter}.ipynb"
        if not path.exists():
            return ["It could not be graded."]
        facts = submissions.read(path).metadata.get("tinytf", {})
        problem = [facts["problem"]] if facts.get("problem") else []
        return [*problem, *facts.get("mended", [])]

    def feedback(self, chapter: str) -> Path:
        """Write a page for each learner; return the folder.

        Raises:
          CourseError: if nothing was graded.
        """
        if not any((self.folder / "autograded").glob(f"*/{chapter}")):
            raise CourseError(f"Nothing was graded yet. Type:  tinytf grade autograde {chapter}")
        self._nbgrader("generate_feedback", chapter, "--force")
        return self.folder / "feedback"

    def export(self, path: Path | None = None) -> Path:
        """Write all grades as CSV; return the file."""
        target = path or self.folder / "grades.csv"
        self._nbgrader("export", "--to", str(target.resolve()))
        return target

    def _nbgrader(self, *arguments: str, environment: dict[str, str] | None = None) -> str:
        """Run nbgrader; what it says is shown only if it fails.

        Raises:
          CourseError: with the end of what it said.
        """
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "nbgrader", *arguments],
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **(environment or {}), "PATH": _path()},
        )
        if done.returncode:
            raise CourseError(f"nbgrader {' '.join(arguments)} failed:\n{_end(done)}")
        return done.stdout + done.stderr


def _end(done: subprocess.CompletedProcess[str]) -> str:
    """The end of what a program said, and the last traceback, however long before it was."""
    lines = (done.stdout + done.stderr).strip().splitlines()
    end = max(0, len(lines) - 15)
    traced = [number for number, line in enumerate(lines[:end]) if "Traceback" in line]
    traceback = lines[traced[-1] : end][:60] if traced else []
    return "\n".join([*traceback, *lines[end:]])


def _points(grade: Any) -> float | None:
    """What the gradebook has; nbgrader itself counts 0 for what nobody has looked at."""
    if grade.auto_score is None and grade.manual_score is None:
        return None
    return float(grade.score)


@contextmanager
def _programs_found() -> Iterator[None]:
    """In the block, a program that nbgrader starts by its name is this Python's own."""
    before = os.environ.get("PATH")
    os.environ["PATH"] = _path()
    try:
        yield
    finally:
        if before is None:
            del os.environ["PATH"]
        else:
            os.environ["PATH"] = before


def _path() -> str:
    """Where programs are looked for: nbgrader starts one that was installed beside this Python."""
    return os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
