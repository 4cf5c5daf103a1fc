"""What a task keeps for one session of a master: its state, and the parts of steps it has got."""

from __future__ import annotations

import itertools
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from tinytf.devices.device import Device
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.tasks.task_backend import TaskBackend, add_checked
from tinytf.distributed.worker.unfused import unfused
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import AbortedError
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import Rendezvous, parse_key, rendezvous_key
from tinytf.framework.tensor import Tensor
from tinytf.protos import config_pb2, graph_pb2
from tinytf.resources.contributions import Asker
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.preparation import Signature

#: Outside of loops: where feeds arrive and fetches leave.
ROOT_FRAME = "0:0"


class RegisteredGraph:
    """One part of a step, compiled.

    What the master feeds arrives at `_Recv`s that are client terminated: they are the feeds of the
    plan, and such `_Send`s its fetches.

    Args:
      graph_def: the part. backend_of: makes the backend for its graph.

    Attributes:
      dtypes, feed_dtypes: of the fetches and feeds, by key.
      feeds, fetches: rendezvous keys, in order of the runner's values and results.
      groups: of each key that the part receives whatever else it does, all those of that task.
      runner: see `session.backend.Runner`; also takes the cancellation and the rendezvous.

    Raises:
      InvalidArgumentError, NotFoundError: if the graph is malformed.
    """

    def __init__(self, graph_def: graph_pb2.GraphDef, backend_of: Callable[[Graph], TaskBackend]):
        self.graph = Graph()
        add_checked(self.graph, unfused(graph_def))
        arriving, leaving, others = _sorted_by_end(self.graph.get_operations())
        self.backend = backend_of(self.graph)
        self.feeds = [_key(op) for op in arriving]
        self.groups = _groups(others)
        self.fetches = [_key(op) for op in leaving]
        #: what is fed, and what is fetched
        self.fed: list[Tensor] = [op.outputs[0] for op in arriving]
        self.fetched: list[Tensor] = [op.inputs[0] for op in leaving]
        self.dtypes = {_key(op): op.inputs[0].dtype.base_dtype for op in leaving}
        self.targets = _ends(others, self.fetched)
        self.feed_dtypes = {_key(op): op.outputs[0].dtype.base_dtype for op in arriving}
        self._ends = [*self.targets, *leaving]
        self._partial_runner: Any = None
        self.runner: Any = self.backend.compile(Signature(self.fed, self.fetched, self.targets))

    def run_partially(self, cancellation: CancellationManager, rendezvous: Rendezvous) -> None:
        """Run the part, receiving what is fed, and sending what is fetched, in its middle."""
        if self._partial_runner is None:
            self._partial_runner = self.backend.compile(Signature([], [], self._ends))
        self._partial_runner([], None, None, cancellation, rendezvous)

    def close(self) -> None:
        """Cancel what runs."""
        self.backend.close()


def _sorted_by_end(
    ops: Sequence[Operation],
) -> tuple[list[Operation], list[Operation], list[Operation]]:
    """(what is fed, what is fetched, everything else)."""
    found: dict[str, list[Operation]] = {"_Recv": [], "_Send": [], "": []}
    for op in ops:
        is_client = op.type in ("_Recv", "_Send") and op.attrs["client_terminated"]
        found[op.type if is_client else ""].append(op)
    return found["_Recv"], found["_Send"], found[""]


def _groups(ops: Sequence[Operation]) -> dict[str, list[str]]:
    """See `RegisteredGraph.groups`: what waits for something, as in loops, is not among them."""
    by_sender: dict[str, list[str]] = {}
    for op in ops:
        if op.type in ("_Recv", "_HostRecv") and not op.control_inputs:
            by_sender.setdefault(parse_key(_key(op)).source, []).append(_key(op))
    return {key: group for group in by_sender.values() for key in group}


def _ends(ops: Sequence[Operation], fetched: Sequence[Tensor]) -> list[Operation]:
    """Operations that lead to all: those nobody consumes; and all of what is in a circle."""
    consumed = {t.op for op in ops for t in op.inputs} | {
        c for op in ops for c in op.control_inputs
    }
    ends = [op for op in ops if op not in consumed]
    reached: set[Operation] = set()
    pending = [*ends, *(tensor.op for tensor in fetched)]
    while pending:
        op = pending.pop()
        if op not in reached:
            reached.add(op)
            pending.extend(t.op for t in op.inputs)
            pending.extend(op.control_inputs)
    return ends + [op for op in ops if op not in reached]


def _key(op: Operation) -> str:
    return rendezvous_key(op.attrs) + ROOT_FRAME


class WorkerSession:
    """See the module. Thread-safe.

    Args:
      handle: how the master calls it. resources: its view of the task's state.
      config: of the session. task, devices: whose, as the session calls them.
      master: the task it works for.
      peers: the other tasks, if the session has its own picture of the cluster; it closes them.
    """

    def __init__(
        self,
        handle: str,
        resources: ResourceManager,
        config: Any,
        task: str,
        devices: Sequence[Device],
        master: str,
        peers: Peers | None = None,
    ):
        self.handle, self.resources, self.master = handle, resources, master
        resources.asker = Asker(master, handle, time.monotonic())
        self.task, self.peers = task, peers
        #: of the process that the master is; 0: not known
        self.master_incarnation = 0
        self._config, self._devices = config, devices
        self._lock = threading.Lock()
        self._graphs: dict[str, RegisteredGraph] = {}  # guarded by self._lock
        self._numbers = itertools.count(1)

    def register(self, graph_def: graph_pb2.GraphDef, config: Any = None) -> str:
        """Compile a part of a step; returns its handle."""
        own = config_pb2.ConfigProto()
        own.CopyFrom(self._config if config is None else config)
        own.log_device_placement = False  # the master places, and says where
        graph = RegisteredGraph(
            graph_def,
            lambda graph: TaskBackend(graph, own, self.resources, self.task, self._devices),
        )
        with self._lock:
            handle = f"{next(self._numbers):016x}"
            self._graphs[handle] = graph
        return handle

    @property
    def size(self) -> int:
        """How many parts there are."""
        with self._lock:
            return len(self._graphs)

    def graph(self, handle: str) -> RegisteredGraph:
        """A part by its handle; AbortedError if it is unknown: the task was restarted since."""
        with self._lock:
            found = self._graphs.get(handle)
        if found is None:
            raise AbortedError(
                f"Graph handle is not found: {handle}. Possibly, this worker ({self.task}) just "
                f"restarted."
            )
        return found

    def deregister(self, handle: str) -> None:
        """Forget a part."""
        self.graph(handle).close()
        with self._lock:
            self._graphs.pop(handle, None)

    def close(self) -> None:
        """Cancel what runs, and forget all parts."""
        with self._lock:
            graphs, self._graphs = list(self._graphs.values()), {}
        for graph in graphs:
            graph.close()
        self.resources.clear_owned()  # iterators have threads
        if self.peers is not None:
            self.peers.close()
        self.resources.session_tensors.clear()
