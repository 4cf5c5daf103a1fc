"""Producers and batching functions: what is said when something is wrong, and what is kept."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.errors import InvalidArgumentError
from tinytf.resources.sparse_tensors_map import SparseParts, SparseTensorsMap
from tinytf.testing import leaks


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def outputs(fetches, most=100):
    """What comes out until the end of the input."""
    results = []
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        try:
            for _ in range(most):
                results.append(sess.run(fetches))
        except tf.errors.OutOfRangeError:
            pass
        finally:
            coord.request_stop()
            coord.join(threads)
    return results


def numbers(count=6, epochs=1):
    return tf.train.range_input_producer(count, num_epochs=epochs, shuffle=False).dequeue()


# Mistakes -----------------------------------------------------------------------------------------


def test_forgotten_local_variables_are_told_to_who_dequeues():
    names = tf.train.string_input_producer(["a", "b"], num_epochs=3)  # three epochs
    batch = tf.train.batch([names.dequeue()], 2)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(batch)
        with pytest.raises(tf.errors.FailedPreconditionError) as joined:
            coord.join(threads)
    for text in (str(caught.value), str(joined.value)):
        assert "Attempting to use uninitialized value input_producer/limit_epochs/epochs" in text
        assert "The epochs of an input producer (num_epochs=3) are counted in a local variable" in (
            text
        )
        assert "run tf.local_variables_initializer()" in text
        assert "# three epochs" in text
    assert "is closed and has insufficient elements" in str(caught.value)


@pytest.mark.parametrize(
    ("build", "error", "words"),
    [
        (lambda: tf.train.batch(tf.constant(1), 2), TypeError, r"batched as \[tensor\]"),
        (
            lambda: tf.train.batch([tf.placeholder(tf.float32)], 2),
            ValueError,
            r"Cannot infer Tensor's rank: .*Say the shape of each component",
        ),
        (
            lambda: tf.train.batch_join([[1], [2, 3]], 2),
            ValueError,
            "as many components, but there are 1, 2",
        ),
        (
            lambda: tf.train.batch_join([{"a": 1}, {"b": 1}], 2),
            ValueError,
            r"the same keys, but there are \['a'\] and \['b'\]",
        ),
        (
            lambda: tf.train.input_producer(tf.placeholder(tf.float32, [None, None])),
            ValueError,
            r"must be specified: its shape is \(\?, \?\), so that of a row is \(\?,\)",
        ),
        (
            lambda: tf.train.string_input_producer([]),
            ValueError,
            "requires a non-null input tensor, got .*there are no strings in it",
        ),
        (
            lambda: tf.train.shuffle_batch([1], 2, capacity=3, min_after_dequeue=5),
            ValueError,
            "capacity 3 must be bigger than min_after_dequeue 5",
        ),
        (
            lambda: tf.train.shuffle_batch_join([[1]], 2, 3, 5),
            ValueError,
            "capacity 3 must be bigger than min_after_dequeue 5",
        ),
    ],
)
def test_mistakes_are_told(build, error, words):
    with pytest.raises(error, match=words):
        build()


def test_a_scalar_has_no_rows():
    with pytest.raises(ValueError, match="rank"):
        tf.train.batch([1], 2, enqueue_many=True)


def test_one_name_is_no_list_of_names():
    with pytest.raises(ValueError, match=r"must have rank at least 1: .* \['a\.csv'\]"):
        tf.train.string_input_producer("a.csv")


def test_components_of_unknown_size_say_what_to_do():
    pixels = tf.placeholder(tf.uint8, [None])
    with pytest.raises(ValueError, match=r"set_shape.*dynamic_pad=True"):
        tf.train.batch([pixels], 2)


def test_a_list_that_is_one_component_is_told_from_several():
    vectors = tf.FIFOQueue(3, tf.float32, shapes=[[3]])
    with pytest.raises(ValueError, match=r"1 component .*, but 3 were given.*\[\[1, 2\]\]"):
        vectors.enqueue([1.0, 2.0, 3.0])
    pairs = tf.FIFOQueue(3, [tf.float32, tf.int32])
    with pytest.raises(ValueError, match=r"2 components .*, but 1 was given.*enqueue\(\[a, b\]\)"):
        pairs.enqueue(1.0)
    urgent = tf.PriorityQueue(3, tf.string, shapes=[[]])
    with pytest.raises(ValueError, match="The priority is the first"):
        urgent.enqueue("a")


def test_a_pipeline_that_fails_tells_every_stage(tmp_path):
    path = tmp_path / "missing.txt"
    names = tf.train.string_input_producer([str(path)], shuffle=False)
    _, line = tf.TextLineReader().read(names)  # the reader
    batch = tf.train.batch([line], 2)
    with tf.Session() as sess:
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        with pytest.raises(tf.errors.OutOfRangeError) as caught:
            sess.run(batch)
        with pytest.raises(tf.errors.NotFoundError, match=r"missing\.txt"):
            coord.join(threads)
    assert "NotFoundError" in str(caught.value)
    assert "# the reader" in str(caught.value)


# What comes out -----------------------------------------------------------------------------------


def test_every_element_comes_once_whatever_the_threads_do():
    with leaks.none_left():
        batch = tf.train.shuffle_batch(
            [numbers(200, epochs=2)],
            7,
            capacity=40,
            min_after_dequeue=10,
            num_threads=4,
            allow_smaller_final_batch=True,
        )
        found = np.concatenate(outputs(batch))
    assert sorted(found.tolist()) == sorted([*range(200)] * 2)


def test_joined_readers_read_every_line_once(tmp_path):
    paths = []
    for number in range(5):
        paths.append(str(tmp_path / f"{number}.txt"))
        (tmp_path / f"{number}.txt").write_text("".join(f"{number}-{n}\n" for n in range(20)))
    names = tf.train.string_input_producer(paths, num_epochs=1)
    lines = [[tf.TextLineReader().read(names)[1]] for _ in range(3)]
    batch = tf.train.batch_join(lines, 8, allow_smaller_final_batch=True)
    found = np.concatenate(outputs(batch)).tolist()
    assert sorted(found) == sorted(b"%d-%d" % (f, n) for f in range(5) for n in range(20))


def test_a_pipeline_fills_while_nobody_asks():
    """The runners work ahead, up to the capacities of the queues, and then wait."""
    item = numbers(1000)
    tf.train.batch([item], 2, capacity=6)
    (producer, batcher) = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
    full = [tf.equal(producer.queue.size(), 32), tf.equal(batcher.queue.size(), 6)]
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        while not all(sess.run(full)):
            coord.wait_for_stop(0.001)
        coord.request_stop()
        coord.join(threads)
        assert not any(thread.is_alive() for thread in threads)


def test_two_sessions_have_pipelines_of_their_own():
    batch = tf.train.batch([numbers(4, epochs=None)], 2)
    with tf.Session() as one, tf.Session() as other:
        coord = tf.train.Coordinator()
        for sess in (one, other):
            sess.run(tf.local_variables_initializer())
        threads = tf.train.start_queue_runners(one, coord)
        threads += tf.train.start_queue_runners(other, coord)
        found = [[sess.run(batch).tolist() for sess in (one, other)] for _ in range(2)]
        coord.request_stop()
        coord.join(threads)
    assert found == [[[0, 1], [0, 1]], [[2, 3], [2, 3]]]


def test_files_are_looked_up_once(tmp_path):
    (tmp_path / "a.csv").write_text("")
    files = tf.train.match_filenames_once(str(tmp_path / "*.csv"))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        (tmp_path / "b.csv").write_text("")
        assert len(sess.run(files)) == 1
        sess.run(files.initializer)
        assert len(sess.run(files)) == 2


# Tables of sparse tensors -------------------------------------------------------------------------


def parts(value):
    return SparseParts(np.array([[0]]), np.array([value]), np.array([1]))


def test_a_sparse_tensor_is_taken_once():
    table = SparseTensorsMap("table")
    handles = [table.add(parts(value)) for value in (5, 6, 7)]
    assert [one.values[0] for one in table.take(handles[1:])] == [6, 7]
    assert len(table) == 1
    with pytest.raises(InvalidArgumentError, match="Unable to find SparseTensor: 1 in map: table"):
        table.take([1])


def test_a_table_is_shared_by_threads():
    table, found = SparseTensorsMap("table"), []

    def work(number):
        for value in range(100):
            handle = table.add(parts(1000 * number + value))
            found.append(int(table.take([handle])[0].values[0]))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == sorted(1000 * n + v for n in range(4) for v in range(100))
    assert len(table) == 0


def test_sparse_batches_leave_nothing_in_their_tables():
    n = tf.cast(numbers(4), tf.int64)
    batch = tf.train.batch([tf.SparseTensor([[n]], [n], [n + 1])], 2)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        coord = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess, coord)
        shapes = [sess.run(batch).dense_shape.tolist() for _ in range(2)]
        coord.request_stop()
        coord.join(threads)
        tables = [r for _, kind, _, r in sess._backend.resources.items() if "Sparse" in kind]
    assert shapes == [[2, 2], [2, 4]]
    assert [len(table) for table in tables] == [0]
