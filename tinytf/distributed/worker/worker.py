"""The worker of one task: it runs parts of steps for masters, and hands tensors to other workers.

    CreateWorkerSession --> [ session: state, parts ] <-- RegisterGraph
                                   |  RunGraph
    RecvTensor ---> [ step: rendezvous ] <--- CleanupGraph

A step is known by a number that the master chose, the same on all tasks. Other workers may ask for
its tensors before its part begins here, so a step exists from its first mention. As in `master`,
there are no threads and no sockets here. TensorFlow: core/distributed_runtime/worker.cc,
graph_mgr.cc.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from tinytf.devices.device import Device
from tinytf.devices.messages import device_message
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.cluster.propagation import checked_cluster, renamed
from tinytf.distributed.cluster.task_names import TaskName
from tinytf.distributed.limits import TOO_MANY_SESSIONS, TOO_MANY_SIGNATURES, USUAL, Limits
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.dispatch import settled
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import SeenRequests
from tinytf.distributed.wire.wire_errors import is_derived, mark_derived, origin_of, text_for_peer
from tinytf.distributed.worker.partial_part import PartialPart
from tinytf.distributed.worker.rpc_log import RpcLog
from tinytf.distributed.worker.tensor_service import TensorService
from tinytf.distributed.worker.traffic import Traffic
from tinytf.distributed.worker.worker_session import RegisteredGraph, WorkerSession
from tinytf.distributed.worker.worker_steps import WorkerStep, WorkerSteps
from tinytf.framework import errors
from tinytf.framework.cancellation import CancellationManager, linked
from tinytf.framework.rendezvous import parse_key
from tinytf.protos import config_pb2
from tinytf.protos import worker_pb2 as messages
from tinytf.resources.manager import ResourceManager

#: How workers of ours introduce themselves to masters.
RUNTIME = "tinytf"


class Worker:
    """See the module. Thread-safe.

    Args:
      task: its full name. devices, resources: its own. peers: the other tasks.
      config: defaults for sessions. connect: see `peers.Connect`. limits: what it takes on.
    """

    def __init__(
        self,
        task: str,
        devices: Sequence[Device],
        resources: ResourceManager,
        peers: Peers,
        config: config_pb2.ConfigProto,
        connect: Callable[[str, str], Any],
        limits: Limits = USUAL,
    ):
        self.task, self.devices, self.resources = task, list(devices), resources
        self.peers, self.config, self._connect = peers, config, connect
        self._picture: Peers | None = None  # `peers`, if this is a view: see `under`
        self.limits = limits
        self.traffic, self.log = Traffic(), RpcLog()
        self.steps = WorkerSteps(peers, self.log, limits)
        self._requests = SeenRequests()
        self.tensors = TensorService(
            task, devices, self.steps, self._requests, self.traffic, self._names
        )
        self._lock = threading.Lock()
        # All below guarded by self._lock.
        self._sessions: dict[str, WorkerSession] = {}
        # Masters that make no sessions (TensorFlow before 1.5) share one.
        self.open_session("", resources, config)

    def under(self, task: str, cluster: ClusterSpec) -> Worker:
        """This worker as a session has it that brings its own picture of the cluster.

        The task and its devices have other names there, the peers are others, and the state is the
        session's own. Sessions, parts and steps are the same.
        """
        view = copy.copy(self)
        view.task, view.devices = task, [renamed(device, task) for device in self.devices]
        view.peers = view._picture = Peers(cluster, self._connect)
        view.resources = self.resources.isolated()
        return view

    # Sessions -----------------------------------------------------------------------------------

    def get_status(
        self, request: messages.GetStatusRequest, withdrawn: CancellationManager
    ) -> messages.GetStatusResponse:
        """The task's devices; their incarnation tells a restart."""
        return messages.GetStatusResponse(
            device_attributes=[device_message(device.attributes) for device in self.devices],
            runtime=RUNTIME,
        )

    def with_own_threads(self, config: config_pb2.ConfigProto) -> config_pb2.ConfigProto:
        """A session's configuration as this task runs it: other tasks have other threads."""
        own = config_pb2.ConfigProto()
        own.intra_op_parallelism_threads = self.config.intra_op_parallelism_threads
        own.MergeFrom(config)
        return own

    def open_session(
        self,
        handle: str,
        resources: ResourceManager,
        config: config_pb2.ConfigProto,
        master: str = "",
    ) -> WorkerSession:
        """A session for the master of this very task, or for one that asked for it."""
        session = WorkerSession(
            handle, resources, config, self.task, self.devices, master or self.task, self._picture
        )
        with self._lock:
            if handle in self._sessions:
                raise errors.AbortedError(f"Session {handle} exists already.")
            # The master of this task and others have each as many; one is there from the start.
            count = len(self._sessions) - self.limits.sessions
            self.limits.check("sessions", count, *TOO_MANY_SESSIONS)
            self._sessions[handle] = session
        resources.session_tensors.limit = self.limits.session_tensors
        return session

    def create_worker_session(
        self, request: messages.CreateWorkerSessionRequest, withdrawn: CancellationManager
    ) -> messages.CreateWorkerSessionResponse:
        """Open a session for a master; it may bring its own picture of the cluster.

        A master that asks again, because the answer was lost, has it already. One that was
        restarted knows nothing of the sessions it had: these are closed.
        """
        self._close_lost(request.master_task, request.master_incarnation)
        with self._lock:
            if request.session_handle in self._sessions:
                return messages.CreateWorkerSessionResponse()
        definition = request.server_def
        view = self
        if definition.cluster.job:
            task = TaskName(definition.job_name, definition.task_index).full
            view = self.under(task, checked_cluster(definition.cluster))
        resources = view.resources.apart()
        if request.isolate_session_state:
            resources = view.resources.isolated().apart()
        config = config_pb2.ConfigProto()
        config.CopyFrom(self.config)
        config.MergeFrom(definition.default_session_config)
        session = view.open_session(request.session_handle, resources, config, request.master_task)
        session.master_incarnation = request.master_incarnation
        return messages.CreateWorkerSessionResponse()

    def delete_worker_session(
        self, request: messages.DeleteWorkerSessionRequest, withdrawn: CancellationManager
    ) -> messages.DeleteWorkerSessionResponse:
        """Forget a session and its parts; what runs of them is cancelled."""
        self.close_session(request.session_handle)
        return messages.DeleteWorkerSessionResponse()

    def close_session(self, handle: str) -> None:
        """See `delete_worker_session`."""
        self._session(handle)
        with self._lock:
            session = self._sessions.pop(handle)
        self.steps.forget_session(handle)
        session.close()

    def _close_lost(self, master: str, incarnation: int) -> None:
        """Close the sessions of an earlier process of a master."""
        with self._lock:
            lost = [
                handle
                for handle, session in self._sessions.items()
                if master
                and session.master == master
                and session.master_incarnation not in (0, incarnation)
            ]
        for handle in lost:
            self.close_session(handle)

    def _session(self, handle: str) -> WorkerSession:
        with self._lock:
            found = self._sessions.get(handle)
        if found is None:
            raise errors.AbortedError(
                f'Session handle is not found: {handle}. Possibly, this worker ("{self.task}") '
                f"just restarted."
            )
        return found

    def sessions(self) -> list[WorkerSession]:
        """Those that are open."""
        with self._lock:
            return list(self._sessions.values())

    def _names(self) -> set[str]:
        """What sessions call this task."""
        return {session.task for session in self.sessions()}

    def states(self) -> list[ResourceManager]:
        """The task's state, and what sessions have of their own, for inspection."""
        return [self.resources, *(session.resources for session in self.sessions())]

    # Parts of steps -----------------------------------------------------------------------------

    def register_graph(
        self, request: messages.RegisterGraphRequest, withdrawn: CancellationManager
    ) -> messages.RegisterGraphResponse:
        """Compile a part of a step, to be run any number of times."""
        session = self._session(_handle(request))
        self.limits.check_graph(request.graph_def)
        self.limits.check("signatures", session.size + 1, *TOO_MANY_SIGNATURES)
        config = config_pb2.ConfigProto()
        config.CopyFrom(self.config)
        config.MergeFrom(request.config_proto)
        config.graph_options.MergeFrom(request.graph_options)
        handle = session.register(request.graph_def, config)
        return messages.RegisterGraphResponse(graph_handle=handle)

    def deregister_graph(
        self, request: messages.DeregisterGraphRequest, withdrawn: CancellationManager
    ) -> messages.DeregisterGraphResponse:
        """Forget a part."""
        self._session(_handle(request)).deregister(request.graph_handle)
        return messages.DeregisterGraphResponse()

    def run_graph(
        self, parcel: Parcel[messages.RunGraphRequest], withdrawn: CancellationManager
    ) -> Parcel[messages.RunGraphResponse]:
        """Run a part. With `store_errors_in_response_body` its error is in the response."""
        request = parcel.message
        try:
            self._requests.refuse_repeated(request.request_id, "RunGraph")
            return self._run_graph(request, parcel.by_name(), withdrawn)
        except errors.OpError as error:
            if not request.store_errors_in_response_body or is_derived(error):
                raise
            return Parcel(
                messages.RunGraphResponse(
                    status_code=error.error_code, status_error_message=text_for_peer(error)
                )
            )

    def _run_graph(
        self,
        request: messages.RunGraphRequest,
        values: dict[str, Any],
        withdrawn: CancellationManager,
    ) -> Parcel[messages.RunGraphResponse]:
        session = _handle(request)
        graph = self._session(session).graph(request.graph_handle)
        options, metadata = _run_options(request)
        if request.is_partial:
            results = self._run_partial(request, graph, values, withdrawn)
        else:
            results = self.run_part(
                graph, request.step_id, values, options, metadata, withdrawn, session
            )
        self._count_between(session, values, results)
        response = Parcel(messages.RunGraphResponse())
        for key in request.recv_key:
            if key not in results:
                raise errors.InvalidArgumentError(f"No tensor leaves this part as {key}")
            response.add(results[key], graph.dtypes[key], key)
        if options is not None:
            response.message.step_stats.CopyFrom(metadata.step_stats)
            response.message.partition_graph.extend(metadata.partition_graphs)
        return response

    def _count_between(self, session: str, fed: dict[str, Any], fetched: dict[str, Any]) -> None:
        """What came from the master, and goes back to it, with the messages of a part."""
        master = self._session(session).master
        for key, value in fed.items():
            self.traffic.count(master, self.task, parse_key(key).tensor, value)
        for key, value in fetched.items():
            self.traffic.count(self.task, master, parse_key(key).tensor, value)

    def registered(self, session: str, handle: str) -> RegisteredGraph:
        """A part by the handles of its session and its own."""
        return self._session(session).graph(handle)

    def run_part(
        self,
        graph: RegisteredGraph,
        step_id: int,
        values: dict[str, Any],
        options: Any,
        metadata: Any,
        withdrawn: CancellationManager,
        session: str,
    ) -> dict[str, Any]:
        """Run a part of a step on the calling thread.

        Args:
          values: what is fed, by rendezvous key. options, metadata: `RunOptions`, `RunMetadata`.
          withdrawn: cancelled when the master gives the step up. session: its handle.

        Returns:
          what is fetched, by rendezvous key.
        """
        missing = [key for key in graph.feeds if key not in values]
        if missing:
            raise errors.InvalidArgumentError(f"Nothing was sent for {missing[0]}")
        step = self._begin(step_id, session)
        step.rendezvous.groups = graph.groups
        fed = [values[key] for key in graph.feeds]
        is_orphan = False
        try:
            with step.cancellation.child() as cancellation, linked(withdrawn, cancellation):
                results = graph.runner(fed, options, metadata, cancellation, step.rendezvous)
            step.done = True
            self.steps.forget_if_idle(step_id, step)
            return dict(zip(graph.fetches, results, strict=True))
        except errors.OpError as error:
            step.rendezvous.abort(mark_derived(error))
            is_orphan = self._is_from_master(error, session)
            raise
        except BaseException as error:
            step.rendezvous.abort(
                mark_derived(errors.CancelledError(f"{type(error).__name__}: {error}"))
            )
            raise
        finally:
            if withdrawn.is_cancelled or is_orphan:  # the master may be gone, and never clean up
                self.steps.forget(step_id)

    def _is_from_master(self, error: errors.OpError, handle: str) -> bool:
        """Whether a part failed for want of its master's task, whose death is known thereby.

        That gRPC knows it as well, and withdraws the call of the part, may come when this is over.
        """
        if not isinstance(error, errors.UnavailableError):
            return False
        with self._lock:
            session = self._sessions.get(handle)
        return session is not None and origin_of(error) == session.master

    def _run_partial(
        self,
        request: messages.RunGraphRequest,
        graph: RegisteredGraph,
        values: dict[str, Any],
        withdrawn: CancellationManager,
    ) -> dict[str, Any]:
        """One request of a partial run."""
        step = self._begin(request.step_id, _handle(request))
        with self._lock:
            if step.partial is None:
                run = partial(graph.run_partially, step.cancellation, step.rendezvous)
                step.partial = PartialPart(run, step.rendezvous)
        step.partial.feed(values, graph.feed_dtypes)
        waited = {key: step.partial.fetch(key, withdrawn) for key in request.recv_key}
        results = {key: settled(sent).value for key, sent in waited.items()}
        if request.is_last_partial_run:
            settled(step.partial.ended)
            step.done = True
            self.steps.forget_if_idle(request.step_id, step)
        return results

    def _begin(self, step_id: int, handle: str) -> WorkerStep:
        """A step whose part begins here."""
        session = self._session(handle)
        return self.steps.begin(step_id, handle, session.peers or self.peers, session.task)

    def cleanup_graph(
        self, request: messages.CleanupGraphRequest, withdrawn: CancellationManager
    ) -> messages.CleanupGraphResponse:
        """A step is over, on all tasks: forget it; a part of it that still runs is cancelled."""
        self.steps.forget(request.step_id)
        return messages.CleanupGraphResponse()

    # The rest -----------------------------------------------------------------------------------

    def logging(
        self, request: messages.LoggingRequest, withdrawn: CancellationManager
    ) -> messages.LoggingResponse:
        """What tensors were fetched, if a master wants to know."""
        return self.log.asked(request)

    def tracing(
        self, request: messages.TracingRequest, withdrawn: CancellationManager
    ) -> messages.TracingResponse:
        """A profile of the process, which is TensorFlow's own affair: there is none."""
        return messages.TracingResponse()

    def mark_recv_finished(
        self, request: messages.MarkRecvFinishedRequest, withdrawn: CancellationManager
    ) -> messages.MarkRecvFinishedResponse:
        """A tensor has arrived; nothing is kept for it here anyhow."""
        return messages.MarkRecvFinishedResponse()

    def cleanup_all(
        self, request: messages.CleanupAllRequest, withdrawn: CancellationManager
    ) -> messages.CleanupAllResponse:
        """Forget containers; the default one if none is named."""
        self.resources.clear(request.container)
        return messages.CleanupAllResponse()

    def close(self, reason: errors.OpError) -> None:
        """The server stops: cancel everything."""
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        self.steps.end_all(reason)
        for session in sessions:
            session.close()


def _handle(request: Any) -> str:
    """TensorFlow's masters name a session only if they have made it."""
    return request.session_handle if request.create_worker_session_called else ""


def _run_options(
    request: messages.RunGraphRequest,
) -> tuple[config_pb2.RunOptions | None, config_pb2.RunMetadata]:
    wanted = request.exec_opts
    metadata = config_pb2.RunMetadata()
    asked = wanted.record_timeline, wanted.record_costs, wanted.record_partition_graphs
    if not any(asked) and not request.timeout_in_ms:
        return None, metadata
    level = config_pb2.RunOptions.FULL_TRACE if wanted.record_timeline or wanted.record_costs else 0
    options = config_pb2.RunOptions(
        trace_level=level,
        output_partition_graphs=wanted.record_partition_graphs,
        timeout_in_ms=request.timeout_in_ms,
    )
    return options, metadata
