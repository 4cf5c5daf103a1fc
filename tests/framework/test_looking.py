"""Loops in kernels look for cancellation, and cost hardly more for it."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.waiting import LONG, nothing_runs_on
from tinytf.framework.cancellation import CancellationManager, look, looking, this_thread
from tinytf.framework.errors import CancelledError


@pytest.fixture
def manager():
    manager = CancellationManager()
    this_thread.manager = manager
    yield manager
    this_thread.manager = None


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, 5000])
def test_the_items_are_the_same(manager, count):
    assert list(looking(range(count))) == list(range(count))
    this_thread.manager = None
    assert list(looking(range(count))) == list(range(count))


def test_a_cancellation_ends_it_soon(manager):
    seen = []

    def until_cancelled():
        for item in looking(iter(int, 1)):
            seen.append(item)
            if len(seen) == 10:
                manager.start_cancel(CancelledError(None, None, "enough"))

    with pytest.raises(CancelledError, match="enough"):
        until_cancelled()
    assert len(seen) == 1024
    with pytest.raises(CancelledError, match="enough"):
        look()


def test_outside_of_steps_there_is_nothing_to_look_for():
    assert this_thread.manager is None
    look()


def test_a_thread_forgets_the_step_when_it_is_over():
    with tf.Graph().as_default(), tf.Session() as session:
        seen = []

        def note(x):
            seen.append(this_thread.manager)
            return x

        noted = tf.py_func(note, [tf.constant(1.0)], tf.float32)
        session.run(noted, options=tf.RunOptions(timeout_in_ms=60_000))
        assert isinstance(seen[0], CancellationManager)
        assert this_thread.manager is None


def texts():
    return tf.fill([2_000_000], "A text, of words, as there are many more of them")


LOOPS = {
    "string_lower": lambda: tf.strings.lower(texts(), encoding="utf-8"),
    "string_split": lambda: tf.string_split(texts(), " ,").values,
    "string_join": lambda: tf.strings.join([texts(), texts()]),
    "substr": lambda: tf.substr(texts(), 1, 5, unit="UTF8_CHAR"),
    "string_length": lambda: tf.strings.length(texts(), unit="UTF8_CHAR"),
    "encode_base64": lambda: tf.encode_base64(texts()),
    "reduce_join": lambda: tf.reduce_join(tf.reshape(texts(), [-1, 2]), 1),
    "unsorted_segment_join": lambda: tf.strings.unsorted_segment_join(
        texts(), tf.range(2_000_000), 2_000_000
    ),
    "log_uniform_candidate_sampler": lambda: tf.nn.log_uniform_candidate_sampler(
        tf.constant([[0]], tf.int64), 1, 2_999_999, True, 3_000_000
    )[0],
    "random_normal": lambda: tf.random_normal([60_000_000], seed=1),
    "truncated_normal": lambda: tf.truncated_normal([60_000_000], seed=1),
    "random_gamma": lambda: tf.random_gamma([10_000_000], 0.5, seed=1),
    "random_poisson": lambda: tf.random_poisson(50.0, [10_000_000], seed=1),
    "max_pool": lambda: tf.nn.max_pool(
        tf.ones([1, 3000, 3000, 1]), [1, 3000, 3000, 1], [1, 1, 1, 1], "SAME"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_a_deadline_ends_the_kernel_too(name):
    """Each would compute for many seconds more; its parts take less than one."""
    with tf.Graph().as_default(), tf.Session() as session:
        result = LOOPS[name]()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(result.op, options=tf.RunOptions(timeout_in_ms=300))
        assert nothing_runs_on()


def test_segments_that_nobody_could_hold_are_refused_at_once():
    with tf.Graph().as_default(), tf.Session() as session:
        joined = tf.strings.unsorted_segment_join(["a"], [0], np.int64(2**45))
        with pytest.raises(tf.errors.ResourceExhaustedError):
            session.run(joined)


def test_a_reader_of_empty_files_without_end(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    with tf.Graph().as_default(), tf.Session() as session:
        queue = tf.FIFOQueue(2000, [tf.string], shapes=[[]])
        fill = queue.enqueue_many([[str(tmp_path / "empty")] * 1000])
        session.run(fill)
        record = tf.TextLineReader().read(queue)
        is_over = threading.Event()

        def go_on():
            while not is_over.is_set():
                session.run(fill)

        thread = threading.Thread(target=go_on)
        thread.start()
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(record, options=tf.RunOptions(timeout_in_ms=200))
        assert nothing_runs_on()
        is_over.set()
        session.run(queue.dequeue_many(session.run(queue.size())))
        thread.join(LONG)
        assert not thread.is_alive()
