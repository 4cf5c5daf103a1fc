"""An interrupt from the keyboard at any place of a call by gRPC: the connection goes on working.

gRPC's Python takes locks of the connection; one that an interrupt leaves taken stops the calls of
all other threads.
"""

import queue
import threading

import grpc._channel
import grpc._common
import pytest

import tinytf as tf
from tests.distributed.wire.interrupts import Interrupted
from tinytf.distributed.wire import grpc_client, interrupts

LONG = 30.0
GET_STATUS = "/tensorflow.WorkerService/GetStatus"
MODULES = threading, grpc._channel, grpc._common, grpc_client, interrupts


@pytest.fixture(scope="module")
def server():
    server = tf.train.Server.create_local_server()
    yield server
    server.stop()


@pytest.fixture
def client(server):
    client = grpc_client.GrpcClient(server.target.removeprefix("grpc://"))
    yield client
    client.close()


def call(client):
    client.call(GET_STATUS, b"", None, None, lambda metadata: None)


def call_patiently(client):
    client.call_patiently(GET_STATUS, b"", None, None, None, lambda metadata: None)


def start(client):
    """A call that is withdrawn, or over already; it, since Python loses interrupts in `__del__`."""
    over = queue.SimpleQueue()  # whose own locks are C's
    call = client.start(GET_STATUS, b"", None, False, True)
    call.add_done_callback(over.put)
    call.cancel()
    over.get(timeout=LONG)
    return call


def called_by_another_thread(client):
    done = threading.Event()
    threading.Thread(target=lambda: (call(client), done.set()), daemon=True).start()
    return done.wait(LONG)


def is_interrupted(client, way, number):
    """Go that way, with an interrupt at a place; whether there are so many places."""
    with Interrupted(number, *MODULES) as interrupted:
        try:
            kept = way(client)
        except KeyboardInterrupt:
            return True
    del kept
    assert not interrupted.came, f"the interrupt at place {number} is lost"
    return False


# gRPC says so of an object of its own that is not complete.
@pytest.mark.filterwarnings("ignore:.*_Rendezvous.__del__:pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("way", [call, call_patiently, start])
def test_an_interrupt_leaves_no_lock_taken(client, way):
    call(client)
    number = 0
    while is_interrupted(client, way, number):
        assert called_by_another_thread(client), number
        number += 1
    assert number > 20
