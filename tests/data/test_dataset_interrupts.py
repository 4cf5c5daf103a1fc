"""Ctrl-C in a step that waits for an element: the step ends, and the iterator works on."""

import signal
import threading

import pytest

import tinytf as tf
from tests.data.test_dataset_threads import PATIENCE, Gate, numbers, started
from tinytf.framework import waiting
from tinytf.testing import leaks


@pytest.fixture(autouse=True)
def nothing_is_left_running():
    with leaks.none_left(), tf.Graph().as_default():
        yield


def interrupted(session, element, is_time):
    """Run a step, and press Ctrl-C as soon as it is time; KeyboardInterrupt is expected."""
    is_over = threading.Event()

    def interrupt():
        while not is_time() and not is_over.is_set():
            is_over.wait(0.001)  # nothing tells of waits that begin
        if not is_over.is_set():
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            session.run(element)
    finally:
        is_over.set()
        thread.join(PATIENCE)


def is_awaited():
    main = threading.main_thread().ident
    blocked = [one for one in waiting.blocked() if one.thread == main]
    return any("get ready" in wait.what for one in blocked for wait in one.waiter.waits())


PIPELINES = {
    "prefetch": lambda gate: numbers(gate, 5).prefetch(2),
    "parallel map": lambda gate: numbers(gate, 5, num_parallel_calls=2),
    "two buffers": lambda gate: numbers(gate, 5).prefetch(1).map(lambda x: x + 0).prefetch(1),
    "parallel interleave": lambda gate: tf.data.Dataset.range(1).interleave(
        lambda _: numbers(gate, 5), 1, num_parallel_calls=1
    ),
}


@pytest.mark.parametrize("name", PIPELINES)
def test_the_wait_for_threads_can_be_interrupted(name):
    gate = Gate()
    with tf.Session() as session:
        element = started(PIPELINES[name](gate), session).get_next()
        for _ in range(3):
            interrupted(session, element, is_awaited)
        gate.open(100)
        assert [int(session.run(element)) for _ in range(5)] == list(range(5))
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def slow(gate):
    """Numbers; before each it waits at the gate."""
    for number in range(4):
        yield gate(number)


class Slow:
    """The same, as an object that goes on after an interrupt."""

    def __init__(self, gate):
        self.gate, self.number = gate, -1

    def __iter__(self):
        return self

    def __next__(self):
        self.number += 1
        if self.number == 4:
            raise StopIteration
        return self.gate(self.number)


def test_a_slow_generator_can_be_interrupted_behind_a_buffer():
    gate = Gate()
    dataset = tf.data.Dataset.from_generator(lambda: slow(gate), tf.int64, []).prefetch(1)
    with tf.Session() as session:
        element = started(dataset, session).get_next()
        interrupted(session, element, is_awaited)
        gate.open(100)
        assert [int(session.run(element)) for _ in range(4)] == [0, 1, 2, 3]


def test_a_slow_iterator_goes_on_with_the_next_element():
    gate = Gate()
    dataset = tf.data.Dataset.from_generator(lambda: Slow(gate), tf.int64, [])
    with tf.Session() as session:
        element = started(dataset, session).get_next()
        interrupted(session, element, lambda: gate.called == [0])
        gate.open(100)
        assert [int(session.run(element)) for _ in range(3)] == [1, 2, 3]


def test_a_generator_ends_with_the_interrupt_that_it_does_not_catch():
    gate = Gate()
    iterator_of = tf.data.Dataset.from_generator(lambda: slow(gate), tf.int64, [])
    with tf.Session() as session:
        iterator = started(iterator_of, session)
        element = iterator.get_next()
        interrupted(session, element, lambda: gate.called == [0])
        gate.open(100)
        with pytest.raises(tf.errors.OutOfRangeError):  # as any generator of Python
            session.run(element)
        session.run(iterator.initializer)
        assert [int(session.run(element)) for _ in range(4)] == [0, 1, 2, 3]
