"""Sessions on a server in this process: everything travels through a real port."""

import os
import signal
import sys
import threading

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import Gate
from tests.waiting import past_deadline
from tinytf.distributed.client.remote_session import RemoteBackend
from tinytf.distributed.wire import grpc_client
from tinytf.distributed.wire.wire_tensors import decode, encode_into
from tinytf.protos import tensor_pb2


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


@pytest.fixture
def session(server, graph):
    with tf.Session(server.target) as session:
        yield session


class Calls:
    """Counts the calls of a session's backend."""

    def __init__(self, monkeypatch):
        self.names = []
        original = RemoteBackend._call

        def call(backend, method, request, *arguments, **keywords):
            self.names.append((method, request))
            return original(backend, method, request, *arguments, **keywords)

        monkeypatch.setattr(RemoteBackend, "_call", call)

    def take(self):
        names = [name for name, _ in self.names]
        self.requests = dict(self.names)
        self.names.clear()
        return names


# Steps --------------------------------------------------


def test_only_new_nodes_travel(server, graph, monkeypatch):
    calls = Calls(monkeypatch)
    c = tf.constant(1, name="c")
    with tf.Session(server.target) as session:
        assert calls.take() == []
        session.run(c)
        assert calls.take() == ["CreateSession", "RunStep"]
        session.run(c)
        assert calls.take() == ["RunStep"]
        d = tf.identity(c, name="d")
        assert session.run([d, c]) == [1, 1]
        assert calls.take() == ["ExtendSession", "RunStep"]
        (node,) = calls.requests["ExtendSession"].graph_def.node
        assert node.name == "d"
        assert list(calls.requests["RunStep"].message.fetch) == ["d:0", "c:0"]
    assert calls.take() == ["CloseSession"]


def test_loops_that_come_later_extend_the_session(session, monkeypatch):
    calls = Calls(monkeypatch)
    session.run(tf.constant(1))
    loop = tf.while_loop(lambda i: i < 10, lambda i: i + 3, [tf.constant(0)])
    assert session.run(loop) == 12
    assert calls.take() == ["CreateSession", "RunStep", "ExtendSession", "RunStep"]


def test_nodes_that_were_changed_afterwards(session, graph, monkeypatch):
    v = tf.get_variable("v", initializer=1.0, use_resource=False)
    c = tf.constant(5.0)
    session.run(v.initializer)
    assert session.run(c) == 5
    calls = Calls(monkeypatch)
    c.op._add_control_input(tf.assign_add(v, 1.0).op)
    assert session.run(c) == 5
    assert calls.take() == ["CloseSession", "CreateSession", "RunStep"]
    assert session.run(v) == 2.0  # the variable is the server's, and still there


@pytest.mark.parametrize(
    "value",
    [
        np.float32(1.5),
        np.arange(6, dtype=np.int64).reshape(2, 3),
        np.zeros([0, 3], np.float64),
        np.array([True, False]),
        np.complex64(1 + 2j),
        np.array(7, np.uint8),
        np.ones(3, np.float16),
        np.array([b"", b"\xff\x00", "ü".encode()], object),
        np.array(b"one", object),
        np.arange(12, dtype=np.int32).reshape(3, 4).T,
        np.arange(3, dtype=">i4"),
    ],
    ids=lambda value: f"{value.dtype}{value.shape}",
)
def test_feeds_and_fetches(session, value):
    dtype = tf.string if value.dtype == object else tf.as_dtype(value.dtype.newbyteorder("="))
    x = tf.placeholder(dtype)
    there_and_back, same = session.run([tf.identity(x), x], {x: value})
    for result in (there_and_back, same):
        assert np.shape(result) == value.shape
        assert np.asarray(result).tolist() == value.tolist()
    if isinstance(there_and_back, np.ndarray):
        assert there_and_back.flags.writeable


def test_bfloat16_and_large_tensors(session):
    x = tf.placeholder(tf.bfloat16, [2])
    assert session.run(tf.identity(x), {x: [1.5, -2]}).tolist() == [1.5, -2]
    y = tf.placeholder(tf.float32)
    large = np.arange(3 << 20, dtype=np.float32)  # beyond gRPC's own limit of 4 MiB
    assert np.array_equal(session.run(tf.identity(y), {y: large}), large)


def test_structures_targets_and_callables(session):
    x = tf.placeholder(tf.float32, [], name="x")
    y = tf.identity(x)
    assert session.run({"y": [y, y.op], "x": (x,)}, {x: 2.0}) == {"y": [2.0, None], "x": (2.0,)}
    assert session.make_callable(y, [x])(3.0) == 3.0
    assert session.run("x:0", {"x:0": 4.0}) == 4.0


