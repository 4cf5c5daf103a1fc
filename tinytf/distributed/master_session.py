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
from tinytf.distributed import wire_tensors
from tinytf.distributed.cluster_spec import ClusterSpec
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import (
    AbortedError,
    CancelledError,
    InternalError,
    InvalidArgumentError,
    NotFoundError,
    OpError,
    UnimplementedError,
)  # fmt: skip
from tinytf.framework.graph import PRODUCER, Graph
from tinytf.framework.graph_import import add_nodes
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.protos import config_pb2, graph_pb2, master_pb2, tensor_pb2
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.partition import Devices
from tinytf.session.local import LocalBackend, LocalPartialStep

#: (names of feeds, of fetches, of targets)
Names = tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]


class TaskBackend(LocalBackend):
    """The local runtime on the devices and the resources of one task.

    Args:
      task: its full name, "/job:worker/replica:0/task:0". cluster: for messages about others.
      devices: the task's own, whatever a client's configuration says.
    """

    # Other operations of the graph may belong to other tasks.
    place_pruned = True

    def __init__(
        self, graph: Graph, config: Any, resources: ResourceManager, task: str,
        devices: Sequence[Device], cluster: ClusterSpec,
    ):  # fmt: skip
        super().__init__(graph, config, resources, task, devices)
        self._cluster = cluster

    def _place(self, ops: Sequence[Operation]) -> Devices | None:
        own = DeviceSpec.from_string(self.task)
        for op in ops:
            wanted = DeviceSpec.from_string(op.device)
            job = own.job if wanted.job is None else wanted.job
            task = own.task if wanted.task is None else wanted.task
            if (job, task) != (own.job, own.task) and self._is_known(job, task):
                raise self._spans_tasks(op, str(job), int(task or 0))
        return super()._place(ops)

    def _is_known(self, job: str | None, task: int | None) -> bool:
        return job in self._cluster.jobs and task in self._cluster.task_indices(job)

    def _spans_tasks(self, op: Operation, job: str, task: int) -> UnimplementedError:
        address = self._cluster.task_address(job, task)
        return UnimplementedError(
            None, op,
            f"Operation {op.name} asks for '{op.device}', but this is {self.task}, and a step "
            f"that spans several tasks is not supported yet: every server runs whole steps on its "
            f"own devices. Open a session on that task's server, tf.Session('grpc://{address}'), "
            f"or build the operation without tf.device('{op.device}').\n"
            f"\t [[{{{{node {op.name}}}}}]]",
        )  # fmt: skip


class _Compiled:
    """A signature, ready to run; `fetches` are each there once, whatever their names."""

    __slots__ = ("feeds", "fetches", "runner")

    def __init__(self, feeds: list[Tensor], fetches: list[Tensor], runner: Callable[..., Any]):
        self.feeds = feeds
        self.fetches = fetches
        self.runner = runner


