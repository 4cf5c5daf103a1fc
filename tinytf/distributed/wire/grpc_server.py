"""The end of gRPC that serves: bytes of messages in and out.

Handlers work on raw bytes and parse them here, so a malformed message is a clean INVALID_ARGUMENT.
Calls are synchronous: a handler has a thread of its own and may wait. With `grpc_client`, which is
the other end, the only module that imports grpc.
"""

from __future__ import annotations

import errno
import logging
import socket
from collections.abc import Callable
from typing import Any

import grpc

from tinytf.distributed.cluster.ports import holder_of
from tinytf.distributed.limits import MOST_MESSAGE_BYTES, USUAL, Limits
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import framing, wire_errors
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import (
    CancelledError,
    InternalError,
    OpError,
    ResourceExhaustedError,
    UnknownError,
)
from tinytf.runtime.thread_pool import ElasticPool

#: gRPC sends an error's text as a header, which peers limit to 8 KiB in all.
MAX_ERROR_BYTES = 6000

_OPTIONS = [
    ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
    # Otherwise a second server could share the port of the first, and get half of its calls.
    ("grpc.so_reuseport", 0),
]

#: Answers a parsed request; the cancellation is that of the call.
Method = Callable[[Any, CancellationManager], Any]
#: path -> (class of the request message, or what makes a request of bytes; method)
Services = dict[str, tuple[Callable[..., Any], Method]]


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
        self,
        host: str,
        port: int,
        services: Services,
        credentials: Credentials | None = None,
        limits: Limits = USUAL,
    ):
        _check_port(host, port)
        self._started = False
        self._pool = ElasticPool("tinytf-server")
        self._server = grpc.server(
            self._pool,
            handlers=[_Handlers(services, self)],
            options=[("grpc.max_receive_message_length", limits.message_bytes), *_OPTIONS],
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
    return UnknownError(text)


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
            result = framing.serialize(method(framing.read(request_class, data), withdrawn))
            is_open = False
            return result
        except OpError as error:
            failure = error
        except MemoryError as error:
            failure = ResourceExhaustedError(f"MemoryError: {error}")
        except Exception as error:
            logging.getLogger(__name__).error("A call failed unexpectedly", exc_info=error)
            failure = InternalError(f"{type(error).__name__}: {error}")
        if wire_errors.is_derived(failure):
            context.set_trailing_metadata([(wire_errors.DETAILS, _DERIVED)])
        else:
            context.set_trailing_metadata([(wire_errors.REPORTED, "1")])
        context.abort(_STATUS[failure.error_code], _shortened(wire_errors.text_for_peer(failure)))
        raise failure  # abort never returns

    return answer


def _withdraw(cancellation: CancellationManager) -> None:
    cancellation.start_cancel(CancelledError("Step was cancelled: its client withdrew the call."))


#: TensorFlow's GrpcPayloadContainer, a map with this one key and an empty value.
_DERIVED_SIZES = bytes([10, len(wire_errors.DERIVED_KEY) + 4, 10, len(wire_errors.DERIVED_KEY)])
_DERIVED = _DERIVED_SIZES + wire_errors.DERIVED_KEY.encode() + b"\x12\0"
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
