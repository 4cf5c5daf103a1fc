"""Files that were handed in: whatever they are, nbgrader gets a notebook it can read."""

import json
import random

import nbformat
import pytest

from tinytf.grading import exercise
from tinytf.grading.course import source_notebooks, submissions
from tinytf.grading.extracting import extract

ONES = [exercise.find(name) for name in exercise.names() if name.startswith("ch01.")]


@pytest.fixture
def release(tmp_path):
    """A release: the source, which has the same cells."""
    return source_notebooks.write(ONES, tmp_path / "release")


def handed_in(tmp_path, content):
    path = tmp_path / "submitted" / "anna" / "ch01" / "ch01.ipynb"
    path.parent.mkdir(parents=True)
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        path.write_text(content)
    return path


def other_chapter():
    return nbformat.writes(source_notebooks.build([exercise.find("ch03.ex1")]))


STRANGE = {
    "nothing": (None, "was not handed in"),
    "empty": (b"", "is empty"),
    "not JSON": ("{ not json", "is not a notebook"),
    "JSON of something else": ("[1, 2]", "is not a notebook"),
    "half of it": ('{"cells": [', "is not a notebook"),
    "bytes": (bytes(range(256)), "is not a notebook"),
    "no cells": (
        '{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}',
        "without cells",
    ),
    "another format": ('{"nbformat": 99, "metadata": {}, "cells": [1]}', "is not a notebook"),
    "another chapter": (other_chapter(), "This is the notebook of ch03; ch01 was asked for"),
    "of their own": (
        nbformat.writes(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("x = 1")])),
        "none of the cells of ch01",
    ),
    "megabytes": (b" " * (submissions.MOST_BYTES + 1), "at most 20 are read"),
}


@pytest.mark.parametrize("kind", STRANGE)
def test_what_is_no_notebook_of_the_assignment_gets_a_reason_and_is_kept(tmp_path, release, kind):
    content, reason = STRANGE[kind]
    path = handed_in(tmp_path, content)
    before = path.read_bytes() if path.exists() else None
    said = submissions.prepare(path, release)
    assert reason in said
    notebook = nbformat.read(path, as_version=4)
    assert notebook.metadata.tinytf.problem == said
    assert [c.source for c in notebook.cells] == [c.source for c in _read(release).cells]
    kept = path.with_name(path.name + submissions.KEPT)
    assert (kept.read_bytes() if kept.exists() else None) == before
    assert submissions.prepare(path, release) == said  # and it stays so


def test_a_link_to_the_solution_is_refused(tmp_path, release):
    path = handed_in(tmp_path, None)
    path.symlink_to(release)
    assert "is not a file but a link" in submissions.prepare(path, release)
    assert not path.is_symlink()


def test_a_notebook_of_the_assignment_stays_as_it_is(tmp_path, release):
    path = handed_in(tmp_path, release.read_text())
    assert submissions.prepare(path, release) == ""
    assert path.read_text() == release.read_text()


def _read(path):
    return nbformat.read(path, as_version=4)


def by_id(notebook):
    return {submissions.grade_id(cell): cell for cell in notebook.cells}


def test_a_deleted_check_is_put_back_in_its_place(release):
    whole, notebook = _read(release), _read(release)
    notebook.cells = [c for c in notebook.cells if submissions.grade_id(c) != "ch01_ex1"]
    said = submissions.mend(notebook, whole)
    assert said == ["The cell ch01_ex1 was missing; it was put back."]
    assert list(by_id(notebook)) == list(by_id(whole))


def test_a_doubled_check_counts_once(release):
    whole, notebook = _read(release), _read(release)
    notebook.cells.insert(6, nbformat.from_dict(json.loads(json.dumps(notebook.cells[-1]))))
    last = submissions.grade_id(notebook.cells[-1])
    said = submissions.mend(notebook, whole)
    assert said == [f"The cell {last} was there more than once; the first one counts."]
    names = [submissions.grade_id(cell) for cell in notebook.cells]
    assert names.count(last) == 1


