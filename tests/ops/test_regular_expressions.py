"""Regular expressions that no text needs."""

import pytest

import tinytf as tf


@pytest.mark.parametrize("pattern", ["(" * 20000 + "a" + ")" * 20000, "a{99999999999}"])
def test_patterns_beyond_measure_are_refused(pattern):
    with tf.Graph().as_default(), tf.Session() as session:
        y = tf.strings.regex_full_match("a", pattern)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Invalid pattern: ") as caught:
            session.run(y)
    assert len(caught.value.message) < 1000