class MasterSession:
    """See the module. Thread-safe; steps run side by side.

    Args:
      handle: what the client calls the session.
      graph_def: the first nodes. config: the session's configuration.
      resources: state, shared with the server's other sessions.
      task, devices, cluster: as for `TaskBackend`.

    Raises:
      InvalidArgumentError, NotFoundError: if the graph is malformed, or has unknown operations.
    """

    def __init__(
        self, handle: str, graph_def: graph_pb2.GraphDef, config: config_pb2.ConfigProto,
        resources: ResourceManager, task: str, devices: Sequence[Device],
        cluster: ClusterSpec,
    ):  # fmt: skip
        self.handle = handle
        self.graph = Graph()
        #: How often the graph was extended; a client must know it to extend it again.
        self.version = 0
        self.cancellation = CancellationManager()
        self._lock = threading.Lock()
        self._compiled: dict[Names, _Compiled] = {}  # guarded by self._lock
        self._partial: dict[str, _PartialRun] = {}  # guarded by self._lock
        self._callables: dict[int, tuple[Names, Any]] = {}  # guarded by self._lock
        self._numbers = itertools.count()
        self._add(graph_def)
        self._backend = TaskBackend(self.graph, config, resources, task, devices, cluster)

    def extend(self, graph_def: graph_pb2.GraphDef, expected_version: int) -> int:
        """Add nodes; returns the graph's new version.

        Raises:
          AbortedError: if the client's idea of the version is wrong: nothing was added.
          InvalidArgumentError, NotFoundError: if the nodes are malformed; likewise.
        """
        with self._lock:
            if expected_version != self.version:
                raise AbortedError(
                    None, None,
                    f"Current version is {self.version} but caller expected {expected_version}.",
                )  # fmt: skip
            self._add(graph_def)
            self.version += 1
            return self.version

    def _add(self, graph_def: graph_pb2.GraphDef) -> None:
        if graph_def.versions.min_consumer > PRODUCER:
            raise InvalidArgumentError(
                None, None,
                f"GraphDef min consumer version {graph_def.versions.min_consumer} above current "
                f"version {PRODUCER} for tinytf. The program that built the graph is too new.",
            )  # fmt: skip
        try:
            add_nodes(self.graph, graph_def)
        except OpError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise InvalidArgumentError(None, None, str(error)) from None

    # Steps --------------------------------------------------------------------------------------

    def run(
        self, request: master_pb2.RunStepRequest, response: master_pb2.RunStepResponse,
        withdrawn: CancellationManager,
    ) -> None:  # fmt: skip
        """Run a step and put the fetched tensors into `response`.

        `withdrawn` is cancelled when the client gives up the call; the end of the session ends
        the step as well.
        """
        values = _decode_feeds(request.feed)
        if request.partial_run_handle:
            fetched = self._run_partial(request, values, withdrawn)
        else:
            names = (tuple(values), tuple(request.fetch), tuple(request.target))
            compiled = self._prepare(names)
            options = request.options if request.HasField("options") else None
            _check_types(compiled.feeds, values.values())
            with self._cancellable(withdrawn) as cancellation:
                results = compiled.runner(
                    list(values.values()), options, response.metadata if options else None,
                    cancellation,
                )  # fmt: skip
            fetched = dict(zip(compiled.fetches, results, strict=True))
        for name in dict.fromkeys(request.fetch):  # under the very names that were asked for
            tensor = self._fetch(name)
            wire_tensors.encode_into(
                response.tensor.add(name=name).tensor, fetched[tensor], tensor.dtype
            )

    @contextmanager
    def _cancellable(self, withdrawn: CancellationManager) -> Iterator[CancellationManager]:
        """What cancels a step: its call being withdrawn, or the end of the session."""
        manager = CancellationManager(self.cancellation)
        with _linked(withdrawn, manager):
            try:
                yield manager
            finally:
                manager.detach()

    def _prepare(self, names: Names) -> _Compiled:
        with self._lock:
            found = self._compiled.get(names)
            if found is None:
                found = self._compiled[names] = self._compile(names)
            return found

    def _compile(self, names: Names) -> _Compiled:
        feeds, fetches, targets = self._resolve(names)
        return _Compiled(feeds, fetches, self._backend.compile(feeds, fetches, targets))

    def _resolve(self, names: Names) -> tuple[list[Tensor], list[Tensor], list[Operation]]:
        feeds = [self._tensor(n, "FeedInputs: unable to find feed output {}") for n in names[0]]
        fetches = list(dict.fromkeys(map(self._fetch, names[1])))
        both = [tensor.name for tensor in fetches if tensor in feeds]
        if both:
            raise InvalidArgumentError(None, None, f"{both[0]} is both fed and fetched.")
        targets = []
        for name in names[2]:
            op = self.graph._by_name.get(name)
            if op is None:
                raise NotFoundError(
                    None, None, f"PruneForTargets: Some target nodes not found: {name}"
                )
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
            raise NotFoundError(None, None, not_found.format(name))
        if not (index.isascii() and index.isdigit()) or int(index) >= len(op.outputs):
            raise InvalidArgumentError(
                None, None, f"{name}: {operation} has {len(op.outputs)} outputs, counted from 0"
            )
        return op.outputs[int(index)]

    # Partial runs -------------------------------------------------------------------------------

    def start_partial(self, names: Names) -> str:
        """Begin a partial run; returns its handle."""
        with self._lock:
            feeds, fetches, targets = self._resolve(names)
            manager = CancellationManager(self.cancellation)
            step = self._backend.start_partial(feeds, fetches, targets, manager)
            handle = f"partial_{self.handle}_{next(self._numbers)}"
            self._partial[handle] = _PartialRun(step, manager, feeds, fetches)
            return handle

    def _run_partial(
        self, request: master_pb2.RunStepRequest, values: dict[str, Any],
        withdrawn: CancellationManager,
    ) -> dict[Tensor, Any]:  # fmt: skip
        with self._lock:
            run = self._partial.get(request.partial_run_handle)
            if run is None:
                raise InvalidArgumentError(
                    None, None, "Must run PartialRunSetup before performing partial runs"
                )
            feeds, fetches, targets = self._resolve(
                (tuple(values), tuple(request.fetch), tuple(request.target))
            )
            run.check(feeds, fetches)
        _check_types(feeds, values.values())
        try:
            with _linked(withdrawn, run.cancellation):
                results = run.run(dict(zip(feeds, values.values(), strict=True)), fetches, targets)
        except BaseException:
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

    def make_callable(self, options: config_pb2.CallableOptions) -> int:
        """Prepare a step whose feeds and fetches go by position; returns its handle."""
        names = (tuple(options.feed), tuple(options.fetch), tuple(options.target))
        self._prepare(names)
        run_options = config_pb2.RunOptions()
        run_options.CopyFrom(options.run_options)
        with self._lock:
            handle = next(self._numbers)
            self._callables[handle] = names, run_options
            return handle

    def run_callable(
        self, request: master_pb2.RunCallableRequest, response: master_pb2.RunCallableResponse,
        withdrawn: CancellationManager,
    ) -> None:  # fmt: skip
        """Run a prepared step and put the fetched tensors into `response`."""
        names, options = self._find_callable(request.handle)
        compiled = self._prepare(names)
        if len(request.feed) != len(compiled.feeds):
            raise InvalidArgumentError(
                None, None,
                f"Expected {len(compiled.feeds)} feed tensors, but got {len(request.feed)}",
            )  # fmt: skip
        values = [wire_tensors.decode(tensor) for tensor in request.feed]
        _check_types(compiled.feeds, values)
        with self._cancellable(withdrawn) as cancellation:
            results = compiled.runner(values, options, response.metadata, cancellation)
        by_tensor = dict(zip(compiled.fetches, results, strict=True))
        for name in names[1]:
            tensor = self._fetch(name)
            wire_tensors.encode_into(response.fetch.add(), by_tensor[tensor], tensor.dtype)

    def _find_callable(self, handle: int) -> tuple[Names, Any]:
        with self._lock:
            found = self._callables.get(handle)
        if found is None:
            raise InvalidArgumentError(None, None, f"No such callable handle: {handle}")
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

    def close(self, reason: OpError | None = None) -> None:
        """Cancel what runs."""
        self.cancellation.start_cancel(
            reason
            or CancelledError(
                None, None, "Step was cancelled by an explicit call to `Session::Close()`."
            )
        )
        self._backend.close()


