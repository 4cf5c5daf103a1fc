"""Waiting for others: by looking, without hanging, and not past the end."""

import pytest

import tinytf as tf
from tinytf.training.hooks import global_step_waiter


class Others(tf.train.Coordinator):
    """A coordinator whose waits let other workers train meanwhile."""

    def __init__(self, session, step, by):
        super().__init__()
        self._train = lambda: session.run(tf.assign_add(step, by))
        self.pauses = []

    def wait_for_stop(self, timeout=None):
        self.pauses.append(timeout)
        self._train()
        return self.should_stop()


@pytest.fixture
def wait(logged):
    """Waits for a global step that others count up; the pauses."""

    def wait(goal, by, stop_after=None):
        step = tf.train.get_or_create_global_step()
        hook = tf.train.GlobalStepWaiterHook(goal)
        hook.begin()
        with tf.Session() as sess:
            sess.run(step.initializer)
            coord = Others(sess, step, by)
            if stop_after is not None:
                train, coord._train = coord._train, lambda: None

                def then_stop():
                    train()
                    if len(coord.pauses) == stop_after:
                        coord.request_stop()

                coord._train = then_stop
            hook.after_create_session(sess, coord)
            context = tf.train.SessionRunContext(tf.train.SessionRunArgs(step), sess)
            assert hook.before_run(context) is None
            looked = len(coord.pauses)
            assert hook.before_run(context) is None  # the second run does not wait
            assert len(coord.pauses) == looked
            return coord.pauses

    return wait


def test_it_looks_twice_a_second(wait, logged):
    assert wait(goal=5, by=2) == [0.5] * 3
    assert logged() == [("INFO", "Waiting for global step 5 before starting training.")]


def test_it_tells_how_far_the_others_are(wait, logged):
    wait(goal=3000, by=900)
    assert [text for _, text in logged()][1:] == [
        "Waiting for global step 3000 before starting training. Current step is 1800."
    ]


def test_it_says_when_nobody_trains(wait, logged, monkeypatch):
    monkeypatch.setattr(global_step_waiter, "_PATIENCE", 4)
    assert len(wait(goal=5, by=0, stop_after=20)) == 20
    [warning] = [text for level, text in logged() if level == "WARNING"]
    assert "waits for global step 5, and it has stood at 0 for 2 seconds" in warning
    assert "has the chief been started" in warning


def test_it_does_not_wait_past_the_end(wait):
    assert wait(goal=1000, by=1, stop_after=2) == [0.5, 0.5]


def test_the_chief_runs_at_once(train_op):
    with tf.train.SingularMonitoredSession([tf.train.GlobalStepWaiterHook(0)]) as sess:
        assert sess.run(train_op) == 1
