"""What a good client sends to every method, and a server without a port that gets it, spoilt.

    desk = Desk()                        # a server without a port, with a session, a part, a queue
    request = desk.requests()[path]      # what a good client would send there
    spoil(request, random.Random(seed))  # of `mutations`, in place: a field, anywhere in it
    desk.send(path, request.SerializeToString())

`send` is the way of a request from its bytes to the bytes of the answer, without a socket; whoever
has to wait is withdrawn after a moment, as by a client that vanishes. `desk.check()` says whether
the server is as it was.
"""

import itertools
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as StillWaiting

import numpy as np

import tinytf as tf
from tinytf.distributed.limits import Limits
from tinytf.distributed.server.services import services
from tinytf.distributed.wire import framing
from tinytf.distributed.wire.dispatch import settled
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import CancelledError, OpError
from tinytf.framework.rendezvous import rendezvous_key
from tinytf.protos import master_pb2, worker_pb2

MASTER, WORKER = "/tensorflow.MasterService/", "/tensorflow.WorkerService/"
LOOK = "/tinytf.Inspection/Look"
#: How long a call may wait until its client vanishes.
PATIENCE_SECONDS = 0.05
#: Long after that a call that was withdrawn has ended, or hangs.
END_SECONDS = 30.0


def kinds_of_things():
    """A graph with something of everything: state, queues, loops, functions, strings, files."""
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [2], name="x")
        v = tf.get_variable("v", initializer=np.float32([1, 2]), use_resource=False)
        r = tf.get_variable("r", initializer=np.float32([1, 2]), use_resource=True)
        tf.assign_add(v, x, name="add")
        tf.identity(v + x, name="y")
        tf.group(v.initializer, r.initializer, name="init")
        queue = tf.FIFOQueue(2, [tf.float32, tf.string], [[2], []], shared_name="q", name="q")
        queue.enqueue([x, "text"], name="put")
        tf.identity(queue.dequeue()[0], name="got")
        tf.while_loop(lambda i: i < 3, lambda i: i + 1, [tf.constant(0)], name="loop")
        tf.cond(x[0] > 0, lambda: x + 1, lambda: x - 1, name="either")
        tf.concat([tf.reshape(r * 2, [1, 2]), tf.ones([1, 2])], 0, name="joined")
        tf.string_join([tf.as_string(x), ["a", "b"]], name="words")
        tf.split(tf.range(6), 3, name="pieces")
        tf.py_func(lambda a: a, [x], tf.float32, name="python")
        tf.random_uniform([2], seed=1, name="random")
        tf.sparse_tensor_to_dense(tf.SparseTensor([[0, 0]], [1.0], [2, 2]), name="dense")
        tf.TensorArray(tf.float32, 2).write(0, 1.0).read(0, name="read")
        tf.decode_csv(["1,2"], [[0], [0]], name="csv")
        tf.constant(np.float32([1, 1]), name="ones")
        tf.matmul(tf.ones([2, 3]), tf.ones([3, 2]), name="product")
        tf.read_file("nothing", name="file")
        tf.summary.scalar("s", tf.reduce_sum(x))
        numbers = tf.data.Dataset.range(4).map(lambda n: n * 2).batch(2).repeat()
        tf.identity(tf.data.make_one_shot_iterator(numbers).get_next(), name="next")
        with tf.control_dependencies([x]):
            tf.no_op(name="nothing")
    return graph.as_graph_def()


