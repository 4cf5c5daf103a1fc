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
from collections.abc import Sequence

from tinytf.devices.device import Device, DeviceAttributes
from tinytf.distributed.cluster_spec import ClusterSpec
from tinytf.distributed.master_session import MasterSession
from tinytf.distributed.wire_errors import text_for_peer
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import AbortedError, CancelledError, OpError
from tinytf.protos import config_pb2, device_attributes_pb2, worker_pb2
from tinytf.protos import master_pb2 as messages
from tinytf.resources.manager import ResourceManager

#: How many request ids are remembered to recognise a request that arrives twice.
REMEMBERED_REQUESTS = 100_000


class Master:
    """See the module. Thread-safe.

    Args:
      task: the full name of the task, "/job:worker/replica:0/task:0".
      devices: its devices. resources: its state.
      cluster: who else there is. config: defaults for the configurations of sessions.
    """

    def __init__(
        self,
        task: str,
        devices: Sequence[Device],
        resources: ResourceManager,
        cluster: ClusterSpec,
        config: config_pb2.ConfigProto | None = None,
    ):
        self.task = task
        self.devices = list(devices)
        self.resources = resources
        self.cluster = cluster
        self._config = config or config_pb2.ConfigProto()
        self._lock = threading.Lock()
        self._sessions: dict[str, MasterSession] = {}  # guarded by self._lock
        self._requests: dict[int, None] = {}  # guarded by self._lock; in order of arrival

    # Sessions -----------------------------------------------------------------------------------

    def create_session(
        self, request: messages.CreateSessionRequest, withdrawn: CancellationManager
    ) -> messages.CreateSessionResponse:
        """Open a session on a graph; its handle is random, so nobody guesses another's."""
        config = config_pb2.ConfigProto()
        config.CopyFrom(self._config)
        config.MergeFrom(request.config)
        resources = self.resources
        if config.isolate_session_state:
            resources = ResourceManager(DeviceSpec.from_string(self.task).job or "")
        session = MasterSession(
            secrets.token_hex(8), request.graph_def, config, resources, self.task, self.devices,
            self.cluster,
        )  # fmt: skip
        with self._lock:
            self._sessions[session.handle] = session
        return messages.CreateSessionResponse(
            session_handle=session.handle, graph_version=session.version
        )

    def extend_session(
        self, request: messages.ExtendSessionRequest, withdrawn: CancellationManager
    ) -> messages.ExtendSessionResponse:
        """Add the nodes that the client's graph gained."""
        session = self._session(request.session_handle)
        version = session.extend(request.graph_def, request.current_graph_version)
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
        self._close_all("Step was cancelled: the server was reset by `tf.Session.reset()`.")
        self.resources.clear(request.container)
        return messages.ResetResponse()

    def close(self) -> None:
        """The server stops: end all sessions and forget everything."""
        self._close_all("Step was cancelled: its server was stopped.")
        self.resources.clear_all()

    def _close_all(self, reason: str) -> None:
        with self._lock:
            sessions = list(self._sessions.values())
            self._sessions.clear()
        for session in sessions:
            session.close(CancelledError(None, None, reason))

    def _session(self, handle: str) -> MasterSession:
        with self._lock:
            session = self._sessions.get(handle)
        if session is None:
            raise AbortedError(None, None, f"Session {handle} is not found.")
        return session

    # Steps --------------------------------------------------------------------------------------

    def run_step(
        self, request: messages.RunStepRequest, withdrawn: CancellationManager
    ) -> messages.RunStepResponse:
        """Run one step. With `store_errors_in_response_body` its error is part of the response."""
        response = messages.RunStepResponse()
        try:
            session = self._session(request.session_handle)
            self._refuse_repeated(request.request_id, "RunStep")
            session.run(request, response, withdrawn)
        except OpError as error:
            if not request.store_errors_in_response_body:
                raise
            response = messages.RunStepResponse(
                status_code=error.error_code, status_error_message=text_for_peer(error)
            )
        return response

    def partial_run_setup(
        self, request: messages.PartialRunSetupRequest, withdrawn: CancellationManager
    ) -> messages.PartialRunSetupResponse:
        """Begin a step whose feeds arrive in several `run_step` requests."""
        session = self._session(request.session_handle)
        self._refuse_repeated(request.request_id, "PartialRunSetup")
        names = (tuple(request.feed), tuple(request.fetch), tuple(request.target))
        return messages.PartialRunSetupResponse(partial_run_handle=session.start_partial(names))

    def make_callable(
        self, request: messages.MakeCallableRequest, withdrawn: CancellationManager
    ) -> messages.MakeCallableResponse:
        """Prepare a step that will run often."""
        session = self._session(request.session_handle)
        self._refuse_repeated(request.request_id, "MakeCallable")
        return messages.MakeCallableResponse(handle=session.make_callable(request.options))

    def run_callable(
        self, request: messages.RunCallableRequest, withdrawn: CancellationManager
    ) -> messages.RunCallableResponse:
        """Run a prepared step; feeds and fetches go by position."""
        session = self._session(request.session_handle)
        self._refuse_repeated(request.request_id, "RunCallable")
        response = messages.RunCallableResponse()
        session.run_callable(request, response, withdrawn)
        return response

    def release_callable(
        self, request: messages.ReleaseCallableRequest, withdrawn: CancellationManager
    ) -> messages.ReleaseCallableResponse:
        """Forget a prepared step."""
        self._session(request.session_handle).release_callable(request.handle)
        return messages.ReleaseCallableResponse()

    def _refuse_repeated(self, request_id: int, method: str) -> None:
        """AbortedError if a request arrives again: the first copy may have changed state."""
        if request_id == 0:  # a client that does not number its requests
            return
        with self._lock:
            if request_id in self._requests:
                raise AbortedError(
                    None, None,
                    f"The same {method} request was received twice. request_id: {request_id}",
                )  # fmt: skip
            self._requests[request_id] = None
            if len(self._requests) > REMEMBERED_REQUESTS:
                del self._requests[next(iter(self._requests))]

    # The task -------------------------------------------------------------------------------------

    def list_devices(
        self, request: messages.ListDevicesRequest, withdrawn: CancellationManager
    ) -> messages.ListDevicesResponse:
        """The devices of this task (those of other tasks come with steps that span tasks)."""
        devices = self._session(request.session_handle).list_devices()
        return messages.ListDevicesResponse(local_device=map(_as_message, devices))

    def get_status(
        self, request: worker_pb2.GetStatusRequest, withdrawn: CancellationManager
    ) -> worker_pb2.GetStatusResponse:
        """The task's devices, for whoever wants to know whether it lives."""
        return worker_pb2.GetStatusResponse(
            device_attributes=[_as_message(device.attributes) for device in self.devices]
        )


def _as_message(device: DeviceAttributes) -> device_attributes_pb2.DeviceAttributes:
    return device_attributes_pb2.DeviceAttributes(
        name=device.name,
        device_type=device.device_type,
        memory_limit=device.memory_limit_bytes,
        incarnation=device.incarnation,
        physical_device_desc=device.description,
        xla_global_id=-1,
    )
