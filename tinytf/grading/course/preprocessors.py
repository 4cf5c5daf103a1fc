"""What nbgrader does differently in a course of tinytf: the steps that nbgrader_config.py names.

nbgrader runs a submission in a kernel of the grader's own: it may read the hidden tests, change the
gradebook, hang, or end the kernel, and then there is neither mark nor feedback. Here no cell of a
submission is run. The answers are taken out as text and each is checked in a process of its own, in
a sandbox if there is one; the reply becomes the output of the check's cell. The rest is nbgrader's:
gradebook, feedback, export, formgrader.

A release is made from the exercises as they are at that moment, whoever asks for it.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
from nbformat import v4
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Enum

from tinytf.grading import sandbox
from tinytf.grading.check import check_source
from tinytf.grading.collecting import CannotCollectError
from tinytf.grading.course import source_notebooks, submissions
from tinytf.grading.course.handing_out import hand_out
from tinytf.grading.course.settings import SANDBOX_VARIABLE
from tinytf.grading.course.source_notebooks import grade_id
from tinytf.grading.exercise import Exercise, UnknownExerciseError, find, names
from tinytf.grading.extracting import extract
from tinytf.grading.report import Report

#: How many answers of a notebook are checked at the same time.
_AT_ONCE = 2


class _Answer(NamedTuple):
    """What a graded cell checks: the answer's text; or what is replied without a check."""

    exercise: Exercise | None
    source: str = ""
    replied: Sequence[Any] = ()


def before_conversion(assignment: str, student: str, notebooks: list[str]) -> None:
    """Nbgrader's `pre_convert_hook`: replace what it could not even read (see `submissions`)."""
    for name in notebooks:
        path = Path(name)
        # submitted/STUDENT/ch03/ch03.ipynb -> release/ch03/ch03.ipynb
        release = path.parents[3] / "release" / path.parent.name / path.name
        if release.exists():
            submissions.prepare(path, release)


class MakeFromExercises(NbGraderPreprocessor):
    """First of `GenerateAssignment.preprocessors`: the notebook is made from the exercises, anew.

    Formgrader's button gives what `tinytf grade release` gives. The exercises go out with it, see
    `handing_out`. An assignment that has none (made by hand) stays as it is.
    """

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Return the notebook of the exercises; write it and what goes out with it."""
        chapter = resources["nbgrader"]["assignment"]
        found = [find(name) for name in names() if name.partition(".")[0] == chapter]
        if not found or resources["nbgrader"]["notebook"] != chapter:
            return nb, resources
        course = self.parent.parent.coursedir
        hand_out(found, Path(course.format_path(course.release_directory, ".", chapter)))
        source = Path(course.format_path(course.source_directory, ".", chapter)).parent
        return nbformat.read(source_notebooks.write(found, source), as_version=4), resources


class MendSubmission(NbGraderPreprocessor):
    """First of `Autograde.sanitize_preprocessors`: see `submissions.mend`."""

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Mend the notebook; what was done is logged, and noted for the report."""
        names = resources["nbgrader"]
        course = self.parent.parent.coursedir
        folder = Path(course.format_path(course.release_directory, ".", names["assignment"]))
        release = nbformat.read(folder / f"{names['notebook']}.ipynb", as_version=4)
        said = submissions.mend(nb, release)
        for line in said:
            self.log.warning("%s: %s", names["student"], line)
        nb.metadata.setdefault("tinytf", {})["mended"] = said
        return nb, resources


class CheckAnswers(NbGraderPreprocessor):
    """In the place of nbgrader's Execute: checks the answers, and writes the replies."""

    confine = Enum(
        ["auto", "always", "never"],
        "auto",
        help="Whether answers run in a sandbox: if there is one, always, never.",
    ).tag(config=True)

    def preprocess(self, nb: Any, resources: Any) -> tuple[Any, Any]:
        """Give each graded cell the outputs that a check of the answer has."""
        sources = [
            cell.source
            for cell in nb.cells
            if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade")
        ]
        graded = [
            cell
            for cell in nb.cells
            if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade")
        ]
        problem = nb.metadata.get("tinytf", {}).get("problem", "")
        confined = self._is_confined()
        # Read on one thread: up to Python 3.11 two may not parse at once (SystemError: "AST
        # constructor recursion depth mismatch", if garbage is collected in the midst of one).
        answers = [_answer(cell, sources, problem) for cell in graded]
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            replies = list(pool.map(lambda answer: self._reply(answer, confined), answers))
        for number, (cell, outputs) in enumerate(zip(graded, replies, strict=True), start=1):
            cell.outputs, cell.execution_count = outputs, number
            for output in outputs:
                if output.output_type == "execute_result":
                    output.execution_count = number
                elif output.output_type == "error":  # the teacher sees it beside the points
                    facts = nb.metadata.setdefault("tinytf", {})
                    facts["mended"] = [*facts.get("mended", []), output.evalue]
        return nb, resources

    def _is_confined(self) -> bool:
        wish = os.environ.get(SANDBOX_VARIABLE, self.confine)
        obstacle = sandbox.obstacle()
        if obstacle and wish != "never":
            self.log.warning("There is no sandbox: %s. Answers may do what you may do.", obstacle)
        return wish == "always" or (wish == "auto" and not obstacle)

    def _reply(self, answer: _Answer, confined: bool) -> list[Any]:
        exercise = answer.exercise
        if answer.replied or exercise is None:
            return list(answer.replied)
        try:
            report = check_source(exercise, answer.source, hidden=True, confined=confined)
            if not report.outcomes:
                raise RuntimeError(report.problem)
        except Exception as error:  # of ours, not the answer's: the others are graded all the same
            self.log.exception("%s could not be checked", exercise.name)
            return [_failure(exercise.name, error)]
        self.log.info("%s: %d of %d points", exercise.name, report.score, report.worth)
        return outputs_of(report)


def _answer(cell: Any, sources: list[str], problem: str) -> _Answer:
    exercise = _exercise_of(cell)
    if exercise is None:
        return _Answer(None, replied=[_refusal(cell.metadata.nbgrader.grade_id)])
    if problem:
        return _Answer(exercise, replied=outputs_of(Report(exercise.name, problem=problem)))
    try:
        return _Answer(exercise, extract(sources, exercise.symbol))
    except CannotCollectError as error:
        return _Answer(exercise, replied=outputs_of(Report(exercise.name, problem=str(error))))


def _exercise_of(cell: Any) -> Exercise | None:
    name = cell.metadata.nbgrader.grade_id
    try:
        found = find(name.replace("_", ".", 1))
    except UnknownExerciseError:
        return None
    return found if grade_id(found) == name else None


def outputs_of(report: Report) -> list[Any]:
    """A reply as outputs of a cell: what to read, and the points, as nbgrader takes them."""
    shown = {"text/plain": repr(report), "text/html": report._repr_html_()}
    return [
        v4.new_output("display_data", shown),
        v4.new_output("execute_result", {"text/plain": str(report.score)}, execution_count=1),
    ]


def _failure(name: str, error: Exception) -> Any:
    """An error for an answer that was not judged: no points, and the teacher sees why."""
    text = f"{name} could not be checked ({type(error).__name__}: {error}). Grade it again."
    return v4.new_output("error", ename="NotChecked", evalue=text, traceback=[text])


def _refusal(name: str) -> Any:
    """An error: without any output, nbgrader would give full marks."""
    text = (
        f"The cell {name} belongs to no exercise of this course, so nobody ran it. Write its "
        f"checks as an exercise: a folder in exercises/ (docs/instructors.md)."
    )
    return v4.new_output("error", ename="NotChecked", evalue=text, traceback=[text])
