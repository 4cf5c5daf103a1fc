"""The end of gRPC that serves: bytes of messages in and out.

Handlers work on raw bytes, which `dispatch` parses. A handler has a thread of its own and may wait,
but for methods that answer later (`requests.QUICK`): they leave it. With `grpc_client`, which is
the other end, the only module that imports grpc.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
from collections.abc import Callable
from typing import Any

import grpc

from tinytf.distributed.cluster.ports import holder_of
from tinytf.distributed.limits import MOST_MESSAGE_BYTES
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import unix_paths
from tinytf.distributed.wire.dispatch import Dispatch, Failure, withdraw
from tinytf.distributed.wire.requests import QUICK
from tinytf.distributed.wire.wire_errors import DERIVED_KEY, DETAILS, REPORTED
from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.errors import UnknownError
from tinytf.runtime.thread_pool import ElasticPool

#: gRPC sends an error's text as a header, which peers limit to 8 KiB in all.
MAX_ERROR_BYTES = 6000
#: How often whoever waits for the end of a server looks whether a signal has come.
_LOOK_SECONDS = 1.0

#: Takes an answer, then None.
Send = Callable[[bytes | None], Any]
_OPTIONS = [
    ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
    # Otherwise a second server could share the port of the first, and get half of its calls.
    ("grpc.so_reuseport", 0),
]


class GrpcServer:
    """A listening port.

    Args:
      host: the address of the interface to listen on. port: 0 lets the system choose.
      dispatch: what answers.
      credentials: who the server is; clients then need a certificate of the same authority.
      short_way: makes what is offered to clients on this machine who ask for it, or None.

    Raises:
      UnknownError: if the port cannot be had.
    """

    def __init__(
        self,
        host: str,
        port: int,
        dispatch: Dispatch,
        credentials: Credentials | None = None,
        short_way: Callable[[], str | None] = lambda: None,
    ):
        _check_port(host, port)
        self._started = False
        self._serves = threading.Lock()
        self._serves.acquire()  # until it was stopped
        self._pool = ElasticPool("tinytf-server")
        limits = dispatch.limits
        self._server = grpc.server(
            self._pool,
            handlers=[_Handlers(dispatch, short_way, self)],
            options=[("grpc.max_receive_message_length", limits.message_bytes), *_OPTIONS],
            maximum_concurrent_rpcs=limits.calls,
        )
        try:
            self.port: int = _add_port(self._server, f"{host}:{port}", credentials)
        except RuntimeError as error:  # somebody took the port just now
            self._pool.shutdown()
            raise _cannot_listen(host, port, str(error)) from None

    def later(self, function: Callable[[], None]) -> None:
        """Run a function on a thread that may wait."""
        try:
            self._pool.submit(function)
        except RuntimeError:
            return  # the server was stopped, and nobody is there to be answered

    def start(self) -> None:
        """Begin to answer calls."""
        self._started = True
        self._server.start()

    def join(self) -> None:
        """Wait until the server was stopped."""
        # Not by gRPC's way to wait: see `interrupts`. A signal just before the lock is waited for
        # wakes nobody: Python sees to it at the next look.
        while not self._serves.acquire(timeout=_LOOK_SECONDS):
            pass
        self._serves.release()

    def stop(self, grace_seconds: float | None) -> None:
        """Refuse new calls, give running ones some time, end the rest; returns at the end."""
        if not self._started:
            self._server.start()  # gRPC gives the port of a server back only if it was started
        self._server.stop(grace_seconds).wait()
        self._pool.shutdown()
        with contextlib.suppress(RuntimeError):  # it was stopped before
            self._serves.release()


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
    def __init__(self, dispatch: Dispatch, short_way: Callable[[], str | None], server: GrpcServer):
        # gRPC's thread holds the handlers and these the server, which therefore goes on serving
        # when nobody refers to it any more, until it is stopped: as TensorFlow's do.
        self._dispatch, self._short_way, self._server = dispatch, short_way, server
        self._handlers = {path: self._handler(path) for path in dispatch.services}

    def service(self, handler_call_details: Any) -> Any:
        return self._handlers.get(handler_call_details.method)

    def _handler(self, path: str) -> Any:
        if path in QUICK:
            # Of a method that streams its answer, grpcio takes it from a callback. On the wire a
            # stream of one answer is a unary call.
            def begin(data: bytes, context: Any, send: Send | None = None) -> Any:
                call = _Call(self._server, context, self._offer(context), send)
                call.answer(self._dispatch, path, data)
                # A grpcio that has given up its experiment takes the stream itself.
                return None if send is not None else iter([call.wait()])

            begin.experimental_non_blocking = True  # type: ignore[attr-defined]
            return grpc.unary_stream_rpc_method_handler(begin)

        def answer(data: bytes, context: Any) -> bytes:
            call = _Call(self._server, context, self._offer(context), None)
            call.answer(self._dispatch, path, data)
            return call.wait()

        return grpc.unary_unary_rpc_method_handler(answer)

    def _offer(self, context: Any) -> list[tuple[str, str]]:
        """What is said of a shorter way to who asks and may have it."""
        if all(key != unix_paths.ASK for key, _ in context.invocation_metadata()):
            return []
        path = self._short_way() if _is_here(context.peer()) else None
        return [] if path is None else [(unix_paths.OFFER, unix_paths.offer(path))]


def _is_here(peer: str) -> bool:
    """Whether who calls is on this machine's loopback interface: "ipv4:127.0.0.1:4711"."""
    return peer.startswith(("ipv4:127.", "ipv6:[::1]", "ipv6:%5B::1%5D"))


