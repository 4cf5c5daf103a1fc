"""The master of one task: what its clients' requests mean.

TensorFlow: core/distributed_runtime/master.cc and master_session.cc.

Every method takes a request message and, where it may have to wait, the cancellation of the call;
it returns the response or raises an `OpError`. There are no threads and no sockets here: the
transport calls these methods from as many threads as it has calls.

    CreateSession --> [ session: graph, version ] <-- ExtendSession
                          |  RunStep, PartialRunSetup, MakeCallable, RunCallable
    CloseSession, Reset --+--> gone; its steps are cancelled

Variables, queues and other resources belong to the task, so sessions share them by name, unless a
session asks for a state of its own (`isolate_session_state`).
"""

from __future__ import annotations

import secrets
import threading

from tinytf.devices.messages import device_message
from tinytf.distributed.cluster.propagation import checked_cluster, task_of_master
from tinytf.distributed.limits import TOO_MANY_SESSIONS
from tinytf.distributed.master.calls import Calls
from tinytf.distributed.master.cluster_devices import RollCalls, filtered
from tinytf.distributed.master.master_session import MasterSession
from tinytf.distributed.tasks.own_worker import OwnWorker
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import SeenRequests
from tinytf.distributed.wire.wire_errors import text_for_peer
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import AbortedError, CancelledError, OpError
from tinytf.protos import cluster_pb2, config_pb2, worker_pb2
from tinytf.protos import master_pb2 as messages


