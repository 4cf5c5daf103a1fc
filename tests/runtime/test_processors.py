"""Threads beside who calls them: which processors they may run on."""

import os
import threading

import pytest

from tinytf.runtime import processors
from tinytf.runtime.intra_op import IntraOpPool

pytestmark = pytest.mark.skipif(
    not hasattr(os, "sched_getaffinity"), reason="this system does not say where threads may run"
)


@pytest.fixture
def sleeper():
    """The native id of a thread that waits."""
    end, begun = threading.Event(), threading.Event()

    def wait():
        begun.set()
        end.wait()

    thread = threading.Thread(target=wait)
    thread.start()
    begun.wait()
    yield thread.native_id
    end.set()
    thread.join()


def test_the_processor_of_this_thread():
    assert processors.current() in {-1, *os.sched_getaffinity(0)}


def test_a_thread_is_kept_off(sleeper):
    mine = os.sched_getaffinity(0)
    for processor in mine:
        processors.keep_off(processor, [sleeper])
        assert os.sched_getaffinity(sleeper) == (mine - {processor} or mine)
    assert os.sched_getaffinity(0) == mine


def test_where_there_is_one_processor_it_stays(sleeper, monkeypatch):
    before = os.sched_getaffinity(sleeper)
    monkeypatch.setattr(os, "sched_getaffinity", lambda thread: {3})
    processors.keep_off(3, [sleeper])
    monkeypatch.undo()
    assert os.sched_getaffinity(sleeper) == before


def test_an_unknown_processor_and_threads_that_ended_change_nothing(sleeper):
    before = os.sched_getaffinity(sleeper)
    processors.keep_off(-1, [sleeper])
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    processors.keep_off(processors.current(), [thread.native_id])
    assert os.sched_getaffinity(sleeper) == before


def test_without_the_systems_function(monkeypatch):
    monkeypatch.setattr(processors, "_find", None)
    assert processors.current() == -1


def test_helpers_are_not_where_their_caller_is(monkeypatch):
    mine = os.sched_getaffinity(0)
    here = min(mine)
    monkeypatch.setattr(processors, "current", lambda: here)
    pool = IntraOpPool(2)
    meeting, helpers = threading.Barrier(2, timeout=60), set()

    def work(index):
        meeting.wait()
        helpers.add(threading.get_native_id())

    for _ in range(2):  # the thread starts in the first
        pool.run(2, work)
    helpers.discard(threading.get_native_id())
    assert [os.sched_getaffinity(helper) for helper in helpers] == [mine - {here} or mine]
    assert os.sched_getaffinity(0) == mine
    pool.close()
