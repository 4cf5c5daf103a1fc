"""The thread that looks after deadlines: in order, unless they are cancelled, and not for ever."""

import threading
import time
from contextlib import contextmanager

from tests.waiting import LONG
from tinytf.distributed.wire import deadlines


def soon(seconds=0.0):
    return time.monotonic() + seconds


@contextmanager
def held_up():
    """The thread that looks after them is busy until the block is over."""
    reached, gate = threading.Event(), threading.Event()
    deadlines.at(soon(), lambda: (reached.set(), gate.wait(LONG)))
    assert reached.wait(LONG)
    try:
        yield
    finally:
        gate.set()


def test_they_pass_in_the_order_of_their_moments():
    passed, over = [], threading.Event()
    begin = soon()
    with held_up():
        for name, later in (("c", 0.002), ("a", 0.0), ("b", 0.001)):
            deadlines.at(begin + later, lambda name=name: passed.append(name))
        deadlines.at(begin + 0.003, over.set)
    assert over.wait(LONG)
    assert passed == ["a", "b", "c"]


def test_an_earlier_one_does_not_wait_for_a_later_one():
    late = deadlines.at(soon(1000.0), lambda: None)
    over = threading.Event()
    deadlines.at(soon(), over.set)
    assert over.wait(LONG)
    late.cancel()


def test_cancelled_ones_do_not_pass():
    passed, over = [], threading.Event()
    moment = soon()
    with held_up():
        deadline = deadlines.at(moment, lambda: passed.append("cancelled"))
        deadlines.at(moment, over.set)
        assert not deadline.is_cancelled
        deadline.cancel()
        assert deadline.is_cancelled
    assert over.wait(LONG)
    assert not passed


def test_one_that_fails_does_not_end_the_others(caplog):
    over, moment = threading.Event(), soon()
    deadlines.at(moment, lambda: 1 // 0)
    deadlines.at(moment, over.set)
    assert over.wait(LONG)
    assert "What was to be done in time has failed" in caplog.text


def test_those_that_are_over_take_no_memory():
    for _ in range(10_000):
        deadlines.at(soon(1000.0), lambda: None).cancel()
    assert len(deadlines._clock._entries) <= 2 * deadlines._AT_LEAST


def test_a_child_by_fork_has_a_clock_of_its_own():
    before = deadlines._clock
    try:
        deadlines._after_fork()
        assert deadlines._clock is not before
        over = threading.Event()
        deadlines.at(soon(), over.set)
        assert over.wait(LONG)
    finally:
        deadlines._clock = before
