"""A step that looks for an element for ever ends with its deadline, its session, its server."""

import contextlib
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.waiting import LONG, nothing_runs_on
from tinytf.testing import leaks

MANY = 2**60
DATASET = tf.data.Dataset


def numbers():
    return DATASET.range(MANY)


def failing(x):
    """Fails for each element."""
    return tf.debugging.check_numerics(tf.log(-1.0 - tf.cast(tf.abs(x), tf.float32)), "not one")


def records(tmp_path):
    """The lines of one empty file, named very often."""
    path = tmp_path / "empty"
    path.write_bytes(b"")
    return tf.data.TextLineDataset(np.array([str(path)] * 1_000_000, object))


PIPELINES = {
    "batch": lambda: numbers().batch(2**40),
    "batch in threads": lambda: numbers().batch(2**40, num_parallel_calls=2),
    "batch of elements that fail": lambda: numbers().map(failing).batch(2**40),
    "map and batch": lambda: numbers().apply(
        tf.data.experimental.map_and_batch(lambda x: x, 2**40)
    ),
    "padded_batch": lambda: numbers().padded_batch(2**40, []),
    "window": lambda: numbers().window(2**40).flat_map(lambda x: x),
    "window that skips": lambda: numbers().window(1, shift=2**40).flat_map(lambda x: x).skip(1),
    "skip": lambda: numbers().skip(2**50),
    "shard": lambda: numbers().shard(2**50, 2**49),
    "filter": lambda: numbers().filter(lambda x: x < 0),
    "flat_map to nothing": lambda: numbers().flat_map(lambda x: DATASET.range(0)),
    "interleave of nothing": lambda: numbers().interleave(lambda x: DATASET.range(0), 4),
    "parallel interleave of nothing": lambda: numbers().interleave(
        lambda x: DATASET.range(0), 4, num_parallel_calls=2
    ),
    "repeat of nothing": lambda: DATASET.range(0).repeat(MANY),
    "unbatch of nothing": lambda: DATASET.from_tensors(np.zeros([0])).repeat().unbatch(),
    "shuffle": lambda: numbers().shuffle(2**40),
    "shuffle_and_repeat of nothing": lambda: DATASET.range(0).apply(
        tf.data.experimental.shuffle_and_repeat(10, MANY)
    ),
    "unique": lambda: DATASET.from_tensors(1).repeat().apply(tf.data.experimental.unique()).skip(1),
    "ignore_errors": lambda: numbers().map(failing).apply(tf.data.experimental.ignore_errors()),
    "choose_from_datasets": lambda: tf.data.experimental.choose_from_datasets(
        [DATASET.range(1), numbers()], DATASET.from_tensors(np.int64(0)).repeat()
    ).skip(1),
    "group_by_window": lambda: numbers().apply(
        tf.data.experimental.group_by_window(lambda x: x, lambda _, x: x.batch(1), MANY)
    ),
    "prefetch": lambda: numbers().batch(2**40).prefetch(1),
    "cache": lambda: numbers().cache().skip(2**50),
    "scan": lambda: (
        numbers()
        .apply(tf.data.experimental.scan(np.int64(0), lambda s, x: (s, x)))
        .filter(lambda x: x < 0)
    ),
    "zip": lambda: DATASET.zip((numbers(), numbers())).skip(2**50),
    "concatenate": lambda: DATASET.range(1).concatenate(numbers()).skip(2**50),
    "take_while": lambda: (
        numbers().apply(tf.data.experimental.take_while(lambda x: x >= 0)).skip(2**50)
    ),
    "generator": lambda: DATASET.from_generator(lambda: iter(int, 1), tf.int64).batch(2**40),
    "random numbers": lambda: tf.data.experimental.RandomDataset(1).skip(2**50),
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


SOON = tf.RunOptions(timeout_in_ms=60)


def element_of(pipeline):
    return pipeline().make_one_shot_iterator().get_next()


@pytest.mark.parametrize("name", PIPELINES)
def test_a_deadline_ends_it(name):
    element = element_of(PIPELINES[name])
    with leaks.none_left(), tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=SOON)
        assert nothing_runs_on()


def test_empty_files_without_end(tmp_path):
    test = element_of(lambda: records(tmp_path))
    with leaks.none_left(), tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(test, options=SOON)
        assert nothing_runs_on()


def test_reducing_without_end():
    total = numbers().reduce(np.int64(0), lambda a, b: a + b)
    with leaks.none_left(), tf.Session() as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(total, options=SOON)
        assert nothing_runs_on()


@contextlib.contextmanager
def in_a_step(session, fetch):
    """The block runs during the step; afterwards the list has how that ended."""
    ended = []

    def run():
        try:
            ended.append(session.run(fetch))
        except Exception as error:
            ended.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    yield ended
    thread.join(LONG)
    assert not thread.is_alive()


def begun(pipeline):
    """(An element of a pipeline, an event: its first element was asked for)."""
    has_begun = threading.Event()

    def begin(x):
        has_begun.set()
        return x

    def mapped(x):
        return tf.py_func(begin, [x], tf.int64)

    first = DATASET.range(1).map(mapped).concatenate(numbers())
    return pipeline(first).make_one_shot_iterator().get_next(), has_begun


GROWING = {
    "batch": lambda x: x.batch(2**40),
    "padded_batch": lambda x: x.padded_batch(2**40, []),
    "window": lambda x: x.window(2**40).flat_map(lambda x: x),
    "shard": lambda x: x.shard(2**50, 2**49),
    "prefetch": lambda x: x.batch(2**40).prefetch(1),
}


@pytest.mark.parametrize("name", GROWING)
def test_closing_the_session_ends_it(name):
    element, has_begun = begun(GROWING[name])
    with leaks.none_left():
        session = tf.Session()
        with in_a_step(session, element) as ended:
            assert has_begun.wait(LONG)
            session.close()
        assert isinstance(ended[0], tf.errors.CancelledError)
        assert nothing_runs_on()
