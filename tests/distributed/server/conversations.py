"""What clients and tasks really say to each other: recorded from programs, to be said again.

    talks = record()                       # runs each of `PROGRAMS` on a cluster of two tasks
    retold = Retelling(talks["queues"], call)
    retold.upto(index)                     # says it again, up to a message, to another cluster
    retold.translated(talks["queues"][index])

What differs from one cluster to the next (addresses, incarnations, handles) is translated; numbers
of steps and requests are new each time.
"""

import itertools
import threading
from dataclasses import dataclass
from unittest import mock

import numpy as np

import tinytf as tf
from tests.distributed.server.hostile import MASTER, WORKER, kinds_of_things
from tinytf.distributed.wire import framing, in_process
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.protos import master_pb2, worker_pb2

TASKS = ("/job:worker/task:0", "/job:worker/task:1")


@dataclass
class Said:
    """A request, to whom, and what was answered (None where that was an error)."""

    address: str
    path: str
    request: object
    answer: object = None


# Programs ----------------------------------------------------------------------------------------


def training(target):
    with tf.device(TASKS[0]):
        w = tf.get_variable("w", initializer=np.ones([3, 1], np.float32))
    with tf.device(TASKS[1]):
        x = tf.placeholder(tf.float32, [None, 3], name="x")
        loss = tf.reduce_mean(tf.square(tf.matmul(x, w)))
    step = tf.train.AdamOptimizer(0.1).minimize(loss)
    with tf.Session(target) as session:
        session.run(tf.global_variables_initializer())
        for _ in range(2):
            session.run([loss, step], {x: np.ones([2, 3], np.float32)})
        run = session.make_callable([loss, w], [x])
        run(np.ones([1, 3], np.float32))
        del run
        session.list_devices()


def queues(target):
    with tf.device(TASKS[0]):
        queue = tf.FIFOQueue(4, [tf.float32, tf.string], [[2], []], shared_name="queue")
    with tf.device(TASKS[1]):
        put = queue.enqueue([[1.0, 2.0], "a"])
        many = queue.enqueue_many([[[1.0, 2.0]] * 2, ["b", "c"]])
        taken = queue.dequeue()
        some = queue.dequeue_up_to(2)
    with tf.Session(target) as session:
        session.run(put)
        session.run([taken])
        session.run(many)
        session.run([some, queue.size()])
        session.run(queue.close())


def loops(target):
    with tf.device(TASKS[0]):
        n = tf.placeholder(tf.int32, [], name="n")
        _, total = tf.while_loop(lambda i, _: i < n, lambda i, a: (i + 1, a * 2.0), [0, 1.0])
    with tf.device(TASKS[1]):
        either = tf.cond(total > 3.0, lambda: total * 2.0, lambda: total - 1.0)
        array = tf.TensorArray(tf.float32, 3).unstack([1.0, 2.0, 3.0])
        back = tf.gradients(tf.map_fn(lambda a: a * total, array.stack()), [total])
    with tf.Session(target) as session:
        session.run([either, back], {n: 3})


def datasets(target):
    with tf.device(TASKS[0]):
        numbers = tf.data.Dataset.range(8).map(lambda n: n * 2).shuffle(4).batch(2).repeat()
        iterator = tf.data.make_initializable_iterator(numbers)
        following = iterator.get_next()
    with tf.Session(target) as session:
        session.run(iterator.initializer)
        session.run(following)
        session.run(tf.as_string(following))  # the graph is extended


def partial_runs(target):
    with tf.device(TASKS[0]):
        a, b = (tf.placeholder(tf.float32, [], name=name) for name in "ab")
        first = a + 1.0
    with tf.device(TASKS[1]):
        second = first * b
    with tf.Session(target) as session:
        handle = session.partial_run_setup([first, second], [a, b])
        session.partial_run(handle, first, {a: 1.0})
        session.partial_run(handle, second, {b: 2.0})


