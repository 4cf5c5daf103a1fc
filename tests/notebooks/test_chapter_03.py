"""Chapter 3: the predictions, what schedules find, the errors made on purpose, and the drawings."""

import re
from functools import partial

import pytest

from tests.notebooks import reading
from tests.notebooks.reading import printed, programs

pytestmark = pytest.mark.as_committed

NAME = "03_parallel_execution.ipynb"
cell = partial(reading.cell, NAME)

#: Cell -> what it says.
SAID = {
    "order": "the value: 6.0",
    "meeting": "on two threads they met: True",
    "disks-gain": "side by side took about half as long: True",
    "error-first-after": "operations that ran after it: 0",
    "interrupt-code": "interrupted, long before the end: True",
    "many-threads": "visits: 1000",
    "race-program": "50 seeds passed",
    "digits-train": "more than 60% are right: True\njust as many on two threads: True",
    "amdahl-measured": "about half as long: True",
}


#: Cell -> why nbval does not compare what it shows.
UNCOMPARED = {
    "branches-gain": "a measure, which says itself whether it can be trusted",
    "one-kernel": "in which order the two that are ready were taken; the widget's own tests",
    "one-kernel-threads": "which thread took which part",
    "five-threads": "which thread took which operation",
    "five-timeline": "when everything happened; below, its arrows and that it is simulated",
    "report": "whatever order comes about: that is the point",
    "deadline-code": "in which order the two reports come; below, what they say",
    "race-try": "a race: nearly always, and not always, 1000",
    "digits-pace": "how fast this machine trains",
    "python-kernels": "a measure, which says itself whether it can be trusted",
    "bandwidth": "a measure, which says itself whether it can be trusted",
}


def test_pools_of_a_session_have_their_sizes():
    counts = re.findall(r"pool +(-?\d): .*: (\d)", printed(cell("session-pools")))
    assert counts == [("0", "2"), ("1", "1"), ("-1", "1")]


def test_a_hanging_kernel_lets_its_caller_go_and_is_reported_with_its_line():
    said = printed(cell("deadline-code"))
    assert "DeadlineExceededError: Timed out waiting" in said
    assert "still running: ['stuck']" in said
    assert "stuck (PyFunc) is still running after" in said
    assert 'stuck = tf.py_func(hang, [speed], tf.float32, name="stuck")' in said


@pytest.mark.parametrize(
    "name",
    [
        "first-graph",
        "graph-view",
        "one-kernel",
        "one-kernel-threads",
        "five-threads",
        "five-timeline",
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
