"""Calls by the hundred, sessions by the thousand."""

import gc
import os
import sys
import threading
import traceback
from functools import partial

import numpy as np
import pytest

import tinytf as tf
from tests.distributed.waiting import until
from tests.effort import rounds
from tests.waiting import LONG
from tinytf.distributed.inspection import look
from tinytf.distributed.wire import dispatch, framing, grpc_server
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import new_request_id
from tinytf.framework.errors import AbortedError
from tinytf.framework.rendezvous import rendezvous_key
from tinytf.protos import worker_pb2

COUNT = 200
WORKER = "/tensorflow.WorkerService/"


def handlers_that_wait():
    """The threads of a server that have a call and wait for its answer."""
    waiting = {grpc_server._Call.wait.__code__, dispatch.settled.__code__}
    return [
        thread
        for thread, top in sys._current_frames().items()
        if any(frame.f_code in waiting for frame, _ in traceback.walk_stack(top))
    ]


class RawMaster:
    """Speaks to a worker in messages: a step of `COUNT` sends, to a task that is this test."""

    def __init__(self, server):
        self.transport = ClientTransport(server.target.removeprefix("grpc://"))
        (device, *_) = server._worker.devices
        self.device, self.incarnation = device.name, device.attributes.incarnation
        self.call("CreateWorkerSession", session_handle="s", master_task="/job:test/task:0")

    def call(self, method, **fields):
        request = getattr(worker_pb2, f"{method}Request")(**fields)
        response = getattr(worker_pb2, f"{method}Response")
        return self.transport.call(WORKER + method, request, response, LONG)

    def register(self):
        """The handle of the part, and the keys of what it sends."""
        keys = []
        with tf.Graph().as_default() as graph:
            for number in range(COUNT):
                tf.constant(float(number), name=f"c{number}")
        definition = graph.as_graph_def()
        signed = self.incarnation - (1 << 64 if self.incarnation >> 63 else 0)
        for number in range(COUNT):
            definition.node[number].device = self.device
            attrs = {
                "tensor_name": f"edge_{number}_c{number}".encode(),
                "send_device": self.device.encode(),
                "send_device_incarnation": signed,
                "recv_device": b"/job:test/replica:0/task:0/device:CPU:0",
            }
            keys.append(rendezvous_key(attrs) + "0:0")
            send = definition.node.add(
                name=f"send{number}", op="_Send", input=[f"c{number}"], device=self.device
            )
            send.attr["T"].type = tf.float32.as_datatype_enum
            send.attr["send_device_incarnation"].i = attrs.pop("send_device_incarnation")
            for name, value in attrs.items():
                send.attr[name].s = value
        answer = self.call(
            "RegisterGraph",
            session_handle="s",
            graph_def=definition,
            create_worker_session_called=True,
        )
        return answer.graph_handle, keys

    def run(self, handle, step_id, request_id=None):
        request = worker_pb2.RunGraphRequest(
            graph_handle=handle,
            step_id=step_id,
            session_handle="s",
            create_worker_session_called=True,
            request_id=request_id or new_request_id(),
        )
        parse = partial(framing.parse, worker_pb2.RunGraphResponse)
        return self.transport.call(WORKER + "RunGraph", Parcel(request), parse, LONG)


@pytest.fixture
def server():
    with tf.train.Server.create_local_server() as server:
        yield server


@pytest.fixture
def master(server):
    master = RawMaster(server)
    yield master
    master.transport.close()


def test_two_hundred_receives_wait_for_the_part_that_sends(server, master):
    handle, keys = master.register()
    over, answers, lock = threading.Event(), {}, threading.Lock()
    parse = partial(framing.parse, worker_pb2.RecvTensorResponse)

    def ask(number):
        def done(answer, error):
            with lock:
                answers[number] = error or float(answer.only())
                if len(answers) == COUNT:
                    over.set()

        request = worker_pb2.RecvTensorRequest(
            step_id=77, rendezvous_key=keys[number], request_id=new_request_id()
        )
        master.transport.start_call(WORKER + "RecvTensor", request, parse, done, LONG)

    for number in range(COUNT):
        ask(number)
    waiting = server._worker.steps.get(77, server.task).rendezvous._waiting
    assert until(lambda: len(waiting) == COUNT), len(waiting)
    assert not answers
    assert not handlers_that_wait()  # for none of them is there a thread
    master.run(handle, 77)
    assert over.wait(LONG)
    assert answers == {number: float(number) for number in range(COUNT)}
    assert until(lambda: len(server._worker.steps) == 0)


