"""gRPC, and nothing else: bytes of messages in and out. The only module that imports grpc.

Both ends work on raw bytes and parse them here, so a malformed message is a clean
INVALID_ARGUMENT. Calls are synchronous: a handler has a thread of its own and may wait.
"""

from __future__ import annotations

import errno
import logging
import socket
import threading
import traceback
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from tinytf.distributed.wire_errors import text_for_peer
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

#: The largest message either end takes: what protobuf can hold.
MAX_MESSAGE_BYTES = (1 << 31) - 1
#: How many calls a server answers at a time; more are refused with RESOURCE_EXHAUSTED.
MAX_CALLS = 1024
#: gRPC sends an error's text as a header, which peers limit to 8 KiB in all.
MAX_ERROR_BYTES = 6000
#: How long a call waits in silence for a server that is not there.
QUIET_SECONDS = 3.0

_LIMITS = [
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
]
_SERVER_OPTIONS = [
    *_LIMITS,
    # Otherwise a second server could share the port of the first, and get half of its calls.
    ("grpc.so_reuseport", 0),
]
_CLIENT_OPTIONS = [
    *_LIMITS,
    # A proxy for the web is no way to a server of the cluster.
    ("grpc.enable_http_proxy", 0),
    # A session opened after its server's restart must not inherit the old channel's back-off.
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
]

#: Answers a parsed request; the cancellation is that of the call.
Method = Callable[[Any, CancellationManager], Any]
#: path -> (class of the request message, method)
Services = dict[str, tuple[type, Method]]


# --------------------------------------------------------------------------------------- servers


class ServerTransport:
    """A listening port.

    Args:
      host: the address of the interface to listen on. port: 0 lets the system choose.
      services: what is served.

    Raises:
      UnknownError: if the port cannot be had.
    """

    def __init__(self, host: str, port: int, services: Services):
        _check_port(host, port)
        self._started = False
        self._pool = ElasticPool("tinytf-server")
        self._server = grpc.server(
            self._pool,
            handlers=[_Handlers(services, self)],
            options=_SERVER_OPTIONS,
            maximum_concurrent_rpcs=MAX_CALLS,
        )
        try:
            self.port: int = self._server.add_insecure_port(f"{host}:{port}")
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
        text += (
            " Another server uses the port: of another program, or one that this process made "
            "before (a Server keeps its port until its stop() is called or its process ends). "
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
        withdrawn = CancellationManager()
        if not context.add_callback(lambda: _withdraw(withdrawn)):
            return b""  # the client is gone already
        try:
            return method(_parse(request_class, data), withdrawn).SerializeToString()
        except OpError as error:
            failure = error
        except Exception as error:
            logging.getLogger(__name__).error("A call failed unexpectedly", exc_info=error)
            failure = InternalError(None, None, f"{type(error).__name__}: {error}")
        context.abort(_STATUS[failure.error_code], _shortened(text_for_peer(failure)))
        raise failure  # abort never returns

    return answer


def _withdraw(cancellation: CancellationManager) -> None:
    cancellation.start_cancel(
        CancelledError(None, None, "Step was cancelled: its client withdrew the call.")
    )


def _parse(message_class: Any, data: bytes) -> Any:
    try:
        return message_class.FromString(data)
    except DecodeError as error:
        name = message_class.DESCRIPTOR.name
        raise InvalidArgumentError(
            None, None, f"Could not parse the {name} of {len(data)} bytes: {error}"
        ) from None


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


class ClientTransport:
    """A connection to a server, made when it is first needed; may be used by several threads.

    Args:
      address: "host:port".
    """

    def __init__(self, address: str):
        self.address = address
        self._channel = grpc.insecure_channel(address, options=_CLIENT_OPTIONS)
        self._calls: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._users = 1  # guarded by self._lock; this object, and the calls on their way
        self._patient: set[Any] = set()  # guarded by self._lock; calls that wait for a server

    def call(
        self, path: str, request: Any, response_class: Any, timeout: float | None = None,
        wait: bool = False,
    ) -> Any:  # fmt: skip
        """Send a request and wait for the response.

        Args:
          path: "/tensorflow.MasterService/RunStep". request: a message.
          timeout: seconds for all of it; None for no limit.
          wait: whether to wait for a server that cannot be reached (after a while it is said once
            on stdout what is waited for); otherwise that is an UnavailableError at once.

        Raises:
          OpError: what the server, or gRPC, reported. An interrupt from the keyboard withdraws
          the call and goes on as KeyboardInterrupt.
        """
        self._enter()
        try:
            stub = self._calls.get(path)
            if stub is None:
                stub = self._calls[path] = self._channel.unary_unary(path)
            data = request.SerializeToString()
            if wait:
                answer = self._call_patiently(stub, data, timeout)
            else:
                answer = stub(data, timeout=timeout)
        except grpc.RpcError as error:
            raise self._as_op_error(error, timeout) from None
        except KeyboardInterrupt as interrupt:
            # gRPC withdraws a call when its object goes, and the traceback's frames hold it.
            traceback.clear_frames(interrupt.__traceback__)
            raise
        finally:
            self._leave()
        return response_class.FromString(answer)

    def _call_patiently(self, stub: Any, data: bytes, timeout: float | None) -> bytes:
        future = stub.future(data, timeout=timeout, wait_for_ready=True)
        with self._lock:
            self._patient.add(future)
        try:
            try:
                return future.result(timeout=QUIET_SECONDS)
            except grpc.FutureTimeoutError:
                print(
                    f"Still waiting for a server at grpc://{self.address}. Is it running? Start "
                    f"it (tf.train.Server, tinytf serve, %cluster start), or interrupt this cell "
                    f"and check the address.",
                    flush=True,
                )
            return future.result()
        except grpc.FutureCancelledError:
            raise self._closed() from None
        except KeyboardInterrupt:
            future.cancel()
            raise
        finally:
            with self._lock:
                self._patient.discard(future)

    @staticmethod
    def _closed() -> CancelledError:
        return CancelledError(None, None, "The session was closed.")

    def _as_op_error(self, error: Any, timeout: float | None) -> OpError:
        code, details = error.code(), error.details() or ""
        if code is grpc.StatusCode.UNAVAILABLE:
            return UnavailableError(
                None, None,
                f"No server answers at grpc://{self.address}: {details}. Its process has ended, "
                f"or the address is wrong. Start the server again and open a new Session: "
                f"variables that lived there are gone, so initialise or restore them.",
            )  # fmt: skip
        if code is grpc.StatusCode.DEADLINE_EXCEEDED and timeout is not None:
            return DeadlineExceededError(
                None, None,
                f"{details}: grpc://{self.address} did not answer within {timeout:g} s.",
            )  # fmt: skip
        return from_code(code.value[0], details)

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
