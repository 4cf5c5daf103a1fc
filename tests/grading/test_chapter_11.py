"""Exercises of chapter 11: the examples of the tasks do as they say; nobody is left waiting."""

import re
import sys
from types import SimpleNamespace

import pytest

import tinytf as tf
from tests.notebooks.reading import NOTEBOOKS
from tinytf import grading
from tinytf.grading import exercise

#: Exercise -> what the last of its examples prints, with the solution.
PRINTED = {
    "ch11.ex1": r"gives: \[5\]\[1\.5\]\ngives: \[6\]\[2\.5\]\ngives: \[7\]\[1\.5\]\n3\n",
    "ch11.ex2": r"1\.2\n4 4\n",
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_example_of_a_task_does_as_it_says(name, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(NOTEBOOKS))
    monkeypatch.delitem(sys.modules, "digits", raising=False)
    found = exercise.find(name)
    *_, program = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)
    namespace = {"tf": tf, "grading": grading, "SimpleNamespace": SimpleNamespace}
    exec(found.solution, namespace)  # noqa: S102 - our own texts
    exec(program, namespace)  # noqa: S102
    said = capsys.readouterr()
    assert re.fullmatch(PRINTED[name], said.out)
