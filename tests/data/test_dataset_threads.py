"""The threads of prefetch, parallel map and interleave: what they do ahead, and when they end."""

import gc
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.effort import examples
from tinytf.framework import waiting
from tinytf.testing import leaks

PATIENCE = 20.0


@pytest.fixture(autouse=True)
def nothing_is_left_running():
    with leaks.none_left(), tf.Graph().as_default():
        yield


class Gate:
    """A function of a dataset that notes its calls and lets so many of them pass."""

    def __init__(self, passing=0):
        self.changed = threading.Condition()
        self.called, self.passing = [], passing

    def __call__(self, number):
        with self.changed:
            self.called.append(int(number))
            self.changed.notify_all()
            assert self.changed.wait_for(lambda: self.passing > 0, PATIENCE)
            self.passing -= 1
        return number

    def open(self, count=1):
        with self.changed:
            self.passing += count
            self.changed.notify_all()

    def wait_for_calls(self, count):
        with self.changed:
            assert self.changed.wait_for(lambda: len(self.called) >= count, PATIENCE)


def numbers(gate, count, **how):
    return tf.data.Dataset.range(count).map(lambda x: tf.py_func(gate, [x], tf.int64), **how)


def started(dataset, session):
    iterator = dataset.make_initializable_iterator()
    session.run(iterator.initializer)
    return iterator


def test_prefetch_works_ahead_of_whoever_asks():
    gate = Gate(passing=100)
    with tf.Session() as session:
        element = started(numbers(gate, 100).prefetch(3), session).get_next()
        assert session.run(element) == 0
        gate.wait_for_calls(4)  # the one that was given, and three that are ready
        assert session.run(element) == 1
        gate.wait_for_calls(5)
        assert gate.called == [0, 1, 2, 3, 4]


def test_nothing_runs_before_the_first_element_is_asked_for():
    gate = Gate()
    with tf.Session() as session:
        started(numbers(gate, 3).prefetch(1), session)
        assert gate.called == []


def test_calls_of_a_parallel_map_overlap():
    gate = Gate()
    with tf.Session() as session:
        dataset = numbers(gate, 6, num_parallel_calls=3)
        element = started(dataset, session).get_next()
        found = []
        taker = threading.Thread(target=lambda: found.append(session.run(element)))
        taker.start()
        gate.wait_for_calls(3)
        assert sorted(gate.called) == [0, 1, 2]
        gate.open(100)
        taker.join(PATIENCE)
        assert found == [0]
        assert [session.run(element) for _ in range(5)] == [1, 2, 3, 4, 5]


def test_without_an_order_what_is_ready_comes_first():
    first_may_end = threading.Event()

    def slow_at_first(number):
        if number == 0:
            assert first_may_end.wait(PATIENCE)
        return number

    dataset = tf.data.Dataset.range(4).map(
        lambda x: tf.py_func(slow_at_first, [x], tf.int64),
        num_parallel_calls=2,
        deterministic=False,
    )
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert sorted(session.run(element) for _ in range(3)) == [1, 2, 3]
        first_may_end.set()
        assert session.run(element) == 0
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


@pytest.mark.parametrize("stages", [1, 2])
def test_closing_the_session_ends_threads_that_wait_in_a_queue(stages):
    queue = tf.FIFOQueue(10, tf.int64, shapes=[[]])

    def waits_after_the_first(x):
        return tf.cond(tf.equal(x, 0), lambda: x, queue.dequeue)

    dataset = tf.data.Dataset.range(5).map(waits_after_the_first, num_parallel_calls=2)
    for _ in range(stages):
        dataset = dataset.prefetch(1)
    session = tf.Session()
    element = started(dataset, session).get_next()
    # Not an element of the queue's: any of the calls could take it, and the first one wait.
    assert session.run(element) == 0
    session.close()  # leaks are looked for after the test


def test_initialising_again_begins_anew():
    with tf.Session() as session:
        dataset = tf.data.Dataset.range(1000).map(lambda x: x, num_parallel_calls=2).prefetch(2)
        iterator = dataset.make_initializable_iterator()
        element = iterator.get_next()
        for _ in range(20):
            session.run(iterator.initializer)
            assert [session.run(element) for _ in range(3)] == [0, 1, 2]


