"""Coordinators: waiting for the end of threads, interrupts, and what stragglers are doing."""

import sys
import threading

import pytest

import tinytf as tf
from tinytf.diagnosis import stuck
from tinytf.framework import waiting
from tinytf.testing import leaks

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def stop():
    """What the test's threads wait for; they end with it."""
    event = threading.Event()
    yield event
    event.set()


def started(function, *arguments, name="mine"):
    thread = threading.Thread(target=function, args=arguments, name=name, daemon=True)
    thread.start()
    return thread


class Waits(list):
    """The timeouts a coordinator waits for; `began` is set when the first wait is about to."""

    def __init__(self, coord, monkeypatch):
        self.began = threading.Event()
        wait = coord._changed.wait

        def noted(timeout=None):
            self.append(timeout)
            self.began.set()
            return wait(timeout)

        monkeypatch.setattr(coord._changed, "wait", noted)


# Waiting ------------------------------------------------------------------------------------------


def test_join_is_notified_by_the_end_of_the_threads(stop, monkeypatch):
    monkeypatch.setattr(waiting, "patience_seconds", PATIENCE)
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    threads = [started(stop.wait) for _ in range(3)]
    started(lambda: (waits.began.wait(), stop.set()))
    coord.join(threads)
    assert waits == [PATIENCE]  # one wait, no polling
    assert not any(thread.is_alive() for thread in threads)


def test_join_is_notified_by_a_request_to_stop(stop, monkeypatch):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    thread = started(stop.wait, name="T")
    started(lambda: (waits.began.wait(), coord.request_stop()))
    with pytest.raises(RuntimeError, match="threads still running: T\n"):
        coord.join([thread], stop_grace_period_secs=0.01)
    assert len(waits) == 2
    assert waits[1] <= 0.01


def test_the_grace_period_begins_with_the_request(stop, monkeypatch):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    thread = started(stop.wait)
    coord.request_stop()
    started(lambda: (waits.began.wait(), stop.set()))
    coord.join([thread], stop_grace_period_secs=PATIENCE)
    assert len(waits) == 1


def test_a_thread_that_joins_itself_is_a_straggler():
    coord, said = tf.train.Coordinator(), []

    def join():
        coord.register_thread(threading.current_thread())
        coord.request_stop()
        try:
            coord.join(stop_grace_period_secs=0.01)
        except RuntimeError as error:
            said.append(str(error).splitlines()[0])

    started(join, name="itself").join()
    assert said == ["Coordinator stopped with threads still running: itself"]


def test_wait_for_stop_is_notified(monkeypatch):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    started(lambda: (waits.began.wait(), coord.request_stop()))
    assert coord.wait_for_stop() is True
    assert waits.began.is_set()


def test_a_coordinator_is_used_again(stop):
    coord = tf.train.Coordinator()
    for number in range(3):
        seen = []
        thread = started(lambda seen=seen: coord.wait_for_stop() and seen.append(1))
        coord.request_stop()
        coord.join([thread])
        assert (seen, coord.joined) == ([1], True), number
        coord.clear_stop()
        assert not coord.should_stop()


def test_no_thread_is_left(stop):
    with leaks.none_left():
        coord = tf.train.Coordinator()
        threads = [started(stop.wait) for _ in range(3)]
        coord.request_stop()
        for _ in range(3):  # one watcher for all joins
            with pytest.raises(RuntimeError):
                coord.join(threads, stop_grace_period_secs=0)
        watchers = [t for t in threading.enumerate() if t.name == "Coordinator.join"]
        assert len(watchers) == 1
        stop.set()


def test_a_looper_stops_between_calls():
    coord = tf.train.Coordinator()
    calls = threading.Semaphore(0)
    looper = tf.train.LooperThread.loop(coord, 3600.0, calls.release)
    calls.acquire()
    coord.request_stop()
    coord.join([looper])
    assert not calls.acquire(blocking=False)


