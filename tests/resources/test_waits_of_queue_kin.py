"""What a report says of waits in accumulators and their kin, and who it thinks could end them."""

import pytest

import tinytf as tf
from tinytf.diagnosis import picture
from tinytf.framework.waiting import Wait
from tinytf.python.ops import data_flow_ops
from tinytf.resources.mutex import Mutex
from tinytf.runtime import executor


def accumulator(tf):
    total, other = (
        tf.ConditionalAccumulator(tf.float32, []),
        tf.ConditionalAccumulator(tf.float32, [], name="other"),
    )
    rows = tf.SparseConditionalAccumulator(tf.float32, shared_name="shared")
    return [
        (total.take_grad(1), [total.apply_grad(1.0)], [other.apply_grad(1.0), total.take_grad(1)]),
        (rows.take_grad(1), [rows.apply_grad([0], [1.0])], [total.apply_grad(1.0)]),
    ]


def barrier(tf):
    both = data_flow_ops.Barrier(tf.int32, shapes=(), shared_name="both")
    other = data_flow_ops.Barrier(tf.int32, shapes=())
    helps = [both.insert_many(0, ["a"], [1]), both.close()]
    return [
        (both.take_many(1), helps, [other.insert_many(0, ["a"], [1]), both.ready_size()]),
        (other.take_many(1), [other.insert_many(0, ["a"], [1])], helps),
    ]


def staging_area(tf):
    area = data_flow_ops.StagingArea([tf.int32])
    keys = data_flow_ops.MapStagingArea([tf.int32], shared_name="keys")
    key, one = tf.constant(1, tf.int64), tf.constant(1)
    return [
        (area.get(), [area.put([one])], [area.size(), keys.put(key, [one], [0])]),
        (keys.get(key), [keys.put(key, [one], [0])], [area.put([one]), keys.peek(key)]),
    ]


def full_staging_area(tf):
    area = data_flow_ops.StagingArea([tf.int32], capacity=1)
    put = area.put([tf.constant(1)])
    with tf.control_dependencies([put]):
        again = area.put([tf.constant(2)])
    return [(again, [area.get(), area.clear()], [put, area.peek(0)])]


def operations(fetches):
    """The operations that a runner with these fetches would run themselves."""
    for fetch in tf.nest.flatten(fetches):
        yield fetch.op if isinstance(fetch, tf.Tensor) else fetch


@pytest.mark.parametrize("build", [accumulator, barrier, staging_area, full_staging_area])
def test_who_could_help(build):
    with tf.Graph().as_default(), tf.Session() as sess:
        for fetch, helps, others in build(tf):
            wait = wait_of(sess, fetch)
            assert wait.needs in wait.on.served_by
            for op in operations(helps):
                assert picture.serves(op, wait), op.name
            for op in operations(others):
                assert not picture.serves(op, wait), op.name


def wait_of(sess, fetch):
    """What a step with this fetch waits for, as it was when its deadline ended it."""
    kept = []
    real = executor.waiting.describe

    def keep(wait):
        kept.append(wait)
        return real(wait)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(executor.waiting, "describe", keep)
        for timeout in (20, 200, 2000, 20000):  # on a busy computer it may not even have begun
            with pytest.raises(tf.errors.DeadlineExceededError):
                sess.run(fetch, options=tf.RunOptions(timeout_in_ms=timeout))
            if kept:
                break
    (wait,) = kept
    assert isinstance(wait, Wait)
    return wait


def test_who_could_leave_a_section():
    with tf.Graph().as_default() as graph:
        for section in (tf.CriticalSection(name="section"), tf.CriticalSection(name="other")):
            section.execute(lambda: tf.constant(1))
        leaving = [op for op in graph.get_operations() if op.type == "ConsumeMutexLock"]
        wait = Wait("the lock", Mutex("section/"), "lock")
        assert [picture.serves(op, wait) for op in leaving] == [True, False]
