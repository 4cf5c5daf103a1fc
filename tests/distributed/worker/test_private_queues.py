"""Queues and iterators on a server: with a shared name everybody's, else each session's own."""

import pytest

import tinytf as tf


@pytest.fixture(scope="module")
def server(transport):
    with tf.train.Server.create_local_server() as server:
        yield server


def test_a_queue_without_a_shared_name_is_each_sessions_own(server):
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, tf.int32, shapes=[[]], name="q")
        put, size, close = queue.enqueue(1), queue.size(), queue.close()
        with tf.Session(server.target) as one, tf.Session(server.target) as other:
            one.run(put)
            one.run(close)
            assert (one.run(size), other.run(size)) == (1, 0)
            other.run(put)  # it is not closed
        with tf.Session(server.target) as later:
            assert later.run(size) == 0


def test_a_queue_with_a_shared_name_is_shared(server):
    with tf.Graph().as_default():
        queue = tf.FIFOQueue(3, tf.int32, shapes=[[]], shared_name="everybody's")
        put, size = queue.enqueue(1), queue.size()
        with tf.Session(server.target) as one, tf.Session(server.target) as other:
            one.run(put)
            assert other.run(size) == 1


def test_an_iterator_without_a_shared_name_is_each_sessions_own(server):
    with tf.Graph().as_default():
        numbers = tf.data.Dataset.range(9)
        iterator = tf.data.make_initializable_iterator(numbers)
        element = iterator.get_next()
        once = tf.data.make_one_shot_iterator(numbers).get_next()
        with tf.Session(server.target) as one, tf.Session(server.target) as other:
            one.run(iterator.initializer)
            assert [one.run(element), one.run(element + 0), one.run(element)] == [0, 1, 2]
            with pytest.raises(tf.errors.FailedPreconditionError, match="not been initialized"):
                other.run(element)
            assert [sess.run(once) for sess in (one, other, one, other)] == [0, 0, 1, 1]
        with tf.Session(server.target) as later:
            assert later.run(once) == 0


def test_an_iterator_with_a_shared_name_is_shared(server):
    with tf.Graph().as_default():
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(9), shared_name="it")
        element = iterator.get_next()
        with tf.Session(server.target) as one, tf.Session(server.target) as other:
            one.run(iterator.initializer)
            assert (one.run(element), other.run(element)) == (0, 1)


def test_a_cell_with_a_pipeline_runs_again(server):
    for _ in range(2):
        with tf.Graph().as_default(), tf.Session(server.target) as sess:
            names = tf.train.string_input_producer(["a", "b"], num_epochs=2, shuffle=False)
            batch = tf.train.batch([names.dequeue()], 4)
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            assert sess.run(batch).tolist() == [b"a", b"b", b"a", b"b"]
            with pytest.raises(tf.errors.OutOfRangeError, match="has insufficient elements"):
                sess.run(batch)
            coord.request_stop()
            coord.join(threads)
