"""What a step's plan consists of: which units there are, and where their values lie.

The first half of compiling. Nothing here is code yet: `compiler` fills the units with it, and tells
each whom it waits for.
"""

from __future__ import annotations

from typing import Any

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.runtime import frames
from tinytf.runtime.lanes import Lanes
from tinytf.runtime.live_reads import live_reads
from tinytf.runtime.loops import find_loops, representatives
from tinytf.runtime.node_kernels import NodeKernels
from tinytf.runtime.partition import crosses, goes_between_tasks, is_copy
from tinytf.runtime.plan import FramePlan, Kind, Unit
from tinytf.runtime.preparation import CompileRequest, prepare
from tinytf.runtime.segments import Segment, gather
from tinytf.runtime.waits_in_line import in_line


def is_hoisted(op: Operation) -> bool:
    """Whether a node's value stands in the code instead of being computed."""
    return op.type == "Const"


class Layout:
    """The units of a step, the slots of its values, and what is known of its operations.

    Args:
      request: what is compiled.

    Attributes:
      fed: the tensors that are fed. ops: what runs, producers first. fetches: as they are in there.
      passes, changes: see `preparation.StepGraph`. lanes: which device each operation runs on.
      frame_of: the frame of each operation. live: see `live_reads`.
      kernels: of each operation that has one, bound by `node_kernels`.
      may_wait: operations whose kernels may have to wait.
      frames: their plans. unit_of: the unit of each operation, or of a feed that comes later.
      slot_of: where a value that goes from unit to unit lies in its frame.
      readers: of each such value, the units that read it. segments, loops: those found.

    Raises:
      InvalidArgumentError: see `compile_plan`.
    """

    def __init__(self, request: CompileRequest):
        self.request, self.fed = request, frozenset(request.feeds)
        graph = prepare(request)
        self.ops, self.fetches = graph.ops, graph.fetches
        self.passes, self.changes = graph.passes, graph.changes
        parallelism, transfers = request.parallelism, graph.transfers
        self.lanes = Lanes(self.ops, graph.devices, parallelism.side_by_side, transfers)
        self.frame_of = frames.assign_frames(self.ops, self.fed)
        # A Merge takes what arrives: a constant among its inputs has to arrive as well.
        self._merged = {t.op for op in self.ops if op.type in frames.MERGE for t in op.inputs}
        copies = {op for op, kernel in transfers.items() if is_copy(kernel)}
        self.live = live_reads(
            self.ops,
            self.fed,
            self.fetches,
            everywhere=request.by_node,
            copies=copies.__contains__,
            waits=not transfers,
        )
        self.node_kernels = NodeKernels(
            request.resources, graph.devices, transfers, parallelism, self.live
        )
        with_kernel = [
            op for op in self.ops if op.type not in frames.SWITCH and op.type not in frames.MERGE
        ]
        self.kernels = {op: self.node_kernels.find(op) for op in with_kernel}
        self.may_wait = frozenset(op for op, kernel in self.kernels.items() if kernel.blocking)
        self._waits_in_line = request.alone and self._put_in_line()
        self.frames: dict[frames.FrameKey, FramePlan] = {frames.ROOT: FramePlan(frames.ROOT)}
        self.slot_of: dict[Tensor, int] = {}
        self.unit_of: dict[Operation | Tensor, Unit] = {}
        # A loop that spans devices meets itself at a Recv: it is not one piece of code.
        blocking = {
            op for op in with_kernel if op in self.may_wait or crosses(op) or goes_between_tasks(op)
        }
        blocking.update(op for op in self.ops if op.name in parallelism.apart_in_loops)
        self.loops = (
            [] if request.by_node else find_loops(self.ops, self.frame_of, blocking, self.live)
        )
        self._in_loop = representatives(self.loops)
        kinds = self.lanes.kinds(self._is_barrier)
        self.segments, segment_of = gather(
            self.ops,
            self.frame_of,
            self._is_barrier,
            self.fed,
            request.partial,
            self._in_loop,
            kinds,
        )
        self._make_units(segment_of)
        self.readers = self._find_readers()
        self._assign_slots()

    def _put_in_line(self) -> bool:
        """Whether waits may hold the thread; then the operations are in an order for that."""
        request = self.request
        is_watched = request.by_node or request.partial or request.record is not None
        parallel = request.parallelism.side_by_side or len(self.lanes.devices) > 1
        parallel = parallel or any(map(goes_between_tasks, self.ops))
        if not self.may_wait or parallel or is_watched:
            return False
        ordered = in_line(self.ops, self.may_wait, self.fed)
        self.ops = ordered or self.ops
        return ordered is not None

    def _is_barrier(self, op: Operation) -> bool:
        # A ControlTrigger runs when what it waits for is dead: it shares its fate with no one.
        alone = op.type in frames.CONTROL_FLOW or op.type == "ControlTrigger"
        alone = alone or crosses(op) or goes_between_tasks(op) or self.lanes.is_at_home(op)
        alone = alone or op.name in self.request.parallelism.apart
        waits = op in self.may_wait and not self._waits_in_line
        return self.request.by_node or alone or op in self._in_loop or waits

    def is_free(self, op: Operation) -> bool:
        """Whether a node is a constant that is simply there, from the start of the step."""
        if not is_hoisted(op) or op.control_inputs or self.request.by_node:
            return False
        return self.frame_of[op] == frames.ROOT and op not in self._merged

    def is_inline(self, tensor: Tensor) -> bool:
        """Whether a tensor stands in the code as a constant."""
        return tensor not in self.fed and is_hoisted(tensor.op)

    # Units ------------------------------------------------------------------------------------

    def _make_units(self, segment_of: dict[Operation, Segment]) -> None:
        if self.request.partial:
            for tensor in self.request.feeds:
                self.unit_of[tensor] = self._new_unit(frames.ROOT, Kind.FEED, [], feed=tensor)
        for loop in self.loops:
            # Where the loop is started from: the frame in which its Enters are.
            unit = self._new_unit(self.frame_of[loop.enters[0]], Kind.LOOP, loop.ops)
            self.unit_of.update(dict.fromkeys(loop.ops, unit))
        by_segment: dict[int, Unit] = {}
        for op in self.ops:
            if op in self._in_loop:
                continue
            segment = segment_of.get(op)
            if segment is None:
                self.unit_of[op] = self._new_unit(self.frame_of[op], _kind_of(op), [op])
                continue
            if self.is_free(op):
                continue
            if id(segment) not in by_segment:
                by_segment[id(segment)] = self._new_unit(segment.frame, Kind.SEGMENT, [])
            unit = self.unit_of[op] = by_segment[id(segment)]
            unit.lane = self.lanes.of(op)
            unit.at_home = unit.at_home or self.lanes.is_at_home(op)
            unit.ops.append(op)

    def _new_unit(
        self, frame: frames.FrameKey, kind: Kind, ops: list[Operation], feed: Tensor | None = None
    ) -> Unit:
        units = self.frame(frame).units
        unit = Unit(len(units), kind, ops, feed=feed)
        if ops:
            unit.lane = self.lanes.of(ops[-1])
            unit.at_home = any(map(self.lanes.is_at_home, ops))
        units.append(unit)
        return unit

    def frame(self, key: frames.FrameKey) -> FramePlan:
        """The plan of a frame, new at its first mention."""
        if key not in self.frames:
            self.frames[key] = FramePlan(key)
        return self.frames[key]

    # Values -----------------------------------------------------------------------------------

    def _find_readers(self) -> dict[Tensor, list[Unit]]:
        """For every tensor that some *other* unit reads, those units; constants apart."""
        readers: dict[Tensor, list[Unit]] = {}
        for op in self.ops:
            if self.is_free(op):
                continue
            unit = self.unit_of[op]
            for tensor in op.inputs:
                if tensor in self.fed:
                    if self.frame_of[op] != frames.ROOT:
                        raise InvalidArgumentError(
                            f"Tensor {tensor.name} may not be fed: a loop reads it in "
                            f"'{op.name}'.\n{op.describe_origin()}",
                            op,
                        )
                elif self.is_free(tensor.op) or self.unit_of[tensor.op] is unit:
                    continue
                elif (
                    unit.kind in (Kind.SEGMENT, Kind.LOOP)
                    and is_hoisted(tensor.op)
                    and not self.request.by_node
                ):
                    continue  # it stands in the code as a constant; only its liveness comes over
                users = readers.setdefault(tensor, [])
                if unit not in users:
                    users.append(unit)
        return readers

    def _assign_slots(self) -> None:
        readers = self.readers
        for tensor in self.request.feeds:
            if tensor in readers or tensor in self.fetches:
                self.new_slot(tensor, frames.ROOT)
        for tensor in [*readers, *self.fetches]:
            if tensor in self.slot_of:
                continue
            frame = frames.output_frame(tensor.op, self.frame_of[tensor.op])
            if tensor in self.fetches and frame != frames.ROOT:
                raise InvalidArgumentError(
                    f"{tensor.name} is inside a loop and has no single value to fetch.\n"
                    f"{tensor.op.describe_origin()}",
                    tensor.op,
                )
            value = self.node_kernels.constant(tensor.op) if self.is_free(tensor.op) else None
            self.new_slot(tensor, frame, value)

    def new_slot(self, tensor: Tensor, frame: frames.FrameKey, value: Any = None) -> None:
        """Give a value a place in its frame, and there the one it starts with."""
        plan = self.frame(frame)
        self.slot_of[tensor] = len(plan.values)
        plan.values.append(value)
        plan.uses.append(0)


_KINDS = (
    (frames.SWITCH, Kind.SWITCH),
    (frames.MERGE, Kind.MERGE),
    (frames.ENTER, Kind.ENTER),
    (frames.EXIT, Kind.EXIT),
    (frames.NEXT_ITERATION, Kind.NEXT_ITERATION),
)


def _kind_of(op: Operation) -> Kind:
    if goes_between_tasks(op):
        return Kind.SEND if op.type.endswith("Send") else Kind.RECV
    return next((kind for types, kind in _KINDS if op.type in types), Kind.NODE)
