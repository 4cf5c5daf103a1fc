"""A session on a server of the same process: as any other, without the network."""

import signal
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tinytf.diagnosis import picture, texts
from tinytf.distributed.client import client_waits
from tinytf.distributed.wire import in_process
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.framework import waiting

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


def test_a_step_that_nobody_can_end_says_so(monkeypatch, capfd):
    """The caller's own thread runs the step, as a part of one that may have parts elsewhere."""
    monkeypatch.setattr(waiting, "patience_seconds", 0.02)
    monkeypatch.setattr(client_waits, "LOOK_SECONDS", 0.02)
    main = threading.main_thread()
    monkeypatch.setattr(picture, "matters", lambda thread, frame: thread is main)
    told, of_stuck = threading.Event(), texts.of_stuck

    def noted(*about):
        told.set()
        return of_stuck(*about)

    monkeypatch.setattr(texts, "of_stuck", noted)
    with tf.train.Server.create_local_server() as server:
        queue = tf.FIFOQueue(5, [tf.float32], shapes=[[]], shared_name="q", name="q")
        put, taken = queue.enqueue(3.0, name="put"), queue.dequeue(name="take")
        with tf.Session(server.target) as session, tf.Session(server.target) as other:
            other.run(queue.size())

            def end():
                told.wait(60)
                other.run(put)

            thread = threading.Thread(target=end)
            thread.start()
            assert session.run(taken) == 3.0
            thread.join()
    text = capfd.readouterr().out
    assert text.count("nothing that runs can end it") == 1
    assert "waits for 1 element in the queue 'q' (FIFOQueue)" in text
    assert "No thread runs what puts elements in:\n    put (QueueEnqueueV2)" in text
