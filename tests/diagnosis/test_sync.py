"""When a token of synchronous training can still come, by what the server with the queue tells."""

import pytest

from tinytf.diagnosis.sync import Sync

W = [f"/job:worker/replica:0/task:{number}" for number in range(3)]


def told(**changes):
    """Two replicas of three have given to step 5, and wait for a token."""
    state = {"masters": W, "wanted": 2, "is_taken": True, "held": 2, "needed": 3}
    return {**state, "step": 5, "given": W[:2], **changes}


@pytest.mark.parametrize(
    ("changes", "gone", "is_over"),
    [
        ({}, [], False),  # the third may be computing
        ({}, W[2:], True),
        ({"masters": W[:2]}, [], True),
        ({"wanted": 3}, [], True),
        ({"wanted": 3, "held": 3}, [], False),  # the chief is about to take them
        ({"is_taken": False}, [], True),
        ({"is_taken": False, "held": 0}, [], False),  # it has taken them, and makes the step
    ],
)
def test_whether_anybody_can_end_the_wait(changes, gone, is_over):
    assert Sync(told(**changes), gone).is_over is is_over


def test_who_has_gone_is_named():
    text = " ".join(Sync(told(), W[2:]).lines())
    assert text.startswith("Step 5 has 2 of 3 gradients, of worker:0, worker:1;")
    assert "worker:2 had a session and does not answer any more: start it again." in text
