"""The unix socket between peers of one user: what it stands.

What both transports have in common is tested by the modules named in `conftest.ON_BOTH`.
"""

import contextlib
import json
import os
import random
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading

import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tests.distributed.wire.unix_place import (
    ECHO,
    RECEIVE,
    WAIT,
    Message,
    Place,
    as_bytes,
    echo,
    hello,
    in_thread,
    started,
)
from tests.effort import rounds
from tests.oracle.environment import ROOT
from tests.waiting import LONG
from tinytf.distributed.limits import Limits
from tinytf.distributed.wire import unix_client, unix_frames, unix_paths, unix_server
from tinytf.runtime import thread_pool

pytestmark = pytest.mark.skipif(not unix_paths.is_possible(), reason="no such sockets here")


# When it fails ------------------------------------------------------------------------------------


def test_a_socket_that_is_not_there_leaves_grpc(place):
    client = place.client()
    os.unlink(place.server._path())
    assert [echo(client, b"a") for _ in range(8)] == [b"a"] * 8
    assert client.transport == "grpc"
    assert not client._asks  # it has given up


def test_a_server_that_is_started_again_is_found_again(place):
    client = place.near()
    before = place.server._path()
    for _ in range(3):
        place.restart()
        assert echo(client, b"a") == b"a"
        assert started(client, ECHO, b"b")[1]() == (b"b", None)
        assert started(client, RECEIVE, b"b", 0.01)[1]()[1] is not None
    assert client.transport == "unix"
    assert place.server._path() != before


def test_a_server_that_goes_fails_the_calls_under_way(place):
    client = place.near()
    thread, results = in_thread(lambda: client.call(WAIT, Message(b"a"), as_bytes))
    _, first = started(client, WAIT, b"b", None)
    _, second = started(client, RECEIVE, b"c", None)
    for _ in range(3):
        assert place.started.acquire(timeout=LONG)
    for connection in list(place.server._unix._connections.values()):
        connection.close()  # as the end of its process would
    thread.join(LONG)
    for error in (results[0], first()[1], second()[1]):
        assert isinstance(error, tf.errors.UnavailableError), error
        assert error.details == "Socket closed"
        assert "Start the server again" in error.message
    for _ in range(3):
        assert place.withdrawn.acquire(timeout=LONG)
    assert echo(client, b"a") == b"a"


def test_stopping_lets_calls_end_and_takes_no_more(place):
    client, other = place.near(), place.near()
    thread, results = in_thread(lambda: client.call(WAIT, Message(b"a"), as_bytes))
    assert place.started.acquire(timeout=LONG)
    stopping, _ = in_thread(lambda: place.server.stop(LONG))

    def is_listening():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", place.server.port)) == 0

    def is_refused():
        try:
            return other.call(ECHO, Message(b"b"), as_bytes, 5.0) != b"b"
        except (tf.errors.UnavailableError, tf.errors.CancelledError):  # as gRPC says
            return True
        except tf.errors.DeadlineExceededError:  # grpcio may forget what comes while it stops
            return True

    # Each way is stopped in its time, and while there is gRPC, that takes what the other refuses.
    assert until(lambda: not is_listening())
    assert until(is_refused)
    place.go_on()
    thread.join(LONG)
    stopping.join(LONG)
    assert results == [b"a"]


@pytest.mark.parametrize("path", [WAIT, RECEIVE])
def test_withdrawn_and_late_calls_are_withdrawn_at_the_server(place, path):
    client = place.near()
    call, outcome = started(client, path, b"a", None)
    assert place.started.acquire(timeout=LONG)
    call.cancel()
    assert isinstance(outcome()[1], tf.errors.CancelledError)
    assert place.withdrawn.acquire(timeout=LONG)
    error = started(client, path, b"a", 0.05)[1]()[1]
    assert isinstance(error, tf.errors.DeadlineExceededError)
    assert "did not answer within 0.05 s" in error.message
    assert place.withdrawn.acquire(timeout=LONG)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"within 0\.05 s"):
        client.call(path, Message(b"a"), as_bytes, 0.05)
    assert place.withdrawn.acquire(timeout=LONG)
    assert echo(client, b"b") == b"b"


