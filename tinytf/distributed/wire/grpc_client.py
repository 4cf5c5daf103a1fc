"""The end of gRPC that calls: bytes of messages out and in.

See `grpc_server` for the other end; these two are the only modules that import grpc. What clients
have is a `client_transport`, for which this is one of two ways.
"""

from __future__ import annotations

import itertools
import threading
import traceback
from collections.abc import Callable, Iterable
from typing import Any

import grpc

from tinytf.distributed.cluster import task_advice
from tinytf.distributed.limits import MOST_MESSAGE_BYTES
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import faults, tls_errors
from tinytf.distributed.wire.interrupts import between_locks, held_back
from tinytf.distributed.wire.outgoing import withdrawn
from tinytf.distributed.wire.unix_paths import ASK
from tinytf.distributed.wire.wire_errors import (
    DERIVED_KEY,
    DETAILS,
    REPORTED,
    mark_derived,
    of_network,
)
from tinytf.framework.errors import (
    CancelledError,
    OpError,
    UnauthenticatedError,
    UnavailableError,
    from_code,
)

#: How long a call waits in silence for a server that is not there.
QUIET_SECONDS = 3.0
#: How long it may take to connect to a server that listens.
SECONDS_TO_RECONNECT = 1.0
#: After this time it is looked whether a missing certificate is the reason.
SECONDS_TO_CONNECT = 0.5
#: And from time to time when it has been said that the server is waited for.
SECONDS_TO_LOOK_AGAIN = 10.0

#: Is given what a server has said beside an answer.
Learn = Callable[[Any], None]
#: Servers of ours tell whether there is a shorter way; others do not notice.
_ASKING = ((ASK, "1"),)
_OPTIONS = [
    ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES),
    ("grpc.max_send_message_length", MOST_MESSAGE_BYTES),
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


def _channel(address: str, credentials: Credentials | None) -> Any:
    if credentials is None:
        return grpc.insecure_channel(address, options=_OPTIONS)
    trust = grpc.ssl_channel_credentials(
        credentials.authority, credentials.key, credentials.certificate
    )
    return grpc.secure_channel(address, trust, options=_OPTIONS)


def _is_cut_off(code: Any, details: str) -> bool:
    """Whether a call was cut off for which gRPC knows no reason: its server has gone.

    TensorFlow's clients take it as "unavailable" as well (IsStreamRemovedError in grpc_util.h).
    """
    return code is grpc.StatusCode.UNKNOWN and details.startswith("Stream removed")


