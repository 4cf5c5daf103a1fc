"""`tinytf grade` on the command line: what needs no nbgrader, and what it says of mistakes."""

import json
import shutil
import sys

import pytest

from tinytf import cli
from tinytf.cli import grade
from tinytf.grading import exercise, sandbox


@pytest.fixture
def course(tmp_path):
    """A folder with one exercise, in which one may change things."""
    folder = tmp_path / "exercises" / "ch01" / "ex1"
    shutil.copytree(exercise.find("ch01.ex1").folder, folder)
    for path in sorted((folder / "bugs").glob("*.py"))[1:]:
        path.unlink()
    return tmp_path


def run(capsys, *arguments):
    code = cli.main(["grade", *map(str, arguments)])
    return code, capsys.readouterr().out


@pytest.mark.slow  # the next one as well
def test_an_exercise_that_is_right_is_said_to_be(course, capsys):
    code, said = run(capsys, "--course", course, "test", "ch01.ex1")
    assert (code, said) == (0, "ch01.ex1: as it should be\n")


def test_what_is_wrong_with_an_exercise_is_told(course, capsys):
    folder = course / "exercises/ch01/ex1"
    (folder / "solution.py").write_text("def build_graph():\n    return 1\n")
    (folder / "stub.py").write_text((folder / "stub.py").read_text().replace("    raise", "    #"))
    (bug,) = (folder / "bugs").glob("*.py")
    bug.write_text(bug.read_text().replace("# loses: ", "# loses: what nobody checks: "))
    code, said = run(capsys, "--course", course, "test", "ch01")
    assert code == 1
    assert "ch01.ex1: NOT as it should be" in said
    assert "solution.py has not full marks" in said
    assert f"bugs/{bug.name} does not lose 'what nobody checks: " in said


@pytest.mark.parametrize("what", ["ch09", "ch01.ex9", "graph"])
def test_an_exercise_that_is_not_there(course, capsys, what):
    code, said = run(capsys, "--course", course, "test", what)
    assert code == 1
    assert f"There is no exercise '{what}'" in said
    assert "ch01.ex1" in said


def notebook(path, *cells):
    path.write_text(
        json.dumps(
            {
                "cells": [
                    {"cell_type": "code", "source": source.splitlines(keepends=True)}
                    for source in cells
                ]
            }
        )
    )
    return path


def test_one_notebook_without_a_course(tmp_path, capsys):
    one = exercise.find("ch01.ex1")
    path = notebook(tmp_path / "mine.ipynb", one.solution, 'grading.check("ch01.ex1")')
    code, said = run(capsys, "notebook", path)
    assert code == 0
    assert "In all: 8 of 8 points" in said
    path = notebook(path, one.stub, 'grading.check("ch01.ex1")')
    code, said = run(capsys, "notebook", path, "--sandbox", "never")
    assert code == 2
    assert "In all: 0 of 8 points" in said


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("{ not json", "is not a notebook"),
        ("[1]", "is not a notebook"),
        ('{"cells": 3}', "is not a notebook"),
        ('{"cells": []}', "asks for no exercise"),
    ],
)
def test_what_is_no_notebook(tmp_path, capsys, content, reason):
    path = tmp_path / "mine.ipynb"
    path.write_text(content)
    code, said = run(capsys, "notebook", path)
    assert code == 1
    assert reason in said


def test_a_notebook_that_is_not_there(tmp_path, capsys):
    code, said = run(capsys, "notebook", tmp_path / "none.ipynb")
    assert code == 1
    assert "none.ipynb: No such file or directory" in said


def test_without_a_sandbox_it_is_said_or_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(sandbox, "obstacle", lambda: "bubblewrap is not installed")
    one = exercise.find("ch01.ex1")
    path = notebook(tmp_path / "mine.ipynb", one.stub, 'grading.check("ch01.ex1")')
    assert run(capsys, "notebook", path)[1].startswith("There is no sandbox: bubblewrap is not")
    code, said = run(capsys, "notebook", path, "--sandbox", "always")
    assert (code, said) == (1, "bubblewrap is not installed\n")


@pytest.mark.parametrize(
    "step",
    [
        ["status"],
        ["release", "ch01"],
        ["autograde", "ch01"],
        ["feedback", "ch01"],
        ["export"],
        ["collect", "ch01", "a.ipynb"],
        ["lab"],
    ],
    ids=lambda step: step[0],
)
def test_outside_of_a_course_every_step_says_how_to_make_one(tmp_path, capsys, step):
    code, said = run(capsys, "--course", tmp_path, *step)
    assert code == 1
    assert "is no course" in said
    assert "tinytf grade init FOLDER" in said


def test_without_nbgrader_it_is_said_what_to_install(capsys, monkeypatch):
    monkeypatch.setattr(grade, "find_spec", lambda name: None)
    code, said = run(capsys, "status")
    assert code == 1
    assert "nbgrader is not installed here. Type:" in said


def test_help_needs_no_nbgrader(capsys, monkeypatch):
    before = set(sys.modules)
    with pytest.raises(SystemExit) as ended:
        cli.main(["grade", "--help"])
    assert ended.value.code == 0
    assert "tinytf grade autograde ch01" in capsys.readouterr().out
    assert not [name for name in set(sys.modules) - before if name.startswith("nbgrader")]
