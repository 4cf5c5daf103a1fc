"""Stopping at a step: what is said of it, and of a hook that is used twice."""

import pytest

import tinytf as tf


def test_the_last_step_can_be_asked_for(train_op):
    by_number, by_count = tf.train.StopAtStepHook(last_step=7), tf.train.StopAtStepHook(3)
    assert (by_number.last_step, by_count.last_step) == (7, None)
    with tf.train.SingularMonitoredSession([by_count]) as sess:
        assert by_count.last_step == 3
        while not sess.should_stop():
            value = sess.run(train_op)
    assert value == 3


def test_a_training_that_is_over_says_why_it_stops_at_once(train_op, logged):
    with tf.train.SingularMonitoredSession([tf.train.StopAtStepHook(last_step=0)]) as sess:
        sess.run(train_op)
        assert sess.should_stop()
    [warning] = [text for level, text in logged() if level == "WARNING"]
    assert "global step is 0 already, and training is to stop at 0" in warning


def test_used_again_it_counts_its_steps_again(train_op):
    stop, lengths = tf.train.StopAtStepHook(num_steps=4), []
    for _ in range(2):
        done = 0
        with tf.train.SingularMonitoredSession([stop]) as sess:
            while not sess.should_stop():
                sess.run(train_op)
                done += 1
        lengths.append(done)
    assert lengths == [4, 4]


def test_two_sessions_at_once_are_refused(train_op):
    stop = tf.train.StopAtStepHook(num_steps=4)
    with tf.train.SingularMonitoredSession([stop]) as sess:
        with pytest.raises(RuntimeError, match="StopAtStepHook is in use by another session"):
            tf.train.SingularMonitoredSession([stop])
        sess.run(train_op)
    with tf.train.SingularMonitoredSession([stop]) as sess:
        sess.run(train_op)


def test_a_recovered_session_is_not_a_second_one(train_op):
    class Losing(tf.train.SessionRunHook):
        runs = 0

        def before_run(self, run_context):
            self.runs += 1
            if self.runs == 3:
                raise tf.errors.AbortedError(None, None, "a task is gone")

    stop, done = tf.train.StopAtStepHook(num_steps=4), 0
    with tf.train.MonitoredSession(hooks=[stop, Losing()]) as sess:
        while not sess.should_stop():
            sess.run(train_op)
            done += 1
    assert done == 6  # two are lost: nothing was saved


def test_without_a_global_step_it_says_how_to_make_one():
    with pytest.raises(RuntimeError, match=r"StopAtStepHook. Call tf.train.get_or_create_global_s"):
        tf.train.SingularMonitoredSession([tf.train.StopAtStepHook(3)])
    assert tf.train.get_global_step() is None


def test_hooks_of_a_graph_read_the_step_by_one_tensor(train_op, graph):
    for hook in (tf.train.StopAtStepHook(3), tf.train.StepCounterHook()):
        hook.begin()
    assert [op.name for op in graph.get_operations() if op.name.startswith("global_step/add")] == [
        "global_step/add/y",
        "global_step/add",
    ]
