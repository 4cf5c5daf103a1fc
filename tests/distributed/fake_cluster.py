"""A cluster in one process, without sockets: masters and workers that call each other on threads.

    with FakeCluster(ps=1, worker=2) as cluster:
        with tf.device("/job:ps/task:0"):
            v = tf.get_variable("v", initializer=[1.0, 2.0])
        with tf.Session(cluster.target("worker", 0)) as session:
            session.run(v.initializer)
        assert "RecvTensor" in cluster.methods("worker:0", "ps:0")

Everything between a task and another, or a client and a task, is real but the wire: requests and
answers become bytes and are parsed again, each call is answered on a thread of its own, and may be
withdrawn. Timeouts of calls are ignored: what a test waits for has to come. `cluster.kill("ps:0")`
and `cluster.restart("ps:0")` do what the end of a process does.
"""

import itertools
import threading
import weakref
from typing import NamedTuple

import tinytf as tf
from tinytf.devices.device import CPU_MEMORY_LIMIT, CpuDevice, DeviceAttributes
from tinytf.distributed.client.remote_session import RemoteBackend
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.master.master import Master
from tinytf.distributed.server.services import services
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire import framing
from tinytf.distributed.wire.dispatch import settled
from tinytf.distributed.wire.wire_errors import is_derived, mark_derived, text_for_peer
from tinytf.distributed.worker.worker import Worker
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import (
    CancelledError,
    InternalError,
    OpError,
    UnavailableError,
    UnimplementedError,
    from_code,
)
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.thread_pool import ElasticPool
from tinytf.session.backend import register_backend

_clusters = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


class Traffic(NamedTuple):
    """One call: who calls whom ("ps:0"; "client"), the method's name, and the request's bytes."""

    caller: str
    callee: str
    method: str
    data: bytes


class FakeTask:
    """One task of a `FakeCluster`: its `master`, its `worker`, and whether it is `alive`."""

    def __init__(self, cluster, name, incarnation):
        job, _, index = name.partition(":")
        task = f"/job:{job}/replica:0/task:{index}"
        self.devices = [
            CpuDevice(
                DeviceAttributes(
                    f"{task}/device:CPU:{i}", "CPU", CPU_MEMORY_LIMIT, incarnation * 100 + i
                )
            )
            for i in range(cluster.cpus)
        ]

        def connect(address, task):
            return FakeTransport(cluster, name, address)

        self.resources = ResourceManager(job)
        self.peers = Peers(cluster.spec, connect)
        self.worker = Worker(
            task, self.devices, self.resources, self.peers, cluster.config, connect
        )
        self.master = Master(self.worker, self.peers, cluster.config)
        self.services = services(self.master, self.worker)
        self.gone = CancellationManager()

    def end(self):
        """End it, as the end of its process would."""
        self.gone.start_cancel()
        reason = CancelledError(None, None, "its server was stopped.")
        self.master.close()
        self.worker.close(reason)
        self.peers.close()
        self.resources.clear_all()


class FakeCluster:
    """See the module.

    Args:
      jobs: how many tasks each has. cpus: how many devices each task has. config: of all servers.
    """

    def __init__(self, cpus=1, config=None, **jobs):
        self.cpus, self.config = cpus, config or tf.ConfigProto()
        self.spec = ClusterSpec(
            {job: [f"{job}-{i}:1" for i in range(count)] for job, count in jobs.items()}
        )
        self.names = [f"{job}:{i}" for job, count in jobs.items() for i in range(count)]
        self.pool = ElasticPool("tinytf-fake-cluster")
        self.traffic = []
        self.incarnations = itertools.count(1)
        self.tasks = {name: FakeTask(self, name, next(self.incarnations)) for name in self.names}
        self.number = next(_numbers)
        _clusters[self.number] = self

    def target(self, job, index=0):
        """What to give `tf.Session`."""
        return f"fake://{self.number}/{job}:{index}"

    def methods(self, caller, callee):
        """The methods that one task has called of another, in order."""
        return [t.method for t in self.traffic if (t.caller, t.callee) == (caller, callee)]

    def requests(self, method, message_class):
        """The requests of a method so far, as messages."""
        return [message_class.FromString(t.data) for t in self.traffic if t.method == method]

    def kill(self, name):
        """End a task: calls on their way to it fail as further ones do."""
        self.tasks.pop(name).end()

    def restart(self, name):
        """Begin a task again, with nothing but its name; end it before if it still runs."""
        if name in self.tasks:
            self.kill(name)
        self.tasks[name] = FakeTask(self, name, next(self.incarnations))

    def wait_until(self, condition):
        """Until what calls leave behind has come about; nothing tells when."""
        while not condition():
            threading.Event().wait(0.001)

    def close(self):
        """End all tasks."""
        for task in self.tasks.values():
            task.end()
        self.pool.shutdown()

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.close()


