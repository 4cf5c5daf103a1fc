"""The same step again and again in one context: each is a step of its own all the same."""

import gc
import threading

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tinytf.framework import waiting
from tinytf.session.repeating import Repeated


@pytest.fixture
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_it_runs_once_for_every_call(graph):
    queue = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    size = queue.size()
    with tf.Session() as sess:
        enqueue = Repeated(sess, queue.enqueue(7))
        for count in range(1, 6):
            enqueue()
            assert sess.run(size) == count
        enqueue.close()


def test_one_context_serves_all_with_a_number_of_its_own_each(graph):
    enqueue_op = tf.FIFOQueue(-1, tf.int32, shapes=[[]]).enqueue(7)
    with tf.Session() as sess:
        enqueue = Repeated(sess, enqueue_op)
        while enqueue._step is None:  # the first runs are looked at for their costs
            enqueue()
        first = enqueue._step
        number = first.step_id
        enqueue()
        assert enqueue._step is first
        assert first.step_id > number
        listening = len(sess._backend.cancellation._callbacks)
        enqueue.close()
        assert len(sess._backend.cancellation._callbacks) == listening - 1


def test_a_step_that_holds_something_until_its_end_ends(graph):
    mutex = tf.contrib.framework.CriticalSection(name="section")
    counter = tf.get_variable("counter", [], tf.int32, tf.zeros_initializer(), use_resource=True)
    more = mutex.execute(lambda: counter.assign_add(1))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        twice = Repeated(sess, more)
        for _ in range(3):  # the second would wait for the first one's lock for ever
            twice()
        twice.close()
        assert sess.run(counter) == 3


def test_an_error_is_that_of_its_step_and_the_next_one_runs(graph):
    queue = tf.FIFOQueue(10, tf.string, shapes=[[]])
    out = tf.FIFOQueue(10, tf.int32, shapes=[[]])
    fill = queue.enqueue_many([["1", "two", "3"]])
    columns = tf.decode_csv(queue.dequeue(), [[0]])
    enqueue_op, take = out.enqueue(columns), out.dequeue_many(2)
    with tf.Session() as sess:
        sess.run(fill)
        enqueue = Repeated(sess, enqueue_op)
        enqueue()
        with pytest.raises(tf.errors.InvalidArgumentError, match="two") as caught:
            enqueue()
        assert caught.value.op.type == "DecodeCSV"
        enqueue()
        enqueue.close()
        assert list(sess.run(take)) == [1, 3]


def test_what_the_graph_becomes_is_what_runs(graph):
    first, second = tf.FIFOQueue(9, tf.int32, shapes=[[]]), tf.FIFOQueue(9, tf.int32, shapes=[[]])
    op = first.enqueue(1)
    also, sizes = second.enqueue(1), [first.size(), second.size()]
    with tf.Session() as sess:
        enqueue = Repeated(sess, op)
        enqueue()
        op._add_control_input(also)
        enqueue()
        enqueue.close()
        assert sess.run(sizes) == [2, 1]


def test_closing_the_session_ends_the_one_that_waits(graph):
    queue = tf.FIFOQueue(1, tf.int32, shapes=[[]])
    op, ended = queue.enqueue(1), []
    sess = tf.Session()
    enqueue = Repeated(sess, op)
    enqueue()

    def wait():
        try:
            enqueue()
        except tf.errors.CancelledError as error:
            ended.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    assert until(lambda: any(one.thread == thread.ident for one in waiting.blocked()))
    sess.close()
    thread.join(60)
    assert len(ended) == 1
    with pytest.raises(RuntimeError, match="closed"):
        enqueue()
    enqueue.close()


def test_a_run_of_somebody_s_own_is_what_every_call_is(graph):
    class Counting(tf.Session):
        runs = 0

        def run(self, *arguments, **named):
            self.runs += 1
            return super().run(*arguments, **named)

    with Counting() as sess:
        step = Repeated(sess, tf.no_op())
        step()
        step()
        assert sess.runs == 2


def test_a_deadline_of_the_session_holds_for_each(graph):
    queue = tf.FIFOQueue(2, tf.int32, shapes=[[]])
    op = queue.enqueue(1)
    with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=3000)) as sess:
        enqueue = Repeated(sess, op)
        enqueue()
        enqueue()
        with pytest.raises(tf.errors.DeadlineExceededError):
            enqueue()


def test_a_thread_of_a_queue_runner_keeps_no_step_when_it_ends(graph):
    queue = tf.train.range_input_producer(3, num_epochs=1, shuffle=False)
    values = queue.dequeue_up_to(3)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        assert list(sess.run(values)) == [0, 1, 2]
        coord.request_stop()
        coord.join(threads)
        gc.collect()
        assert not sess._backend.cancellation._callbacks