def test_limits_are_those_of_the_server():
    with contextlib.closing(Place(limits=Limits(calls=2, message_bytes=100_000))) as place:
        client = place.near()
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"max \(200000 vs\. 100000\)"):
            echo(client, bytes(200_000))
        assert echo(client, bytes(100_000)) == bytes(100_000)
        calls = [started(client, path, b"a") for path in (WAIT, RECEIVE)]
        for _ in calls:
            assert place.started.acquire(timeout=LONG)
        with pytest.raises(tf.errors.ResourceExhaustedError):
            echo(client, b"b")
        for call, outcome in calls:
            call.cancel()
            outcome()
        assert until(lambda: place.server.dispatch._open == 0)
        assert echo(client, b"b") == b"b"


def test_methods_that_are_not_there(place):
    with pytest.raises(tf.errors.UnimplementedError, match="Method not found!"):
        place.near().call("/test/Nothing", Message(b""), as_bytes)


def test_answers_wait_for_a_client_without_a_thread(place):
    client = place.near()
    before = threading.active_count()
    thread, results = in_thread(lambda: [started(client, RECEIVE, bytes([n])) for n in range(100)])
    thread.join(LONG)
    (calls,) = results
    for _ in calls:
        assert place.started.acquire(timeout=LONG)
    assert threading.active_count() <= before + 3
    for data, pending in reversed(place.pending):
        pending.set_result(Message(data * 50_000))
    for n, (_, outcome) in enumerate(calls):
        assert outcome() == (bytes([n]) * 50_000, None)


def test_who_does_not_read_holds_nobody_up(place):
    """Tensors for a peer that is halted wait without a thread of the step that has them."""
    other = place.near()
    raw = unix_paths.connect(place.server._path())
    raw.sendall(hello(unix_frames.HELLO_STREAM))
    for number in range(20):
        raw.sendall(unix_frames.head(unix_frames.REQUEST, number, 1, RECEIVE.encode()) + b"x")
        assert place.started.acquire(timeout=LONG)
    thread, _ = in_thread(
        lambda: [pending.set_result(Message(bytes(1 << 20))) for _, pending in place.pending]
    )
    thread.join(LONG)
    assert not thread.is_alive()
    assert echo(other, b"a") == b"a"
    reader = unix_frames.FrameReader(raw)
    assert sorted(reader.read().number for _ in range(20)) == list(range(20))
    raw.close()


def test_idle_connections_have_no_threads(monkeypatch):
    monkeypatch.setattr(unix_server, "IDLE_SECONDS", 1.0)
    monkeypatch.setattr(thread_pool, "IDLE_SECONDS", 0.1)
    with contextlib.closing(Place()) as place:
        before = threading.active_count()
        clients = [place.near() for _ in range(30)]
        _, outcome = started(clients[0], RECEIVE, b"x")
        assert until(lambda: threading.active_count() <= before + 3)
        assert [echo(client, b"a") for client in clients] == [b"a"] * 30
        assert until(lambda: threading.active_count() <= before + 3)
        place.pending[0][1].set_result(Message(b"y"))
        assert outcome() == (b"y", None)
        for client in clients[1:]:
            client.close()
            place.clients.remove(client)
        assert until(lambda: len(place.server._unix._connections) <= 2)


# Hostile bytes, interrupts ------------------------------------------------------------------------


