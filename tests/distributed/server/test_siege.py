"""Well-formed hostile messages to servers of another process: the next client is served at once.

`python -m tests.distributed.server.siege` sends more of them, and prints figures.
"""

import pytest

from tests.distributed.server.hostile import Desk
from tests.distributed.server.siege import Siege
from tests.effort import rounds

#: Where many programs share the machine, a client may have to wait for its turn on it.
SECONDS = 60.0
GROWTH_BYTES = 300 << 20


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_a_siege():
    with Siege(seed=15, next_client_seconds=SECONDS) as siege:
        for path in Desk.PATHS:
            siege.attack(path, rounds(25))
        grown = siege.growth()
    assert not siege.findings, siege.findings
    assert siege.sent >= rounds(25) * len(Desk.PATHS)
    assert grown < GROWTH_BYTES


def test_the_watch_notices_who_waits_and_who_is_gone():
    with Siege(seed=1, next_client_seconds=0.0) as siege:
        siege.attack(Desk.PATHS[-1], 4)
        assert "the next client waits" in siege.findings[0]
        siege._besieged._process.kill()
        siege._besieged._process.wait()
        siege.attack(Desk.PATHS[-1], 4)
        assert "has ended" in siege.findings[-1]
    assert "ended with -9" in siege.findings[-1]
