"""The short path of a lesson: what is left out, how long it takes, the copies that are opened."""

import json

import pytest

from tinytf.cli import short_path
from tinytf.cli.lab import find_notebook
from tinytf.grading.question import Question


def markdown(text, *tags):
    return {"cell_type": "markdown", "id": "m", "source": text, "metadata": {"tags": list(tags)}}


def code(text, name="c"):
    return {"cell_type": "code", "id": name, "source": text, "metadata": {}}


CELLS = [
    markdown("# 1. Title\n\n[next](02_next.ipynb#there)"),
    code("a = 1"),
    markdown("## In depth: more", "depth"),
    code("b = 2"),
    markdown("### below it"),
    code("c = 3"),
    markdown("## Again on the path"),
    code("# In depth: a comment\nd = 4"),
    markdown("## Exercises"),
    markdown("### Exercise 1: first"),
    code("one", "ex1-answer"),
    markdown("### Exercise 2: second"),
    code("two", "ex2-answer"),
    markdown("## Where next"),
]


def test_depth_ends_at_the_next_heading_of_its_level_or_above():
    kept = ["".join(cell["source"]) for cell in short_path.short(CELLS)]
    assert "b = 2" not in kept
    assert "c = 3" not in kept
    assert "two" not in kept
    assert kept[1:4] == ["a = 1", "## Again on the path", CELLS[7]["source"]]
    assert kept[-1] == "## Where next"
    assert "one" in kept


def test_words_are_read_at_130_a_minute_and_what_runs_is_waited_for():
    words = markdown("word " * 260)
    assert short_path.minutes([words], {}, seconds=0) == 2
    assert short_path.minutes([words], {}, seconds=180) == 5
    assert short_path.minutes([words, code("word " * 1300, "ex1-answer")], {}, seconds=0) == 2
    asked = {"ch01.x": Question("ch01.x", "word " * 130, "number", "word " * 130)}
    assert short_path.minutes([words, code("%%predict ch01.x\n1")], asked, seconds=0) == 4


@pytest.fixture
def root(tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write(folder / "01_one.ipynb", CELLS)
    write(folder / "02_next.ipynb", CELLS[:2])
    return tmp_path


def write(path, cells):
    notebook = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook), encoding="utf-8")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def test_copies_lead_from_one_to_the_next(root):
    folder = root / "notebooks"
    short_path.write_copies(folder)
    copy = read(folder / "01_one.short.ipynb")
    assert len(copy["cells"]) == len(short_path.short(CELLS))
    assert copy["cells"][0]["source"].endswith("[next](02_next.short.ipynb#there)")
    assert find_notebook(root, "1").name == "01_one.ipynb"  # not the copy


def test_a_copy_in_which_somebody_works_stays(root):
    folder = root / "notebooks"
    short_path.write_copies(folder)
    mine = read(folder / "01_one.short.ipynb")
    mine["cells"].append(code("my own"))
    (folder / "01_one.short.ipynb").write_text(json.dumps(mine), encoding="utf-8")
    short_path.write_copies(folder)
    assert read(folder / "01_one.short.ipynb") == mine
    write(folder / "01_one.ipynb", CELLS[:3])  # the course is newer
    short_path.write_copies(folder)
    assert len(read(folder / "01_one.short.ipynb")["cells"]) == 2
    (kept,) = folder.glob("01_one.short.mine-*.ipynb")
    assert read(kept) == mine
    short_path.write_copies(folder)
    assert len(list(folder.glob("*.ipynb"))) == 5  # copies are not copied