def test_an_edited_check_is_put_back(release):
    whole, notebook = _read(release), _read(release)
    cell = by_id(notebook)["ch01_ex1"]
    cell.source = "100"
    cell.metadata.nbgrader.points = 1000
    cell.metadata.nbgrader.locked = False
    assert submissions.mend(notebook, whole) == ["The cell ch01_ex1 was changed; it was put back."]
    assert by_id(notebook)["ch01_ex1"].source == by_id(whole)["ch01_ex1"].source
    assert by_id(notebook)["ch01_ex1"].metadata == by_id(whole)["ch01_ex1"].metadata


def test_a_check_that_became_text_is_code_again(release):
    whole, notebook = _read(release), _read(release)
    at = [submissions.grade_id(cell) for cell in notebook.cells].index("ch01_ex1")
    old = notebook.cells[at]
    notebook.cells[at] = nbformat.v4.new_markdown_cell(old.source, metadata=old.metadata)
    submissions.mend(notebook, whole)
    assert by_id(notebook)["ch01_ex1"].cell_type == "code"
    nbformat.validate(notebook)


@pytest.mark.parametrize("seed", range(40))
def test_whatever_was_done_to_the_cells_nbgrader_finds_each_once(release, seed):
    """Deleted, doubled, moved, emptied, stripped of their metadata, in any combination."""
    rng = random.Random(seed)
    whole, notebook = _read(release), _read(release)
    for _ in range(rng.randint(1, 8)):
        if not notebook.cells:
            break
        at = rng.randrange(len(notebook.cells))
        kind = rng.choice(["delete", "double", "move", "empty", "strip", "odd", "own"])
        if kind == "delete":
            del notebook.cells[at]
        elif kind == "double":
            again = nbformat.from_dict(json.loads(json.dumps(notebook.cells[at])))
            notebook.cells.insert(rng.randrange(len(notebook.cells)), again)
        elif kind == "move":
            notebook.cells.insert(0, notebook.cells.pop(at))
        elif kind == "empty":
            notebook.cells[at].source = ""
        elif kind == "strip":
            notebook.cells[at].metadata = nbformat.from_dict({})
        elif kind == "odd":
            odd = rng.choice([{}, 3, None, {"grade_id": 5}, {"grade_id": "ch01_ex1"}])
            notebook.cells[at].metadata["nbgrader"] = odd
        else:
            notebook.cells.insert(at, nbformat.v4.new_code_cell("mine = 1"))
    submissions.mend(notebook, whole)
    found = [name for cell in notebook.cells if (name := submissions.grade_id(cell))]
    assert sorted(found) == sorted(by_id(whole))
    for name, cell in by_id(notebook).items():
        if name and by_id(whole)[name].metadata.nbgrader.locked:
            assert cell.source == by_id(whole)[name].source
            assert cell.cell_type == by_id(whole)[name].cell_type


def test_the_last_of_two_answers_counts_and_it_is_said(release):
    whole = submissions.read(release)
    notebook = submissions.read(release)
    at = next(
        number
        for number, cell in enumerate(notebook.cells)
        if submissions.grade_id(cell) == "ch01_ex1_answer"
    )
    second = nbformat.from_dict(
        {**notebook.cells[at], "source": "def build_graph():\n    return 8"}
    )
    notebook.cells.insert(at + 1, second)
    said = submissions.mend(notebook, whole)
    assert said == ["The cell ch01_ex1_answer was there more than once; the last answer counts."]
    answers = [cell.source for cell in notebook.cells[at : at + 2]]
    assert extract(answers, "build_graph").endswith("def build_graph():\n    return 8\n")


def test_an_answer_above_its_deleted_cell_counts(release):
    whole = submissions.read(release)
    notebook = submissions.read(release)
    notebook.cells = [
        nbformat.v4.new_code_cell("def build_graph():\n    return 8"),
        *(c for c in notebook.cells if submissions.grade_id(c) != "ch01_ex1_answer"),
    ]
    submissions.mend(notebook, whole)
    sources = [
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not cell.metadata.get("nbgrader", {}).get("grade")
    ]
    assert extract(sources, "build_graph") == "def build_graph():\n    return 8\n"
