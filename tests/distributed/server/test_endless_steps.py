"""A step on a server that gathers elements without end, ends with its deadline, close and reset."""

import sys
import threading

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tinytf.data import batch

LONG = 60.0  # seconds; a test that is right never waits that long


@pytest.fixture(scope="module")
def target(transport):
    with tf.train.Server.create_local_server() as server:
        yield server.target


def is_gathering():
    """Whether a thread of this process, in which the server is, gathers a batch."""
    frames = list(sys._current_frames().values())
    while frames:
        frame = frames.pop()
        if frame.f_code is batch.gather.__code__:
            return True
        if frame.f_back is not None:
            frames.append(frame.f_back)
    return False


PIPELINES = {
    "batch": lambda numbers: numbers.batch(2**40),
    "prefetched": lambda numbers: numbers.batch(2**40).prefetch(1),
    "padded": lambda numbers: numbers.padded_batch(2**40, []),
}


@pytest.fixture(params=PIPELINES)
def element(request):
    with tf.Graph().as_default():
        numbers = tf.data.Dataset.range(2**60)
        yield PIPELINES[request.param](numbers).make_one_shot_iterator().get_next()


def run_in_thread(session, element):
    """Run a step that will fail; returns the thread, and a list for its error."""
    errors = []

    def run():
        try:
            session.run(element)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, errors


def test_its_deadline(target, element):
    with tf.Session(target) as session:
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(element, options=tf.RunOptions(timeout_in_ms=100))
    assert until(lambda: not is_gathering())


@pytest.mark.parametrize("how", ["close", "reset"])
def test_the_end_of_its_session(target, element, how):
    session = tf.Session(target)
    thread, errors = run_in_thread(session, element)
    assert until(is_gathering)
    if how == "close":
        session.close()
    else:
        tf.Session.reset(target)
    thread.join(LONG)
    assert not thread.is_alive()
    assert isinstance(errors[0], tf.errors.CancelledError | tf.errors.AbortedError)
    assert until(lambda: not is_gathering())
    session.close()
