"""Chapter 12: what is in a checkpoint, and what is lost with each process, in each way."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ROOT, printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "12_fault_tolerance.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "save": "38,488 bytes of values",
    "keep": "one/kept-4 one/kept-5 one/kept-6",
    "part-code": "taken over: True",
    "half-first": "two/model has step 10",
    "hook": "alone: a session begins at step 0\nmodel.ckpt-30",
    "best-code": "the best is one of them: True",
    "between": "step 56 - saved: three/model.ckpt-40",
    "jump": "the other worker does step 42",
    "ps": "before: step 76\nworker:0: a session begins at step 60\nafter:  step 61",
    "sync": "step 55",
    "waits-end": "the other does step 56\nand the chief, after all, step 56",
    "sync-others": "worker:0 dies at step 57\nworker:0: a session begins at step 40\nps:0 dies at ",
    "ingraph": "step 57 - saved: six/model.ckpt-40",
    "ingraph-end": "a session begins at step 60\nworker:0: a session begins at step 80",
    "launch": "it is started again (1 of at most 3 times in 60 s)\nexit code 0",
}

#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-misfit": ("NotFoundError", "Key temperature not found in checkpoint."),
}

#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "table": "how fast this machine trains; test_the_table_says_what_each_way_loses",
    "pace": "how fast this machine trains",
}

#: Way -> the steps that are lost with a worker, the chief, the parameter server.
LOST = {
    "asynchronous": [0, 17, 16],
    "synchronous": [0, 17, 17],
    "in graph": [17, 17, 17],
}


def test_all_mismatches_are_in_one_error():
    _, message = reading.error(cell("error-misfit"))
    for name in ("hidden/weights", "hidden/bias", "digit/weights"):
        assert f"tensor_name = {name}; the variable's shape" in message
    assert "The checkpoint one/model-150 has: digit/bias, digit/bias/Momentum" in message


def test_the_table_says_what_each_way_loses():
    head, *rows = printed(cell("table")).splitlines()
    assert head.split()[:4] == ["way", "worker", "chief", "ps"]
    found = {row[:13].strip(): row[13:].split() for row in rows}
    assert {way: [int(one) for one in row[:3]] for way, row in found.items()} == LOST
    for pace, share in (row[3:] for row in found.values()):
        assert int(pace.replace(",", "")) > 0
        assert int(share.removesuffix("%")) > 80


def test_every_way_has_learnt_in_spite_of_three_deaths():
    for name in ("finish", "sync-others", "ingraph-end"):
        assert re.search(r"(8[1-9]|9\d)% of the new digits$", printed(cell(name)).strip()), name


def test_the_figure_shows_the_steps_of_the_prediction():
    drawn = (ROOT / "images" / "12_recovery.svg").read_text(encoding="utf-8")
    assert ">dies at step 57: 17 steps are lost<" in drawn
    assert ">restored from the checkpoint of step 40<" in drawn
    assert reading.truths("ch12")["ingraph"] == 41


def test_nothing_of_this_machine_is_left():
    sources = [one["source"] for one in reading.programs(NAME)]
    assert sum("room.cleanup()" in source for source in sources) == 1
    assert sum("cluster.stop()" in source for source in sources) == 1


def test_the_program_of_exercise_2_has_the_faults_that_its_checks_look_for():
    found = exercise.find("ch12.ex2")
    program, _ = re.findall(r"```python\n(.*?)```", found.text, flags=re.DOTALL)
    assert program.index("saver.restore") < program.index("global_variables_initializer")
    for fault in ("tf.trainable_variables()", "range(until)", 'folder + "model"'):
        assert fault in program
