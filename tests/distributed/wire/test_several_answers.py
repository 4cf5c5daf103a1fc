"""Requests with several answers, on a unix socket: each comes when it is there, and ends once."""

import contextlib
import itertools
import socket
import threading

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tests.distributed.wire.interrupts import Interrupted
from tests.distributed.wire.unix_place import Message, as_bytes, echo, hello
from tests.waiting import LONG
from tinytf.distributed.wire import faults, unix_client, unix_frames, unix_paths
from tinytf.distributed.wire.requests import RECEIVE_SEVERAL

pytestmark = pytest.mark.skipif(not unix_paths.is_possible(), reason="no such sockets here")


class Several:
    """A request with an answer for each byte of `data`, and what has come."""

    def __init__(self, client, data):
        self.answers, self._came = {}, threading.Semaphore(0)
        message = Message(data)
        self.call = client.start_several(RECEIVE_SEVERAL, message, as_bytes, len(data), self._done)

    def _done(self, index, answer, error):
        assert index not in self.answers
        self.answers[index] = error or answer
        self._came.release()

    def wait(self, count):
        for _ in range(count):
            assert self._came.acquire(timeout=LONG)
        return self.answers


def promises(place, count):
    """What a request has made the server promise, by its byte."""
    for _ in range(count):
        assert place.started.acquire(timeout=LONG)
    found, place.pending = dict(place.pending), []
    return found


def test_each_comes_when_it_is_there_and_errors_are_its_own(place):
    client = place.near()
    several = Several(client, b"a!c")
    assert str(several.wait(1)[1]).startswith("!")
    made = promises(place, 2)
    made[b"c"].set_result(Message(b"C" * 100_000))
    assert several.wait(1)[2] == b"C" * 100_000
    made[b"a"].set_error(tf.errors.AbortedError(None, None, "gone"))
    assert isinstance(several.wait(1)[0], tf.errors.AbortedError)
    assert until(lambda: place.server.dispatch._open == 0)
    assert client._users == 1


def test_what_is_withdrawn_is_withdrawn_at_the_server(place):
    several = Several(place.near(), b"ab")
    promises(place, 2)[b"a"].set_result(Message(b"A"))
    several.wait(1)
    several.call.cancel()
    several.call.cancel()
    answers = several.wait(1)
    assert answers[0] == b"A"
    assert isinstance(answers[1], tf.errors.CancelledError)
    assert place.withdrawn.acquire(timeout=LONG)
    assert until(lambda: place.server.dispatch._open == 0)


def test_a_server_that_goes_fails_what_has_not_come(place):
    client = place.near()
    several = Several(client, b"abc")
    promises(place, 3)
    for connection in list(place.server._unix._connections.values()):
        connection.close()
    for error in several.wait(3).values():
        assert isinstance(error, tf.errors.UnavailableError)
        assert error.details == "Socket closed"
    assert echo(client, b"a") == b"a"


def test_there_is_none_by_grpc_and_where_the_network_has_faults(place):
    assert Several(place.client(transport="grpc"), b"a").call is None
    client = place.near()
    with lost(client.address):
        assert Several(client, b"a").call is None
    assert Several(client, b"a").call is not None


@contextlib.contextmanager
def lost(address):
    """Answers from there, and requests, are lost."""
    faults.update("the test", {address: faults.LOST})
    try:
        yield
    finally:
        faults.update("the test", {})


@pytest.mark.parametrize("is_withdrawn", [False, True])
def test_answers_are_lost_until_the_network_is_healed(place, is_withdrawn):
    client = place.near()
    several, other = Several(client, b"ab"), place.near()
    with lost(client.address):
        for byte, pending in promises(place, 2).items():
            pending.set_result(Message(byte))
        assert until(lambda: len(several.call._held) == 2)
        assert not several.answers
        if is_withdrawn:
            several.call.cancel()
            assert all(
                isinstance(error, tf.errors.CancelledError) for error in several.wait(2).values()
            )
    if not is_withdrawn:
        assert several.wait(2) == {0: b"a", 1: b"b"}
    assert echo(other, b"a") == b"a"
    assert client._users == 1


def test_too_many_are_asked_for_one_by_one(place):
    client = place.near()
    message, count = Message(b"x"), unix_frames.MOST_ANSWERS + 1
    assert client.start_several(RECEIVE_SEVERAL, message, as_bytes, count, pytest.fail) is None


def test_a_method_that_gives_another_number_of_answers(place):
    client, errors = place.near(), []
    over = threading.Semaphore(0)

    def done(index, answer, error):
        errors.append((index, error))
        over.release()

    client.start_several(RECEIVE_SEVERAL, Message(b"!"), as_bytes, 2, done)
    for _ in range(2):
        assert over.acquire(timeout=LONG)
    assert [index for index, _ in errors] == [0, 1]
    assert all("2 answers were asked for, of 1" in error.message for _, error in errors)
    assert until(lambda: place.server.dispatch._open == 0)
    assert len(Several(client, b"!!").wait(2)) == 2


def test_numbers_begin_again(place):
    client = place.near()
    Several(client, b"!").wait(1)
    client._unix._shared._number = (1 << 32) - 5
    for _ in range(5):
        assert len(Several(client, b"!!").wait(2)) == 2
    assert client._unix._shared._number < 20


def test_an_interrupt_at_any_moment_hurts_no_other_call(place):
    client = place.near()
    other = Several(client, b"x")
    promises(place, 1)[b"x"].set_result(Message(b"X"))
    other.wait(1)
    for number in itertools.count():
        left = Several(client, b"x")
        pending = promises(place, 1)[b"x"]
        try:
            with Interrupted(number, unix_client, unix_frames):
                Several(client, b"!!")
            was_interrupted = False
        except KeyboardInterrupt:
            was_interrupted = True
        pending.set_result(Message(b"X"))
        assert left.wait(1) == {0: b"X"}
        if not was_interrupted:
            break
    assert number >= 20
    assert client.transport == "unix"
    assert until(lambda: client._users == 1)
    assert until(lambda: place.server.dispatch._open == 0)


@pytest.mark.parametrize(
    "message", [b"", b"\1\0\0", unix_frames.COUNT.pack(0), unix_frames.COUNT.pack(1 << 20) + b"x"]
)
@pytest.mark.parametrize("path", [RECEIVE_SEVERAL, "/test/Echo"])
def test_a_request_that_says_nothing_sensible_ends_its_connection(place, message, path):
    other = place.near()
    raw = unix_paths.connect(place.server._path())
    head = unix_frames.head(unix_frames.SEVERAL, 1, len(message), path.encode())
    raw.sendall(hello(unix_frames.HELLO_STREAM) + head + message)
    raw.shutdown(socket.SHUT_WR)
    assert raw.recv(100) == b""
    raw.close()
    assert echo(other, b"a") == b"a"
    assert place.server.dispatch._open == 0
