"""Chapter 11: what each way gives, that old gradients spoil the training, what the remedies do."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import ROOT, printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "11_data_parallelism.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "replica": "3 replicas, 4 variables",
    "map": "no remedy: 60 gradients of 8 workers were on average ",
    "lens-end": "300 gradients of 3 workers",
    "warm-code": "worker:1 began at step 30 or later: True\nsteps of both: 50",
    "sync-train": "87% of the new digits are right",
    "backup": "50 +  0: 31.8 times one machine",
    "cures": "8 parameter servers    45 times",
    "in-step": "3 workers are done",
    "shards": "net/digit/weights/part_1 (32, 10) /job:ps/task:1",
}

#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "remedies": "roundings, far from the goal: test_every_remedy_helps_where_it_should",
    "lens": "three workers train meanwhile; what they have done is below it",
    "lens-map": "which of three workers came when; test_the_map_shows_the_three_workers",
    "in-step": "who gives twice is told if it happens often; SAID has what stands below",
    "gave-code": "who was first of three workers; test_who_gave_what_is_a_table_of_steps",
    "gave-lens": "the same as a picture; a test of the lens asserts what it shows",
    "table": "how fast this machine trains; test_the_table_has_a_line_for_every_program",
    "pace": "how fast this machine trains",
}

MISTAKES = {}

PROGRAMS = ("in_graph_sync", "in_graph_async", "between_graph_sync", "between_graph_async")


def test_every_remedy_helps_where_it_should():
    head, *lines, _ = printed(cell("remedies")).splitlines()
    assert head.split() == ["rate", "0.5", "rate", "0.2"]
    learnt = {line[:22].strip(): [int(n) for n in re.findall(r"(\d+)%", line)] for line in lines}
    assert learnt["no remedy"][0] < 30
    assert learnt["no remedy"][1] < 80
    for name in ("an eighth of the rate", "drop above 2", "scale"):
        assert min(learnt[name]) > 80, name
    warm = learnt["one alone, 90 steps"]
    assert warm[0] < 30
    assert warm[1] > learnt["no remedy"][1]


def test_dropping_throws_more_than_half_away():
    dropped = re.search(r"dropped: (\d+) of 600", printed(cell("remedies")))
    assert 300 < int(dropped[1]) < 600


def test_who_gave_what_is_a_table_of_steps():
    said = printed(cell("gave-code"))
    assert re.search(r"step +gradients of", said)
    assert "worker:0" in said


def test_the_map_shows_the_three_workers():
    assert "300 gradients of 3 workers were on average" in printed(cell("lens-map"))


def test_the_table_has_a_line_for_every_program():
    head, *lines = printed(cell("table")).splitlines()
    assert head.split()[:1] == ["way"]
    assert [line.split()[0] for line in lines] == [*PROGRAMS]
    for line in lines:
        pace, right, waits = re.search(r"([\d,]+) +(\d+)% +(yes|no)$", line).groups()
        assert int(pace.replace(",", "")) > 0
        assert int(right) > 80
        assert (waits == "yes") == line.split()[0].endswith("_sync")


def test_backup_workers_help_and_too_many_do_not():
    rows = re.findall(r"\+ +(\d+): ([\d.]+) times", printed(cell("backup")))
    gain = {int(backup): float(times) for backup, times in rows}
    assert max(gain, key=gain.get) == 3
    assert gain[0] < gain[10] < gain[3]


def test_the_programs_between_graphs_learn():
    shares = re.findall(r"(\d+)% of the new digits", printed(cell("launch")))
    assert len(shares) == 2
    assert min(map(int, shares)) > 80


def test_the_program_of_exercise_1_has_the_fault_that_its_checks_look_for():
    found = exercise.find("ch11.ex1")
    (program,) = re.findall(r"```python\n(def work.*?)```", found.text, flags=re.DOTALL)
    assert "for batch in batches" in program
    assert "OutOfRangeError" not in program


def test_the_four_programs_are_linked_and_there():
    prose = "\n".join(reading.prose(NAME))
    for name in PROGRAMS:
        assert f"](replication/{name}.py)" in prose
        assert (ROOT / "notebooks" / "replication" / f"{name}.py").is_file()
