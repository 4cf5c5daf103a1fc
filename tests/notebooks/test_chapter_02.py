"""Chapter 2: the predictions, memory by number, the mistakes made on purpose."""

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

#: Cell -> what it shows to be true.
TRUTHS = {
    "predict-devices": "3",
    "predict-taken": "[56, 56]",
    "predict-second": "it fails",
    "predict-way-1": "/device:GPU:0",
    "predict-growth": "14",
    "predict-c": "GPU:0",
    "predict-log": "0",
    "predict-seen": "4",
    "predict-own": "CPU:0",
    "predict-soft": "GPU:0",
    "predict-crossing": "1",
    "predict-cross": "655364",
    "predict-cost": "{'simple': 1, 'cost model': 2}",
    "predict-tiny": "CPU:0",
}


def test_the_second_program_meets_what_everybody_meets():
    said = printed(cell("predict-second"))
    assert said.count("CUDA_ERROR_OUT_OF_MEMORY: out of memory") == 6  # three sizes on each GPU
    assert "OOM when allocating tensor with shape[2048,1024] and type float" in said
    assert "Other programs hold: 02_devices_and_placement.ipynb" in said


def test_the_three_ways_take_what_the_text_says():
    assert "taken of each GPU: [56, 0] MiB" in printed(cell("way-1-here"))
    assert "taken of each GPU: [56, 56] MiB" in printed(cell("predict-way-1"))
    assert "taken of each GPU: [51, 51] MiB" in printed(cell("way-2-here"))
    grown = re.findall(r"\[(\d+), 0\]", printed(cell("way-3-grow")))
    assert grown == ["0", "2", "6", "14"]
    assert re.findall(r"\[(\d+), 0\]", printed(cell("crash"))) == ["24", "14"]


def test_everything_simulated_says_so():
    for name in ("simulate", "smi-first", "rules", "rooms", "explain-loss", "error-oom"):
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
    "error-int-variable": (
        "InvalidArgumentError",
        "because no supported kernel for GPU devices is available",
    ),
    "error-no-device": ("InvalidArgumentError", "was explicitly assigned to /device:GPU:7"),
    "error-spelling": ("ValueError", "Unknown attribute 'gpu0'"),
    "error-no-answer": ("TypeError", "Expected binary or unicode string, got None"),
}
