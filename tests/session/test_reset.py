"""`tf.Session.reset("")`: the sessions of this process."""

import pytest

import tinytf as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_open_sessions_end_and_new_ones_start_afresh():
    v = tf.Variable(1.0)
    first, second, closed = tf.Session(), tf.Session(), tf.Session()
    for session in (first, second):
        session.run(v.initializer)
    closed.close()
    assert tf.Session.reset("") is None
    for session in (first, second):
        with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
            session.run(v)
    with pytest.raises(RuntimeError, match="Attempted to use a closed Session"):
        closed.run(v)
    with (
        tf.Session() as fresh,
        pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value Variable"),
    ):
        fresh.run(v)


def test_sessions_on_a_server_stay():
    c = tf.constant(1)
    with tf.train.Server.create_local_server() as server, tf.Session(server.target) as remote:
        assert remote.run(c) == 1
        tf.Session.reset("")
        assert remote.run(c) == 1
