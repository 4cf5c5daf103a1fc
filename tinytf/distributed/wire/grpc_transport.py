"""gRPC, and nothing else: bytes of messages in and out. The only module that imports grpc.

Both ends work on raw bytes and parse them here, so a malformed message is a clean
INVALID_ARGUMENT. Calls are synchronous: a handler has a thread of its own and may wait.
"""

from __future__ import annotations

import errno
import itertools
import logging
import socket
import threading
import traceback
from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from tinytf.distributed import task_advice
from tinytf.distributed.limits import MOST_MESSAGE_BYTES, USUAL, Limits
from tinytf.distributed.ports import holder_of
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import faults, framing, tls_errors
from tinytf.distributed.wire.outgoing import Call, withdrawn
from tinytf.distributed.wire.wire_errors import (
    DERIVED_KEY,
    is_derived,
    mark_derived,
    text_for_peer,
)  # fmt: skip
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import (
    CancelledError,
    DeadlineExceededError,
    InternalError,
    InvalidArgumentError,
    OpError,
    UnavailableError,
    UnknownError,
    from_code,
)  # fmt: skip
from tinytf.runtime.thread_pool import ElasticPool

#: gRPC sends an error's text as a header, which peers limit to 8 KiB in all.
MAX_ERROR_BYTES = 6000
#: How long a call waits in silence for a server that is not there.
QUIET_SECONDS = 3.0
#: How long it may take to connect to a server that listens.
SECONDS_TO_RECONNECT = 1.0
#: After this time it is looked whether a missing certificate is the reason.
SECONDS_TO_CONNECT = 0.5
#: And from time to time when it has been said that the server is waited for.
SECONDS_TO_LOOK_AGAIN = 10.0

_LIMITS = [
    ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
]
_SERVER_OPTIONS = [
    ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
    # Otherwise a second server could share the port of the first, and get half of its calls.
    ("grpc.so_reuseport", 0),
]
_CLIENT_OPTIONS = [
    *_LIMITS,
    # A proxy for the web is no way to a server of the cluster.
    ("grpc.enable_http_proxy", 0),
    # A session opened after its server's restart must not inherit the old channel's back-off.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 50),
    # How long a server may take to say hello: a busy one needs more than the first back-off.
    ("grpc.min_reconnect_backoff_ms", 5000),
    # Meanwhile calls fail at once: after a restart, that must not last.
    ("grpc.max_reconnect_backoff_ms", 250),
]

#: Answers a parsed request; the cancellation is that of the call.
Method = Callable[[Any, CancellationManager], Any]
#: path -> (class of the request message, or what makes a request of bytes; method)
Services = dict[str, tuple[Callable[..., Any], Method]]


# --------------------------------------------------------------------------------------- servers


class ServerTransport:
    """A listening port.

    Args:
      host: the address of the interface to listen on. port: 0 lets the system choose.
      services: what is served.
      credentials: who the server is; clients then need a certificate of the same authority.
      limits: how many calls it answers at a time, and how long their messages may be.

    Raises:
      UnknownError: if the port cannot be had.
    """

    def __init__(
        self, host: str, port: int, services: Services, credentials: Credentials | None = None,
        limits: Limits = USUAL,
    ):  # fmt: skip
        _check_port(host, port)
        self._started = False
        self._pool = ElasticPool("tinytf-server")
        self._server = grpc.server(
            self._pool,
            handlers=[_Handlers(services, self)],
            options=[("grpc.max_receive_message_length", limits.message_bytes), *_SERVER_OPTIONS],
            maximum_concurrent_rpcs=limits.calls,
        )
        try:
            self.port: int = _add_port(self._server, f"{host}:{port}", credentials)
        except RuntimeError as error:  # somebody took the port just now
            self._pool.shutdown()
            raise _cannot_listen(host, port, str(error)) from None

    def start(self) -> None:
        """Begin to answer calls."""
        self._started = True
        self._server.start()

    def join(self) -> None:
        """Wait until the server was stopped."""
        self._server.wait_for_termination()

    def stop(self, grace_seconds: float | None) -> None:
        """Refuse new calls, give running ones some time, end the rest; returns at the end."""
        if not self._started:
            self._server.start()  # gRPC gives the port of a server back only if it was started
        self._server.stop(grace_seconds).wait()
        self._pool.shutdown()


