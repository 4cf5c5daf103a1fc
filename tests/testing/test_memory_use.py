"""Bytes of tensors that are there at the same time; a control dependency that makes them fewer."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.testing.memory_use import memory_use

MEGABYTE = 1 << 20
SIDE = 1024  # a square of float32 has 4 MiB
HERE = "/device:CPU:0"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def squares():
    return tf.placeholder(tf.float32, [SIDE, SIDE]), np.ones([SIDE, SIDE], np.float32)


def test_a_chain_holds_one_tensor_and_the_next():
    x, value = squares()
    y = tf.tanh(tf.tanh(tf.tanh(tf.tanh(x))))
    with tf.Session() as sess:
        used = memory_use(tf.reduce_sum(y), {x: value}, sess)
    assert used.bytes == {HERE: 8 * MEGABYTE}
    assert used.largest_at == {HERE: "Tanh_1"}
    assert used.values == pytest.approx(
        SIDE * SIDE * np.tanh(np.tanh(np.tanh(np.tanh(1)))), rel=1e-4
    )
    assert repr(used) == f"{HERE}: at most 8 MiB at one time, at Tanh_1"


def test_what_was_there_before_does_not_count():
    x, value = squares()
    kept = tf.Variable(tf.zeros([SIDE, SIDE]))
    with tf.Session() as sess:
        sess.run(kept.initializer)
        assert memory_use(tf.reduce_sum(tf.identity(kept)), None, sess).bytes == {}
        assert memory_use(tf.identity(x), {x: value}, sess).bytes == {}
        assert memory_use(kept + x, {x: value}, sess).bytes == {HERE: 4 * MEGABYTE}


def test_views_count_once_with_what_they_are_views_of():
    x, value = squares()
    y = tf.tanh(x)
    rows = [tf.reduce_sum(tf.reshape(y, [-1])), tf.reduce_sum(tf.transpose(y))]
    with tf.Session() as sess:
        assert memory_use(tf.add_n(rows), {x: value}, sess).bytes == {HERE: 4 * MEGABYTE}


def test_each_device_is_counted_on_its_own():
    x, value = squares()
    with tf.device("/cpu:1"):
        y = tf.tanh(x)
    z = tf.reduce_sum(tf.tanh(tf.tanh(y)))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        used = memory_use(z, {x: value}, sess)
    assert used.bytes == {HERE: 8 * MEGABYTE, "/device:CPU:1": 4 * MEGABYTE}


def test_a_step_with_nothing_to_count_and_one_without_a_session():
    assert repr(memory_use(tf.constant(1.0) + 2.0, session=tf.Session())) == (
        "No tensor of the step takes memory for itself."
    )
    with pytest.raises(ValueError, match="no default session"):
        memory_use(tf.constant(1.0))


# A control dependency that saves memory -----------------------------------------------------------


def two_branches(device, one_after_the_other):
    """The sum of two large tables; without the control dependency both are there at one time."""
    x = tf.placeholder(tf.float32, [SIDE])
    with tf.device(device):
        first = tf.tanh(x[:, None] + x[None, :])
        before = [tf.reduce_sum(first)] if one_after_the_other else []
        with tf.control_dependencies(before):
            second = tf.sigmoid(x[:, None] * x[None, :])
        sums = before or [tf.reduce_sum(first)]
        return x, tf.add_n([*sums, tf.reduce_sum(second)])


@pytest.mark.parametrize(("one_after_the_other", "megabytes"), [(False, 12), (True, 8)])
def test_a_control_dependency_saves_memory_on_the_cpu(one_after_the_other, megabytes):
    x, result = two_branches("/cpu:0", one_after_the_other)
    value = np.linspace(0, 1, SIDE)
    with tf.Session() as sess:
        used = memory_use(result, {x: value}, sess)
        assert used.values == sess.run(result, {x: value})
    assert used.bytes == {HERE: megabytes * MEGABYTE}


@pytest.mark.parametrize(("one_after_the_other", "megabytes"), [(False, 12), (True, 8)])
def test_a_control_dependency_saves_memory_on_a_gpu(
    one_after_the_other, megabytes, tmp_path, monkeypatch
):
    monkeypatch.setenv("TINYTF_MACHINES", str(tmp_path))
    tf.devices.simulate_gpus(1, "64MiB")
    try:
        x, result = two_branches("/gpu:0", one_after_the_other)
        value = np.linspace(0, 1, SIDE)
        with tf.Session() as sess:
            with tf.devices.peak_memory() as used:
                found = sess.run(result, {x: value})
            assert memory_use(result, {x: value}, sess).values == found
    finally:
        tf.devices.simulate_gpus(0)
    assert used.bytes["/device:GPU:0"] // MEGABYTE == megabytes
