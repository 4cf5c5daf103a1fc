"""Texts cross the wire as they are, zeros at the end included."""

import pytest

import tinytf as tf


@pytest.mark.parametrize("text", [b"abc\0\0", b"\0", b"", b"a\0b"])
def test_zeros_at_the_end_of_a_text_stay(text):
    server = tf.train.Server.create_local_server()
    with server, tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(text)) == text
        x = tf.placeholder(tf.string, [])
        assert session.run(tf.identity(x), {x: text}) == text


def test_a_summary_of_zero():
    server = tf.train.Server.create_local_server()
    with server, tf.Graph().as_default(), tf.Session(server.target) as session:
        data = session.run(tf.summary.scalar("z", tf.constant(0.0)))
        assert tf.Summary.FromString(data).value[0].simple_value == 0.0
