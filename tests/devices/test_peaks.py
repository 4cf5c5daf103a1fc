"""`tf.devices.peak_memory`: the most that a GPU held while a block ran."""

import numpy as np
import pytest

import tinytf as tf
from tests.devices import fake_cupy
from tests.devices.test_cuda import forget_cards
from tinytf.devices import simulated

MEGABYTE = 1 << 20


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def runner(sess):
    """A function that brings so many megabytes to a GPU, in one tensor."""
    value = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        result = tf.reduce_max(value)

    def run(megabytes):
        sess.run(result, {value: np.zeros([megabytes, MEGABYTE // 4], np.float32)})

    return run


def test_it_is_what_was_held_at_one_time():
    tf.devices.simulate_gpus(2, "64MiB")
    with tf.Session() as sess:
        run = runner(sess)
        with tf.devices.peak_memory() as first:
            run(4)
        with tf.devices.peak_memory() as second:
            run(1)
        assert first.bytes == {"/device:GPU:0": 4 * MEGABYTE, "/device:GPU:1": 0}
        assert second.bytes["/device:GPU:0"] == MEGABYTE
        assert repr(second).splitlines()[0] == (
            "GPU 0: at most 1 MiB in use at one time, 0 bytes of it from before"
        )


def test_what_is_there_from_before_counts_and_is_told():
    tf.devices.simulate_gpus(1, "64MiB")
    with tf.device("/gpu:0"):
        kept = tf.Variable(tf.zeros([2, MEGABYTE // 4]))
    with tf.Session() as sess:
        run = runner(sess)
        sess.run(kept.initializer)
        with tf.devices.peak_memory() as used:
            run(1)
    assert used.bytes == {"/device:GPU:0": 3 * MEGABYTE}
    assert used.before == {"/device:GPU:0": 2 * MEGABYTE}


def test_blocks_in_blocks_and_the_whole_process_keep_their_peaks():
    tf.devices.simulate_gpus(1, "64MiB")
    with tf.Session() as sess:
        run = runner(sess)
        with tf.devices.peak_memory() as outer:
            run(4)
            with tf.devices.peak_memory() as inner:
                run(1)
        assert inner.bytes == {"/device:GPU:0": MEGABYTE}
        assert outer.bytes == {"/device:GPU:0": 4 * MEGABYTE}
        with tf.devices.peak_memory():
            run(1)
        (account,) = simulated._ours.accounts.values()
        assert account.peak == 4 * MEGABYTE


def test_without_a_gpu_there_is_nothing_to_tell():
    with tf.Session() as sess, tf.devices.peak_memory() as used:
        sess.run(tf.constant(1.0))
    assert used.bytes == {}
    assert repr(used) == "No GPU was used yet."


def test_a_card_is_measured_too():
    forget_cards()
    with fake_cupy.installed(memory=[1 << 30]):
        options = tf.GPUOptions(allow_growth=True)
        with tf.Session(config=tf.ConfigProto(gpu_options=options)) as sess:
            run = runner(sess)
            with tf.devices.peak_memory() as used:
                run(4)
    forget_cards()
    assert used.bytes["/device:GPU:0"] >= 4 * MEGABYTE
