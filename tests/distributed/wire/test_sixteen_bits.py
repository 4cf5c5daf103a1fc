"""`enable_bfloat16_sendrecv`: float32 travels between tasks as its upper 16 bits."""

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster
from tinytf.protos import worker_pb2

VALUES = np.array([1.0, 1 / 3, -2.7182817, 1e-30, 65504.5], np.float32)


def upper_half(values):
    """What is left of float32 values without their lower 16 bits."""
    return (values.view(np.uint32) & np.uint32(0xFFFF0000)).view(np.float32)


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=1) as cluster:
        yield cluster


def run(cluster, build, truncates):
    config = tf.ConfigProto(
        graph_options=tf.GraphOptions(enable_bfloat16_sendrecv=truncates, place_pruned_graph=True)
    )
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            sent = build()
        with tf.device("/job:worker/task:0"):
            got = tf.identity(sent)
        with tf.Session(cluster.target("worker"), config=config) as session:
            return session.run(got)


def sizes_sent(cluster):
    """The types of all tensors that were sent between tasks."""
    found = []
    for request in cluster.requests("RegisterGraph", worker_pb2.RegisterGraphRequest):
        for node in request.graph_def.node:
            if node.op == "_Send" and not node.attr["client_terminated"].b:
                found.append(tf.as_dtype(node.attr["T"].type).name)
    return found


@pytest.mark.parametrize("truncates", [False, True])
def test_the_lower_bits_are_cut_off(cluster, truncates):
    got = run(cluster, lambda: tf.constant(VALUES) + 0.0, truncates)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, upper_half(VALUES) if truncates else VALUES)
    assert sizes_sent(cluster) == ["bfloat16" if truncates else "float32"]


def test_only_float32_is_cut(cluster):
    got = run(cluster, lambda: tf.constant(VALUES.astype(np.float64)) + 0.0, True)
    np.testing.assert_array_equal(got, VALUES.astype(np.float64))
    assert run(cluster, lambda: tf.constant([1 << 30]) + 1, True).tolist() == [(1 << 30) + 1]
    assert sizes_sent(cluster) == ["float64", "int32"]


def test_a_variable_is_read_when_it_is_sent(cluster):
    config = tf.ConfigProto(graph_options=tf.GraphOptions(enable_bfloat16_sendrecv=True))
    with tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=VALUES, use_resource=False)
            with tf.control_dependencies([tf.assign(v, VALUES * 3)]):
                with tf.device("/job:worker/task:0"):
                    got = tf.identity(v._ref())
        with tf.Session(cluster.target("worker"), config=config) as session:
            session.run(v.initializer)
            np.testing.assert_array_equal(session.run(got), upper_half(VALUES * np.float32(3)))