def everything(target):
    graph = tf.Graph()
    with graph.as_default():
        tf.import_graph_def(kinds_of_things(), name="")
        with tf.device(TASKS[1]):
            far = tf.reduce_sum(graph.get_tensor_by_name("joined:0"))
    with tf.Session(target, graph=graph) as session:
        session.run("init")
        session.run(
            ["y:0", "next:0", "either/Merge:0", "words:0", far], {"x:0": np.ones(2, np.float32)}
        )
    tf.Session.reset(target, ["elsewhere"])


PROGRAMS = {
    program.__name__: program
    for program in (training, queues, loops, datasets, partial_runs, everything)
}


# Recording ----------------------------------------------------------------------------------------


class Tap:
    """All that is sent by clients and tasks of this process, in order, while it is open."""

    def __init__(self):
        self.said, self._lock = [], threading.Lock()

    def _hear(self, address, path, request):
        kind = message_class(path, "Request")
        said = Said(address, path, kind and kind.FromString(framing.serialize(request)))
        if kind is not None:
            with self._lock:
                self.said.append(said)
        return said

    def __enter__(self):
        call, start_call = ClientTransport.call, ClientTransport.start_call

        def calls(transport, path, request, *rest, **options):
            said = self._hear(transport.address, path, request)
            answer = call(transport, path, request, *rest, **options)
            said.answer = _plain(answer)
            return answer

        def starts(transport, path, request, kind, done, *rest, **options):
            said = self._hear(transport.address, path, request)

            def finish(answer, error):
                said.answer = _plain(answer)
                done(answer, error)

            return start_call(transport, path, request, kind, finish, *rest, **options)

        self._patches = [
            mock.patch.object(ClientTransport, "call", calls),
            mock.patch.object(ClientTransport, "start_call", starts),
            mock.patch.object(in_process, "find", return_value=None),
        ]
        for patch in self._patches:
            patch.start()
        return self

    def __exit__(self, *exception):
        for patch in self._patches:
            patch.stop()


def _plain(answer):
    return answer.message if isinstance(answer, framing.Parcel) else answer


def message_class(path, kind):
    """The class of a method's "Request" or "Response"; None for a method of neither service."""
    _, service, method = path.split("/")
    messages = {"tensorflow.MasterService": master_pb2, "tensorflow.WorkerService": worker_pb2}
    return getattr(messages.get(service), f"{method}{kind}", None)


def start_cluster():
    """Two tasks of this process: the servers."""
    held = [tf.train.Server({"a": ["localhost:0"]}, start=False) for _ in TASKS]
    addresses = [server.target.removeprefix("grpc://") for server in held]
    for server in held:
        server.stop()
    cluster = {"worker": addresses}
    return [tf.train.Server(cluster, "worker", index) for index in range(len(TASKS))]


def record():
    """What was said for each of `PROGRAMS`."""
    talks = {}
    servers = start_cluster()
    try:
        for name, program in PROGRAMS.items():
            with Tap() as tap, tf.Graph().as_default():
                program(servers[0].target)
            talks[name] = tap.said
    finally:
        for server in servers:
            server.stop()
    talks["oddments"] = _never_said(talks["training"])
    return talks


def _never_said(talk):
    """Requests of methods that our clients do not use, at the end of a talk."""
    (end,) = (said for said in talk if said.path.endswith("CloseSession"))
    result = talk[: talk.index(end)]
    session = end.request.session_handle
    (part, *_) = (
        said.answer.graph_handle for said in result if said.path.endswith("RegisterGraph")
    )

    def say(service, method, answer=None, **fields):
        request = message_class(f"{service}{method}", "Request")(**fields)
        result.append(Said(result[0].address, f"{service}{method}", request, answer))

    make = master_pb2.MakeCallableRequest(session_handle=session)
    make.options.fetch.append("Mean:0")
    make.options.feed.append("x:0")
    made = master_pb2.MakeCallableResponse(handle=777)
    say(MASTER, "MakeCallable", made, session_handle=session, options=make.options)
    value = tf.make_tensor_proto(np.ones([1, 3], np.float32))
    say(MASTER, "RunCallable", session_handle=session, handle=777, feed=[value])
    say(WORKER, "Logging", fetch_step_id=[1], clear=True)
    say(WORKER, "Tracing")
    say(WORKER, "CleanupAll", container=["other"])
    say(WORKER, "MarkRecvFinished", request_id=3)
    say(WORKER, "CleanupGraph", step_id=1)
    say(
        WORKER,
        "DeregisterGraph",
        session_handle=session,
        graph_handle=part,
        create_worker_session_called=True,
    )
    say(MASTER, "ReleaseCallable", session_handle=session, handle=777)
    return result


