"""What happens to a step's graph before it is compiled: prune, place, optimise, cut into devices.

Nothing of the user's graph is changed: where operations get a device or are rewritten, copies are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tinytf.devices.device import Device
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.runtime.optimise import NO_PASSES, Change, Passes, optimise
from tinytf.runtime.partition import Devices, Partition, assigned_copies
from tinytf.runtime.pruning import prune

Place = Callable[[list[Operation]], Devices | None]


@dataclass(slots=True)
class StepGraph:
    """The graph of a step, ready to be compiled.

    Attributes:
      ops: what runs, producers first. fetches: in the order of those asked for.
      passes: the optimisations that code generation goes on with.
      changes: what optimisations did.
      devices: those used, by full name, home first; None: all of it runs on the first CPU.
      transfers: the kernels of Sends and Recvs.
    """

    ops: list[Operation]
    fetches: Sequence[Tensor]
    passes: Passes
    changes: list[Change] = field(default_factory=list)
    devices: dict[str, Device] | None = None
    transfers: dict[Operation, Kernel] = field(default_factory=dict)


def prepare(
    feeds: Sequence[Tensor], fetches: Sequence[Tensor], targets: Sequence[Operation],
    passes: Passes, place: Place | None,
) -> StepGraph:  # fmt: skip
    """From a signature to the graph that is compiled; arguments as of `compile_plan`."""
    fed = frozenset(feeds)
    roots = [t.op for t in fetches if t not in fed]
    graph = StepGraph(prune([*roots, *targets], fed), fetches, passes)
    devices = None if place is None else place(graph.ops)
    if devices is not None:
        copies, graph.devices = assigned_copies(graph.ops, feeds, fetches, list(targets), devices)
        graph.ops, graph.fetches, targets = copies.ops, copies.fetches, copies.targets
    if len(graph.ops) < passes.min_graph_nodes:
        graph.passes = NO_PASSES
    if graph.passes != NO_PASSES:
        optimised = optimise(graph.ops, feeds, graph.fetches, list(targets), graph.passes)
        graph.ops, graph.fetches = optimised.ops, optimised.fetches
        graph.changes = optimised.changes
    if devices is not None and graph.devices is not None:
        _cut(graph, fed, devices)
    return graph


def _cut(graph: StepGraph, fed: frozenset[Tensor], devices: Devices) -> None:
    """Put a Send and a Recv wherever a tensor goes from one device to another."""
    assert graph.devices is not None
    partition = Partition(graph.ops, graph.fetches, fed, devices.home, graph.devices)
    graph.ops, graph.fetches = partition.ops, partition.fetches
    graph.transfers = partition.kernels
    if graph.passes.late_receives:
        from tinytf.runtime.late_receives import receive_late

        graph.ops, late = receive_late(graph.ops, graph.fetches, fed, graph.transfers)
        graph.changes.extend(late)
