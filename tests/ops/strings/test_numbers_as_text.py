"""Numbers as text beyond measure."""

import pytest

import tinytf as tf


@pytest.mark.parametrize(
    ("which", "value"),
    [
        *(("width", value) for value in (1.5, 1, "text", True, 1 + 2j, [0.1, 0.2])),
        *(("precision", value) for value in (1.5, 1 + 2j, [0.1, 0.2])),
    ],
)
def test_as_string_has_a_limit(which, value):
    with tf.Graph().as_default(), tf.Session() as session:
        for size in (2**31 - 1, 10**9):
            y = tf.as_string(value, **{which: size})
            with pytest.raises(tf.errors.ResourceExhaustedError, match=f"of {which} {size}"):
                session.run(y)
