"""Steps with a deadline: a kernel that hangs keeps nobody, and is reported."""

import threading

import numpy as np
import pytest

import tinytf as tf
from tests.waiting import past_deadline
from tinytf.framework import errors, shape_inference
from tinytf.runtime import stragglers

LONG = 10.0  # seconds; a test that is right never waits that long


@pytest.fixture
def hanging(define):
    """An operation that ends when its event is set, and that event."""
    end = threading.Event()
    card = define("TestHangs", "x: float -> y: float", stateful=True)
    card.shape(shape_inference.unchanged)
    card.kernel(lambda x: (end.wait(LONG), x)[1])
    yield card, end
    end.set()


@pytest.fixture
def report(monkeypatch):
    """What is reported, as soon as it is."""
    texts, done = [], threading.Event()
    monkeypatch.setattr(stragglers, "GRACE_SECONDS", 0.01)
    monkeypatch.setattr(
        stragglers,
        "print",
        lambda text, **how: (texts.append(str(text)), done.set()),
        raising=False,
    )
    return texts, done


def test_a_kernel_that_hangs_does_not_keep_its_caller(hanging, report):
    card, end = hanging
    texts, reported = report
    x = tf.placeholder(tf.float32, [])
    y = card(x + 1.0, name="stuck") * 2.0
    with tf.Session() as sess:
        error = past_deadline(lambda soon: sess.run(y, {x: 1.0}, options=soon), "at stuck")
        assert error.op.name == "stuck"
        assert __file__ in str(error)
        (straggler,) = stragglers.still_running()
        assert [op.name for op in straggler.ops] == ["stuck"]
        assert reported.wait(LONG)
        assert "stuck (TestHangs) is still running" in texts[0]
        assert __file__ in texts[0]
        end.set()
        assert sess.run(y, {x: 1.0}, options=tf.RunOptions(timeout_in_ms=60_000)) == 4.0


def test_who_ends_in_time_is_not_reported(hanging, report):
    card, end = hanging
    texts, _ = report
    end.set()
    y = card(tf.constant(1.0))
    with tf.Session() as sess:
        assert sess.run(y, options=tf.RunOptions(timeout_in_ms=60_000)) == 1.0
    assert stragglers.still_running() == []
    assert texts == []


def test_another_error_in_time_comes_as_it_is(define):
    card = define("TestFails", "x: float -> y: float", stateful=True)
    card.shape(shape_inference.unchanged)
    card.kernel(lambda x: np.zeros([2]) @ np.zeros([3]))
    with tf.Session() as sess, pytest.raises(errors.InvalidArgumentError, match="mismatch"):
        sess.run(card(tf.constant(1.0)), options=tf.RunOptions(timeout_in_ms=60_000))
