"""Hooks that feed, and that run something at the end: what is said of mistakes."""

import pytest

import tinytf as tf


def test_feeds_are_made_by_a_function():
    x = tf.placeholder(tf.float32, [], name="x")
    with pytest.raises(TypeError, match=r"FeedFnHook\(lambda: \{x: 1.0\}\)"):
        tf.train.FeedFnHook({x: 1.0})


def test_a_function_returns_a_dict():
    x = tf.placeholder(tf.float32, [], name="x")
    with pytest.raises(TypeError, match="must return a dict of tensors"):
        with tf.train.SingularMonitoredSession([tf.train.FeedFnHook(lambda: 3.0)]) as sess:
            sess.run(x)


def test_the_function_is_called_once_a_run():
    calls, x = [], tf.placeholder(tf.float32, [], name="x")
    feed = tf.train.FeedFnHook(lambda: calls.append(1) or {x: len(calls)})
    with tf.train.SingularMonitoredSession([feed]) as sess:
        assert [sess.run(x) for _ in range(3)] == [1.0, 2.0, 3.0]


def test_an_input_that_is_used_up_is_told_of(train, logged):
    batch = tf.data.Dataset.range(2).make_one_shot_iterator().get_next()
    final = tf.train.FinalOpsHook(batch)
    with pytest.raises(tf.errors.OutOfRangeError):
        train([final], [batch, batch])
    [warning] = [text for level, text in logged() if level == "WARNING"]
    assert "a metric's value, not its update" in warning
    assert final.final_ops_values is None


def test_values_are_those_of_the_last_session(train_op):
    step = tf.train.get_global_step()
    final = tf.train.FinalOpsHook([step])
    for runs in (2, 5):
        with tf.train.SingularMonitoredSession([final]) as sess:
            for _ in range(runs):
                sess.run(train_op)
        assert final.final_ops_values == [runs]