def test_receives_that_are_withdrawn_leave_nothing(server, master):
    _, keys = master.register()
    over, errors = threading.Semaphore(0), []

    def done(answer, error):
        errors.append(error)
        over.release()

    parse = partial(framing.parse, worker_pb2.RecvTensorResponse)
    calls = [
        master.transport.start_call(
            WORKER + "RecvTensor",
            worker_pb2.RecvTensorRequest(step_id=5, rendezvous_key=key),
            parse,
            done,
            LONG,
        )
        for key in keys[:20]
    ]
    waiting = server._worker.steps.get(5, server.task).rendezvous._waiting
    assert until(lambda: len(waiting) == 20)
    for call in calls:
        call.cancel()
    for _ in calls:
        assert over.acquire(timeout=LONG)
    assert until(lambda: len(server._worker.steps) == 0)
    assert all(isinstance(error, tf.errors.CancelledError) for error in errors)


def test_repeated_requests_are_refused(server, master):
    handle, keys = master.register()
    master.run(handle, 3, request_id=11)
    with pytest.raises(AbortedError, match="The same RunGraph request was received twice"):
        master.run(handle, 4, request_id=11)
    parse = partial(framing.parse, worker_pb2.RecvTensorResponse)
    request = worker_pb2.RecvTensorRequest(step_id=3, rendezvous_key=keys[0], request_id=12)
    assert float(master.transport.call(WORKER + "RecvTensor", request, parse, LONG).only()) == 0.0
    request.rendezvous_key = keys[1]
    with pytest.raises(AbortedError, match="The same RecvTensor request was received twice"):
        master.transport.call(WORKER + "RecvTensor", request, parse, LONG)
    master.call("CleanupGraph", step_id=3)
    with pytest.raises(AbortedError, match="Cleanup 3"):  # it comes too late
        master.run(handle, 3)
    assert until(lambda: len(server._worker.steps) == 0)


# Sessions -----------------------------------------------------------------------------------------


def resident(pid):
    """The memory of a process, in megabytes."""
    with open(f"/proc/{pid}/smaps_rollup") as file:
        for line in file:
            if line.startswith("Rss:"):
                return int(line.split()[1]) / 1024
    raise AssertionError(f"no Rss of process {pid}")


def measure(pids):
    def count(pid, kind):
        return len(os.listdir(f"/proc/{pid}/{kind}"))

    return {pid: (resident(pid), count(pid, "fd"), count(pid, "task")) for pid in pids}


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_hundreds_of_sessions():
    with tf.Graph().as_default(), tf.LocalCluster(ps=1, worker=2) as cluster:
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=np.ones(100, np.float32))
        with tf.device("/job:worker/task:1"):
            x = tf.placeholder(tf.float32, [100])
            product = v * x
        with tf.device("/job:worker/task:0"):
            result = tf.reduce_sum(product)
        initializer = tf.global_variables_initializer()
        feed = {x: np.full(100, 2.0, np.float32)}
        pids = [status.pid for status in cluster.status()] + [os.getpid()]

        def open_and_close(count):
            for _ in range(count):
                with tf.Session(cluster.target("worker:0")) as session:
                    assert session.run(result, feed) == 200.0

        with tf.Session(cluster.target("worker:0")) as session:
            session.run(initializer)
        open_and_close(rounds(250))  # what has to be learned, allocated, remembered, is
        gc.collect()
        before = measure(pids)
        open_and_close(rounds(250))
        gc.collect()
        after = measure(pids)
        print("\n(MB, files, threads) of ps:0, worker:0, worker:1, client:")
        for pid in pids:
            print(" ", before[pid], "->", after[pid])
        for pid in pids:
            assert after[pid][0] < 1.1 * before[pid][0], (before, after)
            assert after[pid][1] <= before[pid][1] + 3, (before, after)
            assert after[pid][2] <= before[pid][2] + 5, (before, after)
        for status in cluster.status():
            seen = look(status.address, ["tasks", "sessions"])
            assert seen["sessions"] == []
            assert seen["tasks"][0]["steps"] == 0
