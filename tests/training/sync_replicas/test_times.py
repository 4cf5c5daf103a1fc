"""When gradients came and steps were made, as an accumulator keeps it."""

import json

from tinytf.resources.contributions import KEPT_TIMES, Asker, Contributions
from tinytf.training.sync_replicas.contributions import summary


def told(noted):
    """What a server tells of an accumulator that has noted this, and what is made of it."""
    row = {"name": "v", "count": 0, "step": 1, "dropped": 1, "required": 2, "takes": 0}
    return summary([json.loads(json.dumps(row | {"steps": noted.as_json()}))], 0, 2, 2)


def test_gradients_have_their_times_and_steps_too():
    noted = Contributions()
    one, two = (Asker(f"/job:worker/replica:0/task:{n}", "s", 0.0) for n in (0, 1))
    noted.note(one, "", 0, 0)
    noted.note(one, "", 0, 0)
    noted.at(1)
    noted.note(two, "", 0, 1)
    noted.note(one, "", 1, 1)
    found = told(noted)
    assert [(g.replica, g.step, g.dropped) for g in found.gradients] == [
        ("worker:0", 0, False),
        ("worker:0", 0, False),
        ("worker:1", 0, True),
        ("worker:0", 1, False),
    ]
    times = [gradient.came for gradient in found.gradients]
    assert times == sorted(times)
    assert list(found.made) == [0]
    assert times[1] <= found.made[0] <= times[2]


def test_a_chief_that_begins_anew_has_made_no_step():
    noted = Contributions()
    noted.note(None, "tower_0/apply", 0, 0)
    noted.begin_at(7)
    noted.note(None, "tower_0/apply", 7, 7)
    found = told(noted)
    assert found.made == {}
    assert [gradient.step for gradient in found.gradients] == [7]


def test_only_the_last_times_of_a_step_are_kept():
    noted = Contributions()
    for _ in range(3 * KEPT_TIMES):
        noted.note(None, "late/apply", -1, 0)
    assert len(told(noted).gradients) == KEPT_TIMES
