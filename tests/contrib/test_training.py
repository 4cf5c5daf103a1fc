"""Loops of `tf.contrib.training` and `slim.learning`: what they run, save, and when they stop."""

import numpy as np
import pytest

import tinytf as tf

training = tf.contrib.training
learning = tf.contrib.slim.learning


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def square():
    w = tf.get_variable("w", initializer=4.0)
    return w, w * w, tf.train.GradientDescentOptimizer(0.25)


@pytest.mark.parametrize(
    ("options", "w_after"),
    [
        ({}, 2.0),
        ({"clip_gradient_norm": 2.0}, 3.5),
        ({"gradient_multipliers": {"w": 0.5}}, 3.0),
        ({"gradient_multipliers": {"w": 0.5}, "clip_gradient_norm": 2.0}, 3.5),
    ],
)
def test_a_step_of_slim(square, options, w_after):
    w, loss, optimizer = square
    step = learning.create_train_op(loss, optimizer, **options)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(step) == 16.0
        assert sess.run([w, tf.train.get_global_step()]) == [w_after, 1]


def test_slim_trains_saves_and_goes_on(tmp_path):
    seen = []

    def wrapped(sess):
        seen.append("session")
        return sess

    def trained(steps):
        with tf.Graph().as_default():
            w = tf.get_variable("w", initializer=4.0)
            step = learning.create_train_op(w * w, tf.train.GradientDescentOptimizer(0.25))
            how = {"session_wrapper": wrapped, "init_fn": lambda sess: seen.append("init")}
            return learning.train(step, str(tmp_path), number_of_steps=steps, **how)

    assert trained(2) == 4.0
    assert tf.train.latest_checkpoint(tmp_path) == str(tmp_path / "model.ckpt-2")
    assert trained(3) == 1.0
    assert tf.train.load_variable(str(tmp_path), "w") == 0.5
    assert seen == ["init", "session", "session"]


def test_slim_stops_when_the_input_does(square):
    _, loss, optimizer = square
    numbers = tf.train.limit_epochs(tf.constant(1.0), num_epochs=3)
    step = learning.create_train_op(loss * numbers, optimizer)
    assert learning.train(step, None) == 1.0


def test_slim_takes_a_step_of_ones_own(square):
    def twice(sess, train_op, global_step, how):
        sess.run(train_op)
        return learning.train_step(sess, train_op, global_step, how)

    _, loss, optimizer = square
    step = learning.create_train_op(loss, optimizer)
    assert learning.train(step, None, train_step_fn=twice, number_of_steps=3) == 0.25


def test_slim_trains_synchronously(square, tmp_path):
    _, loss, optimizer = square
    optimizer = tf.train.SyncReplicasOptimizer(optimizer, 1, 1)
    step = learning.create_train_op(loss, optimizer)
    how = {"sync_optimizer": optimizer, "number_of_steps": 2}
    assert learning.train(step, str(tmp_path), **how) == 4.0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"train_op": None}, "train_op cannot be None"),
        ({"number_of_steps": 0}, "must be either None or a positive number"),
        ({"sync_optimizer": 1, "startup_delay_steps": 3}, "startup_delay_steps must be zero"),
    ],
)
def test_mistakes_of_slim(options, words):
    with pytest.raises(ValueError, match=words):
        learning.train(**{"train_op": tf.constant(0.0), "logdir": None, **options})


def test_training_until_a_hook_stops_it(square, tmp_path):
    _, loss, optimizer = square
    step = training.create_train_op(loss, optimizer)
    stop = tf.train.StopAtStepHook(num_steps=2)
    assert training.train(step, str(tmp_path), hooks=[stop]) == 4.0
    assert tf.train.load_variable(str(tmp_path), "w") == 1.0
    with pytest.raises(ValueError, match="logdir cannot be None when save_summaries_steps"):
        training.train(step, None)


@pytest.fixture
def checkpoints(tmp_path):
    """A function that saves v, and the folder."""
    v, step = tf.get_variable("v", initializer=0.0), tf.train.create_global_step()
    saver = tf.train.Saver([v, step])

    def save(value):
        with tf.Session() as sess:
            sess.run([v.assign(value), step.initializer])
            return saver.save(sess, str(tmp_path / "model"), int(value))

    return v, save, str(tmp_path)


def test_checkpoints_as_they_appear(checkpoints):
    _, save, folder = checkpoints
    assert training.wait_for_new_checkpoint(folder, timeout=0) is None
    save(1.0)
    late, seen = [2.0, 3.0], []

    def no_more():
        if not late:
            return True
        save(late.pop())
        return False

    for path in tf.train.checkpoints_iterator(folder, timeout=0, timeout_fn=no_more):
        seen.append(path[-1])
    assert seen == ["1", "3", "2"]


def test_one_evaluation(checkpoints, tmp_path):
    v, save, _ = checkpoints
    path = save(5.0)
    batch = tf.get_variable(
        "batch", initializer=0.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES]
    )
    value, update = tf.metrics.mean(v + batch.assign_add(1.0))
    tf.summary.scalar("mean", value)
    hooks = [training.StopAfterNEvalsHook(3), training.SummaryAtEndHook(str(tmp_path / "eval"))]
    how = {"eval_ops": update, "final_ops": {"mean": value}, "hooks": hooks}
    assert training.evaluate_once(path, **how) == {"mean": 5.0 + np.mean([1.0, 2.0, 3.0])}
    [file] = (tmp_path / "eval").iterdir()
    events = [e for e in tf.train.summary_iterator(str(file)) if e.summary.value]
    assert [(v.tag, v.simple_value) for e in events for v in e.summary.value] == [("mean_1", 7.0)]
