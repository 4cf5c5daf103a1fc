"""The local runtime as a task of a cluster uses it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tinytf.framework.cancellation import CancellationManager
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.errors import InvalidArgumentError, OpError
from tinytf.framework.function_library import Body
from tinytf.framework.graph import Graph
from tinytf.framework.graph_import import add_nodes
from tinytf.framework.operation import Operation
from tinytf.protos import graph_pb2
from tinytf.resources.manager import ResourceManager
from tinytf.runtime.partition import Devices
from tinytf.runtime.plan import Plan
from tinytf.runtime.step import Step
from tinytf.session.local import LocalBackend


class TaskBackend(LocalBackend):
    """Runs steps, or parts of steps, with the devices and the state of one task.

    See `LocalBackend`; whether another client is still to come, nobody can know here, so steps
    that wait say nothing by themselves.
    """

    def new_step(
        self,
        options: Any,
        trace: Any = None,
        parent: CancellationManager | None = None,
        rendezvous: Any = None,
    ) -> Step:
        step = super().new_step(options, trace, parent, rendezvous)
        step.is_reported = False
        return step

    def devices_of(self, ops: Sequence[Operation]) -> Devices | None:
        """Where the operations of a step run, of all devices; None: all at home."""
        with self._lock:
            return self.placer.devices_of(ops)

    def _compile_body(
        self, body: Body, watched: bool, resources: ResourceManager, on_host: bool
    ) -> Plan:
        """A function runs on the task that calls it, also where it asks for others.

        As in TensorFlow: only the operations of the graph itself are spread over tasks.
        """
        if not any(map(self._is_elsewhere, body.graph.get_operations())):
            return super()._compile_body(body, watched, resources, on_host)
        return self._compile_at_home(body, resources)

    def _is_elsewhere(self, op: Operation) -> bool:
        """Whether an operation asks for another task."""
        if not op.device:
            return False
        asked, own = DeviceSpec.from_string(op.device), DeviceSpec.from_string(self.task)
        pairs = ((asked.job, own.job), (asked.task, own.task))
        return any(wanted is not None and wanted != have for wanted, have in pairs)


def add_checked(graph: Graph, graph_def: graph_pb2.GraphDef) -> None:
    """Add nodes that a peer sent; what is wrong with them is its fault, and an `OpError`."""
    try:
        add_nodes(graph, graph_def)
    except OpError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidArgumentError(str(error)) from None
