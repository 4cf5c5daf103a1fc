"""Through real sockets: noise, clients that vanish in the middle, peers that answer nonsense."""

import contextlib
import random
import socket
import subprocess
import sys
import threading

import grpc
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tinytf as tf
from tests.distributed.server.hostile import MASTER, WORKER, Desk
from tests.distributed.server.mutations import damaged
from tests.distributed.waiting import Gate
from tests.effort import examples
from tests.waiting import past_deadline
from tinytf.distributed.limits import Limits
from tinytf.distributed.server.services import services, several
from tinytf.distributed.wire import framing
from tinytf.distributed.wire.server_transport import ServerTransport
from tinytf.protos import master_pb2, tensor_pb2, worker_pb2

#: Codes that only the server's own mistakes have.
MISTAKES = {grpc.StatusCode.UNKNOWN, grpc.StatusCode.INTERNAL}


def address(server):
    return server.target.removeprefix("grpc://")


def threads():
    return [t for t in threading.enumerate() if t.name.startswith("tinytf-server")]


@pytest.fixture(scope="module")
def desk(transport):
    with Desk() as desk:
        desk.server.start()
        yield desk
    for thread in threads():
        thread.join(30)
    assert not threads()


@pytest.fixture
def server(desk):
    """A server that serves; a good client's session is whole afterwards, and has a step."""
    yield desk.server
    desk.check()
    with tf.Graph().as_default(), tf.Session(desk.server.target) as session:
        assert session.run(tf.constant(3) + 5) == 8


# Noise ----------------------------------------------------------------------------------------

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"\xff" * 9000,
        PREFACE,
        PREFACE + b"\xff" * 100,
        PREFACE + b"\0\0\0\4\0\0\0\0\0" + b"\0\0\1\1\4\0\0\0\1",
    ],
)
def test_noise_on_the_port(server, data):
    host, port = address(server).split(":")
    with socket.create_connection((host, int(port))) as connection:
        connection.settimeout(30)
        # Whatever it says, it hangs up in the end; perhaps before it was told all.
        with contextlib.suppress(ConnectionError, OSError):
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):
                continue


@given(seed=st.integers(0, 2**32 - 1))
@examples(60)
def test_damaged_messages(desk, seed):
    choice = random.Random(seed)
    requests = desk.requests()
    harmless = [path for path in requests if not path.endswith(("Reset", "CleanupAll"))]
    path = choice.choice(harmless)
    data = damaged(requests[path].SerializeToString(), choice)
    with grpc.insecure_channel(address(desk.server)) as channel:
        call = channel.unary_unary(path).future(data, timeout=1.0)
        call.exception()
        assert call.code() not in MISTAKES, call.details()
    if desk.is_whole():
        desk.check()


def test_methods_that_are_none(server):
    with grpc.insecure_channel(address(server)) as channel:
        for path in (
            MASTER + "Nothing",
            "/x/y",
            WORKER + "RunStep",
            "/tensorflow.EagerService/Enqueue",
        ):
            with pytest.raises(grpc.RpcError) as caught:
                channel.unary_unary(path)(b"")
            assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_message_that_is_too_long():
    with (
        tf.train.Server({"a": ["localhost:0"]}, limits=Limits(message_bytes=100_000)) as server,
        tf.Graph().as_default(),
        tf.Session(server.target) as session,
    ):
        x = tf.placeholder(tf.float32, [None], name="x")
        total = tf.reduce_sum(x)
        assert session.run(total, {x: np.ones(20_000, np.float32)}) == 20_000
        huge = tf.reduce_sum(tf.constant(np.ones(30_000, np.float32)))
        with pytest.raises(
            tf.errors.ResourceExhaustedError, match=r"larger than max \(\d+ vs. 100000"
        ):
            session.run(huge)


# Clients that vanish --------------------------------------------------------------------------


def test_a_client_that_hangs_up_in_the_middle_of_a_step(server):
    with Gate() as gate, tf.Graph().as_default() as graph:
        tf.identity(gate.card(tf.constant(2.0)), name="y")
        with grpc.insecure_channel(address(server)) as channel:
            create = master_pb2.CreateSessionRequest(graph_def=graph.as_graph_def())
            answer = channel.unary_unary(MASTER + "CreateSession")(create.SerializeToString())
            handle = master_pb2.CreateSessionResponse.FromString(answer).session_handle
            run = master_pb2.RunStepRequest(session_handle=handle, fetch=["y:0"])
            step = channel.unary_unary(MASTER + "RunStep").future(run.SerializeToString())
            gate.reached.wait()
            assert not step.done()
        assert gate.withdrawn.wait(30)


