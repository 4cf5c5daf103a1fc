"""Instruments split large kernels as sessions do: what is watched has shards, and the same bits."""

import numpy as np
import pytest

import tinytf as tf
from tinytf.jupyter.recording import record

MANY = 2_000_000


@pytest.mark.parametrize("threads", [1, 2])
def test_a_large_kernel_is_split_and_a_small_one_is_not(threads):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.tanh(x, name="large") + tf.reduce_max(tf.exp(x[:9], name="small"))
        values = {x: np.linspace(-1.0, 1.0, MANY, dtype=np.float32)}
        config = tf.ConfigProto(intra_op_parallelism_threads=2)
        with tf.Session(config=config) as sess, tf.Session(config=config) as other:
            seen = record(y, values, sess, threads)
            assert np.array_equal(seen.values, other.run(y, values))
    shards = {seen.names[run.node]: run.shards for run in seen.runs}
    assert len(shards["large"]) > 1
    assert shards["small"] == ()


def test_nothing_is_split_where_one_thread_is_asked_for():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None], name="x")
        y = tf.tanh(x)
        config = tf.ConfigProto(intra_op_parallelism_threads=1)
        with tf.Session(config=config) as sess:
            seen = record(y, {x: np.ones(MANY, np.float32)}, sess)
    assert [run.shards for run in seen.runs] == [()]
