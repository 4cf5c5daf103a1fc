"""Chapter 2: the predictions, memory by number, the mistakes made on purpose."""

import re

import pytest

from tests.notebooks.reading import error, printed, programs, tags

pytestmark = pytest.mark.as_committed

NAME = "02_devices_and_placement.ipynb"


def cell(name):
    """The code cell of that id."""
    return next(one for one in programs(NAME) if one["id"] == name)


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


def test_predictions_start_from_a_wrong_guess_and_show_the_truth():
    for name, truth in TRUTHS.items():
        assert f"it is:     {truth}\n" in printed(cell(name)), name
        assert "(not so: read on)" in printed(cell(name)), name


def test_every_prediction_of_the_chapter_is_looked_at_here():
    asking = [one["id"] for one in programs(NAME) if "predict" in tags(one)]
    assert sorted(asking) == sorted(TRUTHS)


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


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_has_tensorflows_class_and_words(name):
    kind, words = MISTAKES[name]
    shown_kind, message = error(cell(name))
    assert shown_kind == kind
    assert words in message


def test_every_mistake_of_the_chapter_is_looked_at_here():
    announced = [one["id"] for one in programs(NAME) if "raises-exception" in tags(one)]
    assert sorted(announced) == sorted(MISTAKES)


@pytest.mark.parametrize("number", [1, 2])
def test_the_exercises_are_committed_with_their_stubs_and_not_done(number):
    answer = cell(f"ex{number}-answer")
    assert "raise NotImplementedError" in answer["source"]
    assert "exercise" in tags(answer)
    reply = printed(cell(f"ex{number}-check"))
    assert reply.startswith(f"ch02.ex{number}: 0 of ")
    assert "[x]" not in reply