# Interrupts ---------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_ends_join_and_nothing_else(stop, monkeypatch, interrupt_when):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    thread = started(stop.wait, name="T")
    interrupt_when(waits.began.wait)
    with pytest.raises(KeyboardInterrupt):
        coord.join([thread])
    assert thread.is_alive()  # up to Python 3.12, Thread.join would take it for dead
    assert not coord.joined
    coord.request_stop()
    with pytest.raises(RuntimeError, match="still running: T"):
        coord.join([thread], stop_grace_period_secs=0.01)
    stop.set()
    coord.join([thread])
    assert not thread.is_alive()


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_ends_wait_for_stop(monkeypatch, interrupt_when):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    interrupt_when(waits.began.wait)
    with pytest.raises(KeyboardInterrupt):
        coord.wait_for_stop()
    coord.request_stop()
    assert coord.wait_for_stop()
    assert not [one for one in waiting.blocked() if one.thread == threading.get_ident()]


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interrupt_in_the_grace_period(stop, monkeypatch, interrupt_when):
    coord = tf.train.Coordinator()
    waits = Waits(coord, monkeypatch)
    thread = started(stop.wait)
    coord.request_stop()
    interrupt_when(waits.began.wait)
    with pytest.raises(KeyboardInterrupt):
        coord.join([thread])
    stop.set()
    coord.join([thread])


# What stragglers do -------------------------------------------------------------------------------


def blocked_in(thread):
    """Wait until a thread waits in an operation."""
    while not any(one.thread == thread.ident for one in waiting.blocked()):
        thread.join(0.001)


def test_stragglers_are_named_with_what_they_wait_for(stop):
    queue = tf.FIFOQueue(1, tf.float32, shapes=[[]], name="q")
    put = queue.enqueue(1.0)  # the enqueue
    take = tf.FIFOQueue(3, tf.int32, name="empty").dequeue()
    with tf.Session() as sess:
        sess.run(put)

        def run(fetch):
            with pytest.raises(tf.errors.CancelledError):
                sess.run(fetch)

        def program():
            stop.wait()  # my own line

        threads = [started(run, put, name="A"), started(run, take, name="B")]
        for thread in threads:
            blocked_in(thread)
        threads.append(started(program, name="C"))
        coord = tf.train.Coordinator()
        coord.request_stop()
        with pytest.raises(RuntimeError) as caught:
            coord.join(threads, stop_grace_period_secs=0.01)
    stop.set()
    coord.join(threads)
    lines = str(caught.value).splitlines()
    assert lines[0] == "Coordinator stopped with threads still running: A B C"
    text = "\n".join(lines)
    assert (
        "A waits in q_enqueue (QueueEnqueueV2) for room for 1 element in the queue '_0_q' "
        "(FIFOQueue), 1 of 1 element, open"
    ) in text
    assert "put = queue.enqueue(1.0)  # the enqueue" in text
    assert "B waits in empty_Dequeue (QueueDequeue" in text
    assert "C runs " in text
    assert "stop.wait()  # my own line" in text
    assert "close(cancel_pending_enqueues=True)" in text


def test_stragglers_that_are_left_alone_are_logged(stop, caplog):
    coord = tf.train.Coordinator()
    coord.request_stop()
    with caplog.at_level("INFO", "tinytf"):
        coord.join([started(stop.wait, name="T")], 0, ignore_live_threads=True)
    assert "Coordinator stopped with threads still running: T\n  T runs" in caplog.text


def test_a_join_inside_a_thread_is_named(stop):
    outer, inner = tf.train.Coordinator(), tf.train.Coordinator()
    child = started(stop.wait, name="child")
    thread = started(inner.join, [child], name="parent")
    blocked_in(thread)
    outer.request_stop()
    with pytest.raises(RuntimeError, match=r"parent waits for .*child"):
        outer.join([thread], stop_grace_period_secs=0)


def test_errors_are_logged(caplog):
    coord = tf.train.Coordinator()
    with caplog.at_level("INFO", "tinytf"):
        coord.request_stop(ValueError("broken"))
    assert "Error reported to Coordinator: <class 'ValueError'>, broken" in caplog.text


@pytest.mark.parametrize("nothing", ["text", (1, 2, 3), (None, None, None), 3])
def test_what_is_no_exception_is_refused_at_the_join(nothing):
    coord = tf.train.Coordinator()
    coord.request_stop(nothing)
    assert coord.should_stop()
    with pytest.raises(ValueError, match=r"ex must be a tuple or sys\.exc_info must return"):
        coord.join()


# Why am I stuck -----------------------------------------------------------------------------------


def test_a_healthy_join_says_nothing(stop, monkeypatch, capfd):
    monkeypatch.setattr(waiting, "patience_seconds", 0.01)
    coord = tf.train.Coordinator()
    looks = threading.Semaphore(0)
    report = stuck.report

    def noted(thread):
        looks.release()
        return report(thread)

    monkeypatch.setattr(stuck, "report", noted)
    thread = started(stop.wait)
    started(lambda: ([looks.acquire() for _ in range(3)], stop.set()))
    coord.join([thread])
    assert capfd.readouterr().out == ""
