"""nbgrader's source notebooks, made from the exercises: they run, and nbval says so."""

import re
import subprocess
import sys

import nbformat
import pytest

from tinytf.grading import cells, exercise
from tinytf.grading.course import source_notebooks
from tinytf.grading.report import Outcome, Report
from tinytf.grading.runner import load_checks

ALL = [exercise.find(name) for name in exercise.names()]
CHAPTERS = sorted({one.chapter for one in ALL})


def of(chapter):
    return [one for one in ALL if one.chapter == chapter]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_source_has_nbgraders_metadata(chapter):
    notebook = source_notebooks.build(of(chapter))
    nbformat.validate(notebook)
    facts = [cell.metadata.nbgrader for cell in notebook.cells]
    names = [fact.grade_id for fact in facts]
    assert len(set(names)) == len(names)
    keys = {"grade", "solution", "locked", "task", "grade_id", "schema_version"}
    assert all(keys <= set(fact) <= keys | {"points"} for fact in facts)
    assert {fact.schema_version for fact in facts} == {3}
    for one in of(chapter):
        task, answer, check = (
            next(c for c in notebook.cells if c.metadata.nbgrader.grade_id == name)
            for name in (
                f"{chapter}_{one.label}_task",
                f"{chapter}_{one.label}_answer",
                f"{chapter}_{one.label}",
            )
        )
        assert task.source == cells.task(one)
        assert answer.source.count("### BEGIN SOLUTION") == 1
        assert check.metadata.nbgrader.points == points(one)
        assert f'grading.check("{one.name}")' in check.source


def points(one):
    checks = load_checks(one.checks) + load_checks(one.hidden, "hidden_checks")
    return sum(check.points for check in checks)


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.name)
def test_what_a_learner_gets_is_the_stub(one):
    """nbgrader puts what raises into the place of the solution."""
    source = source_notebooks.with_solution(one)
    begin, end = "    ### BEGIN SOLUTION", "    ### END SOLUTION"
    before, _, rest = source.partition(begin)
    _, _, after = rest.partition(end)
    assert before + f"    {source_notebooks.CODE_STUB}" + after == one.stub.rstrip()


def full_marks(one):
    """The outputs of a check of the solution."""
    from tinytf.grading.course.preprocessors import outputs_of  # takes nbgrader along: seconds

    outcomes = [
        Outcome(check.title, check.points, check.points, "", is_hidden)
        for is_hidden, checks in (
            (False, load_checks(one.checks)),
            (True, load_checks(one.hidden, "hidden_checks")),
        )
        for check in checks
    ]
    return outputs_of(Report(one.name, outcomes))


@pytest.mark.slow
@pytest.mark.notebook
@pytest.mark.timeout(240)
def test_nbval_finds_full_marks_for_solutions(tmp_path):
    """Run in a kernel, as nbgrader without our steps would run it; test_course.py has them all."""
    chosen = [of(chapter)[-1] for chapter in CHAPTERS[::4]]
    notebook = source_notebooks.build(chosen)
    by_name = {source_notebooks.grade_id(one): one for one in chosen}
    for number, cell in enumerate(c for c in notebook.cells if c.cell_type == "code"):
        one = by_name.get(cell.metadata.nbgrader.grade_id)
        cell.execution_count = number + 1
        if one is not None:
            cell.outputs = full_marks(one)
            cell.outputs[1].execution_count = number + 1
    path = tmp_path / "solutions.ipynb"
    path.write_text(nbformat.writes(notebook))
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-c",
            "/dev/null",
            "--rootdir",
            str(tmp_path),
            "--nbval",
            "--nbval-current-env",
            "--nbval-cell-timeout=100",
            "-p",
            "no:cacheprovider",
            "-q",
            str(path),
        ],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    passed = int(re.search(r"(\d+) passed", done.stdout).group(1))
    assert passed == sum(cell.cell_type == "code" for cell in notebook.cells)
