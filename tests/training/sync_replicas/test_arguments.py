"""What is refused, and what is said, when a synchronous optimizer is made and used."""

import logging

import numpy as np
import pytest

import tinytf as tf

SGD = tf.train.GradientDescentOptimizer


def sync(needed=2, total=None, **how):
    return tf.train.SyncReplicasOptimizer(SGD(0.1), needed, total, **how)


@pytest.mark.parametrize("number", [0, -1])
@pytest.mark.parametrize("name", ["replicas_to_aggregate", "total_num_replicas"])
def test_numbers_of_replicas(name, number):
    how = {"replicas_to_aggregate": 2, name: number}
    with pytest.raises(ValueError, match=f"{name} must be at least 1, got {number}") as raised:
        tf.train.SyncReplicasOptimizer(SGD(0.1), **how)
    assert "With N workers" in str(raised.value)


@pytest.mark.parametrize("number", [1.5, "2", [2]])
def test_what_is_no_number(number):
    with pytest.raises(TypeError, match="replicas_to_aggregate must be a whole number"):
        sync(number)
    assert sync(np.int64(3))._tokens_per_step == 3


def test_what_is_no_optimizer():
    with pytest.raises(TypeError, match=r"opt is the optimizer .* got 0\.1"):
        tf.train.SyncReplicasOptimizer(0.1, 2)


def test_more_gradients_than_replicas(caplog):
    caplog.set_level(logging.WARNING, "tinytf")
    sync(2, 2), sync(2, 3)
    assert caplog.text == ""
    sync(5, 3)
    [message] = caplog.messages
    assert message.startswith("A step takes 5 gradients (replicas_to_aggregate), of 3 replicas")
    assert "at least 2 tokens" in message


def test_gradients():
    w = tf.Variable(1.0, name="w")
    with pytest.raises(ValueError, match="Must supply at least one variable"):
        sync().apply_gradients([], tf.train.get_or_create_global_step())
    with pytest.raises(ValueError, match="Global step is required to check staleness") as raised:
        sync().minimize(w * w)
    assert "tf.train.get_or_create_global_step()" in str(raised.value)
    with pytest.raises(ValueError, match="Unknown grad type! The gradient of w:0"):
        sync().apply_gradients([(1.0, w)], tf.train.get_global_step())


def test_before_there_is_a_step():
    with pytest.raises(ValueError, match=r"Should be called after apply_gradients\(\)"):
        sync().get_chief_queue_runner()
    with pytest.raises(ValueError, match=r"should be called after apply_gradients\(\)"):
        sync().get_init_tokens_op()


def test_too_few_tokens():
    optimizer = sync(5, 3)
    optimizer.minimize(tf.Variable(1.0) * 2, tf.train.get_or_create_global_step())
    optimizer.get_init_tokens_op(2)
    with pytest.raises(ValueError, match=r"Too few tokens .*: 1 \(given\) vs 2 \(needed\)"):
        optimizer.get_init_tokens_op(1)