def _add_port(server: Any, address: str, credentials: Credentials | None) -> int:
    if credentials is None:
        return server.add_insecure_port(address)
    own = [(credentials.key, credentials.certificate)]
    trust = grpc.ssl_server_credentials(own, credentials.authority, require_client_auth=True)
    return server.add_secure_port(address, trust)


def _check_port(host: str, port: int) -> None:
    """Complain about a port that cannot be had, before gRPC does so on stderr."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM
        )[0]
        with socket.socket(family, kind, protocol) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
            probe.listen(1)  # two sockets may be bound to a port, but not listen
    except OSError as error:
        raise _cannot_listen(host, port, error.strerror or str(error), error.errno) from None


def _cannot_listen(host: str, port: int, reason: str, number: int | None = None) -> UnknownError:
    text = f"Could not start gRPC server: cannot listen on {host}:{port}: {reason}."
    if number in (errno.EADDRINUSE, None):
        holder = holder_of(port)
        text += (
            " Another server uses the port: of another program, or one that this process made "
            "before (a Server keeps its port until its stop() is called or its process ends). "
            f"{f'Here it is {holder}. ' if holder else ''}"
            "Stop that one, or take another port: 'localhost:0' lets the system choose a free one."
        )
    elif number == errno.EADDRNOTAVAIL:
        text += " The address does not belong to this machine: is it another task's?"
    return UnknownError(None, None, text)


class _Handlers(grpc.GenericRpcHandler):
    def __init__(self, services: Services, transport: ServerTransport):
        # gRPC's thread holds the handlers and these the server, which therefore goes on serving
        # when nobody refers to it any more, until it is stopped: as TensorFlow's do.
        self._transport = transport
        self._handlers = {
            path: grpc.unary_unary_rpc_method_handler(_answering(request, method))
            for path, (request, method) in services.items()
        }

    def service(self, handler_call_details: Any) -> Any:
        return self._handlers.get(handler_call_details.method)


def _answering(request_class: Any, method: Method) -> Callable[[bytes, Any], bytes]:
    def answer(data: bytes, context: Any) -> bytes:
        withdrawn, is_open = CancellationManager(), True

        def end() -> None:  # gRPC calls it as well when all went well
            if is_open:
                _withdraw(withdrawn)

        if not context.add_callback(end):
            return b""  # the client is gone already
        try:
            result = framing.serialize(method(_parse(request_class, data), withdrawn))
            is_open = False
            return result
        except OpError as error:
            failure = error
        except Exception as error:
            logging.getLogger(__name__).error("A call failed unexpectedly", exc_info=error)
            failure = InternalError(None, None, f"{type(error).__name__}: {error}")
        if is_derived(failure):
            context.set_trailing_metadata([(_DETAILS, _DERIVED)])
        else:
            context.set_trailing_metadata([(_REPORTED, "1")])
        context.abort(_STATUS[failure.error_code], _shortened(text_for_peer(failure)))
        raise failure  # abort never returns

    return answer


def _withdraw(cancellation: CancellationManager) -> None:
    cancellation.start_cancel(
        CancelledError(None, None, "Step was cancelled: its client withdrew the call.")
    )


def _parse(message_class: Any, data: bytes) -> Any:
    if isinstance(message_class, FunctionType | partial):
        return message_class(data)
    try:
        return message_class.FromString(data)
    except DecodeError as error:
        text = f"Could not parse the {message_class.DESCRIPTOR.name} of {len(data)} bytes: {error}"
        raise InvalidArgumentError(None, None, text) from None


#: TensorFlow's GrpcPayloadContainer, a map with this one key and an empty value.
_DERIVED_SIZES = bytes([10, len(DERIVED_KEY) + 4, 10, len(DERIVED_KEY)])
_DERIVED = _DERIVED_SIZES + DERIVED_KEY.encode() + b"\x12\0"
_DETAILS = "grpc-status-details-bin"
#: Tells an error that a server of ours reports from one of the network.
_REPORTED = "tinytf-reported"
_STATUS = {code.value[0]: code for code in grpc.StatusCode}


def _shortened(text: str) -> str:
    """As much of a text as fits into the header, where bytes that are not printable take three."""
    data = text.encode()
    size = 0
    for index, byte in enumerate(data):
        size += 1 if 0x20 <= byte <= 0x7E and byte != 0x25 else 3
        if size > MAX_ERROR_BYTES:
            return data[:index].decode(errors="ignore") + " [...]"
    return text


# --------------------------------------------------------------------------------------- clients


def _channel(address: str, credentials: Credentials | None) -> Any:
    if credentials is None:
        return grpc.insecure_channel(address, options=_CLIENT_OPTIONS)
    trust = grpc.ssl_channel_credentials(
        credentials.authority, credentials.key, credentials.certificate
    )
    return grpc.secure_channel(address, trust, options=_CLIENT_OPTIONS)


class ClientTransport:
    """A connection to a server, made when it is first needed; may be used by several threads.

    Args:
      address: "host:port". credentials: who the client is; the server then has to be of the same
        authority, and have a certificate for this host.
    """

    def __init__(self, address: str, credentials: Credentials | None = None):
        self.address, self._credentials = address, credentials
        self._channel = _channel(address, credentials)
        self._calls: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._users = 1  # guarded by self._lock; this object, and the calls on their way
        self._patient: set[Any] = set()  # guarded by self._lock; calls that wait for a server

    def call(
        self, path: str, request: Any, response_class: Any, timeout: float | None = None,
        wait: bool = False, why: Callable[[], str] | None = None,
    ) -> Any:  # fmt: skip
        """Send a request and wait for the response.

        Args:
          path: "/tensorflow.MasterService/RunStep". request: a message, or a `framing.Parcel`.
          response_class: of the response, or what makes a response of bytes.
          timeout: seconds for all of it; None for no limit.
          wait: whether to wait for a server that cannot be reached (after a while it is said once
            on stdout what is waited for); otherwise that is an UnavailableError at once.
          why: what is said then, if more is known; "" for nothing.

        Raises:
          OpError: what the server, or gRPC, reported. An interrupt from the keyboard withdraws
          the call and goes on as KeyboardInterrupt.
        """
        self._enter()
        try:
            stub = self._stub(path)
            data = framing.serialize(request)
            end = faults.before_call(self.address, timeout)
            if wait:
                answer = self._call_patiently(stub, data, faults.left(end), why or self._absent)
            else:
                answer = self._call_now(stub, data, end)
            faults.before_answer(self.address, end)
        except grpc.RpcError as error:
            faults.before_answer(self.address, end)
            raise self._obstacle(error, end) or self._as_op_error(error, timeout) from None
        except KeyboardInterrupt as interrupt:
            # gRPC withdraws a call when its object goes, and the traceback's frames hold it.
            traceback.clear_frames(interrupt.__traceback__)
            raise
        finally:
            self._leave()
        return _parse(response_class, answer)

    def _stub(self, path: str) -> Any:
        """What calls a method; made once."""
        if path not in self._calls:
            self._calls[path] = self._channel.unary_unary(path)
        return self._calls[path]

    def start_call(
        self, path: str, request: Any, response_class: Any,
        done: Callable[[Any, OpError | None], None], timeout: float | None = None,
        wait: bool = False,
    ) -> Call:  # fmt: skip
        """Send a request; the response, or the error, is given to `done` when it comes.

        `done` is called once, on a thread of gRPC's, and must not wait. Arguments as of `call`.
        """
        self._enter()
        try:
            stub = self._stub(path)
            data = framing.serialize(request)

            def finish(answer: Any, error: OpError | None) -> None:
                self._leave()
                done(answer, error)

            call = Call(self.address, finish, timeout)
            call.start(
                lambda left: stub.future(data, timeout=left, wait_for_ready=wait or None),
                lambda future: self._outcome(future, response_class, timeout),
            )
        except BaseException:
            self._leave()
            raise
        return call

    def _outcome(
        self, future: Any, response_class: Any, timeout: float | None
    ) -> tuple[Any, OpError | None]:
        """The response, or the error, of a call that is over."""
        if future.cancelled():
            return None, withdrawn()
        try:
            if (failure := future.exception()) is not None:
                return None, self._as_op_error(failure, timeout)
            return _parse(response_class, future.result()), None
        except OpError as malformed:
            return None, malformed

    def _call_patiently(
        self, stub: Any, data: bytes, timeout: float | None, why: Callable[[], str]
    ) -> bytes:
        future = stub.future(data, timeout=timeout, wait_for_ready=True)
        with self._lock:
            self._patient.add(future)
        try:
            try:
                quiet = SECONDS_TO_CONNECT, QUIET_SECONDS - SECONDS_TO_CONNECT
                return self._result(future, quiet)
            except grpc.FutureTimeoutError:
                text = why()
                if text and not future.done():
                    print(text, flush=True)
            return self._result(future, itertools.repeat(SECONDS_TO_LOOK_AGAIN))
        except grpc.FutureCancelledError:
            raise self._closed() from None
        except KeyboardInterrupt:
            future.cancel()
            raise
        finally:
            with self._lock:
                self._patient.discard(future)

    def _call_now(self, stub: Any, data: bytes, end: float | None) -> bytes:
        try:
            return stub(data, timeout=faults.left(end))
        except grpc.RpcError as error:
            unsent = "failed to connect" in (error.details() or "")
            if not (unsent and task_advice.somebody_listens(self.address)):
                raise
            # The server was just started again, and the connection does not know it yet.
            ready = grpc.channel_ready_future(self._channel)
            try:
                ready.result(faults.at_most(SECONDS_TO_RECONNECT, end))
            except grpc.FutureTimeoutError:
                raise error from None
            finally:
                ready.cancel()
            return stub(data, timeout=faults.left(end))

    def _absent(self) -> str:
        return (
            f"Still waiting for a server at grpc://{self.address}. Start it (tf.train.Server, "
            f"tinytf serve, %cluster start), or interrupt this cell and check the address."
        )

    def _result(self, future: Any, patience: Iterable[float]) -> bytes:
        """The answer, unless it takes long; who has no right to it need not wait for it.

        Args:
          patience: after these seconds, one after the other, it is looked for the reason.
        """
        for seconds in patience:
            try:
                return future.result(timeout=seconds)
            except grpc.FutureTimeoutError:
                most = SECONDS_TO_CONNECT  # what is said then is not to be held up
                obstacle = tls_errors.looked_into(self.address, self._credentials, most)
                if obstacle is not None:
                    future.cancel()
                    raise obstacle from None
        raise grpc.FutureTimeoutError

    def _obstacle(self, error: Any, end: float | None) -> OpError | None:
        """Whether a call failed because one end has no right certificate; may wait a moment."""
        details = error.details() or ""
        if error.code() is not grpc.StatusCode.UNAVAILABLE or "connect" not in details:
            return None
        found = tls_errors.explained(details, self.address, self._credentials)
        seconds = faults.at_most(tls_errors.SECONDS, end)
        return found or tls_errors.looked_into(self.address, self._credentials, seconds)

    def obstacle(self, seconds: float) -> OpError | None:
        """Whether certificates are in the way of a server; may wait so long."""
        return tls_errors.looked_into(self.address, self._credentials, seconds)

    @staticmethod
    def _closed() -> CancelledError:
        return CancelledError(None, None, "The session was closed.")

    def _as_op_error(self, error: Any, timeout: float | None) -> OpError:
        code, details = error.code(), error.details() or ""
        obstacle = tls_errors.explained(details, self.address, self._credentials)
        if code is grpc.StatusCode.UNAVAILABLE and obstacle is not None:
            return obstacle
        result = from_code(code.value[0], details)
        trailer = list(error.trailing_metadata() or ())
        if any(key == _DETAILS and DERIVED_KEY.encode() in value for key, value in trailer):
            return mark_derived(result)
        if (_REPORTED, "1") in trailer:
            return result
        if code is grpc.StatusCode.UNAVAILABLE:
            result = UnavailableError(
                None, None,
                f"No server answers at grpc://{self.address}: {details}. Its process has ended, "
                f"or the address is wrong. Start the server again and open a new Session: "
                f"variables that lived there are gone, so initialise or restore them.",
            )  # fmt: skip
            result.details = details  # type: ignore[attr-defined]
        elif code is grpc.StatusCode.DEADLINE_EXCEEDED and timeout is not None:
            result = DeadlineExceededError(
                None, None,
                f"{details}: grpc://{self.address} did not answer within {timeout:g} s. Is its "
                f"process paused or very busy, or the network cut?",
            )  # fmt: skip
            result.details = details  # type: ignore[attr-defined]
        return result

    def _enter(self) -> None:
        with self._lock:
            if self._users == 0:
                raise self._closed()
            self._users += 1

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self._channel.close()

    def close(self) -> None:
        """Refuse further calls; the connection ends with the last one on its way. Call it once.

        Calls that still wait for a server end with CancelledError.
        """
        with self._lock:
            patient = list(self._patient)
        for future in patient:
            future.cancel()
        self._leave()
