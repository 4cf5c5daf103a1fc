"""What stands behind a session: the local runtime, or a master across the network.

`Session` does what every session does (fetch structures, feed checks, caching); a backend
compiles a signature and runs it. Backends register by the scheme of their target ("" is local,
"grpc" a server), as TensorFlow's SessionFactory does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Protocol, runtime_checkable

from tinytf.devices.device import DeviceAttributes
from tinytf.framework.errors import NotFoundError
from tinytf.framework.graph import Graph
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.placement.partial_devices import check_device_filters
from tinytf.resources.session_tensors import SessionTensors
from tinytf.runtime.preparation import Signature

#: Runs a compiled signature: (feed values, RunOptions or None, RunMetadata or None) -> fetches.
Runner = Callable[[list[Any], Any, Any], list[Any]]


class PartialStep(Protocol):
    """A step whose feeds arrive bit by bit."""

    def run(
        self, feeds: dict[Tensor, Any], fetches: Sequence[Tensor], targets: Sequence[Operation]
    ) -> list[Any]:
        """Feed some more values; return the values of `fetches`."""


class Backend(Protocol):
    """See the module. All methods may be called from several threads.

    Attributes:
      session_tensors: what stays for handles, if it stays in this process.
    """

    session_tensors: SessionTensors | None

    def compile(self, signature: Signature) -> Runner:
        """Prepare a signature. Fetched values never share memory with state or feeds."""

    def start_partial(self, signature: Signature) -> PartialStep:
        """Begin a partial run."""

    def list_devices(self) -> list[DeviceAttributes]:
        """The devices the session can use."""

    def close(self) -> None:
        """Cancel what runs, and free what the session holds. May be called twice."""


@runtime_checkable
class Observable(Protocol):
    """A backend whose steps can be watched: those that run in this process."""

    def observe(
        self,
        signature: Signature,
        values: list[Any],
        make_observer: Callable[[Any], Any],
        threads: int = 1,
        choose: Callable[[list[Any]], int] | None = None,
    ) -> list[Any]:
        """Run one step node by node, unoptimised; see `BaseSession.observe`."""


#: scheme of the target -> (target, graph, config, credentials) -> backend
BackendFactory = Callable[[str, Graph, Any, Any], Backend]
_factories: dict[str, BackendFactory] = {}
#: scheme of the target -> (target, containers, config, credentials): forget the state behind it
ResetFunction = Callable[[str, Sequence[str], Any, Any], None]
_resets: dict[str, ResetFunction] = {}


def register_backend(
    scheme: str, factory: BackendFactory, reset: ResetFunction | None = None
) -> None:
    """Let targets such as "scheme://host:port" be opened by `factory`."""
    _factories[scheme] = factory
    if reset is not None:
        _resets[scheme] = reset


def open_backend(target: str, graph: Graph, config: Any, credentials: Any = None) -> Backend:
    """The backend for a session's target; NotFoundError for an unknown scheme."""
    if config is not None:
        check_device_filters(config.device_filters)
    return _find(_factories, target)(target, graph, config, credentials)


def reset_target(
    target: str, containers: Sequence[str], config: Any, credentials: Any = None
) -> None:
    """Forget the containers on a target; NotFoundError if it cannot be reset."""
    _find(_resets, target)(target, containers, config, credentials)


def text_of(value: Any) -> str:
    """A target or name given as text or bytes; TypeError for anything else."""
    if not isinstance(value, str | bytes):
        raise TypeError(f"Expected binary or unicode string, got {value!r}")
    return value.decode() if isinstance(value, bytes) else value


def _meant(target: str) -> str:
    """What was probably meant by a target that is none."""
    address = target.rpartition("/")[2]
    if not re.fullmatch(r"[^\s:/]+:\d+", address):
        return ""
    return f" Did you mean 'grpc://{address}'?"


def _find(table: dict[str, Any], target: str) -> Any:
    scheme = target.partition("://")[0] if "://" in target else target
    if scheme not in table:
        known = ", ".join(repr(f"{name}://host:port") for name in table if name) or "none"
        raise NotFoundError(
            f"No session factory registered for the given session options: {{target: "
            f"\"{target}\"}}. Targets are '' (this process) and {known}.{_meant(target)}"
        )
    return table[scheme]