def test_a_client_that_hangs_up_takes_nothing_from_a_queue(server):
    with tf.Graph().as_default() as graph:
        queue = tf.FIFOQueue(3, tf.float32, shared_name="kept", name="kept")
        queue.enqueue(5.0, name="put")
        tf.identity(queue.dequeue(), name="got")
    create = master_pb2.CreateSessionRequest(graph_def=graph.as_graph_def()).SerializeToString()
    with grpc.insecure_channel(address(server)) as channel:
        answer = channel.unary_unary(MASTER + "CreateSession")(create)
        handle = master_pb2.CreateSessionResponse.FromString(answer).session_handle
        run = master_pb2.RunStepRequest(session_handle=handle, fetch=["got:0"]).SerializeToString()
        waiting = channel.unary_unary(MASTER + "RunStep").future(run)
        waiting.add_done_callback(lambda call: None)
        with pytest.raises(grpc.RpcError):
            channel.unary_unary(MASTER + "RunStep")(run, timeout=0.2)
        waiting.cancel()
    with grpc.insecure_channel(address(server)) as channel:
        put = master_pb2.RunStepRequest(session_handle=handle, target=["put"])
        channel.unary_unary(MASTER + "RunStep")(put.SerializeToString())
        answer = channel.unary_unary(MASTER + "RunStep")(run, timeout=30)
        values = framing.parse(master_pb2.RunStepResponse, answer).by_name()
        assert values == {"got:0": 5.0}


def test_workers_that_ask_for_tensors_and_vanish(desk, server):
    steps = len(desk.worker.steps)
    with grpc.insecure_channel(address(server)) as channel:
        receive = channel.unary_unary(WORKER + "RecvTensor")
        calls = []
        for step in range(20):
            request = worker_pb2.RecvTensorRequest(
                step_id=9000 + step, rendezvous_key=desk._key("on")
            )
            calls.append(receive.future(request.SerializeToString()))
        channel.unary_unary(WORKER + "GetStatus")(b"")
        for call in calls:
            call.cancel()
    desk.wait_until(lambda: len(desk.worker.steps) <= steps)


@pytest.mark.slow
def test_a_client_that_is_killed_in_the_middle_of_a_step(server):
    program = (
        "import sys, tinytf as tf\n"
        "from tests.distributed.waiting import Gate\n"
        "with Gate() as gate, tf.Session(sys.argv[1]) as session:\n"
        "    session.run(gate.card(tf.constant(2.0)))\n"
    )
    with Gate() as gate:
        client = subprocess.Popen([sys.executable, "-c", program, server.target])
        assert gate.reached.wait(60)
        client.kill()
        client.wait()
        assert gate.withdrawn.wait(30)


# Peers that answer nonsense ---------------------------------------------------------------------


class Raw:
    """Bytes that pass for a message."""

    def __init__(self, data):
        self._data = data

    def SerializeToString(self):
        return self._data


class Pair:
    """A parameter server that answers some methods as `answers` says, and a worker beside it."""

    def __init__(self):
        self.real = tf.train.Server({"ps": ["localhost:0"]}, start=False)
        self.answers = {}
        worker = self.real._worker
        methods = services(self.real._master, worker)
        tensors = {p: (kind, self._answering_each(m)) for p, (kind, m) in several(worker).items()}
        self._transport = ServerTransport(
            "127.0.0.1",
            0,
            {p: (kind, self._answering(p, m)) for p, (kind, m) in methods.items()},
            several=tensors,
        )
        self._transport.start()
        cluster = {"ps": [f"localhost:{self._transport.port}"], "worker": ["localhost:0"]}
        self.worker = tf.train.Server(cluster, "worker")
        cluster["worker"] = [address(self.worker)]
        self.real.learn_cluster(tf.train.ClusterSpec(cluster))

    def _answering(self, path, method):
        def answer(request, withdrawn):
            result = self.answers.get(path.rpartition("/")[2])
            if result is None:
                return method(request, withdrawn)
            return result(method(request, withdrawn)) if callable(result) else Raw(result)

        return answer

    def _answering_each(self, method):
        def answers(request, withdrawn):
            found, result = method(request, withdrawn), self.answers.get("RecvTensor")
            if result is None:
                return found
            return [result(each) if callable(result) else Raw(result) for each in found]

        return answers

    def run(self, milliseconds=20_000):
        """A step whose tensors go from the parameter server to the worker and back."""
        options = tf.ConfigProto(operation_timeout_in_ms=milliseconds)
        with tf.Graph().as_default():
            with tf.device("/job:ps"):
                here = tf.constant([1.0, 2.0]) * 2
            with tf.device("/job:worker"):
                there = here + 1
            with tf.device("/job:ps"):
                back = there * 2
            with tf.Session(self.worker.target, config=options) as session:
                return session.run(back).tolist()

    def close(self):
        self.worker.stop()
        self._transport.stop(0)
        self.real.stop()


