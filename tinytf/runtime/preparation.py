"""What happens to a step's graph before it is compiled: prune, place, optimise, cut into devices.

Nothing of the user's graph is changed: where operations get a device or are rewritten, copies are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, NamedTuple

from tinytf.devices.device import Device
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.runtime.learning import SEQUENTIAL, Parallelism
from tinytf.runtime.optimise import NO_PASSES, Change, Passes, optimise
from tinytf.runtime.partition import Devices, Partition, assigned_copies
from tinytf.runtime.pruning import prune

#: Says where each operation runs, before they are optimised; None: all on the first CPU.
Place = Callable[[list[Operation]], Devices | None]
#: Called after each node, as `codegen.compile_chunk` says.
Record = Callable[..., None]


class Signature(NamedTuple):
    """What a step is: what goes in, what comes out, what else runs.

    Attributes:
      feeds: tensors whose values the caller supplies.
      fetches: tensors whose values the caller wants.
      targets: operations that only have to run.

    Example:
      >>> CompileRequest(*Signature([x], [y], []), ResourceManager())
    """

    feeds: Sequence[Tensor]
    fetches: Sequence[Tensor]
    targets: Sequence[Operation]


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """What is to be compiled, and how; all that `compile_plan` is told.

    Attributes:
      feeds, fetches, targets: the signature.
      resources: the state that kernels are bound to.
      by_node: make every node a unit of its own, unoptimised: for instruments.
      partial: feeds arrive one by one while the step runs.
      record: for tracing: given the nodes of a function, returns what to call after each.
      passes: which optimisations of the graph to run first.
      place: where each operation runs; None: on the first CPU.
      parallelism: what earlier runs have shown to be expensive.
      alone: whether the step is all that its thread does, so that a wait may hold the thread.

    Example:
      >>> CompileRequest([x], [y], [], ResourceManager(), by_node=True)
    """

    feeds: Sequence[Tensor]
    fetches: Sequence[Tensor]
    targets: Sequence[Operation]
    resources: Any
    _: KW_ONLY
    by_node: bool = False
    partial: bool = False
    record: Callable[[list[Operation]], Record] | None = None
    passes: Passes = NO_PASSES
    place: Place | None = None
    parallelism: Parallelism = SEQUENTIAL
    alone: bool = False


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


def prepare(request: CompileRequest) -> StepGraph:
    """From a signature to the graph that is compiled."""
    feeds, fetches, targets = request.feeds, request.fetches, request.targets
    fed, passes = frozenset(feeds), request.passes
    roots = [t.op for t in fetches if t not in fed]
    graph = StepGraph(prune([*roots, *targets], fed), fetches, passes)
    devices = None if request.place is None else request.place(graph.ops)
    if devices is not None:
        copies, graph.devices = assigned_copies(graph.ops, feeds, fetches, targets, devices)
        graph.ops, graph.fetches, targets = copies.ops, copies.fetches, copies.targets
    if len(graph.ops) < passes.min_graph_nodes:
        graph.passes = NO_PASSES
    if graph.passes != NO_PASSES:
        optimised = optimise(graph.ops, feeds, graph.fetches, targets, graph.passes)
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
