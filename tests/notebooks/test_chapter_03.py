"""Chapter 3: the predictions, what schedules find, the errors made on purpose, and the drawings."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import printed, programs

pytestmark = pytest.mark.as_committed

NAME = "03_parallel_execution.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it shows to be true.
TRUTHS = {
    "predict-ready": "['c', 'd']",
    "predict-schedules": "(5, 1)",
    "predict-meeting": "False",
    "predict-learned": "(1, 2)",
    "predict-shards": "4",
    "predict-five": "['A', 'B', 'C']",
    "predict-stream": "False",
    "predict-control": "['a', 'b/y']",
    "predict-report": "(18, 1)",
    "predict-memory": "(8, 1)",
    "predict-late": "(9, 3)",
    "predict-race": "a visit is lost",
    "predict-chain": "1",
    "predict-amdahl": "2",
    "predict-tiny": "1",
}


#: Cell -> what it says, beside predictions.
SAID = {
    "order": "in this order: b d a c e",
    "meeting": "on two threads they met: True",
    "disks-gain": "side by side took about half as long: True",
    "branches": "the same to the last bit: True",
    "intra-gain": "the same to the last bit: True",
    "predict-memory": "the same value: True",
    "predict-late": "the same value: True",
    "error-first-after": "operations that ran after it: 0",
    "interrupt-code": "interrupted, long before the end: True",
    "many-threads": "visits: 1000",
    "race-program": "50 seeds passed",
    "amdahl-measured": "about half as long: True",
    "tiny": "ready at the same time, at most: 200",
}


def test_the_schedules_are_the_legal_ones():
    assert printed(cell("predict-schedules")).split()[-5:] == [
        "abcde",
        "abdce",
        "bacde",
        "badce",
        "bdace",
    ]


def test_pools_of_a_session_have_their_sizes():
    counts = re.findall(r"pool +(-?\d): .*: (\d)", printed(cell("session-pools")))
    assert counts == [("0", "2"), ("1", "1"), ("-1", "1")]


def test_a_hanging_kernel_lets_its_caller_go_and_is_reported_with_its_line():
    said = printed(cell("deadline-code"))
    assert "DeadlineExceededError: Timed out waiting" in said
    assert "still running: ['stuck']" in said
    assert "stuck (PyFunc) is still running after" in said
    assert 'stuck = tf.py_func(hang, [speed], tf.float32, name="stuck")' in said


def test_the_trace_of_the_race_shows_both_reading_before_one_has_written():
    lines = printed(cell("race-trace")).splitlines()
    reads = [i for i, line in enumerate(lines) if "ReadVariableOp (ReadVariableOp) = 0" in line]
    writes = [i for i, line in enumerate(lines) if "(AssignVariableOp)" in line]
    assert len(reads) == len(writes) == 2
    assert max(reads) < min(writes)
    assert "changes of thread: 1" in lines[0]


def test_arrows_of_the_timeline_are_the_copies():
    assert (
        printed(cell("five-file"))
        .rstrip()
        .endswith("['A/_4', 'B/_6', 'D/_8', 'E/_10', 'x/_0', 'x/_2']")
    )


@pytest.mark.parametrize(
    "name",
    [
        "first-graph",
        "graph-view",
        "one-kernel",
        "one-kernel-threads",
        "five-threads",
        "five-timeline",
        "predict-control",
    ],
)
def test_widgets_are_drawn_for_pages_that_do_not_run_them(name):
    shown = [o["data"] for o in cell(name)["outputs"] if "text/html" in o.get("data", {})]
    assert len(shown) == 1
    html = "".join(shown[0]["text/html"])
    assert "<svg" in html
    assert "<script" not in html
    assert "".join(shown[0]["text/plain"])


def test_everything_simulated_says_so():
    html = "".join(cell("five-timeline")["outputs"][0]["data"]["text/html"])
    assert "simulated" in html.lower() or "simulated" in printed(cell("five-timeline")).lower()


#: Cell -> the error's class and words that a learner would search for.
MISTAKES = {
    "error-order": ("ValueError", "'d', which is not ready at that point: it still waits for 1"),
    "error-pool": ("InvalidArgumentError", "Invalid inter_op_thread_pool: 2"),
    "error-first": ("InvalidArgumentError", "the speed was 0 : Tensor had Inf values"),
    "error-threads": ("InvalidArgumentError", "it must be a number of threads from 1 to"),
}


def test_the_outputs_of_the_chapter_are_small_together():
    assert sum(len(str(one["outputs"])) for one in programs(NAME)) < 300_000
