"""Partial runs over several tasks."""

import pytest

import tinytf as tf
from tests.distributed.fake_cluster import FakeCluster


@pytest.fixture
def cluster():
    with FakeCluster(ps=1, worker=2) as cluster:
        yield cluster


@pytest.fixture
def program():
    """(a, b, d), (a + b on worker:1, times d on ps:0, both on the master's task)"""
    with tf.Graph().as_default():
        a, b, d = (tf.placeholder(tf.float32, [], name=name) for name in "abd")
        with tf.device("/job:worker/task:1"):
            r1 = tf.add(a, b, name="r1")
        with tf.device("/job:ps/task:0"):
            r2 = tf.multiply(r1, d, name="r2")
        yield (a, b, d), (r1, r2, tf.add(r1, r2, name="r3"))


def nothing_is_left(cluster):
    return all(not task.worker.steps for task in cluster.tasks.values())


@pytest.mark.parametrize("where", [("worker", 0), ("ps", 0), ("worker", 1)])
def test_feeds_in_several_calls(cluster, program, where):
    (a, b, d), (r1, r2, r3) = program
    with tf.Session(cluster.target(*where)) as session:
        for _ in range(2):
            handle = session.partial_run_setup([r1, r2, r3], [a, b, d])
            assert session.partial_run(handle, r1, {a: 1, b: 2}) == 3
            assert session.partial_run(handle, [r2, r3], {d: 5}) == [15, 18]
            assert nothing_is_left(cluster)


def test_a_fetch_too_early_ends_the_run_on_all_tasks(cluster, program):
    (a, b, d), (r1, r2, r3) = program
    with tf.Session(cluster.target("worker", 0)) as session:
        handle = session.partial_run_setup([r1, r2, r3], [a, b, d])
        session.partial_run(handle, r1, {a: 1, b: 2})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Not fed yet: d:0") as caught:
            session.partial_run(handle, r2)
        assert caught.value.op is r2.op
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must run PartialRunSetup"):
            session.partial_run(handle, r3, {d: 1})
        handle = session.partial_run_setup([r1], [a, b])
        assert session.partial_run(handle, r1, {a: 1, b: 2}) == 3
    cluster.wait_until(lambda: nothing_is_left(cluster))


def test_an_error_on_another_task_ends_it(cluster):
    with tf.Graph().as_default():
        a, b = (tf.placeholder(tf.int32, [], name=name) for name in "ab")
        with tf.device("/job:ps/task:0"):
            quotient = tf.floordiv(a, b, name="quotient")
        total = tf.add(quotient, a)
        with tf.Session(cluster.target("worker", 0)) as session:
            handle = session.partial_run_setup([quotient, total], [a, b])
            with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division") as caught:
                session.partial_run(handle, quotient, {a: 1, b: 0})
            assert caught.value.op is quotient.op
            assert "/job:ps/replica:0/task:0" in caught.value.message
    cluster.wait_until(lambda: nothing_is_left(cluster))


def test_a_run_that_nobody_ends_goes_with_its_session(cluster, program):
    (a, b, d), (r1, r2, r3) = program
    with tf.Session(cluster.target("worker", 0)) as session:
        handle = session.partial_run_setup([r1, r2, r3], [a, b, d])
        assert session.partial_run(handle, r1, {a: 1, b: 2}) == 3
        assert not nothing_is_left(cluster)
    cluster.wait_until(lambda: nothing_is_left(cluster))