@pytest.fixture(scope="module")
def shared_pair(transport):
    pair = Pair()
    yield pair
    pair.close()


@pytest.fixture
def pair(shared_pair):
    yield shared_pair
    shared_pair.answers.clear()
    assert shared_pair.run() == [6.0, 10.0]


@pytest.mark.parametrize(
    "method", ["CreateWorkerSession", "RegisterGraph", "RunGraph", "RecvTensor"]
)
@pytest.mark.parametrize("data", [b"\xff\xff\xff", b"\x0a\xff\x01"], ids=range(2))
def test_answers_that_are_no_messages(pair, method, data):
    pair.answers[method] = data
    with pytest.raises(tf.errors.InvalidArgumentError, match="Could not parse the") as caught:
        pair.run()
    assert "/job:ps/replica:0/task:0" in caught.value.message


def test_a_peer_that_says_it_has_run_and_has_not(pair):
    pair.answers["RunGraph"] = b""
    with pytest.raises(tf.errors.DeadlineExceededError):
        pair.run(milliseconds=300)


@pytest.mark.parametrize("method", ["RegisterGraph", "RecvTensor"])
def test_answers_that_are_empty(pair, method):
    pair.answers[method] = b""
    with pytest.raises(tf.errors.OpError) as caught:
        pair.run()
    assert "/job:ps/replica:0/task:0" in caught.value.message


def other_type(response):
    changed = worker_pb2.RecvTensorResponse()
    changed.tensor.CopyFrom(tf.make_tensor_proto(["text", "text"]))
    return changed


def huge(response):
    changed = worker_pb2.RecvTensorResponse()
    changed.tensor.CopyFrom(tensor_pb2.TensorProto(dtype=1, float_val=[1.0]))
    changed.tensor.tensor_shape.dim.add(size=1 << 50)
    return changed


@pytest.mark.parametrize("answer", [other_type, huge])
def test_tensors_that_are_not_what_the_graph_says(pair, answer):
    pair.answers["RecvTensor"] = answer
    with pytest.raises(tf.errors.OpError):
        pair.run()


def test_results_that_are_not_what_was_asked_for(pair):
    def renamed(response):
        changed = worker_pb2.RunGraphResponse()
        changed.recv.add(name="another", tensor=tf.make_tensor_proto(1.0))
        return changed

    pair.answers["RunGraph"] = renamed
    with pytest.raises(tf.errors.OpError, match="/job:ps/replica:0/task:0"):
        pair.run()


def test_devices_that_are_not_its_own(pair):
    def another(response):
        changed = worker_pb2.GetStatusResponse()
        changed.CopyFrom(response)
        for device in changed.device_attributes:
            device.name = "/job:worker/replica:0/task:0/device:CPU:0"
        return changed

    pair.answers["GetStatus"] = another

    def run(options):
        hasty = tf.ConfigProto(operation_timeout_in_ms=options.timeout_in_ms)
        with tf.Graph().as_default(), tf.Session(pair.worker.target, config=hasty) as session:
            session.run(tf.constant(1))

    assert "listens there" in str(past_deadline(run, "listens there", first=300))
    alone = tf.ConfigProto(device_filters=["/job:worker"])
    with tf.Graph().as_default(), tf.Session(pair.worker.target, config=alone) as session:
        assert session.run(tf.constant(1)) == 1