class GrpcCall:
    """A call that an interrupt may end at any moment.

    Args:
      stub: what calls the method. data: the request. how: as for gRPC's `future`.
    """

    def __init__(self, stub: Any, data: bytes, **how: Any):
        self._stub, self._data, self._how = stub, data, how
        # gRPC's own ways to wait have locks that an interrupt would leave taken.
        self._going_on = threading.Lock()
        self.future: Any = None

    def start(self) -> GrpcCall:
        """Send the request."""
        self._going_on.acquire()
        with held_back():
            self.future = self._stub.future(self._data, **self._how)
            self.future.add_done_callback(lambda future: self._going_on.release())
        return self

    def wait(self, seconds: float | None = None) -> bytes:
        """The answer.

        Raises:
          grpc.RpcError: what became of it. grpc.FutureCancelledError: it was withdrawn.
          grpc.FutureTimeoutError: it goes on after so many seconds.
        """
        if not self._going_on.acquire(timeout=-1 if seconds is None else max(seconds, 0)):
            raise grpc.FutureTimeoutError
        self._going_on.release()
        with held_back():
            answer: bytes = self.future.result()
        return answer

    def said(self) -> Any:
        """What came beside the answer."""
        with held_back():
            return self.future.trailing_metadata()

    @property
    def is_over(self) -> bool:
        """Whether there is an answer, or an error."""
        return not self._going_on.locked()

    def cancel(self) -> None:
        """Withdraw it, unless it is over."""
        with held_back():
            future = self.future  # another thread may let go of it
            if future is not None:
                future.cancel()

    def end(self) -> None:
        """Let go of it; an answer that is on its way is withdrawn."""
        with held_back():
            if not self.is_over:
                self.cancel()
            self.future = None

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Call `callback(future)` when it is over, on any thread; or now if it is."""
        with held_back():
            self.future.add_done_callback(callback)


class GrpcClient:
    """A gRPC channel to a server, connected when it is first needed. Thread-safe.

    Args:
      address: "host:port". credentials: as of `ClientTransport`.
    """

    def __init__(self, address: str, credentials: Credentials | None = None):
        self.address, self._credentials = address, credentials
        with held_back():
            self._channel = _channel(address, credentials)
        self._calls: dict[str, Any] = {}
        self._lock = threading.Lock()
        self._patient: set[Any] = set()  # guarded by self._lock; calls that wait for a server

    def call(
        self, path: str, data: bytes, end: float | None, timeout: float | None, learn: Learn | None
    ) -> bytes:
        """Send a request and wait for the answer.

        Args:
          end: when it has to be over, by `time.monotonic`. timeout: what was asked, for messages.
          learn: see `Learn`; None: the server is asked for nothing else.

        Raises:
          OpError: what the server, or gRPC, reported; an interrupt withdraws the call.
        """
        stub = self._stub(path)
        try:
            return self._call_now(stub, data, end, learn)
        except grpc.RpcError as error:
            faults.before_answer(self.address, end)
            raise self._obstacle(error, end) or self._as_op_error(error, timeout) from None
        except KeyboardInterrupt as interrupt:
            # gRPC withdraws a call when its object goes, and the traceback's frames hold it.
            traceback.clear_frames(interrupt.__traceback__)
            raise

    def call_patiently(
        self,
        path: str,
        data: bytes,
        end: float | None,
        timeout: float | None,
        why: Callable[[], str] | None,
        learn: Learn | None,
    ) -> bytes:
        """The same, also of a server that cannot be reached yet.

        Args:
          why: what is said on stdout after a while, instead of what is known here.
        """
        try:
            return self._call_patiently(self._stub(path), data, faults.left(end), why, learn)
        except grpc.RpcError as error:
            faults.before_answer(self.address, end)
            raise self._obstacle(error, end) or self._as_op_error(error, timeout) from None

    def start(self, path: str, data: bytes, left: float | None, wait: bool, asks: bool) -> GrpcCall:
        """Send a request; its future is for `result`."""
        headers = _ASKING if asks else None
        call = GrpcCall(
            self._stub(path), data, timeout=left, wait_for_ready=wait or None, metadata=headers
        )
        return call.start()

    def result(self, future: Any, timeout: float | None, learn: Learn | None) -> bytes:
        """The answer of a call that is over; OpError if it has none."""
        if future.cancelled():
            raise withdrawn()
        if (failure := future.exception()) is not None:
            raise self._as_op_error(failure, timeout)
        if learn is not None:
            learn(future.trailing_metadata())
        answer: bytes = future.result()
        return answer

    def _stub(self, path: str) -> Any:
        """What calls a method; made once."""
        if path not in self._calls:
            with held_back():
                self._calls[path] = self._channel.unary_unary(path)
        return self._calls[path]

    def _call_patiently(
        self,
        stub: Any,
        data: bytes,
        timeout: float | None,
        why: Callable[[], str] | None,
        learn: Learn | None,
    ) -> bytes:
        headers = None if learn is None else _ASKING
        call = GrpcCall(stub, data, timeout=timeout, wait_for_ready=True, metadata=headers)
        try:
            call.start()
            with self._lock:
                self._patient.add(call)
            try:
                quiet = SECONDS_TO_CONNECT, QUIET_SECONDS - SECONDS_TO_CONNECT
                answer = self._result(call, quiet)
            except grpc.FutureTimeoutError:
                text = task_advice.of_absence(self.address) if why is None else why()
                if text and not call.is_over:
                    print(text, flush=True)
                answer = self._result(call, itertools.repeat(SECONDS_TO_LOOK_AGAIN))
            if learn is not None:
                learn(call.said())
        except grpc.FutureCancelledError:
            raise CancelledError("The session was closed.") from None
        finally:
            call.end()
            with self._lock:
                self._patient.discard(call)
        return answer

    def _call_now(self, stub: Any, data: bytes, end: float | None, learn: Learn | None) -> bytes:
        try:
            return self._answer(stub, data, end, learn)
        except grpc.RpcError as error:
            unsent = "failed to connect" in (error.details() or "")
            if not (unsent and task_advice.somebody_listens(self.address)):
                raise
            # The server was just started again, and the connection does not know it yet.
            with held_back():  # for a second
                ready = grpc.channel_ready_future(self._channel)
                try:
                    ready.result(faults.at_most(SECONDS_TO_RECONNECT, end))
                except grpc.FutureTimeoutError:
                    raise error from None
                finally:
                    ready.cancel()
            return self._answer(stub, data, end, learn)

    @staticmethod
    def _answer(stub: Any, data: bytes, end: float | None, learn: Learn | None) -> bytes:
        answer: bytes
        with between_locks():
            if learn is None:
                answer = stub(data, timeout=faults.left(end))
            else:
                answer, call = stub.with_call(data, timeout=faults.left(end), metadata=_ASKING)
                learn(call.trailing_metadata())
                del call
        return answer

    def _result(self, call: GrpcCall, patience: Iterable[float]) -> bytes:
        """The answer, unless it takes long; who has no right to it need not wait for it.

        Args:
          patience: after these seconds, one after the other, it is looked for the reason.
        """
        for seconds in patience:
            try:
                return call.wait(seconds)
            except grpc.FutureTimeoutError:
                most = SECONDS_TO_CONNECT  # what is said then is not to be held up
                obstacle = tls_errors.looked_into(self.address, self._credentials, most)
                if obstacle is not None:
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

    def obstacle(self, seconds: float) -> UnauthenticatedError | None:
        """Whether certificates are in the way of a server; may wait so long."""
        return tls_errors.looked_into(self.address, self._credentials, seconds)

    def _as_op_error(self, error: Any, timeout: float | None) -> OpError:
        code, details = error.code(), error.details() or ""
        obstacle = tls_errors.explained(details, self.address, self._credentials)
        if code is grpc.StatusCode.UNAVAILABLE and obstacle is not None:
            return obstacle
        result = from_code(code.value[0], details)
        trailer = list(error.trailing_metadata() or ())
        if any(key == DETAILS and DERIVED_KEY.encode() in value for key, value in trailer):
            return mark_derived(result)
        if (REPORTED, "1") in trailer:
            return result
        if _is_cut_off(code, details):
            result = UnavailableError(details)
        return of_network(self.address, result, timeout)

    def end_patience(self) -> None:
        """End the calls that still wait for a server, with CancelledError."""
        with self._lock:
            patient = list(self._patient)
        for call in patient:
            call.cancel()

    def close(self) -> None:
        """End the connection; no call may be on its way."""
        with held_back():
            self._channel.close()