def test_partial_runs(session):
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    first = tf.identity(a)
    with tf.control_dependencies([first]):
        second = tf.identity(b)
    handle = session.partial_run_setup([first, second], [a, b])
    assert session.partial_run(handle, first, {a: 1}) == 1
    assert session.partial_run(handle, second, {b: 2}) == 2


def test_traces(session):
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    metadata = tf.RunMetadata()
    x = tf.placeholder(tf.int32, [])
    session.run(tf.identity(x, name="d"), {x: 1}, options, metadata)
    names = [node.node_name for node in metadata.step_stats.dev_stats[0].node_stats]
    assert names == ["d"]


def test_sessions_share_variables(server):
    v = tf.get_variable("v", initializer=3.0)
    with tf.Session(server.target) as session:
        session.run(v.initializer)
    with tf.Session(server.target) as session:
        assert session.run(v) == 3.0
    alone = tf.ConfigProto(isolate_session_state=True)
    with (
        tf.Session(server.target, config=alone) as session,
        pytest.raises(tf.errors.FailedPreconditionError),
    ):
        session.run(v)


def test_what_is_fetched_is_the_callers(session):
    v = tf.get_variable("v", initializer=[1.0, 2.0], use_resource=False)
    session.run(v.initializer)
    value = session.run(v)
    value[:] = 0
    assert session.run(v).tolist() == [1, 2]


# Errors --------------------------------------------------


def test_an_error_names_the_operation_and_the_line_that_built_it(session):
    x = tf.placeholder(tf.float32, name="x")  # this very line
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        session.run(tf.identity(x))
    error = caught.value
    assert error.op is x.op
    assert error.node_def.name == "x"
    assert "You must feed a value for placeholder tensor 'x'" in error.message
    assert "# this very line" in error.message
    assert "imported graph" not in error.message


def test_a_resource_handle_stays_where_it_is(session):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    session.run(v.initializer)
    with pytest.raises(tf.errors.InvalidArgumentError, match="stays in its own process"):
        session.run(v.handle)


def test_a_restarted_server_does_not_know_the_session():
    c = tf.constant(1)
    with tf.train.Server.create_local_server() as server:
        session = tf.Session(server.target)
        session.run(c)
        address = server.target.removeprefix("grpc://")
    with tf.train.Server({"localhost": [address]}):
        with pytest.raises(tf.errors.AbortedError, match=r"is not found\.\n.*Open a new Session"):
            session.run(c)
        session.close()
        with tf.Session(f"grpc://{address}") as again:
            assert again.run(c) == 1


def test_a_server_that_is_gone():
    with tf.train.Server.create_local_server() as server:
        session = tf.Session(server.target)
        session.run(tf.constant(1))
    with pytest.raises(tf.errors.UnavailableError, match=rf"at {server.target}.* open a new Sess"):
        session.run(tf.constant(1))
    session.close()  # quietly: there is nothing to be closed
    session.close()
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(tf.constant(1))


@pytest.mark.parametrize("target", ["grpc://", "grpc://localhost", "grpc://localhost:x"])
def test_targets_that_are_none(target):
    with pytest.raises(tf.errors.InvalidArgumentError, match="as a host-port pair"):
        tf.Session(target)
    with pytest.raises(tf.errors.InvalidArgumentError, match="as a host-port pair"):
        tf.Session.reset(target)


def test_targets_and_names_that_are_nearly_right(server, graph):
    address = server.target.partition("://")[2]
    for target in (address, f"http://{address}"):
        with pytest.raises(tf.errors.NotFoundError, match=f"Did you mean '{server.target}'"):
            tf.Session(target)
    with pytest.raises(TypeError, match=r"must be a string.*tf.Session\(server.target\)"):
        tf.Session(server)
    x = tf.constant(3, name="x")
    with (
        tf.Session(server.target, graph=tf.Graph()) as session,
        pytest.raises(RuntimeError, match=r"graph is empty.* x:0 is in another graph"),
    ):
        session.run(x)


def test_reset(server, session):
    v = tf.get_variable("v", initializer=3.0)
    session.run(v.initializer)
    tf.Session.reset(server.target)
    with pytest.raises(tf.errors.AbortedError, match="restarted or reset"):
        session.run(v)
    with tf.Session(server.target) as again, pytest.raises(tf.errors.FailedPreconditionError):
        again.run(v)


# Waiting --------------------------------------------------


@pytest.fixture
def gate():
    with Gate() as gate:
        yield gate


def test_a_timeout_says_what_was_waited_for(session, gate):
    y = gate.card(tf.constant(1.0), name="wait")
    error = past_deadline(lambda options: session.run(y, options=options), "the test's gate")
    assert "the test's gate" in str(error)
    assert error.op is y.op

    def run(options):
        config = tf.ConfigProto(operation_timeout_in_ms=options.timeout_in_ms)
        with tf.Session(session.sess_str, config=config) as impatient:
            impatient.run(y)

    assert "the test's gate" in str(past_deadline(run, "the test's gate"))


