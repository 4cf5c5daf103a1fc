"""Deadlines end every wait, and say which operation waited for what, and where it was built."""

import threading

import pytest

import tinytf as tf
from tests.session.test_classic_hangs import line_number
from tests.waiting import past_deadline
from tinytf.ops.functions.defun import Defun

EMPTY = "waits for 1 element in the queue '_0_q' (FIFOQueue), 0 of 3 elements, open"


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def queue():
    return tf.FIFOQueue(3, [tf.float32], shapes=[[]], name="q")


def text_of(fetches, mark):
    """The error of a step that takes too long; it names the line with that comment."""
    with tf.Session() as sess:
        error = past_deadline(lambda options: sess.run(fetches, options=options))
    text = str(error)
    assert error.op is not None
    assert "Timed out waiting for notification that the step has finished" in text
    assert f'test_deadlines.py", line {line_number(__file__, mark)}' in text
    return text


def test_a_dequeue(queue):
    text = text_of(queue.dequeue(name="take"), "a dequeue")  # a dequeue
    assert f"take (QueueDequeueV2) {EMPTY}" in text


def test_an_enqueue_of_a_full_queue(queue):
    many = queue.enqueue_many([[1.0, 2.0, 3.0, 4.0, 5.0]], name="put")  # too many
    text = text_of(many, "too many")
    assert "put (QueueEnqueueManyV2) waits for room for 2 elements" in text
    assert "in the queue '_0_q' (FIFOQueue), 3 of 3 elements, open" in text


def test_in_a_function(queue):
    @Defun(noinline=True)
    def take():
        return queue.dequeue(name="inside")  # in the body

    text = text_of(take(name="outside"), "in the body")
    assert "outside (" in text
    assert f"inside (QueueDequeueV2) {EMPTY}" in text


def test_in_a_loop(queue):
    def body(i):
        return i + queue.dequeue(name="inside")  # in the loop

    loop = tf.while_loop(lambda i: i < 3.0, body, [tf.constant(0.0)])
    assert f"while/inside (QueueDequeueV2) {EMPTY}" in text_of(loop, "in the loop")


def test_in_one_branch(queue):
    which = tf.placeholder_with_default(True, [])
    either = tf.cond(which, lambda: queue.dequeue(name="inside"), lambda: 0.0)  # a branch
    assert f"cond/inside (QueueDequeueV2) {EMPTY}" in text_of(either, "a branch")


def test_in_python_that_runs_a_session(queue):
    item = queue.dequeue(name="inside")
    inner = tf.Session()
    python = tf.py_func(lambda: inner.run(item), [], tf.float32, name="python")  # runs it
    text = text_of(python, "runs it")
    assert "it was still running, at python (PyFunc): inside (QueueDequeueV2) waits for" in text
    inner.close()


def in_session(options, run):
    """In a session in which every run has the deadline that these options have."""
    config = tf.ConfigProto(operation_timeout_in_ms=options.timeout_in_ms)
    with tf.Session(config=config) as sess:
        run(sess)


def test_by_the_configuration_of_the_session(queue):
    item = queue.dequeue(name="take")
    for run in (lambda s: s.run(item), lambda s: s.make_callable(item)(), lambda _: item.eval()):
        error = past_deadline(lambda options: in_session(options, run))  # noqa: B023
        assert f"take (QueueDequeueV2) {EMPTY}" in str(error)
    with tf.Session() as sess:
        assert sess.run(queue.size()) == 0


def test_in_a_partial_run(queue):
    x = tf.placeholder(tf.float32, [])
    total = queue.dequeue(name="take") + x

    def run(sess):
        handle = sess.partial_run_setup([total], [x])
        sess.partial_run(handle, total, {x: 1.0})

    error = past_deadline(lambda options: in_session(options, run))
    assert f"take (QueueDequeueV2) {EMPTY}" in str(error)


def test_what_it_had_taken_is_given_back(queue):
    put, batch = queue.enqueue_many([[1.0, 2.0]]), queue.dequeue_many(3)
    with tf.Session() as sess:
        sess.run(put)
        text = str(past_deadline(lambda options: sess.run(batch, options=options)))
        assert "waits for 3 elements" in text
        assert sess.run(queue.size()) == 2
        assert sess.run(queue.dequeue_many(2)).tolist() == [1.0, 2.0]


def test_a_wait_that_is_served_in_time_is_none(queue):
    put, item = queue.enqueue(1.0), queue.dequeue()
    with tf.Session() as sess:
        thread = threading.Thread(target=sess.run, args=[put])
        thread.start()
        assert sess.run(item, options=tf.RunOptions(timeout_in_ms=60_000)) == 1.0
        thread.join()
