"""What a master asks of the worker of its own task, which it calls directly, not over the network.

`worker/worker.py` has it all. Other tasks' workers are asked through `Peers`.
"""

from __future__ import annotations

from typing import Any, Protocol

from tinytf.devices.device import Device
from tinytf.distributed.cluster.cluster_spec import ClusterSpec
from tinytf.distributed.limits import Limits
from tinytf.distributed.tasks.peers import Peers
from tinytf.distributed.wire.framing import Parcel
from tinytf.framework.cancellation import CancellationManager
from tinytf.protos import config_pb2
from tinytf.protos import worker_pb2 as messages
from tinytf.resources.manager import ResourceManager


class Steps(Protocol):
    """The steps that the task knows of.

    Attributes:
      led: what the master of this task has on others: thread -> (number, all tasks).
    """

    led: dict[int, tuple[int, list[str]]]

    def forget(self, step_id: int) -> None:
        """A step is over on all tasks; a part of it that still runs is cancelled."""


class OwnWorker(Protocol):
    """The worker of the master's own task.

    Attributes:
      task: its full name. devices, resources: its own. peers: the other tasks.
      limits: what it takes on.
    """

    task: str
    devices: list[Device]
    resources: ResourceManager
    peers: Peers
    limits: Limits

    @property
    def steps(self) -> Steps:
        """Those that it knows of."""

    def under(self, task: str, cluster: ClusterSpec) -> OwnWorker:
        """This worker as a session has it that brings its own picture of the cluster."""

    def with_own_threads(self, config: config_pb2.ConfigProto) -> config_pb2.ConfigProto:
        """A session's configuration as this task runs it: other tasks have other threads."""

    def open_session(
        self, handle: str, resources: ResourceManager, config: config_pb2.ConfigProto
    ) -> Any:
        """A session for the master of this very task."""

    def close_session(self, handle: str) -> None:
        """Forget a session and its parts; what runs of them is cancelled."""

    def register_graph(
        self, request: messages.RegisterGraphRequest, withdrawn: CancellationManager
    ) -> messages.RegisterGraphResponse:
        """Compile a part of a step, to be run any number of times."""

    def registered(self, session: str, handle: str) -> Any:
        """A part by the handles of its session and its own, for `run_part`."""

    def run_graph(
        self, parcel: Parcel[messages.RunGraphRequest], withdrawn: CancellationManager
    ) -> Parcel[messages.RunGraphResponse]:
        """Run a part, as any master asks for it."""

    def run_part(
        self,
        graph: Any,
        step_id: int,
        values: dict[str, Any],
        options: Any,
        metadata: Any,
        withdrawn: CancellationManager,
        session: str,
    ) -> dict[str, Any]:
        """Run a part on the calling thread; what is fetched, by rendezvous key."""

    def cleanup_all(
        self, request: messages.CleanupAllRequest, withdrawn: CancellationManager
    ) -> messages.CleanupAllResponse:
        """Forget containers; the default one if none is named."""