class FakeTransport:
    """What `client_transport.ClientTransport` is, to a task of a `FakeCluster`."""

    transport = "fake"

    def __init__(self, cluster, caller, address):
        self.cluster, self.caller = cluster, caller
        self.callee = address.partition(":")[0].replace("-", ":")

    def start_call(self, path, request, response_class, done, *how, **named):
        """Call a method; `done` gets the response, or the error, on another thread."""
        return FakeCall(self, path, framing.serialize(request), response_class, done)

    def start_several(self, *call):
        """Each tensor is asked for by itself."""

    def call(self, path, request, response_class, *how, **named):
        """Call a method and wait for the response."""
        over, results = threading.Event(), []

        def done(response, error):
            results[:] = response, error
            over.set()

        call = self.start_call(path, request, response_class, done)
        try:
            over.wait()
        except BaseException:
            call.cancel()
            raise
        response, error = results
        if error is not None:
            raise error
        return response

    def close(self):
        """Nothing is held."""


class FakeCall:
    """A call on its way."""

    def __init__(self, transport, path, data, response_class, done):
        self._path, self._data, self._response_class = path, data, response_class
        self._callee, self._finish = transport.callee, done
        self._lock = threading.Lock()
        self._over = False
        self._withdrawn = CancellationManager()
        cluster = transport.cluster
        method = path.rpartition("/")[2]
        cluster.traffic.append(Traffic(transport.caller, self._callee, method, data))
        task = cluster.tasks.get(self._callee)
        if task is None or task.gone.register(self._lost) is None:
            cluster.pool.submit(self._lost)
        else:
            cluster.pool.submit(lambda: self._answer(task))

    def cancel(self):
        """Withdraw it."""
        self._withdrawn.start_cancel(
            CancelledError(None, None, "Step was cancelled: its client withdrew the call.")
        )
        self._done(None, CancelledError(None, None, "The call was withdrawn."))

    def _lost(self):
        self._done(None, UnavailableError(None, None, f"Nobody answers at {self._callee}."))

    def _done(self, response, error):
        with self._lock:
            before, self._over = self._over, True
        if not before:
            self._finish(response, error)

    def _answer(self, task):
        try:
            response = self._response(task)
        except OpError as error:
            copy = from_code(error.error_code, text_for_peer(error))
            self._done(None, mark_derived(copy) if is_derived(error) else copy)
        except Exception as error:
            self._done(None, InternalError(None, None, f"{type(error).__name__}: {error}"))
        else:
            self._done(response, None)

    def _response(self, task):
        if self._path not in task.services:
            raise UnimplementedError(None, None, self._path)
        request_class, method = task.services[self._path]
        answer = method(framing.read(request_class, self._data), self._withdrawn)
        return framing.read(self._response_class, framing.serialize(settled(answer)))


class _FakeBackend(RemoteBackend):
    def __init__(self, cluster, task, graph, config):
        super().__init__(f"{task.replace(':', '-')}:1", graph, config)
        self._transport.close()
        self._transport = FakeTransport(cluster, "client", self._address)


def _open(target, graph, config, *credentials):
    number, _, task = target.partition("://")[2].partition("/")
    return _FakeBackend(_clusters[int(number)], task, graph, config)


register_backend("fake", _open)
