"""How the unix socket between peers of one user is found, when it is not, and whom to trust."""

import contextlib
import os
import socket
import stat

import pytest

import tinytf as tf
from tests.distributed.wire.unix_place import (
    ECHO,
    Place,
    echo,
    hello,
    started,
)
from tests.waiting import LONG
from tinytf.distributed.inspection import look
from tinytf.distributed.wire import unix_paths
from tinytf.distributed.wire.transport import chosen

pytestmark = pytest.mark.skipif(not unix_paths.is_possible(), reason="no such sockets here")


# Finding it ---------------------------------------------------------------------------------------


def test_the_first_call_finds_the_socket(place):
    client = place.client()
    assert client.transport == "grpc"
    assert echo(client, b"a") == b"a"
    assert client.transport == "unix"
    assert [echo(client, bytes([n]) * n) for n in range(5)] == [bytes([n]) * n for n in range(5)]


def test_a_call_with_a_callback_finds_it_as_well(place):
    client = place.client()
    assert started(client, ECHO, b"a")[1]() == (b"a", None)
    assert client.transport == "unix"
    assert started(client, ECHO, b"b")[1]() == (b"b", None)


def test_the_socket_is_the_users_alone_and_goes_with_the_server(place):
    path = place.server._path()
    assert stat.S_IMODE(os.lstat(os.path.dirname(path)).st_mode) == 0o700
    assert stat.S_IMODE(os.lstat(path).st_mode) == 0o600
    place.server.stop(0)
    assert not os.path.exists(path)


@pytest.mark.parametrize("who", ["server", "client", "environment"])
def test_grpc_alone_if_one_end_says_so(who, monkeypatch):
    if who == "environment":
        monkeypatch.setenv("TINYTF_TRANSPORT", "grpc")
    only = {"transport": "grpc"}
    with contextlib.closing(Place(**(only if who == "server" else {}))) as place:
        client = place.client(**(only if who == "client" else {}))
        assert [echo(client, b"a") for _ in range(3)] == [b"a"] * 3
        assert client.transport == "grpc"


def test_unknown_transports_are_refused(monkeypatch):
    monkeypatch.delenv("TINYTF_TRANSPORT", raising=False)
    assert chosen(None) == "auto"
    with pytest.raises(ValueError, match=r"one of \('auto', 'grpc'\), got 'smoke'"):
        chosen("smoke")
    with pytest.raises(ValueError, match="transport must be"):
        tf.train.Server({"a": ["localhost:0"]}, transport="smoke")


def test_who_does_not_ask_is_told_nothing(place):
    import grpc

    with grpc.insecure_channel(f"localhost:{place.server.port}") as channel:
        method = channel.unary_unary(ECHO)
        _, call = method.with_call(b"a", timeout=LONG)
        assert not call.trailing_metadata()
        _, call = method.with_call(b"a", timeout=LONG, metadata=[("tinytf-short-way", "1")])
        assert unix_paths.offered(call.trailing_metadata()) == place.server._path()


def test_offers_that_are_not_understood():
    assert unix_paths.offered(None) is None
    assert unix_paths.offered([("tinytf-short-way", "2 /a/b")]) is None
    assert unix_paths.offered([("other", "1 /a/b")]) is None
    assert unix_paths.offered([("tinytf-short-way", "1 /a/b")]) == "/a/b"


def pair(**options):
    """Two servers of this process, "ps" and "worker"."""
    addresses = {"ps": ["localhost:0"], "worker": ["localhost:0"]}
    servers = {job: tf.train.Server(addresses, job, start=False, **options) for job in addresses}
    for job, server in servers.items():
        addresses[job] = [server.target.removeprefix("grpc://")]
    for server in servers.values():
        server.learn_cluster(tf.train.ClusterSpec(addresses))
        server.start()
    return servers["ps"], servers["worker"]


@pytest.mark.parametrize(("transport", "shown"), [("auto", "unix"), ("grpc", "grpc")])
def test_views_say_which_transport_a_connection_has(transport, shown):
    ps, worker = pair(transport=transport)
    with ps, worker, tf.Graph().as_default():
        with tf.device("/job:ps/task:0"):
            there = tf.constant(1.0)
        with tf.device("/job:worker/task:0"):
            here = there + 1
        with tf.Session(worker.target) as session:
            assert session.run(here) == 2
            assert session._backend._transport.transport == shown
            (task,) = look(worker.target.removeprefix("grpc://"), ["tasks"])["tasks"]
            assert task["transports"] == {"/job:ps/replica:0/task:0": shown}


# Whom to trust ------------------------------------------------------------------------------------


def test_connections_go_to_sockets_of_this_user_in_folders_of_this_user(folder):
    listening, path = unix_paths.listen()
    with listening:
        assert os.path.dirname(path) == str(folder)
        connected = unix_paths.connect(path)
        assert connected is not None
        connected.close()
        folder.chmod(0o755)
        assert unix_paths.connect(path) is None
        folder.chmod(0o700)
        os.chmod(path, 0o660)
        assert unix_paths.connect(path) is None
        os.chmod(path, 0o600)
        other = folder / "agent.sock"  # of another program
        os.link(path, other)
        assert unix_paths.connect(str(other)) is None
        assert unix_paths.connect(os.path.basename(path)) is None
        (folder.parent / "link").symlink_to(folder)
        assert unix_paths.connect(str(folder.parent / "link" / os.path.basename(path))) is None
    assert unix_paths.connect(path) is None  # nobody listens


def test_a_folder_that_others_can_write_to_is_not_used(folder):
    folder.mkdir()
    folder.chmod(0o777)
    assert unix_paths.folder() is None
    assert unix_paths.listen() is None


def test_other_users_are_refused_at_both_ends(place, monkeypatch):
    client = place.near()
    path = place.server._path()
    with monkeypatch.context() as patch:
        patch.setattr(unix_paths, "is_same_user", lambda connection: False)
        assert unix_paths.connect(path) is None
        raw = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with raw:
            raw.connect(path)
            with contextlib.suppress(ConnectionResetError, BrokenPipeError):
                raw.sendall(hello())
                assert raw.recv(1) == b""  # hung up at once
    assert echo(client, b"a") == b"a"


def test_the_system_tells_who_is_at_the_other_end():
    one, other = socket.socketpair()
    with one, other:
        assert unix_paths.is_same_user(one)
    with socket.socket() as elsewhere:
        assert not unix_paths.is_same_user(elsewhere)


def test_what_processes_left_behind_is_removed(folder):
    listening, path = unix_paths.listen()
    left = folder / ("0" * 32 + ".sock")
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(left))
    note = folder / "note.txt"
    note.write_text("of somebody")
    with listening:
        unix_paths.sweep()
        assert not left.exists()
        assert note.exists()
        assert os.path.exists(path)
    unix_paths.sweep()
    assert not os.path.exists(path)
