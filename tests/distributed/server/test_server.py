"""Servers on real ports of the loopback interface."""

import concurrent.futures
import importlib.util
import re
import socket
import subprocess
import sys
import threading

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.distributed.waiting import Gate
from tests.effort import examples
from tests.waiting import past_deadline
from tinytf.distributed.limits import Limits
from tinytf.distributed.server import server as server_module
from tinytf.distributed.wire import framing
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.distributed.wire.server_transport import ServerTransport
from tinytf.framework.cancellation import CancellationManager
from tinytf.protos import master_pb2 as messages
from tinytf.protos import worker_pb2
from tinytf.runtime.thread_pool import ElasticPool

RUN_STEP = "/tensorflow.MasterService/RunStep"


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


def address(server):
    return server.target.removeprefix("grpc://")


# Construction --------------------------------------------------


def test_a_local_server(server):
    assert server.target.startswith("grpc://localhost:")
    assert not server.target.endswith(":0")
    assert server.server_def.job_name == "localhost"
    assert server.server_def.protocol == "grpc"
    assert "serving" in repr(server)
    with tf.Graph().as_default(), tf.Session(server.target) as session:
        assert session.run(tf.constant(8)) == 8
        (device,) = session.list_devices()
    assert device.name == "/job:localhost/replica:0/task:0/device:CPU:0"


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ((3,), TypeError, "Could not convert `server_or_cluster_def` to a"),
        (({"a": ["localhost:0"], "b": ["localhost:0"]},), ValueError, "explicit `job_name`"),
        (({"a": ["localhost:0", "localhost:0"]},), ValueError, "explicit `task_index`"),
        (({"a": ["localhost:0"]}, "b"), ValueError, "No such job in cluster: 'b'"),
        (({"a": ["localhost:0"]}, "b", 0), tf.errors.InternalError, 'Job "b" was not defined in'),
        (({"a": ["localhost:0"]}, "a", 7), tf.errors.InternalError, "Task 7 was not defined in"),
        (({"a": ["localhost"]},), tf.errors.InvalidArgumentError, "Could not parse port for local"),
        (({"a": ["localhost:0"]}, "a", 0, "mpi"), tf.errors.NotFoundError, "No server factory"),
        (({"a": ["localhost:0"]}, "a", 0, None, 3), TypeError, "must be a tf.ConfigProto"),
        (({"a": ["192.0.2.1:0"]},), tf.errors.PermissionDeniedError, "allow_remote_clients=True"),
        (({"a": ["0.0.0.0:0"]},), tf.errors.PermissionDeniedError, "'localhost' only"),
        (({"a": ["[::]:0"]},), tf.errors.PermissionDeniedError, "'localhost' only"),
        (({"a": ["127.evil.example:0"]},), tf.errors.PermissionDeniedError, "'localhost' only"),
        (({"a": ["localhost.evil.example:0"]},), tf.errors.PermissionDeniedError, "others can"),
        (({"a": ["unix:/tmp/x:0"]},), tf.errors.InvalidArgumentError, "Could not parse port"),
        (({"a": ["::1:0"]},), tf.errors.InvalidArgumentError, "Could not parse port"),
        (({"a": ["localhost:0"]}, "a", "0"), TypeError, "must be an integer, got '0'"),
    ],
)
def test_arguments_that_name_no_server(arguments, error, words):
    with pytest.raises(error, match=words):
        tf.train.Server(*arguments)


def test_it_listens_where_nobody_else_comes(server):
    port = int(server.target.rpartition(":")[2])
    with socket.socket() as probe:
        probe.bind(("0.0.0.0", 0))  # the port of any other interface is free: 127.0.0.2 refuses
        with pytest.raises(ConnectionRefusedError):
            probe.connect(("127.0.0.2", port))
    with socket.create_connection(("127.0.0.1", port)):
        pass


def test_an_address_elsewhere_needs_consent_and_an_interface():
    with pytest.raises(tf.errors.UnknownError, match="does not belong to this machine"):
        tf.train.Server({"a": ["192.0.2.1:0"]}, allow_remote_clients=True)
    with tf.train.Server({"a": ["0.0.0.0:0"]}, allow_remote_clients=True, start=False) as server:
        assert server.target.startswith("grpc://0.0.0.0:")


def test_a_taken_port(server, capfd):
    with pytest.raises(tf.errors.UnknownError, match=r"Could not start gRPC server: .*stop\(\)"):
        tf.train.Server({"a": [address(server)]})
    assert capfd.readouterr().err == ""


def test_life(server):
    port = address(server)
    server.start()  # serves already: nothing happens
    waiter = threading.Thread(target=server.join)
    waiter.start()
    server.stop()
    server.stop()
    waiter.join()
    assert "stopped" in repr(server)
    with pytest.raises(tf.errors.InvalidArgumentError, match="make a new one"):
        server.start()
    with tf.train.Server({"a": [port]}) as again:  # the port is free again
        assert address(again) == port


