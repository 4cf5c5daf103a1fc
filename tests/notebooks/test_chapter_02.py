"""Chapter 2: memory by number, where things are, the mistakes made on purpose."""

import re
import runpy
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import error, printed
from tinytf.grading import exercise

pytestmark = pytest.mark.as_committed

NAME = "02_devices_and_placement.ipynb"
cell = partial(reading.cell, NAME)

GPU = "/job:localhost/replica:0/task:0/device:GPU"
#: Cell -> what it says.
SAID = {
    "taken": "taken of each GPU: [0, 0] MiB",
    "device-spec": "job: worker | index: 1",
    "way-2-here": "25.6 MiB in use",
    "oom-after": "(8192, 2048)",
    "nested": "/job:worker/device:CPU:0\n/job:worker/task:3/device:GPU:1\n''",
    "colocate": f"faster is on {GPU}:0",
    "momentum-mended": "14.40",
    "own-gpu-kernel": f"on {GPU}:0",
    "switch-code": "12.0 on /job:localhost/replica:0/task:0/device:CPU:0",
}

#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "compare-placers": "times, and what is made of them; tests/testing holds the comparison",
    "digits-pace": "how fast this machine trains",
}


def test_both_programs_hold_their_parts():
    said = printed(cell("way-2-here"))
    assert said.count("51 MiB / 64 MiB") == 2
    assert said.count("second_program.py") == 2


def test_growth_takes_what_the_text_says():
    grown = re.findall(r"\[(\d+), 0\]", printed(cell("way-3-grow")))
    assert grown == ["2", "6", "14"]


def test_everything_simulated_says_so():
    for name in ("simulate", "smi-first", "rooms", "towers", "error-oom"):
        text = printed(cell(name)) + " ".join(error(cell(name)) or ())
        assert "simulated" in text.lower(), name


def test_the_books_graph_is_placed_as_the_book_says():
    lines = [
        line for line in printed(cell("log-first")).splitlines() if line[:1] in ("a", "b", "c")
    ]
    places = {line.split(":")[0]: line[-5:] for line in lines}
    assert places.pop("c") == "GPU:0"
    assert set(places) == {"a", "a/Assign", "a/read", "a/initial_value", "b"}
    assert set(places.values()) == {"CPU:0"}


def test_the_digits_are_learnt_on_each_device_and_carried_as_the_text_says():
    said = printed(cell("digits-train"))
    assert said.count("more than 80% of the new digits are right: True") == 3
    assert "on 1 device, nothing crosses." in said
    assert "4 transfers: 8 bytes and 2 of unknown size." in said
    assert "13 transfers: 150.1 KiB and 2 of unknown size." in said


def test_the_widgets_are_drawn_for_pages_that_do_not_run_them():
    for name, drawings in (("rooms", 1), ("both-placers", 2)):
        [shown] = cell(name)["outputs"]
        assert "".join(shown["data"]["text/html"]).count("<svg") == drawings, name


@pytest.mark.parametrize(
    ("name", "texts"),
    [("ch02.ex3", ["PROGRAM"]), ("ch02.ex4", ["PROGRAM"]), ("ch02.ex5", ["VARIABLE", "USES"])],
)
def test_a_program_that_an_exercise_shows_is_the_one_that_is_run(name, texts):
    asked = exercise.find(name)
    run = runpy.run_path(str(asked.folder / "checks.py"))
    for text in texts:
        assert f"```python\n{run[text]}```" in asked.text


def test_the_programs_that_use_a_variable_are_all_of_them():
    run = runpy.run_path(str(exercise.find("ch02.ex5").folder / "checks.py"))
    assert list(run["PROGRAMS"]) == ["negate", "twice", "rows", "assign", "sum", "between"]
    assert "".join(f"# {name}\n{text}" for name, text in run["PROGRAMS"].items()) == run["USES"]


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-oom": ("ResourceExhaustedError", "32 MiB  images  shape[4096,2048] and type float"),
    "error-momentum": ("InvalidArgumentError", "SparseApplyMomentum: CPU"),
    "error-colocate": ("InvalidArgumentError", "Cannot colocate nodes"),
    "error-no-device": ("InvalidArgumentError", "was explicitly assigned to /device:GPU:7"),
    "error-spelling": ("ValueError", "Unknown attribute 'gpu0'"),
    "error-no-answer": ("TypeError", "Expected binary or unicode string, got None"),
}
