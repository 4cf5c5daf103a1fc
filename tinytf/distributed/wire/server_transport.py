"""What a server listens on: a port, for gRPC, and a unix socket for peers of its user."""

from __future__ import annotations

import threading

from tinytf.distributed.limits import USUAL, Limits
from tinytf.distributed.tls import Credentials
from tinytf.distributed.wire.dispatch import Dispatch, Services
from tinytf.distributed.wire.grpc_server import GrpcServer
from tinytf.distributed.wire.transport import AUTO, chosen
from tinytf.distributed.wire.unix_server import UnixServer


class ServerTransport:
    """A listening port, and, unless it is for TLS or gRPC alone, a socket that is offered there.

    Args:
      host: the address of the interface to listen on. port: 0 lets the system choose.
      services: what is served.
      credentials: who the server is; clients then need a certificate of the same authority.
      limits: how many calls it answers at a time, and how long their messages may be.
      transport: as of `ClientTransport`. several: as of `Dispatch`.

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
        transport: str | None = None,
        several: Services | None = None,
    ):
        self._is_short = chosen(transport) == AUTO and credentials is None
        self._unix: UnixServer | None = None
        self.dispatch = Dispatch(services, limits, several)
        self._grpc = GrpcServer(host, port, self.dispatch, credentials, self._path)
        self.port = self._grpc.port

    def _path(self) -> str | None:
        """Of the socket, if there is one."""
        return None if self._unix is None else self._unix.path

    @property
    def transports(self) -> list[str]:
        """What it listens to: "grpc", and "unix" where that is offered."""
        return ["grpc"] if self._unix is None else ["grpc", "unix"]

    def start(self) -> None:
        """Begin to answer calls."""
        self._unix = UnixServer.open(self.dispatch) if self._is_short else None
        if self._unix is not None:
            self._unix.start()
        self._grpc.start()

    def join(self) -> None:
        """Wait until the server was stopped."""
        self._grpc.join()

    def stop(self, grace_seconds: float | None) -> None:
        """Refuse new calls, give running ones some time, end the rest; returns at the end."""
        unix, self._unix = self._unix, None
        if unix is None:
            self._grpc.stop(grace_seconds)
            return
        together = threading.Thread(target=unix.stop, args=(grace_seconds,))
        try:
            together.start()
        except RuntimeError:  # the interpreter ends
            unix.stop(0)
            self._grpc.stop(0)
            return
        self._grpc.stop(grace_seconds)
        together.join()
