"""A session on a server of the same process: as any other, without the network."""

import signal
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tinytf.distributed.wire import in_process
from tinytf.distributed.wire.client_transport import ClientTransport

pytestmark = pytest.mark.in_process


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


@pytest.fixture
def calls(monkeypatch):
    """The methods that clients called by gRPC."""
    seen = []
    call = ClientTransport.call

    def spy(self, path, *arguments, **keywords):
        seen.append(path.rpartition("/")[2])
        return call(self, path, *arguments, **keywords)

    monkeypatch.setattr(ClientTransport, "call", spy)
    return seen


def test_steps_spare_the_network(server, calls):
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(3) + 5) == 8
    assert calls == ["CreateSession", "CloseSession"]


def test_a_configuration_keeps_them_on_it(server, calls):
    config = tf.ConfigProto()
    config.rpc_options.use_rpc_for_inprocess_master = True
    with tf.Graph().as_default(), tf.Session(server.target, config=config) as session:
        assert session.run(tf.constant(3) + 5) == 8
    assert calls == ["CreateSession", "RunStep", "CloseSession"]


def test_nothing_is_shared_with_the_caller(server):
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        x = tf.placeholder(tf.float32, [3])
        v = tf.get_variable("v", [3], initializer=tf.zeros_initializer(), use_resource=False)
        session.run(v.initializer)
        fed = np.ones([3], np.float32)
        session.run(v.assign(x), {x: fed})
        fed[:] = 7
        fetched = session.run(v)
        assert fetched.tolist() == [1, 1, 1]
        fetched[:] = 9
        assert session.run(v).tolist() == [1, 1, 1]
        same = session.run(tf.identity(x), {x: fed})
        same[:] = 0
        assert fed.tolist() == [7, 7, 7]


def test_errors_have_the_line_of_the_client(server):
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        x = tf.placeholder(tf.int32, [])
        quotient = tf.floordiv(1, x, name="quotient")
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division") as caught:
            session.run(quotient, {x: 0})
    assert caught.value.op is quotient.op
    assert caught.value.message.count("test_in_process.py") == 1


def test_an_interrupt_ends_a_step(server):
    with Gate() as gate, tf.Graph().as_default(), tf.Session(server.target) as session:
        wait = gate.card(tf.constant(1.0), name="wait")

        def interrupt():
            gate.reached.wait()
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            session.run(wait)
        thread.join()
        assert session.run(tf.constant(2)) == 2


def test_only_servers_that_serve_are_found(server):
    address = server.target.partition("://")[2]
    assert in_process.find(address) is not None
    assert in_process.find(f"example.org:{address.rpartition(':')[2]}") is None
    server.stop()
    assert in_process.find(address) is None
