"""Runs that wait: deadlines, interrupts from the keyboard, sessions closed meanwhile."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import tinytf as tf
from tests.framework.temporary_ops import temporary_op
from tests.waiting import past_deadline
from tinytf.framework.pending import Pending


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class Waiter:
    """An op whose kernel waits until `release`; counts what was started and withdrawn."""

    def __init__(self, card):
        self.card = card
        self.started = threading.Event()
        self.pending = []
        self.withdrawn = []
        card.shape(lambda c: c.input(0))

        @card.kernel(blocking=True)
        def _(step, x):
            pending = Pending("the test to let it go")
            token = step.cancellation.register(
                lambda: self.withdrawn.append(pending.set_error(step.cancellation.reason))
            )
            assert token is not None
            self.pending.append((pending, x))
            self.started.set()
            return pending

    def release(self):
        for pending, x in self.pending:
            pending.set_result(x)
        self.pending.clear()


@pytest.fixture
def waiter():
    with temporary_op("TestWaits", "x: float -> y: float") as card:
        yield Waiter(card)


def test_a_wait_ends_when_it_is_served(waiter):
    wait = waiter.card(tf.constant(2.0))
    helper = threading.Thread(target=lambda: waiter.started.wait(20) and waiter.release())
    helper.start()
    with tf.Session() as sess:
        assert sess.run(tf.identity(wait)) == 2
    helper.join()
    assert waiter.withdrawn == []


@pytest.mark.parametrize("where", ["options", "config"])
def test_a_deadline_ends_a_wait(waiter, where):
    wait = waiter.card(tf.constant(2.0), name="wait")  # the line that waits
    fetch, other = tf.identity(wait), tf.constant(1.0)

    def run(options):
        config = tf.ConfigProto(operation_timeout_in_ms=options.timeout_in_ms)
        waiter.withdrawn.clear()
        with tf.Session(config=config if where == "config" else None) as sess:
            try:
                sess.run(fetch, options=options if where == "options" else None)
            finally:
                assert sess.run(other, options=tf.RunOptions(timeout_in_ms=60_000)) == 1

    error = past_deadline(run)
    assert "wait (TestWaits) waits for the test to let it go" in str(error)
    assert "# the line that waits" in str(error)
    assert error.op is wait.op
    assert waiter.withdrawn == [True]


def test_closing_a_session_ends_its_waits(waiter):
    wait = waiter.card(tf.constant(2.0))
    sess = tf.Session()
    helper = threading.Thread(target=lambda: waiter.started.wait(20) and sess.close())
    helper.start()
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        sess.run(wait)
    helper.join()
    assert waiter.withdrawn == [True]
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        sess.run(wait)


def test_closing_one_session_leaves_others_waiting(waiter):
    wait = waiter.card(tf.constant(2.0))
    closed, other = tf.Session(), tf.Session()
    results = []
    runner = threading.Thread(target=lambda: results.append(other.run(wait)))
    runner.start()
    assert waiter.started.wait(20)
    closed.close()
    waiter.release()
    runner.join()
    assert results == [2]


def test_one_failure_ends_the_other_waits_of_the_step(waiter):
    first = waiter.card(tf.constant(1.0))
    with tf.control_dependencies([tf.constant(0.0)]):
        second = waiter.card(tf.constant(2.0), name="second")

    def fail_one():
        assert waiter.started.wait(20)
        waiter.pending[0][0].set_error(tf.errors.AbortedError(None, None, "given up"))

    helper = threading.Thread(target=fail_one)
    helper.start()
    with tf.Session() as sess, pytest.raises(tf.errors.AbortedError, match="given up"):
        sess.run([first, second])
    helper.join()
    assert len(waiter.pending) in (1, 2)
    assert waiter.withdrawn.count(True) == len(waiter.pending) - 1


def test_an_interrupt_out_of_a_kernel_leaves_the_session_usable():
    with temporary_op("TestInterrupts", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))

        @card.kernel
        def _(x):
            raise KeyboardInterrupt

        broken = card(tf.constant(1.0))
        with tf.Session() as sess:
            with pytest.raises(KeyboardInterrupt):
                sess.run(broken)
            assert sess.run(tf.constant(3.0)) == 3


PROGRAM = """
    import threading
    import tinytf as tf
    from tests.framework.temporary_ops import temporary_op
    from tinytf.framework.pending import Pending

    def say(text):
        print(text, flush=True)

    with temporary_op("TestWaits", "x: float -> y: float") as card:
        card.shape(lambda c: c.input(0))
        started = threading.Event()

        @card.kernel(blocking=%(blocking)s)
        def _(x):
            if not started.is_set():
                started.set()
                say("started")
            return Pending("nobody") if %(blocking)s else x

        x = tf.constant(1.0)
        for _ in range(%(length)s):
            x = card(x)
        with tf.Session() as sess:
            try:
                while True:
                    sess.run(x)
            except KeyboardInterrupt:
                say("interrupted")
            say(sess.run(tf.constant(5.0)))