# Saying it again ----------------------------------------------------------------------------------


class Retelling:
    """A talk, said again to another cluster.

    Args:
      talk: of `record`. addresses: {recorded address: whom to ask now}.
      call: a function of (address, path, request) that returns the response, or None.
      start: the same, which does not wait.
    """

    _numbers = itertools.count(1)

    def __init__(self, talk, addresses, call, start):
        self._talk, self._call, self._start = talk, call, start
        self._addresses = addresses
        self._texts, self._integers = dict(addresses), {}
        self._shift = next(self._numbers) << 24

    def upto(self, index):
        """Say all that comes before the message at `index`."""
        for said in self._talk[:index]:
            request, address = self.translated(said), self._addresses[said.address]
            if said.path.endswith(("RunGraph", "RecvTensor")):
                self._start(address, said.path, request)  # they may wait for each other
            elif not said.path.endswith("Reset"):
                self._learn(said.answer, self._call(address, said.path, request))

    def translated(self, said):
        """A message as it would be said now."""
        request = type(said.request)()
        request.CopyFrom(said.request)
        self._translate(request)
        return request

    def address(self, said):
        """Whom it is said to now."""
        return self._addresses[said.address]

    def session(self):
        """The handle of the session that the talk is about."""
        recorded = self._talk[0].answer.session_handle
        return self._texts.get(recorded, recorded)

    def _learn(self, recorded, answer):
        if recorded is None or answer is None:
            return
        for field, value in recorded.ListFields():
            now = getattr(answer, field.name)
            if field.name.endswith("handle") and isinstance(value, str) and value != now:
                self._texts[value] = now
            if field.name.endswith("handle") and isinstance(value, int):
                self._integers["handle", value] = now
        if isinstance(recorded, worker_pb2.GetStatusResponse):
            for old, new in zip(recorded.device_attributes, answer.device_attributes, strict=False):
                self._integers["incarnation", old.incarnation] = new.incarnation
                self._texts[f"{old.incarnation:016x}"] = f"{new.incarnation:016x}"

    def _translate(self, message):
        for field, value in message.ListFields():
            if field.message_type is not None and field.message_type.GetOptions().map_entry:
                for key in list(value):
                    if field.message_type.fields_by_name["value"].message_type is not None:
                        self._translate(value[key])
                    else:
                        value[key] = self._text(value[key])
            elif field.message_type is not None:
                for part in value if not hasattr(value, "ListFields") else [value]:
                    self._translate(part)
            elif isinstance(value, str):
                setattr(message, field.name, self._text(value))
            elif isinstance(value, int) and not isinstance(value, bool):
                setattr(message, field.name, self._number(field, value))
            elif field.type == field.TYPE_STRING:
                value[:] = [self._text(text) for text in value]

    def _text(self, text):
        for old, new in self._texts.items() if isinstance(text, str) else ():
            text = text.replace(old, new)
        return text

    def _number(self, field, value):
        if field.name in ("step_id", "request_id"):
            return value ^ self._shift
        if field.name == "handle":
            return self._integers.get(("handle", value), value)
        new = self._integers.get(("incarnation", value % (1 << 64)))
        if new is None:
            return value
        signed = field.type == field.TYPE_INT64
        return new - (1 << 64) if signed and new >> 63 else new
