"""A learner's file of points, and a small course."""

import sys

import pytest

from tests.grading.forking import forking
from tests.grading.learning import write_exercise
from tinytf.framework import registry
from tinytf.grading import answer_process, exercise
from tinytf.grading.progress import note
from tinytf.kernels import table


@pytest.fixture(scope="module", autouse=True)
def no_ops_are_left():
    """Checks that were loaded here may have registered op types of their own."""
    yield
    for op_type in [name for name in registry.op_defs if not table.knows(name)]:
        registry.unregister(op_type)


@pytest.fixture(scope="module")
def one_to_fork_off():
    with forking() as processes:
        yield processes


@pytest.fixture
def forked(one_to_fork_off, monkeypatch):
    """Each answer has a process of its own, but none starts Python anew; see forking.py."""
    monkeypatch.setattr(answer_process, "subprocess", one_to_fork_off)


@pytest.fixture
def file(tmp_path, monkeypatch):
    """The file of points, which is not there yet, of a kernel that has just begun."""
    path = tmp_path / "state" / "progress.json"
    monkeypatch.setenv("TINYTF_PROGRESS", str(path))
    module = sys.modules[note.__module__]  # tinytf.grading.progress is the function in it
    monkeypatch.setattr(module, "_said", set())
    monkeypatch.setattr(module, "_passed_here", set())
    return path


@pytest.fixture
def two_exercises(tmp_path, monkeypatch):
    """A course of ch03.ex1, of 6 points, and ch03.ex2, of 3; returns its folder."""
    for name, points in (("ex1", (2, 4)), ("ex2", (3,))):
        write_exercise(tmp_path / "course" / "ch03" / name, f"Title of {name}", points)
    monkeypatch.setenv(exercise.ENVIRONMENT_VARIABLE, str(tmp_path / "course"))
    return tmp_path / "course"
