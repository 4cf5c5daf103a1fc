"""What a connection to a server is, to those who call: the same by gRPC and over a unix socket."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Protocol

from tinytf.framework.errors import OpError, UnauthenticatedError

#: Says for a process that calls go by "grpc" alone, or "auto": by whatever is shortest.
VARIABLE = "TINYTF_TRANSPORT"
CHOICES = AUTO, GRPC = "auto", "grpc"


def chosen(transport: str | None) -> str:
    """What `transport` says, or else the environment; ValueError for what is none of `CHOICES`."""
    found = transport or os.environ.get(VARIABLE) or AUTO
    if found not in CHOICES:
        where = "transport" if transport else f"The environment variable {VARIABLE}"
        raise ValueError(
            f"{where} must be one of {CHOICES}, got {found!r}: 'grpc' for gRPC alone, 'auto' for a "
            "unix socket as well, between tasks of one user on one machine."
        )
    return found


class Withdrawable(Protocol):
    """A call on its way."""

    def cancel(self) -> None:
        """Withdraw it: it ends with CancelledError, unless it is over."""


class Transport(Protocol):
    """A connection to one server, made when it is first needed; several threads may use it.

    Whichever way calls go, they have the same messages, errors, deadlines and withdrawal, and the
    same faults on purpose (`faults`). `client_transport` is the one that goes over the network.
    """

    @property
    def transport(self) -> str:
        """How calls go now: "grpc", or "unix"."""

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
          OpError: what the server, or the network, reported. An interrupt from the keyboard
          withdraws the call and goes on as KeyboardInterrupt.
        """

    def start_call(
        self,
        path: str,
        request: Any,
        response_class: Any,
        done: Callable[[Any, OpError | None], None],
        timeout: float | None = None,
        wait: bool = False,
    ) -> Withdrawable:
        """Send a request; the response, or the error, is given to `done` when it comes.

        `done` is called once, on a thread of the transport's, and must not wait. Arguments as of
        `call`.
        """

    def start_several(
        self,
        path: str,
        request: Any,
        response_class: Any,
        count: int,
        done: Callable[[int, Any, OpError | None], None],
    ) -> Withdrawable | None:
        """Send a request that has several answers, where that can be: between tasks of ours.

        Args:
          count: how many. done: called once for each answer, with its index, as of `start_call`.

        Returns:
          the call; None: nothing was sent, several requests with an answer each have to do it.
        """

    def obstacle(self, seconds: float) -> UnauthenticatedError | None:
        """Whether certificates are in the way of the server; may wait so long."""

    def close(self) -> None:
        """Refuse further calls; the connection ends with the last one on its way. Call it once.

        Calls that still wait for a server end with CancelledError.
        """