class Master:
    """See the module. Thread-safe.

    Args:
      worker: of the same task. peers: the other tasks.
      config: defaults for the configurations of sessions.
    """

    def __init__(
        self, worker: OwnWorker, peers: Peers, config: config_pb2.ConfigProto | None = None
    ):
        self.task, self.worker, self.peers = worker.task, worker, peers
        self._config = config or config_pb2.ConfigProto()
        self.roll_calls = RollCalls()
        self._requests = SeenRequests()
        self._threads: dict[int, int] = {}  # request -> thread; changed by single operations
        self._lock = threading.Lock()
        self._sessions: dict[str, MasterSession] = {}  # guarded by self._lock

    # Sessions -----------------------------------------------------------------------------------

    def create_session(
        self, request: messages.CreateSessionRequest, withdrawn: CancellationManager
    ) -> messages.CreateSessionResponse:
        """Open a session on a graph; its handle is random, so nobody guesses another's."""
        with self._lock:
            self.worker.limits.check("sessions", len(self._sessions) + 1, *TOO_MANY_SESSIONS)
        config = config_pb2.ConfigProto()
        config.CopyFrom(self._config)
        config.MergeFrom(request.config)
        config.ClearField("cluster_def")
        worker = self.worker
        if request.config.cluster_def.job:
            config.cluster_def.CopyFrom(request.config.cluster_def)
            worker = self._worker_in(config.cluster_def, request.target)
        try:
            tasks = self.roll_calls.devices(worker, config, withdrawn)
            session = MasterSession(secrets.token_hex(8), request.graph_def, config, worker, tasks)
        except BaseException:
            if worker is not self.worker:
                worker.peers.close()
            raise
        with self._lock:
            self._sessions[session.handle] = session
        if withdrawn.is_cancelled:  # the client will never know the handle
            self.close_session(
                messages.CloseSessionRequest(session_handle=session.handle), withdrawn
            )
            raise withdrawn.reason or CancelledError("The session was given up.")
        return messages.CreateSessionResponse(
            session_handle=session.handle, graph_version=session.version
        )

    def _worker_in(self, picture: cluster_pb2.ClusterDef, target: str) -> OwnWorker:
        """The worker of this task under the names of a client's own cluster."""
        cluster = checked_cluster(picture)
        return self.worker.under(task_of_master(picture, target, self.task), cluster)

    def extend_session(
        self, request: messages.ExtendSessionRequest, withdrawn: CancellationManager
    ) -> messages.ExtendSessionResponse:
        """Add the nodes that the client's graph gained."""
        session = self._session(request.session_handle)
        version = session.extend(request.graph_def, request.current_graph_version, withdrawn)
        return messages.ExtendSessionResponse(new_graph_version=version)

    def close_session(
        self, request: messages.CloseSessionRequest, withdrawn: CancellationManager
    ) -> messages.CloseSessionResponse:
        """End a session; its running steps are cancelled."""
        session = self._session(request.session_handle)
        with self._lock:
            self._sessions.pop(session.handle, None)
        session.close()
        return messages.CloseSessionResponse()

    def reset(
        self, request: messages.ResetRequest, withdrawn: CancellationManager
    ) -> messages.ResetResponse:
        """End all sessions and forget the named containers; the default one if none is named."""
        others = filtered(self.peers.tasks(), self.task, request.device_filters)
        self._close_all("Step was cancelled: the server was reset by `tf.Session.reset()`.")
        cleanup = worker_pb2.CleanupAllRequest(container=request.container)
        self.worker.cleanup_all(cleanup, withdrawn)
        calls = Calls()
        for task in others:
            calls.start(self.peers, task, "CleanupAll", cleanup, None)
        calls.wait()
        return messages.ResetResponse()

    def close(self) -> None:
        """The server stops: end all sessions and forget everything."""
        self._close_all("Step was cancelled: its server was stopped.")

    def _close_all(self, reason: str) -> None:
        with self._lock:
            sessions = list(self._sessions.values())
            self._sessions.clear()
        for session in sessions:
            session.close(CancelledError(reason))

    def sessions(self) -> list[MasterSession]:
        """Those that are open."""
        with self._lock:
            return list(self._sessions.values())

    def _session(self, handle: str) -> MasterSession:
        with self._lock:
            session = self._sessions.get(handle)
        if session is None:
            raise AbortedError(f"Session {handle} is not found.")
        return session

    # Steps --------------------------------------------------------------------------------------

    def run_step(
        self, request: Parcel[messages.RunStepRequest], withdrawn: CancellationManager
    ) -> Parcel[messages.RunStepResponse]:
        """Run one step. With `store_errors_in_response_body` its error is part of the response."""
        step = request.message
        response = Parcel(messages.RunStepResponse())
        try:
            session = self._session(step.session_handle)
            self._requests.refuse_repeated(step.request_id, "RunStep")
            self._threads[step.request_id] = threading.get_ident()
            session.run(request, response, withdrawn)
        except OpError as error:
            if not step.store_errors_in_response_body:
                raise
            response = Parcel(
                messages.RunStepResponse(
                    status_code=error.error_code, status_error_message=text_for_peer(error)
                )
            )
        finally:
            self._threads.pop(step.request_id, None)
        return response

    def thread_of(self, request_id: int) -> int | None:
        """Which thread answers a RunStep request; None if none does."""
        return self._threads.get(request_id)

    def partial_run_setup(
        self, request: messages.PartialRunSetupRequest, withdrawn: CancellationManager
    ) -> messages.PartialRunSetupResponse:
        """Begin a step whose feeds arrive in several `run_step` requests."""
        session = self._session(request.session_handle)
        self._requests.refuse_repeated(request.request_id, "PartialRunSetup")
        names = (tuple(request.feed), tuple(request.fetch), tuple(request.target))
        return messages.PartialRunSetupResponse(partial_run_handle=session.start_partial(names))

    def make_callable(
        self, request: messages.MakeCallableRequest, withdrawn: CancellationManager
    ) -> messages.MakeCallableResponse:
        """Prepare a step that will run often."""
        session = self._session(request.session_handle)
        self._requests.refuse_repeated(request.request_id, "MakeCallable")
        handle = session.make_callable(request.options, withdrawn)
        return messages.MakeCallableResponse(handle=handle)

    def run_callable(
        self, request: Parcel[messages.RunCallableRequest], withdrawn: CancellationManager
    ) -> Parcel[messages.RunCallableResponse]:
        """Run a prepared step; feeds and fetches go by position."""
        session = self._session(request.message.session_handle)
        self._requests.refuse_repeated(request.message.request_id, "RunCallable")
        response = Parcel(messages.RunCallableResponse())
        session.run_callable(request, response, withdrawn)
        return response

    def release_callable(
        self, request: messages.ReleaseCallableRequest, withdrawn: CancellationManager
    ) -> messages.ReleaseCallableResponse:
        """Forget a prepared step."""
        self._session(request.session_handle).release_callable(request.handle)
        return messages.ReleaseCallableResponse()

    # The cluster ----------------------------------------------------------------------------------

    def list_devices(
        self, request: messages.ListDevicesRequest, withdrawn: CancellationManager
    ) -> messages.ListDevicesResponse:
        """The devices of this task, and those of the others that the session can use."""
        response = messages.ListDevicesResponse()
        session = self._session(request.session_handle)
        for device in session.list_devices():
            is_own = device.name.startswith(f"{session.task}/")
            found = response.local_device if is_own else response.remote_device
            found.append(device_message(device))
        return response