class _Call:
    """A call that is being answered.

    Args:
      server: whose. context: gRPC's. offer: headers of the answer.
      send: takes the answer, then None, if nobody waits for it.
    """

    def __init__(
        self,
        server: GrpcServer,
        context: Any,
        offer: list[tuple[str, str]],
        send: Send | None,
    ):
        self._server, self._context, self._offer, self._send = server, context, offer, send
        self._withdrawn, self._is_open = CancellationManager(), True
        self._over = threading.Event()
        self._thread = threading.get_ident()
        self._result: tuple[list[Any], Failure | None] = [], None

    def answer(self, dispatch: Dispatch, path: str, data: bytes) -> None:
        """Have it answered, now or later."""
        if not self._context.add_callback(self._ended):
            self._over.set()
            return  # the client is gone already
        dispatch.answer(path, data, self._withdrawn, self._reply)

    def _ended(self) -> None:
        if self._is_open:  # gRPC calls it as well when all went well
            withdraw(self._withdrawn)

    def _reply(self, pieces: list[Any], failure: Failure | None) -> None:
        self._result = pieces, failure
        if self._send is None:
            self._over.set()
        elif threading.get_ident() == self._thread:
            self._send_all()
        else:  # sending waits for gRPC, and this thread may not
            self._server.later(self._send_all)

    def wait(self) -> bytes:
        """The answer, or gRPC's exception for an error."""
        self._over.wait()
        pieces, failure = self._result
        trailer, code, text = self._status(failure)
        if trailer:
            self._context.set_trailing_metadata(trailer)
        if failure is not None:
            self._context.abort(code, text)
        self._is_open = False
        return b"".join(pieces)

    def _send_all(self) -> None:
        assert self._send is not None
        pieces, failure = self._result
        trailer, code, text = self._status(failure)
        if trailer:
            self._context.set_trailing_metadata(trailer)
        if failure is None:
            self._send(b"".join(pieces))
            self._is_open = False
        else:
            self._context.set_code(code)
            self._context.set_details(text)
        self._send(None)

    def _status(self, failure: Failure | None) -> tuple[list[tuple[str, Any]], Any, str]:
        if failure is None:
            return [*self._offer], grpc.StatusCode.OK, ""
        mark = (DETAILS, _DERIVED) if failure.is_derived else (REPORTED, "1")
        return [*self._offer, mark], _STATUS[failure.code], _shortened(failure.text)


#: TensorFlow's GrpcPayloadContainer, a map with this one key and an empty value.
_DERIVED_SIZES = bytes([10, len(DERIVED_KEY) + 4, 10, len(DERIVED_KEY)])
_DERIVED = _DERIVED_SIZES + DERIVED_KEY.encode() + b"\x12\0"
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
