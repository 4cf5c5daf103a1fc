"""The executable plan of a step: everything that can be decided before it runs.

A plan consists of *units* (segments, and barriers that run on their own), one list for each
frame. A unit knows how many tokens it waits for, where its values lie, and whom it tells when it
is done. `compiler.py` makes plans; `executor.py` runs them.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.framework.waiting import Run
from tinytf.runtime.codegen import SegmentFunction
from tinytf.runtime.frames import FrameKey
from tinytf.runtime.optimise.step_graph import Change


class Kind(enum.IntEnum):
    """What the executor does with a unit."""

    SEGMENT = 0
    NODE = 1
    SWITCH = 2
    MERGE = 3
    ENTER = 4
    EXIT = 5
    NEXT_ITERATION = 6
    FEED = 7
    LOOP = 8
    SEND = 9
    RECV = 10


#: An edge to a consumer: (index of the consuming unit in its frame, data input of a Merge or -1).
Edge = tuple[int, int]
NOT_A_MERGE_INPUT = -1


@dataclass(slots=True, eq=False)
class Argument:
    """One input of a barrier: a slot, or a constant value when `slot` is -1."""

    slot: int
    constant: Any = None
    take: Callable[[Any], Any] | None = None  # what to do with what is on the edge


@dataclass(slots=True, eq=False)
class Unit:
    """What the executor schedules: a segment, a loop written as code, or a barrier.

    Attributes:
      index: its place in the frame's list.
      ops: the operations behind it, in order; one for a barrier.
      waits_for: how many distinct tokens it needs (for a Merge: control tokens only).
      functions: of a segment or loop, run one after the other.
      kernel: of a node, bound; called with the step first if `wants_step`.
      arguments: of a barrier.
      results: of a barrier: the slot of each output, -1 where nobody reads it.
      takes: slots that only this unit reads: cleared when it has (segments do so themselves).
      releases: slots that several units read: their use count drops when it is done.
      edges: port -> whom to tell; ports as in `segments.Token`.
      data_inputs: of a Merge, how many.
      single: whether the kernel returns a bare value.
      lane: the device it runs on, by its place in the plan's `lanes`.
      at_home: whether only the thread of the step may run it: it calls functions.
      key: of a transfer between tasks, the start of its rendezvous key; the frame follows.
      cost: how many seconds it took lately; None before it ran; infinite for a Python function
        that has a unit of its own: it may wait for another one, which must not wait for it.
    """

    index: int
    kind: Kind
    ops: list[Operation]
    waits_for: int = 0
    functions: list[SegmentFunction] = field(default_factory=list)
    kernel: Callable[..., Any] | None = None
    wants_step: bool = False
    single: bool = True
    arguments: list[Argument] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    takes: list[int] = field(default_factory=list)
    releases: list[int] = field(default_factory=list)
    edges: dict[int, list[Edge]] = field(default_factory=dict)
    data_inputs: int = 0
    feed: Tensor | None = None
    lane: int = 0
    at_home: bool = False
    key: str = ""
    cost: float | None = None

    @property
    def op(self) -> Operation:
        """The operation of a barrier."""
        return self.ops[0]

    def describe(self) -> str:
        """One line for reports."""
        if self.feed is not None:
            return f"feed of {self.feed.name}"
        names = ", ".join(op.name for op in self.ops[:3])
        return names if len(self.ops) <= 3 else f"{names}, ... ({len(self.ops)} operations)"


@dataclass(slots=True, eq=False)
class FramePlan:
    """The units of one static frame, and the state each of its iterations starts from.

    Attributes:
      key: the names of the loops around it; () for the root.
      values: slot -> initial value (constants; None elsewhere).
      waiting: unit -> tokens it waits for.
      uses: slot -> how many units read it, where more than one does; 0 elsewhere.
      enters: how many Enter nodes lead into the frame.
      parallel_iterations: how many iterations may be under way at once.
      exits: the Exit units inside, with their edges into the parent frame.
      invariants: whether each Enter is for all iterations, by the slot it fills.
    """

    key: FrameKey
    units: list[Unit] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    uses: list[int] = field(default_factory=list)
    enters: int = 0
    parallel_iterations: int = 10
    exits: list[Unit] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Fetch:
    """A fetched tensor.

    Attributes:
      slot: where its value is, in the root frame.
      take: for a reference: how to read the variable when the step is over, to host memory.
    """

    tensor: Tensor
    slot: int
    take: Callable[[Any], Any] | None = None


@dataclass(slots=True, eq=False, weakref_slot=True)
class Plan:
    """A compiled step.

    Attributes:
      ops: the pruned graph, in the order compiled.
      root: the plan of the root frame. frames: all of them.
      feed_slots: where the value of each feed goes (-1: nobody reads it), in the feeds' order.
      fetches: in the fetches' order.
      straight: the functions of the whole step, when it is a single segment: no counters then.
      needs_step: whether running it takes a step context: some kernel asks for it, or it is checked
        for cancellation on the way.
      by_node: compiled for instruments, one unit for each node.
      changes: what optimisations did to the graph.
      lanes: the full names of the devices it runs on; one device, the first CPU, has no name.
      copies: the streams of the Recvs that have one of their own.
      is_stream: for each lane, whether it runs one unit at a time, in order: a GPU's does.
      is_parallel: whether several threads may be of use: on several devices, or where expensive
        operations are units of their own.
      may_wait: operations whose kernels may have to wait.
      holds_blas: whether BLAS is held to one thread while it runs.
      runs: where its steps note who runs them, for those who wait for that; None until the first.
    """

    ops: list[Operation]
    root: FramePlan
    frames: dict[FrameKey, FramePlan]
    feed_slots: list[int]
    fetches: list[Fetch]
    straight: list[SegmentFunction] | None
    needs_step: bool
    by_node: bool
    partial: bool
    changes: list[Change]
    lanes: list[str]
    is_stream: list[bool]
    copies: dict[Operation, str]
    is_parallel: bool
    may_wait: frozenset[Operation]
    holds_blas: bool = False
    runs: list[Run] | None = None

    @property
    def unit_count(self) -> int:
        """How many units there are in all frames."""
        return sum(len(frame.units) for frame in self.frames.values())

    def ops_in_loops(self) -> frozenset[Operation]:
        """The operations that one step may run several times."""
        units = [(key, unit) for key, frame in self.frames.items() for unit in frame.units]
        return frozenset(
            op for key, unit in units if key or unit.kind is Kind.LOOP for op in unit.ops
        )

    def release(self) -> None:
        """Let go of constants, kernels and their state: the plan can no longer be run.

        Operations and tensors know each other, so a plan would live until the garbage collector
        comes, and its constants with it, in the memory of a GPU.
        """
        for frame in self.frames.values():
            frame.values.clear()
            for unit in frame.units:
                unit.arguments.clear()
                unit.kernel = None
                for function in unit.functions:
                    function.release()
