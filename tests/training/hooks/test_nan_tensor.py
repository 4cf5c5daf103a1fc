"""A loss that is NaN: which one, and what may be watched."""

import pytest

import tinytf as tf


def test_the_error_says_which_and_what_to_do(train):
    x = tf.placeholder(tf.float32, [], name="x")
    loss = tf.log(x, name="loss")
    with pytest.raises(tf.train.NanLossDuringTrainingError) as raised:
        train([tf.train.NanTensorHook(loss)], [loss], {x: -1.0})
    assert str(raised.value).startswith("NaN loss during training. loss:0 is NaN.")
    assert "tf.add_check_numerics_ops()" in str(raised.value)


def test_more_than_one_number_is_refused_before_the_first_run():
    losses = tf.ones([50], name="losses")
    with pytest.raises(ValueError, match=r"losses:0 has the shape \(50,\).*tf.reduce_mean"):
        tf.train.SingularMonitoredSession([tf.train.NanTensorHook(losses)])


def test_a_shape_that_is_not_known_is_looked_at_in_the_run():
    x = tf.placeholder(tf.float32, name="x")
    with pytest.raises(ValueError, match=r"x:0 has the shape \(2,\).*tf.reduce_mean"):
        with tf.train.SingularMonitoredSession([tf.train.NanTensorHook(x)]) as sess:
            sess.run(x, {x: [1.0, 2.0]})


def test_a_name_is_enough(train_op):
    tf.constant(float("nan"), name="loss")
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        with tf.train.SingularMonitoredSession([tf.train.NanTensorHook("loss")]) as sess:
            sess.run(train_op)
    with pytest.raises(KeyError, match="Did you mean 'loss:0'"):
        tf.train.SingularMonitoredSession([tf.train.NanTensorHook("los")])


def test_the_last_checkpoint_is_not_one_with_nan(train_op, train):
    # An error ends the training without `end`: what is NaN is not saved over what is not.
    weight = tf.Variable(1.0, name="w")
    spoil = tf.group(weight.assign(float("nan")), train_op)
    hooks = [
        tf.train.CheckpointSaverHook("model", save_steps=100, saver=tf.train.Saver()),
        tf.train.NanTensorHook(weight.read_value()),
    ]
    with pytest.raises(tf.train.NanLossDuringTrainingError):
        train(hooks, [spoil, train_op])
    assert tf.train.load_variable("model", "w") == 1.0