"""


@pytest.mark.parametrize(("blocking", "length"), [("True", 1), ("False", 2000)])
def test_control_c_ends_a_run_and_leaves_the_session_usable(blocking, length):
    program = textwrap.dedent(PROGRAM) % {"blocking": blocking, "length": length}
    with subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.getcwd()},
    ) as process:
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGINT)
        assert process.stdout.read() == "interrupted\n5.0\n"
    assert process.returncode == 0


def test_sessions_run_in_many_threads():
    x = tf.placeholder(tf.float32, [])
    y = tf.stack([x, tf.identity(x)])
    with tf.Session() as sess:
        wrong = []

        def work(number):
            for value in range(50):
                fed = number * 1000 + value
                if sess.run(y, {x: fed}).tolist() != [fed, fed]:
                    wrong.append(fed)

        threads = [threading.Thread(target=work, args=[n]) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


def endless():
    return tf.while_loop(lambda i: i >= 0, lambda i: i * 0, [tf.constant(0)], name="endless")


def slow_chain():
    """Two nodes in straight-line code; the first outlasts any deadline of a few milliseconds."""

    def first():
        deadline = time.monotonic() + 0.02
        while time.monotonic() < deadline:
            pass
        return np.float32(1)

    return tf.py_func(first, [], tf.float32, name="first") + 1.0


@pytest.mark.parametrize("where", ["options", "config"])
@pytest.mark.parametrize("what", ["loop", "chain"])
def test_a_deadline_ends_a_step_that_computes(where, what):
    fetch = endless() if what == "loop" else slow_chain()
    config = tf.ConfigProto(operation_timeout_in_ms=5 if where == "config" else 0)
    options = tf.RunOptions(timeout_in_ms=5) if where == "options" else None
    with tf.Session(config=config) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError) as caught:
            sess.run(fetch, options=options)
        assert "it was still running, at " in str(caught.value)
        assert "test_waiting.py" in str(caught.value)
        assert caught.value.op.name.startswith("endless/" if what == "loop" else "first")


def test_closing_a_session_ends_an_endless_loop():
    sess, started = tf.Session(), threading.Event()
    tell = tf.py_func(started.set, [], [])
    with tf.control_dependencies([tell]):
        loop = endless()
    helper = threading.Thread(target=lambda: started.wait(20) and sess.close())
    helper.start()
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        sess.run(loop)
    helper.join()


def test_closing_a_session_ends_a_long_chain():
    sess, closed = tf.Session(), threading.Event()

    def close():  # as another thread would, while the first of many operations runs
        sess.close()
        closed.set()
        return np.float32(1)

    chain = tf.py_func(close, [], tf.float32)
    for _ in range(2000):
        chain = chain + 1.0
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        sess.run(chain)
    assert closed.is_set()
