"""Looking at all threads, whatever the collector of garbage would like to do."""

import gc
import sys
import threading

import pytest

from tinytf.framework.thread_frames import frame_locals, thread_frames


def test_every_thread_is_seen_where_it_is():
    entered, leave = threading.Event(), threading.Event()

    def waits_here():
        entered.set()
        leave.wait()

    thread = threading.Thread(target=waits_here)
    thread.start()
    entered.wait()
    frames = thread_frames()
    leave.set()
    thread.join()
    names = []
    frame = frames[thread.ident]
    while frame is not None:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    assert "waits_here" in names
    assert frames[threading.get_ident()].f_code.co_name == "thread_frames"


@pytest.mark.parametrize("collects", [True, False])
def test_no_garbage_is_collected_meanwhile(monkeypatch, collects):
    current, seen = sys._current_frames, []

    def noted():
        seen.append(gc.isenabled())
        return current()

    monkeypatch.setattr(sys, "_current_frames", noted)
    before = gc.isenabled()
    (gc.enable if collects else gc.disable)()
    try:
        thread_frames()
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
    assert seen == [False]


def test_a_collector_that_is_switched_on_just_then_stays_on(monkeypatch):
    is_enabled = gc.isenabled

    def switched_on_by_another_thread():
        found = is_enabled()
        gc.enable()
        return found

    thread_frames()
    monkeypatch.setattr(gc, "isenabled", switched_on_by_another_thread)
    gc.disable()
    try:
        thread_frames()
        assert is_enabled()
    finally:
        gc.enable()


def test_an_error_leaves_the_collector_as_it_was(monkeypatch):
    def broken():
        raise MemoryError

    thread_frames()  # an interrupt of an earlier test may have left it off; see below
    monkeypatch.setattr(sys, "_current_frames", broken)
    assert gc.isenabled()
    with pytest.raises(MemoryError):
        thread_frames()
    assert gc.isenabled()


def test_a_collector_that_an_interrupt_left_off_is_on_again_the_next_time(monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr(gc, "enable", interrupted)
    with pytest.raises(KeyboardInterrupt):
        thread_frames()
    monkeypatch.undo()
    try:
        assert not gc.isenabled()
        thread_frames()
        assert gc.isenabled()
    finally:
        gc.enable()


@pytest.fixture
def collections():
    """How often garbage was collected since; every object that is made may collect from now on."""
    found = []
    note = found.append
    collects, thresholds = gc.isenabled(), gc.get_threshold()

    def noted(phase, info):
        note(phase)

    gc.collect()
    gc.callbacks.append(noted)
    gc.set_threshold(1)
    gc.enable()
    yield found
    gc.callbacks.remove(noted)
    gc.set_threshold(*thresholds)
    (gc.enable if collects else gc.disable)()


@pytest.fixture
def deep_thread():
    """A thread that waits in a function, which others have called."""
    entered, leave = threading.Event(), threading.Event()

    def go_down(depth, told="of the test"):
        if depth:
            return go_down(depth - 1)
        entered.set()
        return leave.wait()

    thread = threading.Thread(target=go_down, args=[20])
    thread.start()
    entered.wait()
    yield thread
    leave.set()
    thread.join()


def test_no_garbage_is_collected_on_the_way_to_the_callers(deep_thread, collections):
    """A destructor would let the thread go on, and Python 3.11 read a frame that is gone.

    What it said then: "'dict' object has no attribute 'co_filename'", or nothing, and crashed.
    """
    frame = thread_frames()[deep_thread.ident]
    collections.clear()
    depth = 0
    while frame is not None:
        depth += frame.f_code.co_name == "go_down"
        frame = frame.f_back
    assert (depth, collections) == (21, [])


def test_no_garbage_is_collected_while_locals_are_read():
    class Frame:
        @property
        def f_locals(self):
            return {"collects": gc.isenabled()}

    assert gc.isenabled()
    assert frame_locals(Frame()) == {"collects": False}
    assert gc.isenabled()
