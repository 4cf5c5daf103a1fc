"""Recovery: pauses, what is said, threads, and that what failed is closed."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework import registry
from tinytf.framework.op_card import define_op
from tinytf.framework.tensor_shape import TensorShape
from tinytf.testing import leaks
from tinytf.training.managed import session_layers


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


class FakeClock:
    """Notes the pauses, and takes none."""

    def __init__(self):
        self.pauses = []

    def now(self):
        return sum(seconds for seconds, _ in self.pauses)

    def pause(self, seconds, what):
        self.pauses.append((seconds, what))


@pytest.fixture
def clock(monkeypatch):
    clock = FakeClock()
    monkeypatch.setattr(session_layers, "Clock", lambda: clock)
    return clock


def lost(text="lost"):
    return tf.errors.AbortedError(text)


class Losing(tf.train.SessionRunHook):
    """Loses the session in so many calls of a kind."""

    def __init__(self, call, times, error=lost):
        self._call, self._left, self._error = call, times, error
        self.sessions = []

    def _maybe(self, call):
        if call == self._call and self._left:
            self._left -= 1
            raise self._error()

    def after_create_session(self, session, coord):
        self.sessions.append((session, coord))
        self._maybe("after_create_session")

    def before_run(self, run_context):
        self._maybe("before_run")

    def after_run(self, run_context, run_values):
        self._maybe("after_run")


@pytest.mark.parametrize("call", ["after_create_session", "before_run", "after_run"])
def test_pauses_grow_while_it_fails_again_and_again(call, clock, caplog):
    caplog.set_level("WARNING", "tinytf")
    one, losing = tf.constant(1), Losing(call, 9)
    with leaks.none_left(), tf.train.MonitoredSession(hooks=[losing]) as sess:
        assert sess.run(one) == 1
        assert len(losing.sessions) == 10
        assert all(session.is_closed for session, _ in losing.sessions[:-1])
        assert [seconds for seconds, _ in clock.pauses] == [0.25, 0.5, 1, 2, 4, 8, 8, 8]
        assert "the next attempt to make a session, after AbortedError" in clock.pauses[0][1]
        losing._left = 1
        sess.run(one)  # what has worked in between is forgotten
        assert len(clock.pauses) == 8
    texts = [record.getMessage() for record in caplog.records]
    if call == "after_create_session":
        (text,) = texts
        assert text == "A session could not be made; it is tried again (attempt 2). " + (
            "AbortedError: lost"
        )
    else:
        assert len(texts) == 10
        assert texts[0].startswith("The session was lost. AbortedError: lost\nA new session takes")


def test_an_interrupt_ends_the_attempts(monkeypatch):
    class Impatient(FakeClock):
        def pause(self, seconds, what):
            raise KeyboardInterrupt

    monkeypatch.setattr(session_layers, "Clock", Impatient)
    one, losing = tf.constant(1), Losing("before_run", 1000)
    with leaks.none_left():
        sess = tf.train.MonitoredSession(hooks=[losing])
        with pytest.raises(KeyboardInterrupt), sess:
            sess.run(one)
    assert len(losing.sessions) == 2


def test_a_step_function_gets_the_new_session(clock):
    """TensorFlow passes the old one, which is closed."""
    one, losing = tf.constant(1), Losing("after_run", 1)
    given = []

    def step(step_context):
        given.append(step_context.session)
        step_context.run_with_hooks(one)
        return step_context.session.run(one)

    with tf.train.MonitoredSession(hooks=[losing]) as sess:
        assert sess.run_step_fn(step) == 1
    assert given == [session for session, _ in losing.sessions]
    assert len(set(given)) == 2


def test_a_thread_without_the_graph_may_find_that_it_is_lost(clock, graph):
    """A thread has a default graph of its own; TensorFlow makes the new session for that one."""
    queue = tf.FIFOQueue(2, tf.int64, shapes=[[]])
    tf.train.add_queue_runner(
        tf.train.QueueRunner(queue, [queue.enqueue(tf.constant(7, tf.int64))])
    )
    item, losing, got = queue.dequeue(), Losing("before_run", 1), []
    with leaks.none_left(), tf.train.MonitoredSession(hooks=[losing]) as sess:
        thread = threading.Thread(target=lambda: got.append(int(sess.run(item))))
        thread.start()
        thread.join()
        assert got == [7]
        assert sess.graph is graph
    assert len(losing.sessions) == 2


@pytest.fixture
def gone_once():
    """An operation whose first run tells of a task that is gone; then it gives 3."""
    failures = [tf.errors.UnavailableError("a task is gone")]
    card = define_op("TestGoneOnce", "-> y: int64", stateful=True)
    card.shape(lambda c: TensorShape.of(()))

    def kernel():
        if failures:
            raise failures.pop()
        return np.int64(3)

    card.kernel(kernel)
    yield card
    registry.unregister("TestGoneOnce")


def test_a_queue_runner_that_loses_its_task_is_the_cause(clock, gone_once):
    """The runner ends, and so does the run that waits for it: in a new session both go on."""
    queue = tf.FIFOQueue(2, tf.int64, shapes=[[]])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(gone_once())]))
    item, losing = queue.dequeue(), Losing("never", 0)
    with leaks.none_left(), tf.train.MonitoredSession(hooks=[losing]) as sess:
        assert sess.run(item) == 3
    assert len(losing.sessions) == 2
    assert losing.sessions[0][1].joined


def test_a_session_that_fails_while_it_is_closed_is_lost_anyhow(clock):
    class Stubborn(tf.train.SessionCreator):
        made = 0

        def create_session(self):
            sess = tf.Session()
            self.made += 1
            close, number = sess.close, self.made

            def failing():
                close()
                if number == 1:
                    raise tf.errors.InternalError("cannot be closed")

            sess.close = failing
            return sess

    creator, one = Stubborn(), tf.constant(1)
    with leaks.none_left(), tf.train.MonitoredSession(creator, [Losing("after_run", 1)]) as sess:
        assert sess.run(one) == 1
    assert creator.made == 2


def test_other_errors_end_it_and_nothing_is_left(clock):
    one = tf.constant(1)
    losing = Losing("after_create_session", 1, lambda: tf.errors.NotFoundError("no"))
    with leaks.none_left(), pytest.raises(tf.errors.NotFoundError):
        tf.train.MonitoredSession(hooks=[losing])
    assert losing.sessions[0][0].is_closed
    losing = Losing("before_run", 2, lambda: tf.errors.NotFoundError("no"))
    with tf.train.MonitoredSession(hooks=[losing]) as sess:
        with pytest.raises(tf.errors.NotFoundError):
            sess.run(one)
        with pytest.raises(tf.errors.NotFoundError):
            sess.run(one)
        assert sess.run(one) == 1
    assert clock.pauses == []
    assert len(losing.sessions) == 1


def test_without_recovery_it_is_raised():
    one, losing = tf.constant(1), Losing("after_run", 1)
    with tf.train.SingularMonitoredSession(hooks=[losing]) as sess:
        with pytest.raises(tf.errors.AbortedError):
            sess.run(one)
        assert sess.run(one) == 1
    assert len(losing.sessions) == 1
