"""The leak check: it finds what was left behind, says what that runs, and excuses what may stay."""

import threading

import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tests.waiting import past_deadline
from tinytf.runtime import stragglers
from tinytf.runtime.intra_op import IntraOpPool
from tinytf.runtime.thread_pool import ElasticPool
from tinytf.testing import leaks


@pytest.fixture
def end():
    """An event at whose end whatever a test leaves behind ends, too."""
    event = threading.Event()
    before = set(threading.enumerate())
    yield event
    event.set()
    for thread in set(threading.enumerate()) - before:
        if not thread.name.startswith("tinytf-"):
            thread.join()


def test_a_block_that_ends_what_it_starts_leaves_nothing():
    with leaks.none_left() as found:
        thread = threading.Thread(target=str)
        thread.start()
        thread.join()
    assert (found.threads, found.excused) == ([], [])
    assert str(found) == "No thread was left behind."


def test_a_thread_that_is_about_to_end_is_waited_for():
    go_on = threading.Event()
    with leaks.none_left():
        threading.Thread(target=go_on.wait).start()
        go_on.set()


def test_a_thread_that_was_left_behind_is_named_with_what_it_runs(end):
    def forgotten():
        end.wait()

    with pytest.raises(leaks.LeakError) as raised, leaks.none_left(patience=0.0):
        threading.Thread(target=forgotten, name="lost").start()
    (thread,) = raised.value.leaks.threads
    assert (thread.name, thread.op, thread.excuse) == ("lost", None, "")
    text = str(raised.value)
    assert text.startswith("Left behind:\nthe thread lost runs ")
    assert "forgotten" in text
    assert __file__ in text


def test_threads_that_were_there_before_are_not_the_blocks(end):
    threading.Thread(target=end.wait).start()
    with leaks.none_left(patience=0.0):
        pass


def test_an_error_of_the_block_comes_first(end):
    def block():
        threading.Thread(target=end.wait).start()
        raise KeyError("the block's")

    with pytest.raises(KeyError), leaks.none_left(patience=0.0):
        block()


def test_idle_threads_of_a_pool_are_excused_until_it_is_closed():
    pool = ElasticPool("mine")
    with leaks.none_left() as found:
        pool.submit(str).result()
    assert [(thread.name, thread.excuse) for thread in found.excused] == [("mine", "idle")]
    with leaks.none_left() as found:
        other = ElasticPool("other")
        other.submit(str).result()
        other.shutdown()
    assert found.excused == []
    pool.shutdown()


def test_a_thread_whose_pool_was_closed_and_that_waits_on_is_left_behind():
    pool = ElasticPool("forgetful")
    with leaks.watch(patience=0.2) as found:
        pool.submit(str).result()
        pool._closed = True  # as if `shutdown` had forgotten it
    assert [thread.name for thread in found.threads] == ["forgetful"]
    pool._closed = False
    pool.shutdown()


def test_idle_threads_of_an_intra_op_pool_are_excused():
    pool, meeting = IntraOpPool(2), threading.Barrier(2)
    with leaks.none_left() as found:
        pool.run(2, lambda index: meeting.wait())
    assert [thread.excuse for thread in found.excused] == ["idle"]
    pool.close()


@pytest.fixture
def hanging(end):
    """An operation whose kernel runs until the end of the test, and an event for its beginning."""
    begun = threading.Event()
    with temporary_op("TestHangs", "x: float -> y: float") as card, tf.Graph().as_default():
        card.shape(lambda c: c.input(0))
        card.kernel(lambda x: (begun.set(), end.wait(), x)[2])
        yield card, begun
        end.set()


def test_a_straggler_is_excused_by_its_operation(hanging, monkeypatch):
    monkeypatch.setattr(stragglers, "GRACE_SECONDS", 0.01)
    card, _ = hanging
    y = card(tf.constant(1.0), name="stuck")
    with leaks.none_left() as found, tf.Session() as sess:
        past_deadline(lambda options: sess.run(y, options=options), "stuck")
    (thread,) = found.excused
    assert (thread.name, thread.op.name, thread.excuse) == ("tinytf-step", "stuck", "straggler")
    assert "for stuck (TestHangs). " in str(thread)
    assert __file__ in str(thread)
    assert [s.ops[0].name for s in stragglers.still_running()] == ["stuck"]


def test_a_step_that_nobody_waits_for_is_no_straggler(hanging, end):
    """It runs in a thread of the user's, and would have been joined."""
    card, begun = hanging
    y = card(tf.constant(1.0), name="working")
    with tf.Session() as sess:
        with leaks.watch(patience=0.0) as found:
            mine = threading.Thread(target=sess.run, args=[y], name="mine")
            mine.start()
            begun.wait()
        (thread,) = found.threads
        assert (thread.name, thread.op.name) == ("mine", "working")
        assert "for working (TestHangs). " in str(found)
        end.set()
        mine.join()  # before the session is closed
