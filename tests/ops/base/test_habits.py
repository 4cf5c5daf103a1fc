"""Habits from Python, numpy and TensorFlow 2: what to type here instead."""

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


HABITS = [
    (lambda: tf.FIFOQueue(1, tf.int32).put(1), r"no attribute 'put'.*sess\.run\(queue\.enqueue"),
    (lambda: tf.FIFOQueue(1, tf.int32).get(), r"no attribute 'get'.*sess\.run\(queue\.dequeue"),
    (lambda: tf.FIFOQueue(1, tf.int32).qsize(), r"no attribute 'qsize'.*sess\.run\(queue\.size"),
    (lambda: tf.no_op().eval(), r"no attribute 'eval'.*sess\.run\(op\)"),
    (lambda: tf.constant(1).run(), r"no attribute 'run'.*sess\.run\(t\)"),
    (lambda: tf.data.Dataset.range(2).get_next(), r"make_one_shot_iterator\(\)\.get_next\(\)"),
    (lambda: tf.data.Dataset.range(2).as_numpy_iterator(), r"and sess\.run"),
]


@pytest.mark.parametrize(("habit", "instead"), HABITS)
def test_methods_of_other_libraries(habit, instead):
    with pytest.raises(AttributeError, match=instead):
        habit()


def test_they_are_not_there_for_those_who_ask():
    queue = tf.FIFOQueue(1, tf.int32)
    assert queue
    assert not hasattr(queue, "put")
    assert "put" not in dir(queue)
    assert "enqueue" in dir(queue)


@pytest.mark.parametrize(
    ("fetch", "said"),
    [
        (3.0, r"This is a value already, perhaps the result of an earlier run"),
        (tf.global_variables_initializer, r"call it, global_variables_initializer\(\), and run"),
    ],
)
def test_fetches_that_are_no_tensors(fetch, said):
    tf.constant(1)
    with tf.Session() as sess, pytest.raises(TypeError, match=said):
        sess.run(fetch)


def test_a_queue_is_no_tensor_either():
    queue = tf.FIFOQueue(1, tf.int32)
    with tf.Session() as sess:
        with pytest.raises(TypeError, match=r"This is a queue: run what is done with it"):
            sess.run(queue)
        with pytest.raises(TypeError, match=r"This is a function: call it, size\(\)"):
            sess.run(queue.size)


def test_a_graph_is_entered_by_as_default():
    with pytest.raises(TypeError, match=r"context manager protocol: write `with graph\.as_default"):
        with tf.Graph():
            pass


def test_concat_takes_the_tensors_first():
    with pytest.raises(
        ValueError, match=r"Shape \(2, 2\) must have rank 0.*tf\.concat\(values, axis\)"
    ):
        tf.concat(0, [tf.ones([2]), tf.ones([2])])


def test_initializers_that_do_not_fit():
    with pytest.raises(ValueError, match=r"do not specify shape\. Leave out the shape"):
        tf.get_variable("a", [2], initializer=[1.0, 2.0])
    with pytest.raises(ValueError, match=r"Give `shape` numbers alone"):
        tf.get_variable("b", [None, 2], initializer=tf.zeros_initializer())


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda d: d.shuffle(buffer=3), "Did you mean buffer_size="),
        (lambda d: d.batch(size=3), "Did you mean batch_size="),
        (lambda d: d.batch(), r"'batch_size'\. Its arguments: batch_size, drop_remainder=False"),
    ],
)
def test_arguments_of_datasets(call, said):
    with pytest.raises(TypeError, match=said):
        call(tf.data.Dataset.range(3))