@contextmanager
def _linked(cause: CancellationManager, effect: CancellationManager) -> Iterator[None]:
    """Meanwhile, `cause` being cancelled cancels `effect`."""
    token = cause.register(lambda: effect.start_cancel(cause.reason))
    if token is None:
        effect.start_cancel(cause.reason)
    try:
        yield
    finally:
        cause.deregister(token)


class _PartialRun:
    """Which feeds and fetches of a partial run are still to come."""

    def __init__(
        self, step: LocalPartialStep, cancellation: CancellationManager, feeds: Iterable[Tensor],
        fetches: Iterable[Tensor],
    ):  # fmt: skip
        self.cancellation = cancellation
        self._step = step
        self._lock = threading.Lock()  # the calls of one run come one after the other
        self._feeds = dict.fromkeys(feeds, True)
        self._fetches = dict.fromkeys(fetches, True)

    @property
    def is_over(self) -> bool:
        return not any(self._feeds.values()) and not any(self._fetches.values())

    def check(self, feeds: list[Tensor], fetches: list[Tensor]) -> None:
        """Refuse what was not announced, or came before; otherwise note that it came."""
        tables = ((self._feeds, feeds, "feed", "fed"), (self._fetches, fetches, "fetch", "fetched"))
        for table, tensors, what, past in tables:
            for tensor in tensors:
                if tensor not in table:
                    text = f"The {what} {tensor.name} was not specified in partial_run_setup."
                elif not table[tensor]:
                    text = f"The {what} {tensor.name} has already been {past}."
                else:
                    continue
                raise InvalidArgumentError(None, None, text)
        for table, tensors, _, _ in tables:
            table.update(dict.fromkeys(tensors, False))

    def run(
        self, feeds: dict[Tensor, Any], fetches: list[Tensor], targets: list[Operation]
    ) -> list[Any]:
        with self._lock:
            return self._step.run(feeds, fetches, targets)


def _decode_feeds(feeds: Iterable[tensor_pb2.NamedTensorProto]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for feed in feeds:
        if feed.name in values:
            raise InvalidArgumentError(None, None, f"The feed {feed.name} is given twice.")
        try:
            values[feed.name] = wire_tensors.decode(feed.tensor)
        except InvalidArgumentError as error:
            raise InvalidArgumentError(
                None, None, f"The feed {feed.name}: {error.message}"
            ) from None
    return values


def _check_types(tensors: list[Tensor], values: Iterable[Any]) -> None:
    for tensor, value in zip(tensors, values, strict=True):
        expected = tensor.dtype.base_dtype
        if not expected.is_numpy_compatible:
            raise InternalError(None, None, f"{tensor.name}, a {expected.name}, cannot be fed.")
        if value.dtype != expected.as_numpy_dtype:
            raise InvalidArgumentError(
                None, tensor.op,
                f"The feed {tensor.name} is of type {value.dtype}, the graph's tensor of type "
                f"{expected.name}.",
            )  # fmt: skip
