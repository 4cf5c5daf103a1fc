"""Chapter 9: many networks on a cluster; what is shared by accident, what a dead one takes."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "09_one_network_per_device.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "start": "ps:0 worker:0 worker:1 worker:2",
    "fleet-end": "4 0.3 done 12\n5 5.0 cancelled 3",
    "best-three": "trial 3, rate 0.2: ",
    "fleet-kill": "0 done on worker:1 12\n1 done on worker:1 12",
    "serve": "297 answers, ",
    "aggregator": "3 answered: ",
    "stop": "processes that run: 0",
}

#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-size": ("InvalidArgumentError", "Assign requires shapes of both tensors to match"),
}

#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "fleet-run": "which worker took which trial; what became of them is compared below it",
    "who": "which replica was free first",
    "table": "how fast this machine answers; test_the_table_has_what_was_measured",
    "digits-pace": "how fast this machine trains",
}


def test_a_fleet_is_shown_with_its_scores():
    rows = printed(cell("fleet-run")).splitlines()
    assert rows[0].split() == ["trial", "settings", "task", "state", "score"]
    states = [re.search(r"(\w+) +([\d.]+)$", row).groups() for row in rows[1:]]
    assert [state for state, _ in states] == ["done"] * 5 + ["cancelled"]
    assert all(float(score) > 0.6 for _, score in states[:5])


def test_the_containers_keep_the_networks_apart():
    rooms = [line.split()[:2] for line in printed(cell("containers")).splitlines()[2:]]
    assert rooms == [["lazy", "4"], ["other", "4"], ["worker", "4"]]


def test_the_replicas_have_answered_everything_between_them():
    counts = [
        int(count) for count in re.findall(r": (\d+)", printed(cell("who")).replace("r:", "r"))
    ]
    assert sum(counts) == 297


def test_the_table_has_what_was_measured():
    head, *rows = printed(cell("table")).splitlines()
    assert head.split()[:2] == ["way", "right"]
    share = {row[:22].strip(): int(re.search(r"(\d+)%", row)[1]) for row in rows}
    assert list(share) == [
        "one network",
        "three replicas",
        "ensemble, one graph",
        "ensemble, by queues",
    ]
    assert share["one network"] == share["three replicas"]
    assert share["one network"] < share["ensemble, one graph"] == share["ensemble, by queues"]
    paces = [int(re.search(r"% +([\d,]+) ", row)[1].replace(",", "")) for row in rows]
    assert min(paces) > 0


def test_the_ensemble_is_better_than_each_of_its_members():
    members = [int(share) for share in re.findall(r"(\d+)%", printed(cell("members")))]
    together = re.search(r"(\d+)% right", printed(cell("aggregator")))
    assert len(members) == 3
    assert int(together[1]) > max(members)


def test_the_program_of_exercise_2_has_the_faults_that_its_checks_look_for():
    found = exercise.find("ch09.ex2")
    (program,) = re.findall(r"```python\n(def collect.*?)```", found.text, flags=re.DOTALL)
    assert "timeout" not in program
    assert "if number" not in program
    assert "sess.run(take)" in program
