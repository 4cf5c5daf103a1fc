"""Makes "grpc://host:port" a target of sessions, without importing grpc before one is opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.distributed.cluster.addresses import address_of
from tinytf.framework.graph import Graph
from tinytf.session.backend import Backend, register_backend

SCHEME = "grpc"


def _open(target: str, graph: Graph, config: Any, credentials: Any) -> Backend:
    address = address_of(target)
    from tinytf.distributed.client.remote_session import RemoteBackend

    return RemoteBackend(address, graph, config, credentials)


def _reset(target: str, containers: Sequence[str], config: Any, credentials: Any) -> None:
    address = address_of(target)
    from tinytf.distributed.client.remote_session import reset_server

    reset_server(address, containers, config, credentials)


register_backend(SCHEME, _open, _reset)
