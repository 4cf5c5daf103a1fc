"""What stands behind `tf.Session("grpc://host:port")`: a session on the master of a server.

The server gets the graph when the first step runs, later on only the nodes that are new to it;
steps then name what they feed and fetch ("x:0"). The protocol is TensorFlow's: the server may be
a tinytf one or a real one.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import re
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from tinytf.devices.device import DeviceAttributes
from tinytf.devices.messages import device_of
from tinytf.distributed import inspection
from tinytf.distributed.client import client_waits, waiting_texts
from tinytf.distributed.tls import chosen
from tinytf.distributed.wire import in_process
from tinytf.distributed.wire.client_transport import ClientTransport
from tinytf.distributed.wire.framing import Parcel
from tinytf.distributed.wire.requests import MASTER_SERVICE, new_request_id, random_request_id
from tinytf.distributed.wire.wire_errors import error_from_peer
from tinytf.framework import errors
from tinytf.framework.graph import Graph
from tinytf.framework.graph_export import export_graph
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.protos import config_pb2
from tinytf.protos import master_pb2 as messages
from tinytf.resources.session_tensors import SessionTensors
from tinytf.runtime.memory import keep_freed_memory
from tinytf.runtime.preparation import Signature
from tinytf.session.backend import Runner
from tinytf.session.results import detach

#: The server ends a step that takes too long, and says what it waited for; a real TensorFlow's
#: does not, so the call itself ends this much later: longer than calls between tasks, whose news
#: come first; short, for a server that is not there, or paused, will not say anything.
_GRACE_SECONDS = 1.0
#: Closing a session must not wait for a server that is busy or gone.
_CLOSE_SECONDS = 5.0
#: What a server of this process is asked without gRPC.
_DIRECT = frozenset({"RunStep", "RunCallable"})
_IS_LOST = re.compile(r"Session (?!handle )\S+ is not found")
_SESSION_LOST = (
    "The server does not know the session: it was restarted or reset since. Open a new Session. If "
    "it was restarted, the variables that lived there are gone; if it was reset, those in the "
    "containers that were named: initialise or restore them."
)
_forked = threading.Lock()
#: Connections that a fork has copied: closing them here would say so to the server.
_of_parent: list[ClientTransport] = []


def _after_fork() -> None:
    """In a child by fork: nobody is left who could release what was held."""
    global _forked
    _forked = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


class RemoteBackend:
    """See the module, and `tinytf.session.backend.Backend`.

    Args:
      address: "host:port" of the server. graph: what is run. config: a `ConfigProto`, or None.
      credentials: a `tls.Credentials`; None for those of the environment, if there are any.
    """

    session_tensors: SessionTensors | None = None

    def __init__(self, address: str, graph: Graph, config: Any = None, credentials: Any = None):
        self._graph = graph
        self._config = config or config_pb2.ConfigProto()
        self._connect = partial(ClientTransport, address, chosen(credentials))
        self._address = address
        self._closed = False
        self._begin()
        keep_freed_memory()  # what a large message takes, the next one takes again

    def _begin(self) -> None:
        """Have a connection, and no session yet."""
        self._transport = self._connect()
        self._lock = threading.Lock()  # one thread at a time brings the server up to date
        self._handle = ""  # guarded by self._lock, like the four below; cleared by `close`
        self._version = 0
        self._sent = 0  # how many operations the server has
        self._changes = 0  # graph._changes when they were sent
        self._digest = b""  # of what was sent
        #: By which a server recognises a request that arrives twice.
        self._request_ids = itertools.count(random_request_id())
        self._calls = client_waits.Calls(self._transport, self._graph)
        is_direct = not self._config.rpc_options.use_rpc_for_inprocess_master
        self._neighbour = in_process.find(self._address) if is_direct else None
        self._process = os.getpid()

    def _begin_after_fork(self) -> None:
        """In a child by fork: a session of its own on the same server.

        Connection and session are the parent's, which goes on with them: they are not even closed.
        """
        with _forked:
            if self._process != os.getpid():
                _of_parent.append(self._transport)
                self._begin()

    # The Backend interface ----------------------------------------------------------------------

    def compile(self, signature: Signature) -> Runner:
        """See `Backend.compile`; the server compiles when the step first runs."""
        feeds, fetches = list(signature.feeds), signature.fetches
        # A tensor that is fed and fetched never travels (a server refuses to fetch it).
        fed_too = {tensor: feeds.index(tensor) for tensor in fetches if tensor in feeds}
        wanted = [tensor for tensor in fetches if tensor not in fed_too]
        template = messages.RunStepRequest(
            fetch=[tensor.name for tensor in wanted],
            target=[op.name for op in signature.targets],
            store_errors_in_response_body=True,
        )

        def run(values: list[Any], options: Any, metadata: Any) -> list[Any]:
            request = messages.RunStepRequest()
            request.CopyFrom(template)
            if options is not None:
                request.options.CopyFrom(options)
            results = self._run_step(Parcel(request), feeds, values, wanted, metadata)
            if not fed_too:
                return results
            others = iter(results)
            return [detach(values[fed_too[t]]) if t in fed_too else next(others) for t in fetches]

        return run

    def start_partial(self, signature: Signature) -> RemotePartialStep:
        """See `Backend.start_partial`."""
        self._bring_up_to_date(None)
        request = messages.PartialRunSetupRequest(
            session_handle=self._handle,
            feed=[tensor.name for tensor in signature.feeds],
            fetch=[tensor.name for tensor in signature.fetches],
            target=[op.name for op in signature.targets],
            request_id=new_request_id(),
        )
        response = self._call("PartialRunSetup", request, self._timeout(None))
        return RemotePartialStep(self, response.partial_run_handle)

    def list_devices(self) -> list[DeviceAttributes]:
        """All devices the server's master knows, its own first.

        The graph can wait: there may be no device for some of it.
        """
        if self._process != os.getpid():
            self._begin_after_fork()
        with self._lock:
            if not self._handle:
                self._create(None, with_graph=False)
        request = messages.ListDevicesRequest(session_handle=self._handle)
        response = self._call("ListDevices", request, self._timeout(None))
        return list(map(device_of, [*response.local_device, *response.remote_device]))

    def look(self, what: Sequence[str], address: str = "") -> dict[str, Any]:
        """Look into the server, or another of its cluster; see `inspection.look`."""
        if not address or address == self._address:
            return inspection.look_through(self._transport, what, _CLOSE_SECONDS)
        return inspection.look(address, what, _CLOSE_SECONDS, self._connect.args[1])

    def close(self) -> None:
        """Tell the server, which cancels what runs. A server that is gone has nothing to free."""
        # Without self._lock: another thread may hold it while it waits for a server.
        if self._closed:
            return
        self._closed = True
        if self._process != os.getpid():
            return  # a child by fork, which has not used it
        handle, self._handle = self._handle, ""
        client_waits.leave(self._calls)
        try:
            if handle:
                request = messages.CloseSessionRequest(session_handle=handle)
                self._call("CloseSession", request, _CLOSE_SECONDS)
        except (errors.AbortedError, errors.UnavailableError, errors.DeadlineExceededError):
            return  # nothing is left to be closed, or nobody there to close it
        finally:
            self._transport.close()

    # Steps --------------------------------------------------------------------------------------

    def _run_step(
        self,
        parcel: Parcel[messages.RunStepRequest],
        feeds: Iterable[Tensor],
        values: Iterable[Any],
        fetches: Sequence[Tensor],
        metadata: Any,
    ) -> list[Any]:
        request = parcel.message
        for tensor, value in zip(feeds, values, strict=True):
            parcel.add(value, tensor.dtype, tensor.name)
        timeout = self._timeout(request.options)
        if timeout is not None and not request.options.timeout_in_ms:
            request.options.timeout_in_ms = self._config.operation_timeout_in_ms
        self._bring_up_to_date(timeout)
        request.session_handle = self._handle
        request.request_id = next(self._request_ids)
        answer = self._run(parcel, timeout)
        response, by_name = answer.message, answer.by_name()
        if response.status_code:
            raise self._error(response.status_code, response.status_error_message)
        if metadata is not None:
            metadata.CopyFrom(response.metadata)
        try:
            return [detach(by_name[name]) for name in request.fetch]
        except KeyError:
            lost = next(tensor for tensor in fetches if tensor.name not in by_name)
            raise errors.InternalError(
                f"grpc://{self._address} did not return {lost.name}, which was fetched.", lost.op
            ) from None

    def _run(self, parcel: Parcel[messages.RunStepRequest], timeout: float | None) -> Any:
        deadline = None if timeout is None else time.monotonic() + timeout
        request = parcel.message.request_id
        return self._calls.run(request, deadline, lambda: self._call("RunStep", parcel, timeout))

    def _timeout(self, options: Any) -> float | None:
        """Seconds until a call is given up, from the options or the configuration."""
        milliseconds = self._config.operation_timeout_in_ms
        if options is not None and options.timeout_in_ms > 0:
            milliseconds = options.timeout_in_ms
        return milliseconds / 1000 + _GRACE_SECONDS if milliseconds > 0 else None

    # The graph ----------------------------------------------------------------------------------

    def _bring_up_to_date(self, timeout: float | None) -> None:
        """Make sure that the server has the session, and all of the graph."""
        if self._process != os.getpid():
            self._begin_after_fork()
        graph = self._graph
        if self._handle and self._sent == graph.version and self._changes == graph._changes:
            return
        with self._lock:
            if self._handle and self._changes != graph._changes and self._has_old_nodes():
                # Nodes it has were changed; the protocol can only add some. Its variables stay.
                request = messages.CloseSessionRequest(session_handle=self._handle)
                self._call("CloseSession", request, timeout)
                self._handle = ""
            if not self._handle:
                self._create(timeout)
            elif self._sent < graph.version:
                self._extend(timeout)

    def _has_old_nodes(self) -> bool:
        """Whether the server's copies of nodes differ from the graph's."""
        definition = export_graph(self._graph, 0, add_shapes=False)
        del definition.node[self._sent :]
        return _digest(definition.node) != self._digest

    def _create(self, timeout: float | None, with_graph: bool = True) -> None:
        """Open the session on the server, which may have to wait for other tasks."""
        changes = self._graph._changes
        definition = export_graph(self._graph, 0, add_shapes=False)
        if not with_graph:
            del definition.node[:]
            definition.ClearField("library")
        request = messages.CreateSessionRequest(
            graph_def=definition, config=self._config, target=f"grpc://{self._address}"
        )
        seconds = timeout if timeout is not None else self._timeout(None)
        response = self._call("CreateSession", request, seconds, self._why_no_session)
        self._handle, self._version = response.session_handle, response.graph_version
        self._calls.handle = self._handle
        if self._config.log_device_placement and in_process.find(self._address) is None:
            print(waiting_texts.of_placement(self._address))
        client_waits.watch(self._calls)
        if self._closed:  # meanwhile, by another thread, which knew of no session to be closed
            self._close_late()
        self._sent, self._changes = len(definition.node), changes
        self._digest = _digest(definition.node)

    def _close_late(self) -> None:
        handle, self._handle = self._handle, ""
        client_waits.leave(self._calls)
        transport = self._connect()
        try:
            request = messages.CloseSessionRequest(session_handle=handle)
            answer = messages.CloseSessionResponse
            transport.call(MASTER_SERVICE + "CloseSession", request, answer, _CLOSE_SECONDS)
        finally:
            transport.close()
        raise errors.CancelledError("The session was closed.")

    def _extend(self, timeout: float | None) -> None:
        changes = self._graph._changes
        definition = export_graph(self._graph, self._sent, add_shapes=False)
        request = messages.ExtendSessionRequest(
            session_handle=self._handle, graph_def=definition, current_graph_version=self._version
        )
        response = self._call("ExtendSession", request, timeout)
        self._version = response.new_graph_version
        self._sent, self._changes = self._sent + len(definition.node), changes
        self._digest = _digest(definition.node, self._digest)

    def _why_no_session(self) -> str:
        """What is said when a session has not begun after a while."""
        filters = self._config.device_filters
        return waiting_texts.of_session(self._transport, self._address, filters)

    def _call(
        self, method: str, request: Any, timeout: float | None, why: Callable[[], str] | None = None
    ) -> Any:
        try:
            if self._neighbour is not None and method in _DIRECT:
                return self._neighbour.call(MASTER_SERVICE + method, request)
            response = getattr(messages, f"{method}Response")
            path, is_patient = MASTER_SERVICE + method, why is not None
            return self._transport.call(path, request, response, timeout, is_patient, why)
        except errors.OpError as error:
            text = error.message
            if why is not None and isinstance(error, errors.DeadlineExceededError):
                state = waiting_texts.of_deadline(self._transport, self._address)
                if state:
                    text = f"{text.partition(' s. ')[0]} s.{state}"
            raise self._error(error.error_code, text) from None

    def _error(self, code: int, text: str) -> errors.OpError:
        lost = code == errors.AbortedError.error_code and _IS_LOST.match(text) is not None
        return error_from_peer(code, text, self._graph, _SESSION_LOST if lost else "")


class RemotePartialStep:
    """A partial run on a server; see `Backend.start_partial`."""

    def __init__(self, backend: RemoteBackend, handle: str):
        self._backend = backend
        self._handle = handle

    def run(
        self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor], targets: Sequence[Operation]
    ) -> list[Any]:
        """See `PartialStep.run`."""
        request = messages.RunStepRequest(
            fetch=[tensor.name for tensor in fetches],
            target=[op.name for op in targets],
            partial_run_handle=self._handle,
            store_errors_in_response_body=True,
        )
        return self._backend._run_step(Parcel(request), feeds, feeds.values(), fetches, None)


def reset_server(
    address: str, containers: Sequence[str], config: Any, credentials: Any = None
) -> None:
    """`tf.Session.reset`: forget `containers` on the server and end all its sessions."""
    milliseconds = config.operation_timeout_in_ms if config is not None else 0
    transport = ClientTransport(address, chosen(credentials))
    try:
        transport.call(
            MASTER_SERVICE + "Reset",
            messages.ResetRequest(
                container=containers,
                device_filters=config.device_filters if config is not None else (),
            ),
            messages.ResetResponse,
            timeout=milliseconds / 1000 if milliseconds > 0 else None,
            wait=True,
        )
    finally:
        transport.close()


def _digest(nodes: Any, chained: bytes = b"") -> bytes:
    """A digest of nodes, one after the other, so that a prefix can be continued."""
    for node in nodes:
        data = node.SerializeToString(deterministic=True)
        chained = hashlib.blake2b(chained + data, digest_size=16).digest()
    return chained
