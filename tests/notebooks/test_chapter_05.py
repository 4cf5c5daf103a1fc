"""Chapter 5: where state is, who shares it, who loses it; and the errors made on purpose."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import error, printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "05_sharing_state.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "start": "ps:0 ps:1 worker:0 worker:1",
    "local": "in another session:   FailedPreconditionError",
    "pinned": "1.0\n2.0\n3.0",
    "others": "/job:worker/task:1/device:CPU:0\n3.0 6.0 9.0",
    "greedy-code": "/job:ps/task:0          1  940,800    88%",
    "parts": "table/part_1:0 (3, 2) /job:ps/task:1",
    "lookup-div": "[0. 1. 2. 5.]",
    "train-parts": "[0.  0.5 1.  3.  4.  2.5 6. ]",
    "error-shape": "blue's vector has the shape ()",
    "put-jobs": "worker:0 | three jobs are in the queue",
    "take-jobs": "b'sweep' b'dust'",
    "missing": "[b'weights' b'bias']\n[b'bias']",
    "chief": "the other worker starts with [1. 2.] 0.5",
    "digits-train": "% of the new digits are right",
    "default": "A reads FailedPreconditionError\nD reads [0.0]",
    "filtered": "x is 1.0",
    "reopen": "B reads [2.0]\nD reads FailedPreconditionError\nD reads [0.0]",
    "restart": "x, in the session from before: AbortedError",
    "error-restart": "y, on the other server: 2.0",
    "stop": "processes that run: 0",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "digits-pace": "how fast this machine trains",
    "live-cluster": "the bytes that have travelled by then; tests/jupyter holds the view",
}


def test_two_workers_learn_the_digits():
    assert int(printed(cell("digits-train")).partition("%")[0]) > 80


def test_the_clients_have_two_containers():
    said = printed(cell("containers-shown"))
    assert "ps:0  2 containers" in said
    assert "my_problem_1          1" in said


def test_a_variable_of_a_restarted_server_says_since_when_it_is_gone():
    _, message = error(cell("error-restart"))
    assert "since the restart at" in message
    assert "restore a checkpoint" in message


def test_what_a_reset_ended_says_what_to_do():
    _, message = error(cell("error-reset"))
    assert "Open a new Session" in message


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-three": ("InvalidArgumentError", "was explicitly assigned to /job:ps/task:2"),
    "error-shape": ("InvalidArgumentError", "Assign requires shapes of both tensors to match"),
    "error-queue": ("InvalidArgumentError", "has capacity 10 but requested capacity was 20"),
    "error-reset": ("AbortedError", "is not found"),
    "error-restart": ("FailedPreconditionError", "Attempting to use uninitialized value x"),
}


def test_the_program_that_exercise_3_shows_is_the_one_that_is_run():
    found = exercise.find("ch05.ex3")
    run = re.search("PROGRAM = '''\\n(.+?)'''", found.checks, re.DOTALL)[1]
    assert f"```python\n{run}```" in found.text
