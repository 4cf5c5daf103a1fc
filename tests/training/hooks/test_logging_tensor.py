"""Logging: what may be logged, and what is said of what may not."""

import logging

import numpy as np
import pytest

import tinytf as tf


@pytest.fixture
def loss():
    return tf.constant(1.5, name="train/loss")


def session(*arguments, **settings):
    return tf.train.SingularMonitoredSession([tf.train.LoggingTensorHook(*arguments, **settings)])


def test_the_line_is_that_of_tensorflow(train_op, loss, clock, logged):
    tf.constant(2.0, name="two")
    with session({"loss": loss, "two": "two:0"}, every_n_iter=2) as sess:
        for _ in range(3):
            sess.run(train_op)
            clock.now += 0.3
    lines = [text for _, text in logged() if text.startswith("loss = ")]
    assert lines == ["loss = 1.5, two = 2.0", "loss = 1.5, two = 2.0 (0.600 sec)"]


@pytest.mark.parametrize("name", ["train/los", "train/los:0", "loss"])
def test_a_name_that_is_nearly_right(loss, name):
    with pytest.raises(KeyError, match="Did you mean 'train/loss:0'"):
        session([name], every_n_iter=1)


def test_a_tensor_of_another_graph_is_told_with_its_line(loss):
    with tf.Graph().as_default():
        tf.no_op()
        with pytest.raises(ValueError, match=r"tf\.reset_default_graph") as raised:
            session([loss], every_n_iter=1)
    assert 'return tf.constant(1.5, name="train/loss")' in str(raised.value)
    assert "LoggingTensorHook was given a tensor of another graph" in str(raised.value)


@pytest.mark.parametrize("single", [lambda loss: loss, lambda loss: "train/loss"])
def test_a_single_tensor_is_no_list(loss, single):
    with pytest.raises(TypeError, match="Write a list with this one in it"):
        tf.train.LoggingTensorHook(single(loss), every_n_iter=1)


def test_a_generator_is_used_once(train_op, loss, logged):
    with session((each for each in [loss]), at_end=True) as sess:
        sess.run(train_op)
    assert [text for _, text in logged()][-1].endswith("= 1.5")


def test_between_its_lines_nothing_is_fetched(train_op, loss, monkeypatch, logged):
    with session([loss], every_n_iter=3) as sess:
        fetched, run = [], sess.raw_session().run

        def noted(fetches, *arguments):
            fetched.append(isinstance(fetches, list))
            return run(fetches, *arguments)

        monkeypatch.setattr(sess.raw_session(), "run", noted)
        for _ in range(6):
            sess.run(train_op)
    assert fetched == [True, False, False, True, False, False]


def test_how_arrays_are_printed_elsewhere_is_left_alone(train_op, loss, logged):
    def failing(values):
        raise KeyError("mine")

    before = np.get_printoptions()
    with pytest.raises(KeyError, match="mine"), session([loss], 1, formatter=failing) as sess:
        sess.run(train_op)
    assert np.get_printoptions() == before


def test_two_sessions_at_once_are_refused(train_op, loss):
    hook = tf.train.LoggingTensorHook([loss], every_n_iter=1)
    with tf.train.SingularMonitoredSession([hook]):
        with pytest.raises(RuntimeError, match="Make a LoggingTensorHook for each session"):
            tf.train.SingularMonitoredSession([hook])


def test_it_is_seen_at_level_info_only(train_op, loss, caplog):
    caplog.set_level(logging.WARNING, logger="tinytf")
    with session([loss], every_n_iter=1) as sess:
        sess.run(train_op)
    assert not caplog.records
