"""How stale gradients are: the log, and the remedies, with steps that overlap for sure."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import tinytf as tf
from tinytf.training.staleness import Gradient, StalenessLog, StalenessOptimizer


@pytest.fixture(params=[False, True], ids=["reference", "resource"])
def variable(request):
    tf.train.create_global_step()
    return tf.get_variable("v", initializer=[4.0, 2.0], use_resource=request.param)


def worker(variable, number, gate=None, **how):
    """A worker's optimizer and training operation: each update takes 1 from each element."""
    inner = tf.train.GradientDescentOptimizer(1.0)
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        optimizer = StalenessOptimizer(inner, number, **how)
        pairs = optimizer.compute_gradients(tf.reduce_sum(variable))
        if gate is not None:
            with tf.control_dependencies([gate]):
                pairs = [(tf.identity(gradient), variable) for gradient, variable in pairs]
        return optimizer, optimizer.apply_gradients(pairs, tf.train.get_global_step())


def overlapping(variable, between, **how):
    """A gradient of worker 1, while worker 0 makes so many updates; the log, and the values."""
    gate = tf.FIFOQueue(1, tf.float32, shapes=[[]])
    optimizer, late = worker(variable, 1, gate.dequeue(), **how)
    _, fresh = worker(variable, 0)
    has_read = threading.Event()
    noted = tf.py_func(lambda _: has_read.set(), [optimizer._read], [])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        thread = threading.Thread(target=sess.run, args=[[late, noted]])
        thread.start()
        has_read.wait()
        for _ in range(between):
            sess.run(fresh)
        sess.run(gate.enqueue(0.0))
        thread.join()
        step = sess.run(tf.train.get_global_step())
        return optimizer.log(sess), sess.run(variable).tolist(), step


def test_a_gradient_is_as_old_as_the_updates_that_came_between(variable):
    log, values, step = overlapping(variable, 3)
    assert log.gradients == (*(Gradient(0, n, n) for n in range(3)), Gradient(1, 0, 3))
    assert (log.total, log.workers, log.dropped, log.mean) == (4, 2, 0, 0.75)
    assert log.histogram == {0: 3, 3: 1}
    assert (values, step) == ([0.0, -2.0], 4)


def test_what_is_too_old_is_dropped_and_counts_as_no_update(variable):
    log, values, step = overlapping(variable, 3, drop_above=2)
    assert log.gradients[-1] == Gradient(1, 0, 3, dropped=True)
    assert (log.total, log.dropped, log.histogram) == (4, 1, {0: 3})
    assert (values, step) == ([1.0, -1.0], 3)


def test_what_is_just_young_enough_is_applied(variable):
    log, values, _ = overlapping(variable, 2, drop_above=2)
    assert (log.dropped, values) == (0, [1.0, -1.0])


def test_what_is_old_is_scaled_down(variable):
    log, values, _ = overlapping(variable, 3, scale=True)
    assert log.histogram == {0: 3, 3: 1}
    assert values == [4.0 - 3 - 0.25, 2.0 - 3 - 0.25]


def test_sparse_gradients_are_scaled_too():
    step = tf.train.create_global_step()
    table = tf.get_variable("table", initializer=np.ones([4, 2], np.float32))
    optimizer = StalenessOptimizer(tf.train.GradientDescentOptimizer(1.0), scale=True)
    train = optimizer.minimize(tf.reduce_sum(tf.gather(table, [2])), step)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(table).tolist() == [[1, 1], [1, 1], [0, 0], [1, 1]]


def test_the_log_keeps_the_last_ones(variable):
    optimizer, train = worker(variable, 0, keep=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert repr(optimizer.log(sess)) == "No gradient has come yet."
        for _ in range(5):
            sess.run(train)
        log = optimizer.log(sess)
    assert [gradient.read for gradient in log.gradients] == [2, 3, 4]
    assert log.total == 5


def test_slots_are_those_of_the_optimizer_within(variable):
    adam = tf.train.AdamOptimizer(0.1)
    optimizer = StalenessOptimizer(adam, drop_above=0)
    train = optimizer.minimize(tf.reduce_sum(variable), tf.train.get_global_step())
    assert optimizer.get_slot_names() == ["m", "v"]
    assert optimizer.get_slot(variable, "m") is adam.get_slot(variable, "m")
    assert optimizer.variables() == adam.variables()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run(variable), [3.9, 1.9], rtol=1e-6)


def test_workers_of_a_cluster_write_into_one_log():
    """Between graphs: each has a graph of its own, and the log is on the parameter server."""

    def train(number, steps, initialises=False):
        with tf.Graph().as_default():
            with tf.device(tf.train.replica_device_setter(cluster=cluster.cluster_spec)):
                tf.train.create_global_step()
                optimizer, op = worker(tf.get_variable("v", initializer=[4.0]), number)
            with tf.Session(cluster.target("worker", number)) as sess:
                if initialises:
                    sess.run(tf.global_variables_initializer())
                for _ in range(steps):
                    sess.run(op)
                return optimizer.log(sess)

    with tf.LocalCluster(ps=1, worker=2) as cluster, ThreadPoolExecutor() as threads:
        train(0, 0, initialises=True)
        list(threads.map(train, [0, 1], [30, 20]))
        log = train(1, 0)
    assert log.total == 50
    assert [sum(g.worker == n for g in log.gradients) for n in (0, 1)] == [30, 20]
    assert sorted(gradient.now for gradient in log.gradients) == list(range(50))


def test_what_it_says():
    gradients = [Gradient(0, 0, 0), Gradient(1, 0, 1), Gradient(0, 1, 2), Gradient(1, 2, 9, True)]
    assert repr(StalenessLog(gradients, 4)).splitlines() == [
        "3 gradients of 2 workers were on average 0.67 updates old (N - 1 = 1), at most 1. "
        "1 more was too old, and dropped.",
        "  0 updates old:      1  ██████████",
        "  1 update old:       2  ████████████████████",
    ]
    assert repr(StalenessLog([Gradient(0, 0, 3, True)], 1)) == (
        "All 1 gradient of 1 worker were too old, and dropped."
    )


def test_mistakes_say_what_to_do(variable):
    inner = tf.train.GradientDescentOptimizer(1.0)
    with pytest.raises(TypeError, match=r"must be a tf.train.Optimizer"):
        StalenessOptimizer(0.1)
    with pytest.raises(ValueError, match="drop_above must be a whole number from 0 on, not -1"):
        StalenessOptimizer(inner, drop_above=-1)
    with pytest.raises(ValueError, match="keep must be a whole number from 1 on, not 0"):
        StalenessOptimizer(inner, keep=0)
    optimizer = StalenessOptimizer(inner)
    with pytest.raises(ValueError, match="call minimize first"):
        optimizer.log(None)
    with pytest.raises(ValueError, match="needs its own compute_gradients"):
        optimizer.apply_gradients([], tf.train.get_global_step())
    with pytest.raises(ValueError, match=r"global_step=tf.train.get_global_step"):
        optimizer.minimize(tf.reduce_sum(variable))
    with tf.Graph().as_default():
        other = tf.get_variable("v", initializer=1.0)
        with pytest.raises(ValueError, match="get_or_create_global_step"):
            StalenessOptimizer(inner).minimize(other)
