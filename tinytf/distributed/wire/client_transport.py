"""A connection to a server, as clients, masters and workers have it: gRPC, or a shorter way.

    call --> faults on purpose --> [ grpc_client | unix_client ] --> the server
    done <-- faults on purpose <---------+

The first call goes by gRPC and asks whether the server offers a unix socket (`unix_paths`). If it
does, and both ends are the same user's on this machine, later calls go there, with the same
messages, errors, deadlines and faults. If the socket fails before a request is sent, gRPC takes it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire import faults, framing, unix_paths
from tinytf.distributed.wire.grpc_client import GrpcClient
from tinytf.distributed.wire.outgoing import Call, SeveralAnswers, withdrawn
from tinytf.distributed.wire.transport import AUTO, chosen
from tinytf.distributed.wire.unix_client import Outcome, UnixCall, UnixClient, Unreachable
from tinytf.distributed.wire.unix_frames import MOST_ANSWERS
from tinytf.distributed.wire.wire_errors import mark_derived, of_network
from tinytf.framework.errors import CancelledError, OpError, UnauthenticatedError, from_code

#: After so many sockets in a row that could not be reached none is asked for any more.
MOST_REFUSALS = 3


class ClientTransport:
    """See `Transport`. Thread-safe.

    Args:
      address: "host:port". credentials: who the client is; the server then has to be of the same
        authority, and have a certificate for this host.
      transport: "grpc": gRPC alone. "auto": also a unix socket, if the server offers one. None: as
        the environment variable TINYTF_TRANSPORT says, by default "auto".
    """

    def __init__(
        self, address: str, credentials: Credentials | None = None, transport: str | None = None
    ):
        self.address = address
        is_short = chosen(transport) == AUTO and credentials is None and unix_paths.is_possible()
        self._grpc = GrpcClient(address, credentials)
        self._unix: UnixClient | None = None
        self._refusals = 0 if is_short else MOST_REFUSALS
        self._lock = threading.Lock()
        self._users = 1  # guarded by self._lock; this object, and the calls on their way

    @property
    def transport(self) -> str:
        """See `Transport.transport`."""
        unix = self._unix
        return "grpc" if unix is None or not unix.is_there else "unix"

    def call(
        self,
        path: str,
        request: Any,
        response_class: Any,
        timeout: float | None = None,
        wait: bool = False,
        why: Callable[[], str] | None = None,
    ) -> Any:
        """See `Transport.call`."""
        self._enter()
        try:
            pieces = framing.pieces(request)
            end = faults.before_call(self.address, timeout)
            outcome = None if wait else self._by_unix(path, pieces, end)
            if outcome is None:
                answer = self._by_grpc(path, pieces, end, timeout, wait, why)
            else:
                faults.before_answer(self.address, end)
                answer = self._answer_of(outcome, timeout)
        finally:
            self._leave()
        return framing.read(response_class, answer)

    def start_call(
        self,
        path: str,
        request: Any,
        response_class: Any,
        done: Callable[[Any, OpError | None], None],
        timeout: float | None = None,
        wait: bool = False,
    ) -> Call:
        """See `Transport.start_call`."""
        self._enter()
        try:
            pieces = framing.pieces(request)

            def finish(answer: Any, error: OpError | None) -> None:
                self._leave()
                done(answer, error)

            call = Call(self.address, finish, timeout)
            call.start(
                lambda left: self._start(path, pieces, left, wait),
                lambda future: self._outcome(future, response_class, timeout),
            )
        except BaseException:
            self._leave()
            raise
        return call

    def start_several(
        self,
        path: str,
        request: Any,
        response_class: Any,
        count: int,
        done: Callable[[int, Any, OpError | None], None],
    ) -> SeveralAnswers | None:
        """See `Transport.start_several`."""
        unix = self._unix
        if unix is None or count > MOST_ANSWERS or faults.concern(self.address):
            return None

        def read(outcome: Outcome) -> tuple[Any, OpError | None]:
            return self._read(outcome, response_class, None)

        several = SeveralAnswers(self.address, count, read, done, self._leave)
        message = framing.serialize(request)
        self._enter()
        try:
            several.start(lambda arrived: unix.start_several(path, message, count, arrived))
        except Unreachable:
            self._give_up(unix)
            return None
        return several

    # The two ways -------------------------------------------------------------------------------

    def _by_unix(self, path: str, pieces: list[Any], end: float | None) -> Outcome | None:
        """What becomes of a call on the short way; None if there is none, and nothing was sent."""
        unix = self._unix
        if unix is None:
            return None
        try:
            outcome = unix.call(path, pieces, faults.left(end))
        except Unreachable:
            self._give_up(unix)
            return None
        self._refusals = 0
        return outcome

    def _by_grpc(
        self,
        path: str,
        pieces: list[Any],
        end: float | None,
        timeout: float | None,
        wait: bool,
        why: Callable[[], str] | None,
    ) -> bytes:
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        learn = self._learn if self._asks else None
        if wait:
            answer = self._grpc.call_patiently(path, data, end, timeout, why, learn)
        else:
            answer = self._grpc.call(path, data, end, timeout, learn)
        faults.before_answer(self.address, end)
        return answer

    def _start(self, path: str, pieces: list[Any], left: float | None, wait: bool) -> Any:
        unix = self._unix
        if unix is not None and not wait:
            try:
                return unix.start(path, pieces, left)
            except Unreachable:
                self._give_up(unix)
        data = pieces[0] if len(pieces) == 1 else b"".join(pieces)
        return self._grpc.start(path, data, left, wait, self._asks)

    def _outcome(
        self, future: Any, response_class: Any, timeout: float | None
    ) -> tuple[Any, OpError | None]:
        """The response, or the error, of a call that is over."""
        if isinstance(future, UnixCall):
            return self._read(future.outcome, response_class, timeout)
        try:
            answer = self._grpc.result(future, timeout, self._learn)
            return framing.read(response_class, answer), None
        except OpError as error:
            return None, error

    def _read(
        self, outcome: Outcome, response_class: Any, timeout: float | None
    ) -> tuple[Any, OpError | None]:
        """The same of a call on the short way."""
        if outcome.is_withdrawn:
            return None, withdrawn()
        self._refusals = 0
        try:
            return framing.read(response_class, self._answer_of(outcome, timeout)), None
        except OpError as error:
            return None, error

    def _answer_of(self, outcome: Outcome, timeout: float | None) -> Any:
        """The answer's bytes; OpError if the call failed."""
        if not outcome.code:
            return outcome.answer
        error = from_code(outcome.code, outcome.text)
        if outcome.is_derived:
            raise mark_derived(error)
        raise of_network(self.address, error, timeout) if outcome.is_lost else error

    # Which way ----------------------------------------------------------------------------------

    @property
    def _asks(self) -> bool:
        """Whether calls by gRPC ask for a shorter way."""
        return self._unix is None and self._refusals < MOST_REFUSALS

    def _learn(self, metadata: Any) -> None:
        """What the server said beside an answer."""
        path = unix_paths.offered(metadata) if self._asks else None
        if path is not None:
            self._unix = UnixClient(path)

    def _give_up(self, unix: UnixClient) -> None:
        """The server's socket cannot be reached: it may have been started again, with another."""
        with self._lock:
            if self._unix is not unix:
                return
            self._unix = None
            self._refusals += 1
        unix.close()

    def obstacle(self, seconds: float) -> UnauthenticatedError | None:
        """See `Transport.obstacle`."""
        return self._grpc.obstacle(seconds)

    def _enter(self) -> None:
        with self._lock:
            if self._users == 0:
                raise CancelledError("The session was closed.")
            self._users += 1

    def _leave(self) -> None:
        with self._lock:
            self._users -= 1
            last = self._users == 0
        if last:
            self._grpc.close()
            if self._unix is not None:
                self._unix.close()

    def close(self) -> None:
        """See `Transport.close`."""
        self._grpc.end_patience()
        self._leave()
