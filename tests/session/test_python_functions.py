"""Python functions side by side: from the first step on, however quick they are."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tinytf.runtime.python_functions import functions_apart

TIMEOUT = 60


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def two_threads():
    return tf.Session(
        config=tf.ConfigProto(inter_op_parallelism_threads=2, use_per_session_threads=True)
    )


@pytest.fixture
def meeting():
    """What two functions compute that wait for each other."""
    barrier = threading.Barrier(2)

    def meet(x):
        barrier.wait(TIMEOUT)
        return x

    left = tf.py_func(meet, [1.0], tf.float32, name="left")
    return left + tf.py_func(meet, [2.0], tf.float32, name="right")


def test_two_functions_may_wait_for_each_other(meeting):
    with two_threads() as sess:
        for _ in range(300):  # what they cost is known to be little, and makes no difference
            assert sess.run(meeting) == 3.0


def test_the_first_step_that_is_traced_shows_them_on_two_threads(meeting):
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with two_threads() as sess:
        sess.run(meeting, options=options, run_metadata=metadata)
    (device,) = metadata.step_stats.dev_stats
    threads = {n.node_name: n.thread_id for n in device.node_stats}
    assert threads["left"] != threads["right"]


def test_they_meet_in_a_session_with_a_time_limit(meeting):
    config = tf.ConfigProto(inter_op_parallelism_threads=2, operation_timeout_in_ms=TIMEOUT * 1000)
    config.use_per_session_threads = True
    with tf.Session(config=config) as sess:
        assert sess.run(meeting) == 3.0


def test_one_thread_runs_them_in_order():
    order = []
    first, second = (
        tf.py_func(lambda x, n=name: (order.append(n), x)[1], [1.0], tf.float32) for name in "ab"
    )
    config = tf.ConfigProto(inter_op_parallelism_threads=1, use_per_session_threads=True)
    with tf.Session(config=config) as sess:
        sess.run([first, second])
    assert order == ["a", "b"]


def test_the_error_of_one_is_the_error_of_the_step():
    def fail(_):
        raise ValueError("broken")

    good = tf.py_func(np.negative, [1.0], tf.float32)
    bad = tf.py_func(fail, [1.0], tf.float32, name="bad")
    with two_threads() as sess, pytest.raises(tf.errors.InvalidArgumentError, match="broken"):
        sess.run([good, bad])


def test_only_functions_that_do_not_need_each_other_are_apart(graph):
    def py(x):
        return tf.py_func(np.negative, [x], tf.float32)

    chain = py(py(tf.constant(1.0)) + 1.0)
    with tf.control_dependencies([chain]):
        py(tf.constant(2.0))
    assert functions_apart(graph.get_operations(), ()) == frozenset()
    py(tf.constant(3.0))
    functions = {op.name for op in graph.get_operations() if op.type == "PyFunc"}
    assert functions_apart(graph.get_operations(), ()) == functions
    assert functions_apart(graph.get_operations(), graph.get_operations()) == frozenset()
