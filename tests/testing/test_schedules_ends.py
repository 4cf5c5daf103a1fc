"""How runs under a schedule end, whatever happens; what is outside of them; and seeds."""

import os
import queue
import signal
import threading
import time

import pytest

import tinytf as tf
from tests.testing.fifo import fifo_ops
from tests.testing.test_schedules import broken_by, run_in_threads
from tests.testing.test_schedules_threads import (
    everything_is_put_back,  # noqa: F401
    sleep,
    value,
)
from tinytf.runtime import schedule
from tinytf.testing.schedules import watching
from tinytf.testing.schedules.choices import Choices
from tinytf.testing.schedules.exploring import explore
from tinytf.testing.schedules.running import run_with_seed

# Ends ---------------------------------------------------------------------------------------------


def test_what_never_ends_is_ended():
    def program():
        while True:
            sleep(1.0)

    run = run_with_seed(program, 0, max_turns=500)
    assert "It has not ended after 500 turns" in run.broken
    assert run.trace.splitlines()[-1].startswith("-->  501")


def test_an_interrupt_ends_all_threads_and_is_raised():
    ended = []

    def program():
        def wait():
            try:
                threading.Event().wait()
            finally:
                ended.append(threading.current_thread().name)

        threading.Thread(target=wait, name="waits").start()
        sleep(1.0)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with_seed(program, 0)
    assert ended == ["waits"]


def test_an_interrupt_from_the_keyboard_while_another_thread_runs():
    ended = []

    def program():
        def interrupt():
            try:
                signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
                while True:
                    sleep(1.0)
            finally:
                ended.append(1)

        run_in_threads(interrupts=interrupt)

    with pytest.raises(KeyboardInterrupt):
        run_with_seed(program, 0)
    assert ended == [1]


def test_an_interrupt_inside_of_a_wait():
    """It may come anywhere: even while the thread has the lock of all locks."""

    def program():
        threading.Thread(target=threading.Event().wait, daemon=True).start()
        sleep(1.0)
        schedule.active._baton.lock.acquire()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_with_seed(program, 0)


def test_what_breaks_ends_steps_that_wait():
    withdrawn = []
    with fifo_ops() as ops:

        def program():
            ops.make(q=1)
            with tf.Graph().as_default():
                take = ops.take(queue="q")
                with tf.Session() as sess:
                    threading.Thread(target=lambda: sess.run(take), name="taker").start()
                    sleep(1.0)
                    withdrawn.extend(ops.queues[b"q"].takers)
                    raise ValueError("on purpose")

        assert isinstance(run_with_seed(program, 0).error, ValueError)
    assert [type(pending.error) for pending in withdrawn] == [tf.errors.CancelledError]


def test_closing_a_session_ends_the_wait_of_another_thread():
    with fifo_ops() as ops:

        def program():
            ops.make(q=1)
            errors = []
            with tf.Graph().as_default():
                take, sess = ops.take(queue="q"), tf.Session()

                def run():
                    try:
                        sess.run(take)
                    except tf.errors.CancelledError as error:
                        errors.append(error)
                    except RuntimeError as error:  # it was closed before
                        errors.append(error)

                run_in_threads(taker=run, closer=sess.close)
            return len(errors)

        assert set(explore(program, seeds=50).values) == {1}


def test_one_schedule_at_a_time():
    def program():
        with pytest.raises(RuntimeError, match="A schedule is running already"):
            run_with_seed(lambda: None, 1)
        return 1

    assert value(program) == 1


def test_another_result_is_a_break_if_asked_for():
    def program():
        seen = []
        run_in_threads(a=lambda: seen.append("a"), b=lambda: seen.append("b"))
        return seen

    assert explore(program, seeds=20).passed == 20
    text = str(broken_by(program, same_result=True))
    assert "Another result than with seed 0:\n  now:    ['b', 'a']\n  before: ['a', 'b']" in text


def test_a_program_that_the_seed_does_not_decide_is_told():
    calls = []

    def program():
        calls.append(1)
        assert len(calls) != 2, "the second time"

    broken = broken_by(program)
    assert "Seed 1 breaks the program, after 1 that did not. But not the second time" in str(broken)


# The world outside --------------------------------------------------------------------------------


def test_a_thread_that_blocks_outside_is_named_and_the_others_go_on():
    def program():
        reading, writing = os.pipe()
        got = []
        run_in_threads(
            reader=lambda: got.append(os.read(reading, 1)),
            writer=lambda: (sleep(1.0), os.write(writing, b"x")),
        )
        os.close(reading)
        os.close(writing)
        return got

    run = run_with_seed(program, 0)
    assert run.value == [b"x"]
    line = next(line for line in run.trace.splitlines() if "outside of the schedule" in line)
    assert "reader" in line
    assert "os.read(reading, 1)" in line


def test_a_lock_made_before_the_run_is_outside():
    lock = threading.Lock()

    def program():
        def work():
            with lock:
                sleep(1.0)

        run_in_threads(a=work, b=work)
        return lock.locked()

    assert value(program) is False


def test_threads_of_others_may_end_a_wait(monkeypatch):
    """Once they have done something for the program; a deadlock takes a moment to be sure of."""
    monkeypatch.setattr(watching, "PATIENT_LOOKS", 4)
    asked, again, boxes = threading.Event(), threading.Event(), []

    def serve():
        assert asked.wait(20)
        boxes[0].put("an answer")
        assert again.wait(20)
        boxes[0].put("another")

    server = threading.Thread(target=serve)
    server.start()

    def program():
        boxes.append(queue.Queue())
        asked.set()
        while boxes[0].empty():
            sleep(0.001)
        answers = [boxes[0].get()]
        again.set()
        answers.append(boxes[0].get())
        assert answers == ["an answer", "another"]
        boxes[0].get()

    run = run_with_seed(program, 0, max_turns=10_000_000)
    server.join()
    assert "Deadlock" in run.broken
    assert "MainThread  waits for an item of a queue.Queue" in run.broken


def test_other_threads_do_not_notice():
    asked, answer = threading.Event(), []

    def ask():
        assert asked.wait(20)
        lock = threading.Lock()
        answer.append((type(lock), schedule.current(), time.monotonic() < 1e9))
        with tf.Graph().as_default(), tf.Session() as sess:
            answer.append(float(sess.run(tf.constant(1.0) + 1.0)))
        asked.clear()

    other = threading.Thread(target=ask)
    other.start()

    def program():
        asked.set()
        while asked.is_set():
            sleep(0.001)

    assert run_with_seed(program, 0, max_turns=10_000_000).passed
    other.join()
    assert answer == [(type(threading.Lock()), None, True), 2.0]


# Seeds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seed", "error"), [("1:x", ValueError), (True, TypeError), (1.5, TypeError)]
)
def test_seeds_that_are_none(seed, error):
    with pytest.raises(error, match=r"seed must be an int|A schedule as text"):
        run_with_seed(lambda: None, seed)


def test_choices_are_of_the_seed_alone():
    def draw(seed):
        choices = Choices(seed)
        return [choices.thread([1.0, 1.0, 0.05], True) for _ in range(50)], choices.taken

    assert draw(7) == draw(7)
    assert draw(7) != draw(8)
    assert set(draw(0)[0]) == {0}
