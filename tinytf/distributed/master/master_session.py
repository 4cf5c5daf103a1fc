"""One client's session on a master: its graph, its compiled steps, its partial runs.

Pure logic: no threads of its own, no sockets. A step runs on the thread that asks for it, and ends
when the cancellation it was given says so.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tinytf.devices.device import Device, DeviceAttributes
from tinytf.distributed.limits import TOO_MANY_PARTIAL_RUNS, TOO_MANY_SIGNATURES
from tinytf.distributed.master.calls import Calls, ignored
from tinytf.distributed.master.cluster_step import ClusterStep, Within, timeout_of
from tinytf.distributed.master.graph_parts import GraphParts
from tinytf.distributed.master.partial_parts import ClusterPartialStep
from tinytf.distributed.master.partial_run import PartialRun
from tinytf.distributed.master.turns import Turn
from tinytf.distributed.tasks.own_worker import OwnWorker
from tinytf.distributed.tasks.task_backend import TaskBackend, add_checked
from tinytf.distributed.wire.framing import Parcel
from tinytf.framework import errors
from tinytf.framework.cancellation import CancellationManager, linked
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.dtypes import DType
from tinytf.framework.graph import Graph
from tinytf.framework.graph_versions import PRODUCER
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import task_of
from tinytf.framework.tensor import Tensor
from tinytf.protos import config_pb2, graph_pb2, master_pb2, worker_pb2
from tinytf.runtime.partition import assigned_copies
from tinytf.runtime.preparation import Signature
from tinytf.runtime.pruning import prune

#: How long a task may take to forget a session.
LEAVE_SECONDS = 10.0
#: (names of feeds, of fetches, of targets)
Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class _Compiled:
    """A signature, ready to run; `fetches` says of which type each is, and which of the results."""

    __slots__ = ("feeds", "fetches", "runner")

    def __init__(
        self, feeds: list[Tensor], fetches: dict[str, tuple[DType, int]], runner: Callable[..., Any]
    ):
        self.feeds, self.fetches, self.runner = feeds, fetches, runner


class MasterSession:
    """See the module. Thread-safe; steps run side by side.

    Args:
      handle: what the client calls the session.
      graph_def: the first nodes. config: the session's configuration.
      worker: of the master's own task, as the session has it. remote: the other tasks' devices.

    Raises:
      InvalidArgumentError, NotFoundError: if the graph is malformed, or has unknown operations.
    """

    def __init__(
        self,
        handle: str,
        graph_def: graph_pb2.GraphDef,
        config: config_pb2.ConfigProto,
        worker: OwnWorker,
        remote: Sequence[Device],
    ):
        self.handle, self.task = handle, worker.task
        self._config, self._worker, self._peers = config, worker, worker.peers
        self._remote = list(remote)
        #: the other tasks that may have this session: whether they have said so; guarded by
        #: self._lock
        self._joined: dict[str, bool] = {}
        #: the calls under way
        self._calls: set[CancellationManager] = set()
        self.graph = Graph()
        #: How often the graph was extended; a client must know it to extend it again.
        self.version = 0
        self.cancellation = CancellationManager()
        self.cancellation.register(self._cancel_calls)
        self._lock = threading.Lock()
        #: Of who changes the graph, or compiles a step, and asks other tasks to.
        self._turn = Turn()
        self._compiled: dict[Names, _Compiled] = {}  # written by who has the turn
        self._partial: dict[str, PartialRun] = {}  # guarded by self._lock
        self._callables: dict[int, tuple[Names, Any]] = {}  # guarded by self._lock
        self._numbers = itertools.count()
        add_checked(self.graph, self._checked(graph_def))
        # What single nodes own, such as queues without a shared name, is each session's own.
        resources = worker.resources.apart()
        if config.isolate_session_state:
            resources = worker.resources.isolated().apart()
        devices = [*worker.devices, *remote]
        own = worker.with_own_threads(config)
        self._backend = TaskBackend(self.graph, own, resources, worker.task, devices)
        worker.open_session(handle, resources, config)

    def extend(
        self,
        graph_def: graph_pb2.GraphDef,
        expected_version: int,
        withdrawn: CancellationManager | None = None,
    ) -> int:
        """Add nodes; returns the graph's new version.

        Raises:
          AbortedError: if the client's idea of the version is wrong: nothing was added.
          InvalidArgumentError, NotFoundError: if the nodes are malformed; likewise.
        """
        withdrawn = withdrawn or CancellationManager()
        with self._cancellable(withdrawn), self._turn.taken(withdrawn):
            if expected_version != self.version:
                raise errors.AbortedError(
                    f"Current version is {self.version} but caller expected {expected_version}."
                )
            add_checked(self.graph, self._checked(graph_def))
            self.version += 1
            return self.version

    def _checked(self, graph_def: graph_pb2.GraphDef) -> graph_pb2.GraphDef:
        self._worker.limits.check_graph(graph_def, len(self.graph._by_name))
        if graph_def.versions.min_consumer > PRODUCER:
            raise errors.InvalidArgumentError(
                f"GraphDef min consumer version {graph_def.versions.min_consumer} above current "
                f"version {PRODUCER} for tinytf. The program that built the graph is too new."
            )
        return graph_def

    # Steps --------------------------------------------------------------------------------------

    def run(
        self,
        parcel: Parcel[master_pb2.RunStepRequest],
        response: Parcel[master_pb2.RunStepResponse],
        withdrawn: CancellationManager,
    ) -> None:
        """Run a step and put the fetched tensors into `response`.

        `withdrawn` is cancelled when the client gives up the call; the end of the session ends
        the step as well.
        """
        request, values = parcel.message, parcel.by_name()
        if request.partial_run_handle:
            fetched = self._run_partial(request, values, withdrawn)
            for name in dict.fromkeys(request.fetch):  # under the very names that were asked for
                tensor = self._fetch(name)
                response.add(fetched[tensor], tensor.dtype, name)
            return
        names = (tuple(values), tuple(request.fetch), tuple(request.target))
        options = request.options if request.HasField("options") else None
        self._begin(withdrawn)  # not `_cancellable`, which takes a microsecond more
        try:
            compiled = self._prepare(names, withdrawn, options)
            _check_types(compiled.feeds, values.values())
            metadata = None if options is None else response.message.metadata
            results = compiled.runner(list(values.values()), options, metadata, withdrawn)
        finally:
            self._end(withdrawn)
        for name, (dtype, index) in compiled.fetches.items():
            response.add(results[index], dtype, name)

    @property
    def joined(self) -> list[str]:
        """The other tasks that have this session."""
        with self._lock:
            return sorted(self._joined)

    @contextmanager
    def _cancellable(self, call: CancellationManager) -> Iterator[None]:
        """What one call does; the session's end cancels it, as the call being withdrawn does."""
        self._begin(call)
        try:
            yield
        finally:
            self._end(call)

    def _begin(self, call: CancellationManager) -> None:
        self._calls.add(call)
        if self.cancellation.is_cancelled:
            call.start_cancel(self.cancellation.reason)

    def _end(self, call: CancellationManager) -> None:
        self._calls.discard(call)
        call.detach()

    def _cancel_calls(self) -> None:
        for call in self._calls.copy():  # one that comes later sees the reason itself
            call.start_cancel(self.cancellation.reason)

    @property
    def running(self) -> int:
        """How many calls are under way."""
        return len(self._calls)

    def _prepare(
        self, names: Names, cancellation: CancellationManager, options: Any = None
    ) -> _Compiled:
        found = self._compiled.get(names)
        if found is not None:
            return found
        with self._turn.taken(cancellation):
            found = self._compiled.get(names)
            if found is None:
                count = len(self._compiled) + 1
                self._worker.limits.check("signatures", count, *TOO_MANY_SIGNATURES)
                within = Within(cancellation, timeout_of(self._config, options))
                try:
                    found = self._compiled[names] = self._compile(names, within)
                except (errors.AbortedError, errors.CancelledError):
                    if cancellation.reason is not None:  # whatever that has led to
                        raise cancellation.reason from None
                    raise
            return found

    def _compile(self, names: Names, within: Within) -> _Compiled:
        feeds, fetches, targets = self._resolve(names)
        found = map(self._fetch, names[1])
        named = {n: (t.dtype, fetches.index(t)) for n, t in zip(names[1], found, strict=True)}
        parts = self._cut(feeds, fetches, targets)
        if parts is None:
            runner = self._backend.compile(Signature(feeds, fetches, targets))
            return _Compiled(feeds, named, runner)
        return _Compiled(feeds, named, self._on_tasks(parts, feeds, within).run)

    def _on_tasks(self, parts: GraphParts, feeds: list[Tensor], within: Within) -> ClusterStep:
        """The parts, registered with their tasks; the caller has the turn."""
        self._join([task for task in parts.parts if task != self._worker.task], within)
        types = [tensor.dtype.base_dtype for tensor in feeds]
        return ClusterStep(
            self.handle, parts, self.graph, self._worker, self._peers, types, self._config, within
        )

    def _cut(
        self, feeds: list[Tensor], fetches: list[Tensor], targets: list[Operation]
    ) -> GraphParts | None:
        """The parts of a step by task; None if the master's own task runs all of it."""
        own = self._worker.task
        roots = [*(t.op for t in fetches if t not in feeds), *targets]
        ops = prune(roots, frozenset(feeds))
        devices = self._backend.devices_of(ops)
        if devices is None or all(task_of(devices.of(op).name) == own for op in ops):
            return None
        copies, _ = assigned_copies(ops, feeds, fetches, targets, devices)
        incarnations = {
            task_of(device.name): device.attributes.incarnation
            for device in reversed([*self._worker.devices, *self._remote])
        }
        truncates = self._config.graph_options.enable_bfloat16_sendrecv
        cut = copies.ops, copies.fetches, feeds
        return GraphParts(*cut, own, incarnations, truncates=truncates)

    def _join(self, tasks: Iterable[str], within: Within) -> None:
        """Make the session known to other tasks; the caller has the turn."""
        calls = Calls()
        new = [task for task in tasks if not self._joined.get(task)]
        for task in new:
            spec = DeviceSpec.from_string(task)
            request = worker_pb2.CreateWorkerSessionRequest(
                session_handle=self.handle,
                master_task=self._worker.task,
                isolate_session_state=self._config.isolate_session_state,
            )
            request.server_def.job_name = spec.job or ""
            request.server_def.task_index = spec.task or 0
            request.server_def.protocol = "grpc"
            if self._config.cluster_def.job:
                request.server_def.cluster.CopyFrom(self._config.cluster_def)
            request.server_def.default_session_config.CopyFrom(self._config)
            incarnation = self._worker.devices[0].attributes.incarnation
            request.master_incarnation = incarnation - (1 << 64 if incarnation >> 63 else 0)
            calls.start(self._peers, task, "CreateWorkerSession", request, within.seconds)
        try:
            calls.wait(within.cancellation)
        finally:
            with self._lock:  # where it failed, the answer may have been lost
                self._joined.update((task, task in calls.answers) for task in new)
            if self.cancellation.is_cancelled:
                self._leave()

    def _resolve(self, names: Names) -> tuple[list[Tensor], list[Tensor], list[Operation]]:
        feeds = [self._tensor(n, "FeedInputs: unable to find feed output {}") for n in names[0]]
        fetches = list(dict.fromkeys(map(self._fetch, names[1])))
        both = [tensor.name for tensor in fetches if tensor in feeds]
        if both:
            raise errors.InvalidArgumentError(f"{both[0]} is both fed and fetched.")
        targets = []
        for name in names[2]:
            op = self.graph._by_name.get(name)
            if op is None:
                raise errors.NotFoundError(f"PruneForTargets: Some target nodes not found: {name}")
            targets.append(op)
        return feeds, fetches, targets

    def _fetch(self, name: str) -> Tensor:
        return self._tensor(name, "FetchOutputs node {}: not found")

    def _tensor(self, name: str, not_found: str) -> Tensor:
        operation, colon, index = name.rpartition(":")
        if not colon:
            operation, index = name, "0"
        op = self.graph._by_name.get(operation)
        if op is None:
            raise errors.NotFoundError(not_found.format(name))
        if not (index.isascii() and index.isdigit()) or int(index) >= len(op.outputs):
            raise errors.InvalidArgumentError(
                f"{name}: {operation} has {len(op.outputs)} outputs, counted from 0"
            )
        return op.outputs[int(index)]

    # Partial runs -------------------------------------------------------------------------------

    def start_partial(self, names: Names) -> str:
        """Begin a partial run; returns its handle."""
        with self._turn.taken(self.cancellation):
            count = len(self._partial) + 1
            self._worker.limits.check("partial_runs", count, *TOO_MANY_PARTIAL_RUNS)
            feeds, fetches, targets = self._resolve(names)
            manager = CancellationManager(self.cancellation)
            parts = self._cut(feeds, fetches, targets)
            step: Any
            if parts is None:
                step = self._backend.start_partial(Signature(feeds, fetches, targets), manager)
            else:
                within = Within(self.cancellation, timeout_of(self._config, None))
                on_tasks = self._on_tasks(parts, feeds, within)
                step = ClusterPartialStep(
                    parts, feeds, fetches, on_tasks.run_request, manager, on_tasks.forget
                )
            handle = f"partial_{self.handle}_{next(self._numbers)}"
            with self._lock:
                self._partial[handle] = PartialRun(step, manager, feeds, fetches)
            return handle

    def _run_partial(
        self,
        request: master_pb2.RunStepRequest,
        values: dict[str, Any],
        withdrawn: CancellationManager,
    ) -> dict[Tensor, Any]:
        with self._lock:
            run = self._partial.get(request.partial_run_handle)
            if run is None:
                raise errors.InvalidArgumentError(
                    "Must run PartialRunSetup before performing partial runs"
                )
            feeds, fetches, targets = self._resolve(
                (tuple(values), tuple(request.fetch), tuple(request.target))
            )
            run.check(feeds, fetches)
        _check_types(feeds, values.values())
        try:
            with linked(withdrawn, run.cancellation):
                results = run.run(dict(zip(feeds, values.values(), strict=True)), fetches, targets)
        except BaseException as error:
            reason = errors.CancelledError(f"The partial run has failed: {error}")
            run.cancellation.start_cancel(reason)
            self._forget(request.partial_run_handle)
            raise
        if run.is_over:
            self._forget(request.partial_run_handle)
        return dict(zip(fetches, results, strict=True))

    def _forget(self, handle: str) -> None:
        with self._lock:
            run = self._partial.pop(handle, None)
        if run is not None:
            run.cancellation.detach()

    # Callables ----------------------------------------------------------------------------------

    def make_callable(
        self, options: config_pb2.CallableOptions, withdrawn: CancellationManager | None = None
    ) -> int:
        """Prepare a step whose feeds and fetches go by position; returns its handle."""
        names = (tuple(options.feed), tuple(options.fetch), tuple(options.target))
        withdrawn = withdrawn or CancellationManager()
        with self._cancellable(withdrawn):
            self._prepare(names, withdrawn, options.run_options)
        run_options = config_pb2.RunOptions()
        run_options.CopyFrom(options.run_options)
        with self._lock:
            count = len(self._callables) + 1
            self._worker.limits.check("signatures", count, *TOO_MANY_SIGNATURES)
            handle = next(self._numbers)
            self._callables[handle] = names, run_options
            return handle

    def run_callable(
        self,
        request: Parcel[master_pb2.RunCallableRequest],
        response: Parcel[master_pb2.RunCallableResponse],
        withdrawn: CancellationManager,
    ) -> None:
        """Run a prepared step and put the fetched tensors into `response`."""
        names, options = self._find_callable(request.message.handle)
        values = request.values()
        with self._cancellable(withdrawn):
            compiled = self._prepare(names, withdrawn, options)
            if len(values) != len(compiled.feeds):
                raise errors.InvalidArgumentError(
                    f"Expected {len(compiled.feeds)} feed tensors, but got {len(values)}"
                )
            _check_types(compiled.feeds, values)
            results = compiled.runner(values, options, response.message.metadata, withdrawn)
        for name in names[1]:
            dtype, index = compiled.fetches[name]
            response.add(results[index], dtype)

    def _find_callable(self, handle: int) -> tuple[Names, Any]:
        with self._lock:
            found = self._callables.get(handle)
        if found is None:
            raise errors.InvalidArgumentError(f"No such callable handle: {handle}")
        return found

    def release_callable(self, handle: int) -> None:
        """Forget a prepared step."""
        self._find_callable(handle)
        with self._lock:
            self._callables.pop(handle, None)

    # The end --------------------------------------------------------------------------------------

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices the session can use."""
        return self._backend.list_devices()

    def close(self, reason: errors.OpError | None = None) -> None:
        """Cancel what runs, and let the other tasks forget the session."""
        self.cancellation.start_cancel(
            reason
            or errors.CancelledError(
                "Step was cancelled by an explicit call to `Session::Close()`."
            )
        )
        self._backend.close()
        self._leave()
        self._worker.close_session(self.handle)

    def _leave(self) -> None:
        """Let the other tasks forget the session; nobody waits for their answers."""
        with self._lock:
            tasks, self._joined = self._joined, {}
        request = worker_pb2.DeleteWorkerSessionRequest(session_handle=self.handle)
        for task in tasks:
            self._peers.start(task, "DeleteWorkerSession", request, ignored, LEAVE_SECONDS)


def _check_types(tensors: list[Tensor], values: Iterable[Any]) -> None:
    for tensor, value in zip(tensors, values, strict=True):
        expected = tensor.dtype.base_dtype
        if not expected.is_numpy_compatible:
            raise errors.InternalError(f"{tensor.name}, a {expected.name}, cannot be fed.")
        if value.dtype != expected.as_numpy_dtype:
            raise errors.InvalidArgumentError(
                f"The feed {tensor.name} is of type {value.dtype}, the graph's tensor of type "
                f"{expected.name}.",
                tensor.op,
            )
