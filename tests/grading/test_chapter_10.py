"""Exercises of chapter 10: the examples of the tasks do as they say."""

import re
import sys

import numpy as np
import pytest

import tinytf as tf
from tests.notebooks.reading import NOTEBOOKS
from tinytf import grading
from tinytf.grading import exercise

#: Exercise -> what its example prints, with the solution.
PRINTED = {
    "ch10.ex1": r"\S+ \(CPU:0 → CPU:1, 2 KiB\)\nTrue\n",
    "ch10.ex2": r"\[4\.0, 16\.0, 40\.0\]\n(\S+ \(CPU:0 → CPU:1, 4 bytes\)\n){3}",
}


@pytest.mark.parametrize("name", PRINTED)
def test_the_example_of_a_task_does_as_it_says(name, monkeypatch, capsys):
    monkeypatch.syspath_prepend(str(NOTEBOOKS))
    monkeypatch.delitem(sys.modules, "digits", raising=False)
    import digits

    found = exercise.find(name)
    (program,) = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)
    namespace = {"tf": tf, "np": np, "digits": digits, "grading": grading}
    exec(found.solution, namespace)  # noqa: S102 - our own texts
    exec(program, namespace)  # noqa: S102
    assert re.fullmatch(PRINTED[name], capsys.readouterr().out)