def test_closing_the_session_ends_its_steps(session, gate):
    y = gate.card(tf.constant(1.0))
    errors = []

    def work():
        try:
            session.run(y)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    gate.reached.wait()
    session.close()
    thread.join()
    assert type(errors[0]) is tf.errors.CancelledError
    assert "explicit call to `Session::Close()`" in errors[0].message


def test_an_interrupt_withdraws_the_step(session, gate):
    y = gate.card(tf.constant(1.0))

    def place():
        """The instruction at which the main thread is."""
        frame = sys._current_frames()[threading.main_thread().ident]
        return frame.f_code, frame.f_lasti

    def interrupt():
        gate.reached.wait()
        # The step waits already, but its client, in this same process, may be on its way to wait.
        # A busy machine may leave it where it is for a moment.
        before, times = None, 0
        while times < 8:
            now = place()
            before, times = now, times + 1 if now == before else 0
            gate.withdrawn.wait(0.05)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        session.run(y)
    thread.join()
    assert gate.withdrawn.wait(30)
    assert session.run(tf.constant(5)) == 5


def test_a_session_waits_for_its_server_and_says_so(monkeypatch, capsys):
    monkeypatch.setattr(grpc_client, "QUIET_SECONDS", 0.05)
    later = tf.train.Server.create_local_server(start=False)
    address = later.target.removeprefix("grpc://")
    later.stop()
    said = threading.Event()
    original = print

    def announce(*arguments, **keywords):
        original(*arguments, **keywords)
        said.set()

    monkeypatch.setattr("builtins.print", announce)
    started = []

    def start():
        said.wait()
        started.append(tf.train.Server({"localhost": [address]}))

    thread = threading.Thread(target=start)
    thread.start()
    with tf.Session(f"grpc://{address}") as session:
        assert session.run(tf.constant(8)) == 8
        thread.join()
    started[0].stop()
    assert f"Still waiting for a server at grpc://{address}." in capsys.readouterr().out


def test_closing_ends_the_wait_for_a_server(monkeypatch):
    gone = tf.train.Server.create_local_server(start=False)
    gone.stop()
    monkeypatch.setattr(grpc_client, "QUIET_SECONDS", 0.01)
    said = threading.Event()
    monkeypatch.setattr("builtins.print", lambda *arguments, **keywords: said.set())
    session, errors = tf.Session(gone.target), []
    c = tf.constant(1)

    def work():
        try:
            session.run(c)
        except tf.errors.OpError as error:
            errors.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    said.wait()
    session.close()
    thread.join()
    assert type(errors[0]) is tf.errors.CancelledError


def test_a_server_that_never_comes():
    gone = tf.train.Server.create_local_server(start=False)
    gone.stop()
    config = tf.ConfigProto(operation_timeout_in_ms=100)
    with pytest.raises(tf.errors.DeadlineExceededError, match=gone.target):
        tf.Session(gone.target, config=config).run(tf.constant(1))
    with pytest.raises(tf.errors.DeadlineExceededError, match=gone.target):
        tf.Session.reset(gone.target, config=config)


# Tensors --------------------------------------------------


def test_numeric_content_is_not_copied():
    proto = tensor_pb2.TensorProto()
    encode_into(proto, np.arange(1000.0), tf.float64)
    assert proto.tensor_content
    array = decode(proto)
    assert not array.flags.writeable
    assert array.base is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"dtype": 999},
        {"dtype": 1, "tensor_content": b"123"},
        {"dtype": 1, "tensor_shape": {"dim": [{"size": -1}]}, "tensor_content": b"1234"},
        {"dtype": 1, "tensor_shape": {"unknown_rank": True}, "tensor_content": b"1234"},
        {"dtype": 1, "tensor_shape": {"dim": [{"size": 1 << 40}] * 2}},
        {"dtype": 7, "tensor_shape": {"dim": [{"size": 2}]}, "tensor_content": b"\xff"},
        {"dtype": 20},
    ],
)
def test_malformed_tensors(fields):
    with pytest.raises(tf.errors.InvalidArgumentError, match="Malformed tensor"):
        decode(tensor_pb2.TensorProto(**fields))


# Many at once -------------------------------------------------------------------------------


def test_many_threads_use_one_session(session, server):
    v = tf.get_variable("v", initializer=0.0)
    session.run(v.initializer)
    more = tf.assign_add(v, 1.0)

    def work():
        for _ in range(25):
            session.run(more.op)
            with session.graph.as_default():
                tf.constant(1)  # so that the threads also race to extend the server's graph

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.run(v) == 200
    session.run(tf.constant(1))
    server_graph = next(iter(server._master._sessions.values())).graph
    assert set(server_graph._by_name) == set(session.graph._by_name)
