"""The view of synchronous training: who gave to which step, who waited, and its words."""

import json
import shutil
import subprocess
from typing import NamedTuple

import pytest

from tinytf.jupyter import barrier_view
from tinytf.jupyter.barrier_view import barrier_of, state_of
from tinytf.jupyter.lens_widget import BarrierLens


class Given(NamedTuple):
    """A gradient as the parameter server saw it."""

    worker: str
    step: int
    came: float
    dropped: bool = False
    released: float | None = None


#: Two of three workers make a step: worker 2 is late for the first one, worker 1 for the next.
GIVEN = [
    Given("worker 0", 0, 11.0),
    Given("worker 1", 0, 12.0),
    Given("worker 2", 0, 12.5, dropped=True),
    Given("worker 0", 1, 13.0),
    Given("worker 2", 1, 13.5),
    Given("worker 1", 1, 14.0, dropped=True),
]
MADE = {0: 12.0, 1: 13.5}
BARRIER = barrier_of(GIVEN, MADE, needed=2, tokens=1)


def in_browser(calls):
    module = BarrierLens._esm + f"\nconst state = {json.dumps(state_of(BARRIER))};"
    module += f"console.log(JSON.stringify({calls}));"
    command = ["node", "--input-type=module", "-e", module]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def test_a_worker_is_let_go_when_the_step_is_made_or_when_it_is_late():
    stays = [(stay.worker, stay.began, stay.came, stay.left) for stay in BARRIER.stays]
    assert stays == [
        ("worker 0", None, 11.0, 12.0),
        ("worker 1", None, 12.0, 12.0),
        ("worker 2", None, 12.5, 12.5),
        ("worker 0", 12.0, 13.0, 13.5),
        ("worker 2", 12.5, 13.5, 13.5),
        ("worker 1", 12.0, 14.0, 14.0),
    ]


def test_how_each_spends_its_time():
    shares = {
        row["worker"]: (row["share"], row["given"], row["dropped"]) for row in BARRIER.waits()
    }
    assert shares == {
        "worker 0": (0.6, 2, 0),
        "worker 1": (0.0, 1, 1),
        "worker 2": (0.0, 1, 1),
    }
    assert repr(BARRIER).splitlines() == [
        "2 steps of 2 gradients each, of 3 workers. 2 gradients came too late, and were dropped.",
        "  worker 0: gave 2 gradients, waited 60% of its time",
        "  worker 1: gave 1 gradient, 1 more dropped, waited 0% of its time",
        "  worker 2: gave 1 gradient, 1 more dropped, waited 0% of its time",
    ]


def test_the_state_is_plain_values_and_says_what_happened():
    state = state_of(BARRIER)
    assert json.loads(json.dumps(state)) == state
    assert [event["text"] for event in state["events"]][:5] == [
        "The gradient of worker 0 for version 0 is there: 1 of 2. Worker 0 waits at the barrier.",
        "The gradient of worker 1 for version 0 is there: 2 of 2. These are enough: the chief takes "
        "their mean.",
        "Step 1 is made of the gradients of worker 0 and worker 1: version 1. Who waited gets a "
        "token and goes on.",
        "The gradient of worker 2 for version 0 came 500 ms after that step was made: too late, "
        "and dropped. Worker 2 takes the next token and goes on.",
        "The gradient of worker 0 for version 1 is there: 1 of 2. Worker 0 waits at the barrier.",
    ]
    assert (state["tokens"], state["dropped"], state["steps"]) == (1, 2, [[0, 1.375], [1, 2.875]])


def test_only_the_last_ones_are_played():
    given = [Given("worker 0", n, float(n)) for n in range(500)]
    state = state_of(barrier_of(given, {n: n + 0.5 for n in range(500)}, needed=1))
    assert len(state["stays"]) == barrier_view.MOST_GRADIENTS
    assert state["before"] == 500 - barrier_view.MOST_GRADIENTS
    assert state["stays"][0]["step"] == state["steps"][0][0]
    assert state["span"] == pytest.approx(barrier_view.STEPS_SHOWN)


def test_before_the_first_gradient_and_the_first_step():
    assert state_of(barrier_of([], {}, needed=2))["headline"] == "No gradient has come yet."
    state = state_of(barrier_of([Given("worker 3", 0, 5.0)], {}, needed=2))
    assert state["headline"] == "0 steps of 2 gradients each, of 1 worker."
    assert state["stays"][0]["left"] is None


def test_a_worker_that_begins_anew_has_no_time_before():
    """It is another process: what it computes did not begin with its last token."""
    barrier = barrier_of(
        [Given("worker 0", 5, 3.0, released=9.0), Given("worker 0", 6, 4.0)], {}, needed=1
    )
    assert [stay.began for stay in barrier.stays] == [None, None]


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_what_the_lanes_show_at_a_time():
    """A step is made after 1.375 s, and worker 2 is late by 0.5 s."""
    begun, then, end = in_browser("[0.9, 1.6, 3.4].map((time) => stateAt(state, time))")
    assert (begun["version"], begun["gathered"], begun["steps"]) == (0, 1, [])
    whats = {(p["worker"], p["what"], p["isThere"]) for p in begun["parts"]}
    assert whats == {
        ("worker 0", "compute", True),
        ("worker 0", "wait", True),
        ("worker 1", "compute", False),
        ("worker 2", "compute", False),
    }
    assert (then["version"], then["gathered"], then["steps"]) == (1, 0, [[0, 1.375]])
    assert [p["end"] for p in then["parts"] if p["worker"] == "worker 2" and not p["isThere"]] == [
        1.6
    ]
    assert (end["version"], sum(p["dropped"] for p in end["parts"] if "dropped" in p)) == (2, 2)


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_how_many_are_there_is_said_in_signs_and_in_words():
    texts = in_browser("[gatheredText(2, 3), gatheredText(4, 3), gatheredText(17, 50)]")
    assert texts == ["●●○ 2 of 3", "●●● 4 of 3", "17 of 50"]
