"""Iterators over many steps: turns, closing, what stays behind, what a snapshot shows."""

import gc
import threading
import weakref
from contextlib import suppress
from itertools import chain

import pytest

import tinytf as tf
from tests.waiting import past_deadline
from tinytf.data import stages
from tinytf.data.iterator_resource import Iterator

Dataset = tf.data.Dataset


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def resource_of(sess):
    """The only iterator of a session."""
    (found,) = (r for *_, r in sess._backend.resources.items() if isinstance(r, Iterator))
    return found


def test_a_step_waits_for_its_turn_and_a_closed_session_ends_the_wait():
    inside, go_on = threading.Event(), threading.Event()

    def slow(x):
        inside.set()
        go_on.wait(20)
        return x

    mapped = Dataset.range(5).map(lambda x: tf.py_func(slow, [x], tf.int64))
    element = mapped.make_one_shot_iterator().get_next()
    sess = tf.Session()
    found = []

    def take():
        try:
            found.append(int(sess.run(element)))
        except tf.errors.OpError as error:
            found.append(type(error).__name__)

    first = threading.Thread(target=take)
    first.start()
    assert inside.wait(20)
    second = threading.Thread(target=take)
    second.start()
    iterator = resource_of(sess)
    assert iterator.describe() == "the iterator 'OneShotIterator', 0 elements given"
    closing = threading.Thread(target=sess.close)
    closing.start()
    second.join(20)
    go_on.set()
    first.join(20)
    closing.join(20)
    assert not first.is_alive()
    assert not second.is_alive()
    assert len(found) == 2
    assert "CancelledError" in found


def test_after_an_interrupt_the_next_step_has_its_turn():
    def interrupting(x):
        if x == 1:
            raise KeyboardInterrupt
        return x

    mapped = Dataset.range(4).map(lambda x: tf.py_func(interrupting, [x], tf.int64))
    element = mapped.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        assert sess.run(element) == 0
        with pytest.raises(KeyboardInterrupt):
            sess.run(element)
        assert [sess.run(element), sess.run(element)] == [2, 3]


