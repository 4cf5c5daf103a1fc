"""From a signature (feeds, fetches, targets) to a plan: prune, frame, gather, generate, wire up."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import rendezvous_key
from tinytf.framework.tensor import Tensor
from tinytf.runtime.chunks import ChunkWriter, is_hoisted
from tinytf.runtime.codegen import MAX_NODES, compile_chunk
from tinytf.runtime.frames import (
    CONTROL_FLOW,
    ENTER,
    EXIT,
    MERGE,
    NEXT_ITERATION,
    ROOT,
    SWITCH,
    FrameKey,
    assign_frames,
    output_frame,
)
from tinytf.runtime.lanes import Lanes
from tinytf.runtime.learning import SEQUENTIAL, Parallelism
from tinytf.runtime.live_reads import live_reads
from tinytf.runtime.loop_code import LoopWriter
from tinytf.runtime.loops import find_loops, representatives
from tinytf.runtime.node_kernels import NodeKernels
from tinytf.runtime.optimise import NO_PASSES, Passes
from tinytf.runtime.partition import crosses, goes_between_tasks, is_copy
from tinytf.runtime.passing_on import takes
from tinytf.runtime.plan import (
    NOT_A_MERGE_INPUT,
    Argument,
    Fetch,
    FramePlan,
    Kind,
    Plan,
    Unit,
)
from tinytf.runtime.preparation import Place, prepare
from tinytf.runtime.pruning import is_fed_placeholder
from tinytf.runtime.python_functions import PYTHON_FUNCTIONS
from tinytf.runtime.segments import DATA, Segment, control_token_of, gather, token_of
from tinytf.runtime.waits_in_line import in_line

Record = Callable[..., None]


def compile_plan(
    feeds: Sequence[Tensor],
    fetches: Sequence[Tensor],
    targets: Iterable[Operation],
    resources: Any,
    *,
    by_node: bool = False,
    partial: bool = False,
    record: Callable[[list[Operation]], Record] | None = None,
    passes: Passes = NO_PASSES,
    place: Place | None = None,
    parallelism: Parallelism = SEQUENTIAL,
    alone: bool = False,
) -> Plan:
    """Compile a step.

    Args:
      feeds: tensors whose values the caller supplies.
      fetches: tensors whose values the caller wants.
      targets: operations that only have to run.
      resources: the state that kernels are bound to.
      by_node: make every node a unit of its own, unoptimised: for instruments.
      partial: feeds arrive one by one while the step runs.
      record: for tracing: given the nodes of a function, returns what to call after each.
      passes: which optimisations of the graph to run first.
      place: given the operations before they are optimised, says where each runs; None: all of
        them on the first CPU.
      parallelism: what earlier runs have shown to be expensive.
      alone: whether the step is all that its thread does, so that a wait may hold the thread.

    Raises:
      InvalidArgumentError: for cycles, inputs from several frames, a fetch inside a loop, or an
        operation without a kernel.
    """
    return Compiler(
        feeds,
        fetches,
        targets,
        resources,
        by_node,
        partial,
        record,
        passes,
        place,
        parallelism,
        alone,
    ).compile()


class Compiler:
    """The state of one compilation; `compile_plan` is the way in."""

    def __init__(
        self, feeds: Sequence[Tensor], fetches: Sequence[Tensor], targets: Iterable[Operation],
        resources: Any, by_node: bool, partial: bool,
        record: Callable[[list[Operation]], Record] | None,
        passes: Passes,
        place: Place | None,
        parallelism: Parallelism,
        alone: bool,
    ):  # fmt: skip
        self.parallelism = parallelism
        self.feeds, self.fed = feeds, frozenset(feeds)
        self.resources, self.record = resources, record
        self.by_node, self.partial = by_node, partial
        graph = prepare(feeds, fetches, list(targets), passes, place)
        self.asked, self.fetches, self.ops = fetches, graph.fetches, graph.ops
        self.passes, self.changes = graph.passes, graph.changes
        self.lanes = Lanes(self.ops, graph.devices, parallelism.side_by_side, graph.transfers)
        self.frame_of = assign_frames(self.ops, self.fed)
        # A Merge takes what arrives: a constant among its inputs has to arrive as well.
        self.merged = {t.op for op in self.ops if op.type in MERGE for t in op.inputs}
        self.live = live_reads(
            self.ops, self.fed, self.fetches, everywhere=by_node,
            copies=lambda op: op in graph.transfers and is_copy(graph.transfers[op]),
        )  # fmt: skip
        self.node_kernels = NodeKernels(
            resources, graph.devices, graph.transfers, parallelism, self.live
        )
        self.kernels = {
            op: self.node_kernels.find(op)
            for op in self.ops
            if op.type not in SWITCH and op.type not in MERGE
        }
        self.may_wait = frozenset(op for op, kernel in self.kernels.items() if kernel.blocking)
        self.waits_in_line = alone and self._put_in_line()
        self.frames: dict[FrameKey, FramePlan] = {ROOT: FramePlan(ROOT)}
        self.slot_of: dict[Tensor, int] = {}
        self.unit_of: dict[Operation | Tensor, Unit] = {}
        self.unit_frame: dict[int, FrameKey] = {}  # id(unit) -> its frame
        self.segment_of: dict[Operation, Segment] = {}
        # A loop that spans devices meets itself at a Recv: it is not one piece of code.
        blocking = {
            op
            for op in self.kernels
            if op in self.may_wait or crosses(op) or goes_between_tasks(op)
        }
        blocking.update(op for op in self.ops if op.name in parallelism.apart_in_loops)
        self.loops = [] if by_node else find_loops(self.ops, self.frame_of, blocking, self.live)
        self.in_loop = representatives(self.loops)

    def compile(self) -> Plan:
        """The plan."""
        segments, self.segment_of = gather(
            self.ops, self.frame_of, self._is_barrier, self.fed, self.partial, self.in_loop,
            self.lanes.kinds(self._is_barrier),
        )  # fmt: skip
        self._make_units(segments)
        readers = self._find_readers()
        self._assign_slots(readers)
        for unit in self.unit_of.values():
            if unit.feed is not None:
                unit.results = [self.slot_of.get(unit.feed, -1)]
            elif unit.kind not in (Kind.SEGMENT, Kind.LOOP):
                self._fill_barrier(unit)
        for loop in self.loops:
            unit = self.unit_of[loop.ops[0]]
            unit.functions.append(LoopWriter(self, unit, readers, loop).compile(self.record))
        for segment in segments:
            self._fill_segment(segment, readers)
        self._count_uses(readers)
        self._connect()
        return self._finish()

    def _put_in_line(self) -> bool:
        """Whether waits may hold the thread; then the operations are in an order for that."""
        parallel = self.parallelism.side_by_side or len(self.lanes.devices) > 1
        parallel = parallel or any(map(goes_between_tasks, self.ops))
        if not self.may_wait or parallel or self.by_node or self.partial or self.record is not None:
            return False
        ordered = in_line(self.ops, self.may_wait, self.fed)
        self.ops = ordered or self.ops
        return ordered is not None

    def _is_barrier(self, op: Operation) -> bool:
        # A ControlTrigger runs when what it waits for is dead: it shares its fate with no one.
        alone = op.type in CONTROL_FLOW or op.type == "ControlTrigger"
        alone = alone or crosses(op) or goes_between_tasks(op) or self.lanes.is_at_home(op)
        alone = alone or op.name in self.parallelism.apart
        waits = op in self.may_wait and not self.waits_in_line
        return self.by_node or alone or op in self.in_loop or waits

    def _is_free(self, op: Operation) -> bool:
        """Whether a node is a constant that is simply there, from the start of the step."""
        return (
            is_hoisted(op) and not op.control_inputs and self.frame_of[op] == ROOT
            and not self.by_node and op not in self.merged
        )  # fmt: skip

    # Units ------------------------------------------------------------------------------------

    def _make_units(self, segments: list[Segment]) -> None:
        if self.partial:
            for tensor in self.feeds:
                self.unit_of[tensor] = self._new_unit(ROOT, Kind.FEED, [], feed=tensor)
        for loop in self.loops:
            # Where the loop is started from: the frame in which its Enters are.
            unit = self._new_unit(self.frame_of[loop.enters[0]], Kind.LOOP, loop.ops)
            self.unit_of.update(dict.fromkeys(loop.ops, unit))
        by_segment: dict[int, Unit] = {}
        for op in self.ops:
            if op in self.in_loop:
                continue
            segment = self.segment_of.get(op)
            if segment is None:
                self.unit_of[op] = self._new_unit(self.frame_of[op], _kind_of(op), [op])
                continue
            if self._is_free(op):
                continue
            if id(segment) not in by_segment:
                by_segment[id(segment)] = self._new_unit(segment.frame, Kind.SEGMENT, [])
            unit = self.unit_of[op] = by_segment[id(segment)]
            unit.lane = self.lanes.of(op)
            unit.at_home = unit.at_home or self.lanes.is_at_home(op)
            unit.ops.append(op)

    def _new_unit(
        self, frame: FrameKey, kind: Kind, ops: list[Operation], feed: Tensor | None = None
    ) -> Unit:
        units = self._frame(frame).units
        unit = Unit(len(units), kind, ops, feed=feed)
        if ops:
            unit.lane = self.lanes.of(ops[-1])
            unit.at_home = any(map(self.lanes.is_at_home, ops))
        units.append(unit)
        self.unit_frame[id(unit)] = frame
        return unit

    def _frame(self, key: FrameKey) -> FramePlan:
        if key not in self.frames:
            self.frames[key] = FramePlan(key)
        return self.frames[key]

    # Values -----------------------------------------------------------------------------------

    def _find_readers(self) -> dict[Tensor, list[Unit]]:
        """For every tensor that some *other* unit reads, those units; constants apart."""
        readers: dict[Tensor, list[Unit]] = {}
        for op in self.ops:
            if self._is_free(op):
                continue
            unit = self.unit_of[op]
            for tensor in op.inputs:
                if tensor in self.fed:
                    if self.frame_of[op] != ROOT:
                        raise InvalidArgumentError(
                            f"Tensor {tensor.name} may not be fed: a loop reads it in "
                            f"'{op.name}'.\n{op.describe_origin()}", op,
                        )  # fmt: skip
                elif self._is_free(tensor.op) or self.unit_of[tensor.op] is unit:
                    continue
                elif (
                    unit.kind in (Kind.SEGMENT, Kind.LOOP)
                    and is_hoisted(tensor.op)
                    and not self.by_node
                ):
                    continue  # it stands in the code as a constant; only its liveness comes over
                users = readers.setdefault(tensor, [])
                if unit not in users:
                    users.append(unit)
        return readers

    def _assign_slots(self, readers: dict[Tensor, list[Unit]]) -> None:
        for tensor in self.feeds:
            if tensor in readers or tensor in self.fetches:
                self._new_slot(tensor, ROOT, None)
        for tensor in [*readers, *self.fetches]:
            if tensor in self.slot_of:
                continue
            frame = output_frame(tensor.op, self.frame_of[tensor.op])
            if tensor in self.fetches and frame != ROOT:
                raise InvalidArgumentError(
                    f"{tensor.name} is inside a loop and has no single value to fetch.\n"
                    f"{tensor.op.describe_origin()}", tensor.op,
                )  # fmt: skip
            value = self.node_kernels.constant(tensor.op) if self._is_free(tensor.op) else None
            self._new_slot(tensor, frame, value)

    def _new_slot(self, tensor: Tensor, frame: FrameKey, value: Any) -> None:
        plan = self._frame(frame)
        self.slot_of[tensor] = len(plan.values)
        plan.values.append(value)
        plan.uses.append(0)

    def _fill_barrier(self, unit: Unit) -> None:
        op = unit.op
        # A fed tensor keeps the fed value, though its producer may run for those who wait for it.
        unit.results = [-1 if t in self.fed else self.slot_of.get(t, -1) for t in op.outputs]
        unit.single = op.op_def.single_output
        unit.data_inputs = len(op.inputs)
        for tensor, take in zip(op.inputs, takes(op, self.fed, self.live), strict=True):
            if tensor not in self.fed and self._is_free(tensor.op):
                unit.arguments.append(Argument(-1, self.node_kernels.constant(tensor.op)))
            else:
                unit.arguments.append(Argument(self.slot_of[tensor], take=take.function))
        if unit.kind is Kind.NODE:
            kernel = self.kernels[op]
            function = self.node_kernels.bind(op, kernel)
            unit.kernel = self.node_kernels.adapt(function, op, kernel)
            unit.wants_step = kernel.wants_step
        if unit.kind in (Kind.SEND, Kind.RECV):
            unit.key = rendezvous_key(op.attrs)
        if unit.kind is Kind.ENTER:
            child = self._frame(output_frame(op, self.frame_of[op]))
            child.enters += 1
            child.parallel_iterations = op.attrs["parallel_iterations"]
        elif unit.kind is Kind.EXIT:
            self._frame(self.frame_of[op]).exits.append(unit)

    # Segments ---------------------------------------------------------------------------------

    def _fill_segment(self, segment: Segment, readers: dict[Tensor, list[Unit]]) -> None:
        ops = [op for op in segment.ops if not self._is_free(op) and self._needs_line(op)]
        pieces = [ops[i : i + MAX_NODES] for i in range(0, len(ops), MAX_NODES)]
        if not pieces:
            return
        unit = self.unit_of[ops[0]]
        piece_of = {op: number for number, piece in enumerate(pieces) for op in piece}
        self._slots_between_pieces(pieces, piece_of, segment)
        last_piece: dict[int, int] = {}
        for number, piece in enumerate(pieces):
            for op in piece:
                for tensor in op.inputs:
                    if tensor in self.slot_of and not self.is_inline(tensor):
                        last_piece[self.slot_of[tensor]] = number
        for number, piece in enumerate(pieces):
            writer = ChunkWriter(self, unit, readers, last_piece, number, piece_of)
            chunk = writer.write(piece)
            record = self.record([node.op for node in chunk.nodes]) if self.record else None
            unit.functions.append(compile_chunk(chunk, record))

    def _needs_line(self, op: Operation) -> bool:
        """Constants and NoOps compute nothing: a line only if a value has to be stored."""
        if op.type == "NoOp":
            return False
        return not is_hoisted(op) or op.outputs[0] in self.slot_of

    def is_inline(self, tensor: Tensor) -> bool:
        """Whether a tensor stands in the code as a constant."""
        return tensor not in self.fed and is_hoisted(tensor.op)

    def _slots_between_pieces(
        self, pieces: list[list[Operation]], piece_of: dict[Operation, int], segment: Segment
    ) -> None:
        if len(pieces) == 1:
            return
        for piece in pieces:
            for op in piece:
                for tensor in op.inputs:
                    if tensor in self.fed or self.is_inline(tensor) or tensor in self.slot_of:
                        continue
                    if piece_of[tensor.op] != piece_of[op]:
                        self._new_slot(tensor, segment.frame, None)

    # Wiring -----------------------------------------------------------------------------------

    def _count_uses(self, readers: dict[Tensor, list[Unit]]) -> None:
        fetched = set(self.fetches)
        for tensor, users in readers.items():
            slot = self.slot_of[tensor]
            if tensor in fetched:
                continue
            if len(users) == 1:
                users[0].takes.append(slot)
                continue
            frame = (
                ROOT if tensor in self.fed else output_frame(tensor.op, self.frame_of[tensor.op])
            )
            self.frames[frame].uses[slot] = len(users)
            for unit in users:
                unit.releases.append(slot)

    def _connect(self) -> None:
        for op in self.ops:
            if op not in self.unit_of:
                continue
            unit = self.unit_of[op]
            if unit.kind is Kind.MERGE:
                self._connect_merge(op, unit)
            elif unit.kind not in (Kind.SEGMENT, Kind.LOOP):
                self._connect_tokens(unit, self._barrier_tokens(op))
        for unit in {id(u): u for u in self.unit_of.values()}.values():
            if unit.kind in (Kind.SEGMENT, Kind.LOOP):
                self._connect_segment(unit)
        for frame in self.frames.values():
            frame.waiting = [unit.waits_for for unit in frame.units]

    def _barrier_tokens(self, op: Operation) -> list[tuple[Unit, int]]:
        sources = [self._data_source(t) for t in op.inputs]
        sources += [self._control_source(c) for c in op.control_inputs]
        return list(dict.fromkeys(s for s in sources if s is not None))

    def _data_source(self, tensor: Tensor) -> tuple[Unit, int] | None:
        if tensor in self.fed:
            return (self.unit_of[tensor], DATA) if self.partial else None
        if tensor.op not in self.unit_of:
            return None  # a constant that is there from the start
        unit = self.unit_of[tensor.op]
        return (unit, _port(unit, token_of(tensor)[1]))

    def _control_source(self, op: Operation) -> tuple[Unit, int] | None:
        if is_fed_placeholder(op, self.fed):
            return self._data_source(op.outputs[0])
        if op not in self.unit_of:
            return None
        unit = self.unit_of[op]
        return (unit, _port(unit, control_token_of(op)[1]))

    def _connect_segment(self, unit: Unit) -> None:
        sources: dict[tuple[Unit, int], None] = {}
        for op in unit.ops:
            for source in self._barrier_tokens(op):
                if source[0] is not unit:
                    sources[source] = None
        self._connect_tokens(unit, list(sources))

    def _connect_tokens(self, unit: Unit, sources: list[tuple[Unit, int]]) -> None:
        unit.waits_for = len(sources)
        for source, port in sources:
            source.edges.setdefault(port, []).append((unit.index, NOT_A_MERGE_INPUT))

    def _connect_merge(self, op: Operation, unit: Unit) -> None:
        for number, tensor in enumerate(op.inputs):
            source = self._data_source(tensor)
            if source is None:
                raise InvalidArgumentError(
                    f"Merge '{op.name}' has an input that is never dead: {tensor.name}", op
                )
            source[0].edges.setdefault(source[1], []).append((unit.index, number))
        controls = dict.fromkeys(self._control_source(c) for c in op.control_inputs)
        sources = [s for s in controls if s is not None]
        self._connect_tokens(unit, sources)

    def _finish(self) -> Plan:
        root = self.frames[ROOT]
        units = [u for frame in self.frames.values() for u in frame.units]
        plain = all(u.kind is Kind.SEGMENT for u in units) and len(units) <= 1
        straight = None
        if plain and not self.by_node and not self.partial:
            straight = units[0].functions if units else []
        costs = self.parallelism.costs
        for unit in units:
            if costs and all(op.name in costs or is_hoisted(op) for op in unit.ops):
                unit.cost = sum(costs.get(op.name, 0.0) for op in unit.ops)
            if len(unit.ops) == 1 and unit.op.type in PYTHON_FUNCTIONS:
                unit.cost = math.inf
        return Plan(
            ops=self.ops,
            root=root,
            frames=self.frames,
            feed_slots=[self.slot_of.get(t, -1) for t in self.feeds],
            fetches=[
                Fetch(asked, self.slot_of[t], self.node_kernels.take(asked, t, self.fed))
                for asked, t in zip(self.asked, self.fetches, strict=True)
            ],
            straight=straight,
            needs_step=straight is None
            or self.record is not None
            or len(straight) > 1
            or bool(self.may_wait)
            or any(kernel.wants_step for kernel in self.kernels.values()),
            by_node=self.by_node,
            partial=self.partial,
            changes=self.changes,
            lanes=self.lanes.devices,
            is_stream=self.lanes.are_streams,
            copies=self.lanes.copies,
            is_parallel=len(self.lanes.devices) > 1 or self.parallelism.side_by_side,
            may_wait=self.may_wait,
        )


_KINDS = (
    (SWITCH, Kind.SWITCH), (MERGE, Kind.MERGE), (ENTER, Kind.ENTER), (EXIT, Kind.EXIT),
    (NEXT_ITERATION, Kind.NEXT_ITERATION),
)  # fmt: skip


def _port(unit: Unit, port: int) -> int:
    return DATA if unit.kind in (Kind.SEGMENT, Kind.LOOP) else port


def _kind_of(op: Operation) -> Kind:
    if goes_between_tasks(op):
        return Kind.SEND if op.type.endswith("Send") else Kind.RECV
    return next((kind for types, kind in _KINDS if op.type in types), Kind.NODE)