def test_hostile_bytes_end_their_connection_and_nothing_else(place):
    client, chance = place.near(), random.Random(3)
    good = hello() + unix_frames.head(unix_frames.REQUEST, 1, 4, ECHO.encode()) + b"abcd"
    assert echo(client, b"a") == b"a"
    count = len(place.server._unix._connections)
    for _ in range(rounds(150)):
        damaged = bytearray(good)
        for _ in range(chance.randrange(1, 8)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        raw = connected(place)
        raw.sendall(damaged[: chance.randrange(1, len(damaged) + 1)])
        raw.close()
    assert echo(client, b"a") == b"a"
    assert until(lambda: len(place.server._unix._connections) == count)
    assert place.server.dispatch._open == 0


def connected(place):
    """A connection, as soon as the server has accepted some of those before."""
    found = []

    def is_there():
        if not found:
            raw = unix_paths.connect(place.server._path())
            found.extend([] if raw is None else [raw])
        return bool(found)

    assert until(is_there)
    return found[0]


@pytest.mark.parametrize("data", [b"", b"x" * 500, hello(b"tinytf line 9"), hello()[:10]])
def test_who_does_not_say_hello_is_not_answered(place, data):
    raw = unix_paths.connect(place.server._path())
    raw.sendall(data + unix_frames.head(unix_frames.REQUEST, 1, 0, ECHO.encode()))
    raw.shutdown(socket.SHUT_WR)
    assert raw.recv(100) == b""
    raw.close()


class Interrupted:
    """Raises KeyboardInterrupt before the bytecode of a number, in the client's modules."""

    FILES = (unix_client.__file__, unix_frames.__file__, unix_paths.__file__)

    def __init__(self, number):
        self.left, self.was_raised = number, False

    def __enter__(self):
        self._before = sys.gettrace()
        sys.settrace(self._call)

    def __exit__(self, *exception):
        sys.settrace(self._before)

    def _call(self, frame, event, argument):
        if self.was_raised or frame.f_code.co_filename not in self.FILES:
            return None
        if frame.f_code.co_name in ("__del__", "close", "_hang_up"):
            return None  # Python lets no interrupt out of the one; the other ends what was torn
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        return self._step

    def _step(self, frame, event, argument):
        if event == "opcode" and not self.was_raised:
            self.left -= 1
            if self.left < 0:
                self.was_raised = True
                raise KeyboardInterrupt
        return self._step


@pytest.mark.parametrize("size", [10, 300_000])
@pytest.mark.parametrize("is_first", [True, False])
def test_an_interrupt_at_any_bytecode_hurts_no_other_call(place, size, is_first):
    """On a line that is new, and on one that was used before."""
    client = place.near()
    data, number, count = bytes(size), -1, 0
    chance = random.Random(size)
    while True:
        number += 1 if size < 1000 else chance.randrange(1, 30)
        if is_first:
            client._unix._lines.clear()
        try:
            with Interrupted(number):
                answer = echo(client, data, None)
        except KeyboardInterrupt:
            count += 1
            expected = bytes([number % 256]) * 100
            assert echo(client, expected) == expected
            continue
        assert answer == data
        break
    assert count >= (100 if size < 1000 else 5)
    assert client.transport == "unix"
    assert client._users == 1
    assert until(lambda: len(place.server._unix._connections) <= unix_client.MOST_IDLE + 2)
    assert until(lambda: place.server.dispatch._open == 0)


# Processes ----------------------------------------------------------------------------------------


def test_a_local_cluster_by_grpc_alone():
    with pytest.raises(ValueError, match="transport must be"):
        tf.LocalCluster(worker=1, transport="smoke")
    with (
        tf.LocalCluster(worker=1, transport="grpc") as cluster,
        tf.Graph().as_default(),
        tf.Session(cluster.target()) as session,
    ):
        one = tf.constant(1)
        assert [session.run(one) for _ in range(3)] == [1] * 3
        assert session._backend._transport.transport == "grpc"


KILLED = """
import json, os, signal, threading
import tinytf as tf
from tinytf.distributed.wire import unix_paths

signal.alarm(100)
assert unix_paths.folder().startswith(os.environ["XDG_RUNTIME_DIR"])
before = set(os.listdir(unix_paths.folder()))
with tf.LocalCluster(ps=1, worker=1) as cluster:
    with tf.device("/job:ps/task:0"):
        v = tf.Variable(1.0, use_resource=False)
    total = v + 1
    transports = []
    for _ in range(2):
        with tf.Session(cluster.target("worker:0")) as session:
            session.run(v.initializer)
            assert session.run(total) == 2.0
            transports.append(session._backend._transport.transport)
            cluster.kill("ps:0")
            try:
                session.run(total)
            except tf.errors.UnavailableError as error:
                transports.append(type(error).__name__)
        cluster.restart("ps:0")
    cluster.kill("worker:0")
left = set(os.listdir(unix_paths.folder())) - before
print(json.dumps([transports, sorted(left)]))
"""


@pytest.mark.timeout(150)
def test_tasks_that_are_killed_leave_no_sockets():
    # A path as short as a socket's has to be: where it is too long, all share another folder.
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(KILLED)],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=ROOT,
            env={**os.environ, "XDG_RUNTIME_DIR": folder},
        )
    assert process.returncode == 0, process.stderr
    transports, left = json.loads(process.stdout.splitlines()[-1])
    assert transports == ["unix", "UnavailableError"] * 2
    assert left == []
