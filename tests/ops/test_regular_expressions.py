r"""Regular expressions beyond measure, and that patterns stop nobody."""

import threading

import numpy as np
import pytest

import tinytf as tf


def refused(pattern, error, match, rewrite="-"):
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.regex_replace("a", pattern, rewrite)
        with pytest.raises(error, match=match) as caught:
            session.run(y)
    assert len(caught.value.message) < 1500


@pytest.mark.parametrize("pattern", ["(" * 4000, "a{99999}", r"\pL{1000}" * 10])
def test_patterns_beyond_measure_are_refused(pattern):
    refused(pattern, tf.errors.InvalidArgumentError, "Invalid pattern: ")


def test_long_patterns_are_refused():
    refused(r"\pL" * 100_000, tf.errors.ResourceExhaustedError, "300000 bytes, and may have 8192")


def test_groups_that_take_much_memory(capfd):
    pattern = "()" * 4095
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.regex_replace("ab", pattern + "a", "-")  # which no group is asked for
        assert session.run(y) == b"-b"
    refused(pattern, tf.errors.ResourceExhaustedError, "has 4095 groups", r"\1")
    assert capfd.readouterr().err == ""


def test_a_pattern_of_very_many_ways():
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.regex_replace("a" * 100_000, "(a+)+b", "-")
        z = tf.strings.regex_full_match("a" * 100_000, "(a*)*b")
        assert session.run([tf.strings.length(y), z]) == [100_000, False]


def test_matching_is_cancelled():
    """Each match looks at all the rest of its text: as many as 10**9 steps."""
    begun = threading.Event()

    def text():
        begun.set()
        return np.array([b"a" * 30_000] * 1000, object)

    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.regex_replace(tf.py_func(text, [], tf.string), "a*b|a", "-")
        with pytest.raises(tf.errors.DeadlineExceededError):
            session.run(y, options=tf.RunOptions(timeout_in_ms=200))
        assert begun.is_set()
        assert session.run(tf.regex_replace("b", "b", "c")) == b"c"
