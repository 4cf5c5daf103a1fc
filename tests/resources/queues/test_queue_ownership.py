"""What is in a queue belongs to the queue: nobody else changes it, nor does it keep more alive."""

import gc
import weakref

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.tensor_shape import TensorShape
from tinytf.resources.queues.kinds import FIFOQueue

NOBODY = CancellationManager()


@pytest.fixture(autouse=True)
def fresh_graph():
    with tf.Graph().as_default():
        yield


@pytest.fixture
def images():
    return FIFOQueue("images", [tf.float32], [TensorShape([100, 100])])


def ones(*shape):
    return np.ones(shape, np.float32)


@pytest.mark.parametrize("many", [True, False])
def test_a_fed_array_that_changes_later_changes_nothing_in_the_queue(many):
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[3]])
    x = tf.placeholder(tf.float32)
    put, take = (queue.enqueue_many(x) if many else queue.enqueue([x])), queue.dequeue()
    with tf.Session() as sess:
        fed = ones(1, 3) if many else ones(3)
        sess.run(put, {x: fed})
        fed[:] = 7
        np.testing.assert_array_equal(sess.run(take), ones(3))


def test_a_variable_that_changes_later_changes_nothing_in_the_queue():
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[3]])
    variable = tf.Variable(tf.ones([3]), use_resource=False)
    put, change, take = queue.enqueue([variable]), variable.assign_add([1.0, 1, 1]), queue.dequeue()
    with tf.Session() as sess:
        sess.run(variable.initializer)
        for _ in range(2):
            sess.run(put)
            sess.run(change)
        sess.run(change)
        assert sess.run([take])[0].tolist() == [1, 1, 1]
        assert sess.run([take])[0].tolist() == [2, 2, 2]


def test_writing_into_what_was_taken_changes_nothing_else():
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[3]])
    x = tf.constant([1.0, 1.0, 1.0])
    put, many = queue.enqueue([x]), queue.enqueue_many([tf.stack([x, x])])
    take, batch = queue.dequeue(), queue.dequeue_many(2)
    with tf.Session() as sess:
        sess.run([put, many])
        sess.run([put, put])
        first = sess.run(take)
        if first.flags.writeable:
            first[:] = 7
        second = sess.run(batch)
        if second.flags.writeable:
            second[:] = 7
        assert sess.run([take, x])[0].tolist() == [1, 1, 1]
        assert sess.run(x).tolist() == [1, 1, 1]


def test_what_a_queue_gives_directly_is_read_only_or_its_receivers_own(images):
    images.enqueue([ones(100, 100)], NOBODY)
    images.enqueue_many([ones(3, 100, 100)], NOBODY)
    for _ in range(2):
        (one,) = images.dequeue(NOBODY)
        assert not one.flags.writeable
    (batch,) = images.dequeue_many(2, NOBODY)
    assert batch.base is None


def test_a_row_does_not_keep_its_batch(images):
    batch = ones(10, 100, 100)
    gone = weakref.ref(batch)
    images.enqueue_many([batch], NOBODY)
    del batch
    gc.collect()
    assert gone() is None
    for _ in range(9):
        images.dequeue(NOBODY)
    (last,) = images.dequeue(NOBODY)
    assert last.base is None or last.base.nbytes <= 2 * last.nbytes


def test_a_view_does_not_keep_what_it_is_a_part_of(images):
    large = ones(10, 100, 100)
    gone = weakref.ref(large)
    images.enqueue([large[3]], NOBODY)
    del large
    gc.collect()
    assert gone() is None


def test_a_batch_does_not_keep_its_elements(images):
    images.enqueue([ones(100, 100)], NOBODY)
    gone = weakref.ref(images.snapshot().contents[0][0])
    images.dequeue_many(1, NOBODY)
    gc.collect()
    assert gone() is None


def test_a_wait_that_was_cancelled_keeps_nothing():
    queue = FIFOQueue("full", [tf.float32], [TensorShape([100])], 1)
    queue.enqueue([ones(100)], NOBODY)
    step = CancellationManager()
    waiting = ones(100)
    gone = weakref.ref(waiting)
    pending = queue.enqueue([waiting], step)
    step.start_cancel()
    assert isinstance(pending.error, tf.errors.CancelledError)
    del waiting, pending, step
    gc.collect()
    assert gone() is None
    assert queue.size() == 1


def test_a_closed_session_leaves_no_elements():
    queue = tf.FIFOQueue(10, tf.float32, shapes=[[1000]])
    sess = tf.Session()
    sess.run(queue.enqueue([tf.ones([1000])]))
    (held,) = [r for _, kind, _, r in sess._backend.resources.items() if isinstance(r, FIFOQueue)]
    gone = weakref.ref(held)
    del held
    sess.close()
    del sess
    gc.collect()
    assert gone() is None