class Desk:
    """A server without a port, as a client that lives through it all sees it.

    Args:
      options: of `tf.train.Server`.
    """

    def __init__(self, **options):
        self.graph_def = kinds_of_things()
        options.setdefault("limits", Limits(nodes=5000, unfolded_bytes=1 << 22))
        self.server = tf.train.Server({"a": ["localhost:0"]}, start=False, **options)
        self.master, self.worker = self.server._master, self.server._worker
        self.services = services(self.master, self.worker)
        self._numbers = itertools.count(100)
        self._pool = ThreadPoolExecutor(16, "hostile")
        self.begin()

    PATHS = tuple(
        f"/tensorflow.{service}/{method}"
        for service, methods in (
            (
                "MasterService",
                (
                    "CreateSession ExtendSession PartialRunSetup RunStep CloseSession "
                    "ListDevices Reset MakeCallable RunCallable ReleaseCallable"
                ),
            ),
            (
                "WorkerService",
                (
                    "GetStatus CreateWorkerSession DeleteWorkerSession RegisterGraph "
                    "DeregisterGraph RunGraph CleanupGraph CleanupAll RecvTensor Logging "
                    "Tracing MarkRecvFinished"
                ),
            ),
        )
        for method in methods.split()
    )

    def begin(self):
        """A session of the good client, a part of a step, and two sessions to be spoiled."""
        self.canary = self._open(isolate_session_state=True)  # others may clear what is shared
        self.run(self.canary, targets=["init"])
        self.worker_session = "from elsewhere"
        create = worker_pb2.CreateWorkerSessionRequest(session_handle=self.worker_session)
        self.good(WORKER + "CreateWorkerSession", create)
        self.device = self.worker.devices[0].name
        register = self._register_request()
        answer = self.good(WORKER + "RegisterGraph", register)
        self.part = worker_pb2.RegisterGraphResponse.FromString(answer).graph_handle
        self.victim = self._open()
        self.run(self.victim, targets=["init"])
        make = master_pb2.MakeCallableRequest(session_handle=self.victim)
        make.options.feed.append("x:0")
        make.options.fetch.append("y:0")
        answer = self.good(MASTER + "MakeCallable", make)
        self.callable = master_pb2.MakeCallableResponse.FromString(answer).handle

    def close(self):
        self._pool.shutdown(wait=False, cancel_futures=True)
        self.server.stop()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()

    # Sending -----------------------------------------------------------------------------------

    def good(self, path, message):
        """The answer to a request that is in order."""
        answer = self.send(path, message.SerializeToString(), END_SECONDS)
        assert isinstance(answer, bytes), answer
        return answer

    def send(self, path, data, patience=PATIENCE_SECONDS):
        """The bytes of the answer, or the `OpError`; any other exception is a mistake of ours."""
        kind, method = self.services[path]
        withdrawn = CancellationManager()

        def answer():
            try:
                answer = settled(method(framing.read(kind, data), withdrawn))
                return framing.serialize(answer)
            except OpError as error:
                return error

        future = self._pool.submit(answer)
        try:
            return future.result(patience)
        except StillWaiting:
            withdrawn.start_cancel(CancelledError(None, None, "The client is gone."))
            return future.result(END_SECONDS)

    def _open(self, **config):
        create = master_pb2.CreateSessionRequest(graph_def=self.graph_def)
        create.config.CopyFrom(tf.ConfigProto(**config))
        answer = self.good(MASTER + "CreateSession", create)
        return master_pb2.CreateSessionResponse.FromString(answer).session_handle

    def run(self, session, fetches=(), targets=()):
        """The fetched values of a step of the good client's."""
        request = self.step(session, fetches, targets)
        answer = self.good(MASTER + "RunStep", request)
        return framing.parse(master_pb2.RunStepResponse, answer).by_name()

    @staticmethod
    def step(session, fetches=(), targets=()):
        """The request for a step."""
        request = master_pb2.RunStepRequest(session_handle=session, fetch=fetches, target=targets)
        request.feed.add(name="x:0", tensor=tf.make_tensor_proto([1.0, 2.0]))
        return request

    # What a good client sends -------------------------------------------------------------------

    def _key(self, tensor):
        incarnation = self.worker.devices[0].attributes.incarnation
        return (
            rendezvous_key(
                {
                    "send_device": self.device.encode(),
                    "send_device_incarnation": incarnation,
                    "recv_device": self.device.encode(),
                    "tensor_name": tensor.encode(),
                }
            )
            + "0:0"
        )

    def _register_request(self):
        request = worker_pb2.RegisterGraphRequest(
            session_handle=self.worker_session, create_worker_session_called=True
        )
        nodes = request.graph_def.node
        number = self.worker.devices[0].attributes.incarnation
        number -= 1 << 64 if number >> 63 else 0
        for kind, name, typed, is_fed in (
            ("_Recv", "in", "tensor_type", True),
            ("_Send", "out", "T", True),
            ("_Send", "on", "T", False),
        ):
            node = nodes.add(name=name, op=kind, device=self.device)
            node.attr[typed].type = tf.float32.as_datatype_enum
            node.attr["tensor_name"].s = name.encode()
            node.attr["send_device"].s = node.attr["recv_device"].s = self.device.encode()
            node.attr["send_device_incarnation"].i = number
            node.attr["client_terminated"].b = is_fed
            if kind == "_Send":
                node.input.append("in")
        request.graph_def.versions.producer = 1645
        return request

    def everything(self):
        """A request to register a part with something of everything."""
        request = self._register_request()
        one = next(n for n in self.graph_def.node if n.op == "Const" and n.name == "ones")
        for node in self.graph_def.node:
            copy = request.graph_def.node.add()
            copy.CopyFrom(one if node.name == "x" else node)
            copy.name, copy.device = node.name, self.device
        request.graph_def.library.CopyFrom(self.graph_def.library)
        return request

    def requests(self):
        """A valid request of every method, by path."""
        session, cluster_session = self.victim, self.worker_session
        step = self.step(session, ["y:0", "joined:0", "next:0", "either/Merge:0"], ["add"])
        step.options.trace_level = 0
        run_callable = master_pb2.RunCallableRequest(session_handle=session, handle=self.callable)
        run_callable.feed.append(tf.make_tensor_proto([1.0, 2.0]))
        run_graph = worker_pb2.RunGraphRequest(
            session_handle=cluster_session,
            create_worker_session_called=True,
            graph_handle=self.part,
            step_id=next(self._numbers),
            recv_key=[self._key("out")],
        )
        run_graph.send.add(name=self._key("in"), tensor=tf.make_tensor_proto([3.0]))
        create_worker = worker_pb2.CreateWorkerSessionRequest(session_handle="another")
        create_worker.server_def.job_name = "a"
        create_worker.server_def.cluster.job.add(name="a").tasks[0] = "localhost:1"
        extend = master_pb2.ExtendSessionRequest(session_handle=session)
        extend.graph_def.node.add(name=f"extra{next(self._numbers)}", op="NoOp", input=["^v"])
        if session in self.master._sessions:
            extend.current_graph_version = self.master._sessions[session].version
        callable_request = master_pb2.MakeCallableRequest(session_handle=session)
        callable_request.options.feed.append("x:0")
        callable_request.options.fetch.append("y:0")
        return {
            MASTER + "CreateSession": master_pb2.CreateSessionRequest(graph_def=self.graph_def),
            MASTER + "ExtendSession": extend,
            MASTER + "PartialRunSetup": master_pb2.PartialRunSetupRequest(
                session_handle=session, feed=["x:0"], fetch=["y:0"], target=["nothing"]
            ),
            MASTER + "RunStep": step,
            MASTER + "CloseSession": master_pb2.CloseSessionRequest(session_handle=session),
            MASTER + "ListDevices": master_pb2.ListDevicesRequest(session_handle=session),
            MASTER + "Reset": master_pb2.ResetRequest(container=["elsewhere"]),
            MASTER + "MakeCallable": callable_request,
            MASTER + "RunCallable": run_callable,
            MASTER + "ReleaseCallable": master_pb2.ReleaseCallableRequest(
                session_handle=session, handle=self.callable
            ),
            WORKER + "GetStatus": worker_pb2.GetStatusRequest(),
            WORKER + "CreateWorkerSession": create_worker,
            WORKER + "DeleteWorkerSession": worker_pb2.DeleteWorkerSessionRequest(
                session_handle="another"
            ),
            WORKER + "RegisterGraph": self._register_request(),
            WORKER + "DeregisterGraph": worker_pb2.DeregisterGraphRequest(
                session_handle=cluster_session,
                create_worker_session_called=True,
                graph_handle=self.part,
            ),
            WORKER + "RunGraph": run_graph,
            WORKER + "CleanupGraph": worker_pb2.CleanupGraphRequest(step_id=77),
            WORKER + "CleanupAll": worker_pb2.CleanupAllRequest(container=["elsewhere"]),
            WORKER + "Logging": worker_pb2.LoggingRequest(fetch_step_id=[77], clear=True),
            WORKER + "Tracing": worker_pb2.TracingRequest(),
            WORKER + "MarkRecvFinished": worker_pb2.MarkRecvFinishedRequest(request_id=3),
            WORKER + "RecvTensor": worker_pb2.RecvTensorRequest(
                step_id=77, rendezvous_key=self._key("on")
            ),
        }

    # Looking at the server -----------------------------------------------------------------------

    def is_whole(self):
        """Whether nobody has ended the good client's session (Reset may)."""
        return self.canary in self.master._sessions

    def has_everything(self):
        """Whether what its requests name is still there."""
        parts = self.worker._sessions.get(self.worker_session)
        callables = getattr(self.master._sessions.get(self.victim), "_callables", {})
        return (
            self.is_whole()
            and parts is not None
            and self.part in parts._graphs
            and self.callable in callables
        )

    def check(self):
        """The server serves, and the good client's state is as it was."""
        values = self.run(self.canary, ["v/read:0", "product:0"])
        assert values["v/read:0"].tolist() == [1.0, 2.0]
        assert values["product:0"].tolist() == [[3.0, 3.0]] * 2

    @staticmethod
    def wait_until(condition):
        """Wait for what other threads do at the end of calls; AssertionError if it never comes."""
        end = time.monotonic() + END_SECONDS
        while not condition():
            assert time.monotonic() < end, "it never came"
            threading.Event().wait(0.01)

    def state(self):
        """What a request that fails must leave as it is."""
        sessions = dict(self.master._sessions)
        return (
            set(sessions),
            {handle: len(session.graph._by_name) for handle, session in sessions.items()},
            {handle: session.size for handle, session in dict(self.worker._sessions).items()},
            {item[:3] for item in self.worker.resources.items()},
        )
