"""Exercises of chapter 12: the examples of the tasks do as they say."""

import os
import re
import tempfile

import pytest

import tinytf as tf
from tinytf.grading import exercise


@pytest.mark.parametrize("name", ["ch12.ex1", "ch12.ex2"])
def test_the_example_of_a_task_does_as_it_says(name, capsys):
    found = exercise.find(name)
    program = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)[-1]
    namespace = {"tf": tf, "os": os, "tempfile": tempfile}
    exec(found.solution, namespace)  # noqa: S102 - our own texts
    exec(program, namespace)  # noqa: S102
    said = "".join(f"{line[2:]}\n" for line in program.splitlines() if line.startswith("# "))
    assert said
    assert capsys.readouterr().out == said
