"""Makes "grpc://host:port" a target of sessions, without importing grpc before one is opened."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.graph import Graph
from tinytf.session.backend import Backend, register_backend

SCHEME = "grpc"
MAX_PORT = 65535
_HOST = re.compile(r"\[[0-9A-Fa-f:.%a-z]+\]|[^\s:/\[\]\x00-\x20\x7f]+")


def parse_address(text: str) -> tuple[str, int]:
    """The parts of "host:port"; InvalidArgumentError if `text` is something else.

    An IPv6 host is written in brackets: "[::1]:2222". What gRPC would take besides, as the name of
    a socket's file ("unix:..."), is no address.
    """
    host, colon, port = text.rpartition(":")
    if not colon or not _HOST.fullmatch(host) or not (port.isascii() and port.isdigit()):
        raise InvalidArgumentError(
            f'Could not interpret "{text}" as a host-port pair. Write it like "localhost:2222".',
        )
    if int(port) > MAX_PORT:
        raise InvalidArgumentError(
            f'Could not interpret "{text}" as a host-port pair: ports go up to {MAX_PORT}.',
        )
    return host, int(port)


def address_of(target: str) -> str:
    """The "host:port" of "grpc://host:port"; InvalidArgumentError if there is none."""
    address = target.partition("://")[2].rstrip("/")
    parse_address(address)
    return address


def _open(target: str, graph: Graph, config: Any, credentials: Any) -> Backend:
    address = address_of(target)
    from tinytf.distributed.client.remote_session import RemoteBackend

    return RemoteBackend(address, graph, config, credentials)


def _reset(target: str, containers: Sequence[str], config: Any, credentials: Any) -> None:
    address = address_of(target)
    from tinytf.distributed.client.remote_session import reset_server

    reset_server(address, containers, config, credentials)


register_backend(SCHEME, _open, _reset)
