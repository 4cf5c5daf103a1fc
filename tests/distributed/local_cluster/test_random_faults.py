"""Faults by chance, in the middle of steps: none is lost or done twice, and nothing is left.

`random_faults.py` does more of it.
"""

import pytest

from tests.distributed.local_cluster.random_faults import besiege

#: They take some ten seconds.
ROUNDS = 5


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
def test_no_step_is_lost_or_done_twice(transport, seed):
    assert besiege(ROUNDS, seed, transport).findings == []


@pytest.mark.slow
@pytest.mark.one_transport
def test_steps_that_count_twice_are_found():
    findings = besiege(0, 1, "auto", by=2).findings
    assert findings == ["at the end: steps make 0 to [2, 4, 6]"]