def test_a_stage_that_nobody_refers_to_ends_its_thread():
    from tinytf.data.prefetch import PrefetchDataset
    from tinytf.data.range import RangeDataset
    from tinytf.data.stages import Context

    made = tf.data.Dataset.range(1000).prefetch(1)
    node = made._variant_tensor.op
    source = RangeDataset(0, 1000, 1, node=node.inputs[0].op)
    stage = PrefetchDataset(source, 1, node=node).iterate(Context(None, None))
    assert stage.next() == (0,)
    name = f"tf.data {node.name}"
    assert [thread.name for thread in threading.enumerate() if thread.name == name] == [name]
    thread = next(thread for thread in threading.enumerate() if thread.name == name)
    del stage
    gc.collect()
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.mark.parametrize("threads", ["prefetch", "map", "interleave", "batch"])
def test_errors_come_in_their_place(threads):
    def divided(x):
        return tf.check_numerics(1 / tf.cast(x - 2, tf.float32), "divided by nothing")

    dataset = tf.data.Dataset.range(4)
    if threads == "prefetch":
        dataset = dataset.map(divided).prefetch(2)
    elif threads == "map":
        dataset = dataset.map(divided, num_parallel_calls=2)
    elif threads == "interleave":
        dataset = dataset.interleave(
            lambda x: tf.data.Dataset.from_tensors(divided(x)), 2, num_parallel_calls=2
        )
    else:
        dataset = dataset.map(divided).batch(1, num_parallel_calls=2).map(lambda row: row[0])
    element = dataset.make_one_shot_iterator().get_next()
    with tf.Session() as session:
        assert [float(session.run(element)) for _ in range(2)] == [-0.5, -1.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="divided by nothing") as caught:
            session.run(element)
        assert "In the pipeline's stage" in str(caught.value)
        assert float(session.run(element)) == 1.0
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_a_deadline_ends_the_wait_and_the_element_comes_later():
    queue = tf.FIFOQueue(10, tf.int64, shapes=[[]])
    dataset = tf.data.Dataset.range(5).map(lambda x: x + queue.dequeue()).prefetch(1)
    with tf.Session() as session:
        element = started(dataset, session).get_next()
        soon = tf.RunOptions(timeout_in_ms=50)
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=soon)
        session.run(queue.enqueue(3))
        assert session.run(element) == 3


def test_why_stuck_names_the_stage_and_what_its_thread_waits_for():
    queue = tf.FIFOQueue(10, tf.int64, shapes=[[]], name="empty")
    put = queue.enqueue(1)
    dataset = tf.data.Dataset.range(1).map(lambda x: queue.dequeue()).prefetch(1)
    with tf.Session() as session:
        element = started(dataset, session).get_next()
        found = []
        taker = threading.Thread(target=lambda: found.append(session.run(element)))
        taker.start()
        both_wait = threading.Event()
        while len(waiting.blocked()) < 2 and taker.is_alive():
            both_wait.wait(0.001)  # nothing tells of waits that begin
        text = repr(tf.why_stuck())
        session.run(put)
        taker.join(PATIENCE)
    assert found == [1]
    assert "the stage PrefetchDataset (PrefetchDataset) of a dataset" in text
    assert "QueueDequeueV2" in text


@examples(40)
@given(
    st.lists(st.integers(0, 5), max_size=6),
    st.integers(1, 4),
    st.integers(1, 3),
    st.integers(1, 3),
    st.booleans(),
)
def test_interleaving_in_threads_is_interleaving(lengths, cycle, block, threads, has_order):
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.data.Dataset.from_tensor_slices(
            (tf.range(len(lengths), dtype=tf.int64) * 100, tf.constant(lengths, tf.int64))
        )

        def make(first, count):
            return tf.data.Dataset.range(first, first + count)

        def elements(dataset):
            element = started(dataset.batch(100), session).get_next()
            return session.run(element).tolist() if sum(lengths) else []

        expected = elements(rows.interleave(make, cycle, block))
        found = elements(
            rows.interleave(
                make, cycle, block, num_parallel_calls=min(threads, cycle), deterministic=has_order
            )
        )
        assert found == expected if has_order else sorted(found) == sorted(expected)


@examples(30)
@given(st.integers(0, 30), st.integers(1, 4), st.integers(0, 4), st.integers(1, 5))
def test_threads_change_nothing(count, calls, size, rows):
    with tf.Graph().as_default(), tf.Session() as session:
        dataset = tf.data.Dataset.range(count).map(lambda x: x * x, num_parallel_calls=calls)
        dataset = dataset.prefetch(size).batch(rows, num_parallel_calls=calls).prefetch(size)
        element = started(dataset, session).get_next()
        found = []
        try:
            while True:
                found += session.run(element).tolist()
        except tf.errors.OutOfRangeError:
            assert found == [number * number for number in range(count)]