def test_two_servers_share_no_state():
    with (
        tf.train.Server.create_local_server() as one,
        tf.train.Server.create_local_server() as other,
        tf.Graph().as_default(),
    ):
        v = tf.get_variable("v", initializer=1.0)
        with tf.Session(one.target) as session:
            session.run(v.initializer)
        with tf.Session(other.target) as session, pytest.raises(tf.errors.FailedPreconditionError):
            session.run(v)


def test_default_configuration():
    def run(options):
        config = tf.ConfigProto(
            device_count={"CPU": 2}, operation_timeout_in_ms=options.timeout_in_ms
        )
        with (
            tf.train.Server.create_local_server(config) as server,
            tf.Session(server.target) as session,
        ):
            assert len(session.list_devices()) == 2
            session.run(y)

    with Gate() as gate, tf.Graph().as_default():
        y = gate.card(tf.constant(1.0))
        assert "the test's gate" in str(past_deadline(run, "the test's gate"))


@pytest.mark.one_transport
def test_a_server_goes_on_without_a_reference_and_ends_with_the_process():
    program = (
        "import gc, tinytf as tf\n"
        "session = tf.Session(tf.train.Server.create_local_server().target)\n"
        "gc.collect()\n"
        "print(session.run(tf.constant(8)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "8\n", "")


# Malformed requests --------------------------------------------------


def test_bytes_that_are_no_message(server):
    with grpc.insecure_channel(address(server)) as channel:
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary(RUN_STEP)(b"\xff\xff\xff")
        assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert "Could not parse the RunStepRequest" in caught.value.details()
        with pytest.raises(grpc.RpcError) as caught:
            channel.unary_unary("/tensorflow.MasterService/NoSuchMethod")(b"")
        assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED
        status = channel.unary_unary("/tensorflow.WorkerService/GetStatus")(b"")
    assert worker_pb2.GetStatusResponse.FromString(status).device_attributes


@examples(200)
@given(data=st.data())
def test_damaged_requests_get_a_clean_error(data):
    """Whatever arrives, the answer is a response or an OpError, and the next request works."""
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        tf.identity(x, name="y")
    with tf.train.Server.create_local_server(start=False) as server:
        master = server._master
        none = CancellationManager()
        create = messages.CreateSessionRequest(graph_def=graph.as_graph_def())
        handle = master.create_session(create, none).session_handle
        run = messages.RunStepRequest(session_handle=handle, fetch=["y:0"])
        run.feed.add(name="x:0", tensor=tf.make_tensor_proto([1.0, 2.0]))
        for request, method in ((create, master.create_session), (run, master.run_step)):
            damaged = bytearray(request.SerializeToString())
            for _ in range(data.draw(st.integers(1, 4))):
                position = data.draw(st.integers(0, len(damaged) - 1))
                damaged[position] = data.draw(st.integers(0, 255))
            del damaged[data.draw(st.integers(0, len(damaged))) :]
            try:
                method(framing.parse(type(request), bytes(damaged)), CancellationManager())
            except tf.errors.OpError:
                continue  # refused, and that is all that happened: see below
        request = framing.parse(messages.RunStepRequest, run.SerializeToString())
        assert master.run_step(request, none).by_name()["y:0"].tolist() == [1, 2]


# The transport --------------------------------------------------


def serve(method, request_class=messages.RunStepRequest, **options):
    transport = ServerTransport("127.0.0.1", 0, {RUN_STEP: (request_class, method)}, **options)
    transport.start()
    return transport, ClientTransport(f"127.0.0.1:{transport.port}")


def test_errors_travel_with_class_and_text():
    def fail(request, withdrawn):
        code = request.message.request_id
        if code == 0:
            raise ZeroDivisionError("a mistake in the server")
        raise tf.errors.exception_type_from_error_code(code)(None, None, "ü" * 9000)

    transport, client = serve(fail)
    for code in range(1, 17):
        request = messages.RunStepRequest(request_id=code)
        kind = tf.errors.exception_type_from_error_code(code)
        with pytest.raises(kind) as caught:
            client.call(RUN_STEP, request, messages.RunStepResponse)
        assert type(caught.value) is kind
        assert "üüü" in caught.value.message
    with pytest.raises(tf.errors.InternalError, match="ZeroDivisionError: a mistake in the"):
        client.call(RUN_STEP, messages.RunStepRequest(), messages.RunStepResponse)
    client.close()
    transport.stop(0)


@pytest.mark.parametrize(
    ("details", "kind"),
    [
        ("Stream removed", tf.errors.UnavailableError),
        ("Stream removed (Socket closed)", tf.errors.UnavailableError),
        ("no idea", tf.errors.UnknownError),
    ],
)
def test_a_server_whose_death_grpc_has_no_reason_for(details, kind):
    """GRPC now and then says UNKNOWN of a connection that has broken."""

    class Handler(grpc.GenericRpcHandler):
        def service(self, call):
            return grpc.unary_unary_rpc_method_handler(
                lambda data, context: context.abort(grpc.StatusCode.UNKNOWN, details)
            )

    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        server = grpc.server(pool, handlers=[Handler()])
        client = ClientTransport(f"127.0.0.1:{server.add_insecure_port('127.0.0.1:0')}")
        server.start()
        with pytest.raises(kind, match=re.escape(details)) as caught:
            client.call(RUN_STEP, messages.RunStepRequest(), messages.RunStepResponse)
        assert type(caught.value) is kind
        client.close()
        server.stop(0).wait()


def test_a_call_that_is_too_late_is_withdrawn():
    ended = threading.Event()

    def wait(request, withdrawn):
        withdrawn.register(ended.set)
        ended.wait()
        return messages.RunStepResponse()

    transport, client = serve(wait)
    with pytest.raises(tf.errors.DeadlineExceededError, match=r"did not answer within 0\.05 s"):
        client.call(RUN_STEP, messages.RunStepRequest(), messages.RunStepResponse, timeout=0.05)
    ended.wait()
    client.close()
    transport.stop(0)


def test_more_calls_than_the_server_takes():
    started, go_on = threading.Event(), threading.Event()

    def wait(request, withdrawn):
        started.set()
        go_on.wait()
        return messages.RunStepResponse()

    transport, client = serve(wait, limits=Limits(calls=1))
    call = lambda: client.call(RUN_STEP, messages.RunStepRequest(), messages.RunStepResponse)  # noqa: E731
    first = threading.Thread(target=call)
    first.start()
    started.wait()
    with pytest.raises(tf.errors.ResourceExhaustedError):
        call()
    go_on.set()
    first.join()
    client.close()
    transport.stop(None)


def test_many_waiting_calls_do_not_starve_the_one_they_wait_for(server):
    """Thirty clients wait in a step; the thirty-first is served."""
    everybody = threading.Barrier(31)

    def wait(request, withdrawn):
        everybody.wait()
        return messages.RunStepResponse()

    transport, client = serve(wait)
    threads = [
        threading.Thread(
            target=client.call, args=(RUN_STEP, messages.RunStepRequest(), messages.RunStepResponse)
        )
        for _ in range(31)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    client.close()
    transport.stop(0)


def test_a_pool_reuses_and_ends_its_threads(monkeypatch):
    pool = ElasticPool("test-pool")
    first = pool.submit(threading.get_ident).result()
    monkeypatch.setattr("tinytf.runtime.thread_pool.IDLE_SECONDS", 0.01)
    thread = next(t for t in threading.enumerate() if t.ident == first)
    assert isinstance(pool.submit(int, "x").exception(), ValueError)
    pool.shutdown()
    thread.join()
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(int)


def test_idle_threads_end_by_themselves(monkeypatch):
    monkeypatch.setattr("tinytf.runtime.thread_pool.IDLE_SECONDS", 0.01)
    pool = ElasticPool("test-pool")
    pool.submit(threading.current_thread).result().join()
    assert pool.submit(int, "3").result() == 3


# The switch interval --------------------------------------------------


@pytest.fixture
def interval(monkeypatch):
    """The server's switch interval, as in a process that no other test has used."""
    name = "tinytf.runtime.switch_interval"
    fresh = importlib.util.module_from_spec(importlib.util.find_spec(name))
    fresh.__spec__.loader.exec_module(fresh)
    monkeypatch.setattr(server_module, "switch_interval", fresh)
    before = sys.getswitchinterval()
    sys.setswitchinterval(0.005)
    yield fresh
    sys.setswitchinterval(before + 5e-7)  # it cuts off at microseconds


def test_the_switch_interval_is_put_back(interval):
    found = sys.getswitchinterval()
    with tf.train.Server.create_local_server():
        assert sys.getswitchinterval() == pytest.approx(interval.SECONDS)
        tf.train.Server.create_local_server().stop()
        assert sys.getswitchinterval() == pytest.approx(interval.SECONDS)
    assert sys.getswitchinterval() == found
    with tf.train.Server.create_local_server(start=False):
        assert sys.getswitchinterval() == found
    with pytest.raises(RuntimeError, match="without shorten"):
        interval.restore()


def test_a_short_interval_is_put_back_as_it_was(interval):
    sys.setswitchinterval(100.5e-6)
    before = sys.getswitchinterval()
    with tf.train.Server.create_local_server():
        pass
    assert sys.getswitchinterval() == before