def test_threads_share_one_iterator():
    element = Dataset.range(300).map(lambda x: x * 2).make_one_shot_iterator().get_next()
    found = [[] for _ in range(4)]
    with tf.Session() as sess:

        def take(mine):
            with suppress(tf.errors.OutOfRangeError):
                while True:
                    mine.append(int(sess.run(element)))

        threads = [threading.Thread(target=take, args=[mine]) for mine in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
    assert sorted(chain.from_iterable(found)) == list(range(0, 600, 2))
    assert all(mine == sorted(mine) for mine in found)


def test_a_deadline_ends_a_step_that_filters_everything_out():
    endless = Dataset.range(10**15).filter(lambda x: x < 0)
    element = endless.make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        error = past_deadline(lambda soon: sess.run(element, options=soon), "IteratorGetNext")
    assert "IteratorGetNext" in str(error)


@pytest.mark.parametrize(
    "endless",
    [
        lambda numbers: numbers.filter(lambda x: x < 0),
        lambda numbers: numbers.skip(10**14),
        lambda numbers: numbers.shuffle(10**14),
        lambda numbers: numbers.flat_map(lambda x: Dataset.range(0)),
    ],
)
def test_a_closed_session_ends_a_pipeline_that_gives_nothing(endless):
    began, raised = threading.Event(), []

    def note(x):
        began.set()
        return x

    numbers = Dataset.range(10**15).map(lambda x: tf.py_func(note, [x], tf.int64))
    numbers = numbers.map(lambda x: tf.reshape(x, []))
    element = endless(numbers).make_one_shot_iterator().get_next()
    sess = tf.Session()

    def take():
        try:
            sess.run(element)
        except tf.errors.OpError as error:
            raised.append(type(error))

    thread = threading.Thread(target=take)
    thread.start()
    assert began.wait(20)
    sess.close()
    thread.join(20)
    assert not thread.is_alive()
    assert raised == [tf.errors.CancelledError]


def test_a_closed_session_leaves_nothing_behind():
    iterator = Dataset.range(5).map(lambda x: x + 1).shuffle(3).make_initializable_iterator()
    sess = tf.Session()
    sess.run(iterator.initializer)
    sess.run(iterator.get_next())
    found = resource_of(sess)
    kept = [weakref.ref(found), weakref.ref(found._stage)]
    sess.close()
    del sess, found
    gc.collect()
    assert [ref() for ref in kept] == [None, None]


def test_a_new_beginning_ends_what_was_begun():
    iterator = Dataset.range(5).repeat().make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        sess.run(element)
        old = resource_of(sess)._stage
        closed = []
        old.on_close(lambda: closed.append(True))
        sess.run(iterator.initializer)
        assert closed == [True]
        assert sess.run(element) == 0


def test_the_end_closes_the_stages():
    iterator = Dataset.range(1).make_one_shot_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(element)
        closed = []
        resource_of(sess)._stage.on_close(lambda: closed.append(True))
        for _ in range(2):
            with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
                sess.run(element)
        assert closed == [True]


def test_a_snapshot_has_a_row_for_each_stage():
    numbers = Dataset.range(100).map(lambda x: x + 1)
    dataset = numbers.filter(lambda x: x % 2 > 0).shuffle(8).batch(3).repeat()
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as sess, stages.watched():
        sess.run(element)
        rows = resource_of(sess).snapshot()
    assert [(row.type, row.depth) for row in rows] == [
        ("RepeatDataset", 0),
        ("BatchDatasetV2", 1),
        ("ShuffleDataset", 2),
        ("FilterDataset", 3),
        ("MapDataset", 4),
        ("RangeDataset", 5),
    ]
    assert [row.produced for row in rows] == [1, 1, 3, 10, 19, 19]
    shuffled = rows[2]
    assert (shuffled.buffered, shuffled.capacity) == (7, 8)
    assert rows[0].buffered is None
    assert all(row.seconds >= 0 for row in rows)
    assert sum(row.seconds for row in rows) > 0
    assert (
        rows[4].op.describe_origin().endswith("numbers = Dataset.range(100).map(lambda x: x + 1)")
    )


def test_time_is_measured_only_while_somebody_watches():
    element = Dataset.range(100).batch(10).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        sess.run(element)
        before = resource_of(sess).snapshot()
        with stages.watched(), stages.watched():
            sess.run(element)
        sess.run(element)
        after = resource_of(sess).snapshot()
    assert [row.seconds for row in before] == [0, 0]
    assert after[0].seconds > 0
    assert [row.produced for row in after] == [3, 30]


def test_a_handle_of_something_else_is_refused():
    v = tf.Variable(1.0, use_resource=True)
    graph = tf.get_default_graph()
    kinds = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
    op = graph.create_op("IteratorGetNext", [v.handle], attrs=kinds)
    make = graph.create_op("MakeIterator", [Dataset.range(3)._variant_tensor, v.handle])
    with tf.Session() as sess:
        sess.run(v.initializer)
        for fetch in (op.outputs[0], make):
            with pytest.raises(tf.errors.InvalidArgumentError, match="not the handle of an iter"):
                sess.run(fetch)


def test_many_calls_of_get_next_are_warned_of():
    iterator = Dataset.range(3).make_one_shot_iterator()
    for _ in range(32):
        iterator.get_next()
    with pytest.warns(UserWarning, match="An unusually high number of `Iterator.get_next"):
        iterator.get_next()


def test_random_numbers_in_functions_begin_anew_with_the_iterator():
    numbers = Dataset.range(3).map(lambda x: tf.random_uniform([], seed=4)).repeat(2)
    iterator = numbers.make_initializable_iterator()
    element = iterator.get_next()
    with tf.Session() as sess:
        sess.run(iterator.initializer)
        first = [sess.run(element) for _ in range(6)]
        sess.run(iterator.initializer)
        assert [sess.run(element) for _ in range(6)] == first
    assert len(set(first)) == 6


def test_stages_that_have_ended_are_let_go():
    make = Dataset.range
    inner = make(10**6).flat_map(lambda x: make(2)).interleave(lambda x: make(3), 2)
    dataset = inner.concatenate(inner).take(5000).repeat().shuffle(10)
    element = dataset.batch(4000).make_one_shot_iterator().get_next()
    with tf.Session() as sess:
        for _ in range(4):
            sess.run(element)
        rows = resource_of(sess).snapshot()
    assert len(rows) < 15


def test_iterators_on_a_server_are_shared_by_its_sessions():
    with tf.train.Server.create_local_server() as server:
        v = tf.Variable(3, dtype=tf.int64, use_resource=True)
        iterator = Dataset.range(5).map(lambda x: x * v).make_initializable_iterator("numbers")
        element = iterator.get_next()
        handle = tf.placeholder(tf.string, [])
        chosen = tf.data.Iterator.from_string_handle(handle, tf.int64, []).get_next()
        with tf.Session(server.target) as sess:
            sess.run(v.initializer)
            sess.run(iterator.initializer)
            assert [sess.run(element), sess.run(element)] == [0, 3]
            text = sess.run(iterator.string_handle())
        with tf.Session(server.target) as sess:
            assert sess.run(chosen, {handle: text}) == 6
            assert sess.run(element) == 9
            failing = Dataset.range(2).map(lambda x: 6 // x).make_one_shot_iterator().get_next()
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                sess.run(failing)
            assert "Integer division by zero" in caught.value.message
            stage = caught.value.message.partition("stage MapDataset_1 (MapDataset), at ele")[2]
            assert "failing = Dataset.range(2).map(lambda x: 6 // x)" in stage.partition("[[")[0]
