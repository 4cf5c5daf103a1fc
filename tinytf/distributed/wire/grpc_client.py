"""The end of gRPC that calls: bytes of messages out and in.

See `grpc_server` for the other end; these two are the only modules that import grpc.
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
from tinytf.distributed.wire import faults, framing, tls_errors
from tinytf.distributed.wire.outgoing import Call, withdrawn
from tinytf.distributed.wire.wire_errors import DERIVED_KEY, DETAILS, REPORTED, mark_derived
from tinytf.framework import errors

#: How long a call waits in silence for a server that is not there.
QUIET_SECONDS = 3.0
#: How long it may take to connect to a server that listens.
SECONDS_TO_RECONNECT = 1.0
#: After this time it is looked whether a missing certificate is the reason.
SECONDS_TO_CONNECT = 0.5
#: And from time to time when it has been said that the server is waited for.
SECONDS_TO_LOOK_AGAIN = 10.0

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
        self,
        path: str,
        request: Any,
        response_class: Any,
        timeout: float | None = None,
        wait: bool = False,
        why: Callable[[], str] | None = None,
    ) -> Any:
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
                answer = self._call_patiently(stub, data, faults.left(end), why)
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
        return framing.read(response_class, answer)

    def _stub(self, path: str) -> Any:
        """What calls a method; made once."""
        if path not in self._calls:
            self._calls[path] = self._channel.unary_unary(path)
        return self._calls[path]

    def start_call(
        self,
        path: str,
        request: Any,
        response_class: Any,
        done: Callable[[Any, errors.OpError | None], None],
        timeout: float | None = None,
        wait: bool = False,
    ) -> Call:
        """Send a request; the response, or the error, is given to `done` when it comes.

        `done` is called once, on a thread of gRPC's, and must not wait. Arguments as of `call`.
        """
        self._enter()
        try:
            stub = self._stub(path)
            data = framing.serialize(request)

            def finish(answer: Any, error: errors.OpError | None) -> None:
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
    ) -> tuple[Any, errors.OpError | None]:
        """The response, or the error, of a call that is over."""
        if future.cancelled():
            return None, withdrawn()
        try:
            if (failure := future.exception()) is not None:
                return None, self._as_op_error(failure, timeout)
            return framing.read(response_class, future.result()), None
        except errors.OpError as malformed:
            return None, malformed

    def _call_patiently(
        self, stub: Any, data: bytes, timeout: float | None, why: Callable[[], str] | None
    ) -> bytes:
        future = stub.future(data, timeout=timeout, wait_for_ready=True)
        with self._lock:
            self._patient.add(future)
        try:
            try:
                quiet = SECONDS_TO_CONNECT, QUIET_SECONDS - SECONDS_TO_CONNECT
                return self._result(future, quiet)
            except grpc.FutureTimeoutError:
                text = task_advice.of_absence(self.address) if why is None else why()
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

    def _obstacle(self, error: Any, end: float | None) -> errors.OpError | None:
        """Whether a call failed because one end has no right certificate; may wait a moment."""
        details = error.details() or ""
        if error.code() is not grpc.StatusCode.UNAVAILABLE or "connect" not in details:
            return None
        found = tls_errors.explained(details, self.address, self._credentials)
        seconds = faults.at_most(tls_errors.SECONDS, end)
        return found or tls_errors.looked_into(self.address, self._credentials, seconds)

    def obstacle(self, seconds: float) -> errors.OpError | None:
        """Whether certificates are in the way of a server; may wait so long."""
        return tls_errors.looked_into(self.address, self._credentials, seconds)

    @staticmethod
    def _closed() -> errors.CancelledError:
        return errors.CancelledError("The session was closed.")

    def _as_op_error(self, error: Any, timeout: float | None) -> errors.OpError:
        code, details = error.code(), error.details() or ""
        obstacle = tls_errors.explained(details, self.address, self._credentials)
        if code is grpc.StatusCode.UNAVAILABLE and obstacle is not None:
            return obstacle
        result = errors.from_code(code.value[0], details)
        trailer = list(error.trailing_metadata() or ())
        if any(key == DETAILS and DERIVED_KEY.encode() in value for key, value in trailer):
            return mark_derived(result)
        if (REPORTED, "1") in trailer:
            return result
        if code is grpc.StatusCode.UNAVAILABLE or _is_cut_off(code, details):
            result = errors.UnavailableError(
                f"No server answers at grpc://{self.address}: {details}. Its process has ended, "
                f"or the address is wrong. Start the server again and open a new Session: "
                f"variables that lived there are gone, so initialise or restore them."
            )
            result.details = details  # type: ignore[attr-defined]
        elif code is grpc.StatusCode.DEADLINE_EXCEEDED and timeout is not None:
            result = errors.DeadlineExceededError(
                f"{details}: grpc://{self.address} did not answer within {timeout:g} s. Is its "
                f"process paused or very busy, or the network cut?"
            )
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
