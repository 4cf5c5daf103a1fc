r"""Regular expressions beyond measure, and that patterns stop nobody."""

from types import SimpleNamespace

import numpy as np
import pytest

import tinytf as tf
from tinytf.framework.cancellation import CancellationManager
from tinytf.ops.strings import regular_expressions


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


def test_matching_ends_with_its_step():
    step = SimpleNamespace(cancellation=CancellationManager())
    step.cancellation.start_cancel()
    for match in (
        lambda: regular_expressions._replace(step, np.array(b"a", object), b"a", b"b", True),
        lambda: regular_expressions._matches(step, np.array(b"a", object), b"a"),
    ):
        with pytest.raises(tf.errors.CancelledError, match="was cancelled"):
            match()
