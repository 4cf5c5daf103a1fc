"""From a request to a plan: lay out its units, fill them with code, tell them whom to wait for."""

from __future__ import annotations

import math

from tinytf.framework.errors import InvalidArgumentError
from tinytf.framework.operation import Operation
from tinytf.framework.rendezvous import rendezvous_key
from tinytf.framework.tensor import Tensor
from tinytf.runtime.chunks import ChunkWriter, Pieces
from tinytf.runtime.codegen import MAX_NODES, compile_chunk
from tinytf.runtime.frames import ROOT, output_frame
from tinytf.runtime.layout import Layout, is_hoisted
from tinytf.runtime.loop_code import LoopWriter
from tinytf.runtime.passing_on import takes
from tinytf.runtime.plan import NOT_A_MERGE_INPUT, Argument, Fetch, Kind, Plan, Unit
from tinytf.runtime.preparation import CompileRequest
from tinytf.runtime.pruning import is_fed_placeholder
from tinytf.runtime.python_functions import PYTHON_FUNCTIONS
from tinytf.runtime.segments import DATA, Segment, control_token_of, token_of


def compile_plan(request: CompileRequest) -> Plan:
    """Compile a step.

    Raises:
      InvalidArgumentError: for cycles, inputs from several frames, a fetch inside a loop, or an
        operation without a kernel.

    Example:
      >>> plan = compile_plan(CompileRequest([x], [y], [], ResourceManager()))
    """
    return Compiler(request).compile()


class Compiler:
    """The state of one compilation; `compile_plan` is the way in."""

    def __init__(self, request: CompileRequest):
        self._request, self._layout = request, Layout(request)

    def compile(self) -> Plan:
        """The plan."""
        layout, record = self._layout, self._request.record
        for unit in layout.unit_of.values():
            if unit.feed is not None:
                unit.results = [layout.slot_of.get(unit.feed, -1)]
            elif unit.kind not in (Kind.SEGMENT, Kind.LOOP):
                self._fill_barrier(unit)
        for loop in layout.loops:
            function = LoopWriter(layout, loop).compile(record)
            layout.unit_of[loop.ops[0]].functions.append(function)
        for segment in layout.segments:
            self._fill_segment(segment)
        self._count_uses()
        self._connect()
        return self._finish()

    def _fill_barrier(self, unit: Unit) -> None:
        layout, op = self._layout, unit.op
        # A fed tensor keeps the fed value, though its producer may run for those who wait for it.
        unit.results = [-1 if t in layout.fed else layout.slot_of.get(t, -1) for t in op.outputs]
        unit.single = op.op_def.single_output
        unit.data_inputs = len(op.inputs)
        for tensor, take in zip(op.inputs, takes(op, layout.fed, layout.live), strict=True):
            if tensor not in layout.fed and layout.is_free(tensor.op):
                unit.arguments.append(Argument(-1, layout.node_kernels.constant(tensor.op)))
            else:
                unit.arguments.append(Argument(layout.slot_of[tensor], take=take.function))
        if unit.kind is Kind.NODE:
            kernel = layout.kernels[op]
            function = layout.node_kernels.bind(op, kernel)
            unit.kernel = layout.node_kernels.adapt(function, op, kernel)
            unit.wants_step = kernel.wants_step
        if unit.kind in (Kind.SEND, Kind.RECV):
            unit.key = rendezvous_key(op.attrs)
        if unit.kind is Kind.ENTER:
            child = layout.frame(output_frame(op, layout.frame_of[op]))
            child.enters += 1
            child.parallel_iterations = op.attrs["parallel_iterations"]
        elif unit.kind is Kind.EXIT:
            layout.frame(layout.frame_of[op]).exits.append(unit)

    # Segments ---------------------------------------------------------------------------------

    def _fill_segment(self, segment: Segment) -> None:
        layout, record = self._layout, self._request.record
        ops = [op for op in segment.ops if not layout.is_free(op) and self._needs_line(op)]
        if not ops:
            return
        cut = [ops[i : i + MAX_NODES] for i in range(0, len(ops), MAX_NODES)]
        pieces = Pieces({op: number for number, piece in enumerate(cut) for op in piece})
        for op in ops:
            for tensor in op.inputs:
                if layout.is_inline(tensor):
                    continue
                if tensor not in layout.slot_of and pieces.of[tensor.op] != pieces.of[op]:
                    layout.new_slot(tensor, segment.frame)
                if tensor in layout.slot_of:
                    pieces.last[layout.slot_of[tensor]] = pieces.of[op]
        unit = layout.unit_of[ops[0]]
        for number, piece in enumerate(cut):
            chunk = ChunkWriter(layout, unit, pieces, number).write(piece)
            recorder = record([node.op for node in chunk.nodes]) if record else None
            unit.functions.append(compile_chunk(chunk, recorder))

    def _needs_line(self, op: Operation) -> bool:
        """Constants and NoOps compute nothing: a line only if a value has to be stored."""
        if op.type == "NoOp":
            return False
        return not is_hoisted(op) or op.outputs[0] in self._layout.slot_of

    # Wiring -----------------------------------------------------------------------------------

    def _count_uses(self) -> None:
        layout, fetched = self._layout, set(self._layout.fetches)
        for tensor, users in layout.readers.items():
            slot = layout.slot_of[tensor]
            if tensor in fetched:
                continue
            if len(users) == 1:
                users[0].takes.append(slot)
                continue
            is_fed = tensor in layout.fed
            frame = ROOT if is_fed else output_frame(tensor.op, layout.frame_of[tensor.op])
            layout.frames[frame].uses[slot] = len(users)
            for unit in users:
                unit.releases.append(slot)

    def _connect(self) -> None:
        layout = self._layout
        for op in layout.ops:
            if op not in layout.unit_of:
                continue
            unit = layout.unit_of[op]
            if unit.kind is Kind.MERGE:
                self._connect_merge(op, unit)
            elif unit.kind not in (Kind.SEGMENT, Kind.LOOP):
                self._connect_tokens(unit, self._barrier_tokens(op))
        for unit in {id(u): u for u in layout.unit_of.values()}.values():
            if unit.kind in (Kind.SEGMENT, Kind.LOOP):
                self._connect_segment(unit)
        for frame in layout.frames.values():
            frame.waiting = [unit.waits_for for unit in frame.units]

    def _barrier_tokens(self, op: Operation) -> list[tuple[Unit, int]]:
        sources = [self._data_source(t) for t in op.inputs]
        sources += [self._control_source(c) for c in op.control_inputs]
        return list(dict.fromkeys(s for s in sources if s is not None))

    def _data_source(self, tensor: Tensor) -> tuple[Unit, int] | None:
        unit_of = self._layout.unit_of
        if tensor in self._layout.fed:
            return (unit_of[tensor], DATA) if self._request.partial else None
        if tensor.op not in unit_of:
            return None  # a constant that is there from the start
        unit = unit_of[tensor.op]
        return (unit, _port(unit, token_of(tensor)[1]))

    def _control_source(self, op: Operation) -> tuple[Unit, int] | None:
        if is_fed_placeholder(op, self._layout.fed):
            return self._data_source(op.outputs[0])
        unit = self._layout.unit_of.get(op)
        if unit is None:
            return None
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
        layout, request = self._layout, self._request
        units = [u for frame in layout.frames.values() for u in frame.units]
        plain = all(u.kind is Kind.SEGMENT for u in units) and len(units) <= 1
        straight = None
        if plain and not request.by_node and not request.partial:
            straight = units[0].functions if units else []
        self._set_costs(units)
        pairs = zip(request.fetches, layout.fetches, strict=True)
        wants_step = any(kernel.wants_step for kernel in layout.kernels.values())
        wants_step = wants_step or bool(layout.may_wait) or request.record is not None
        return Plan(
            ops=layout.ops,
            root=layout.frames[ROOT],
            frames=layout.frames,
            feed_slots=[layout.slot_of.get(t, -1) for t in request.feeds],
            fetches=[
                Fetch(asked, layout.slot_of[t], layout.node_kernels.take(asked, t, layout.fed))
                for asked, t in pairs
            ],
            straight=straight,
            needs_step=straight is None or len(straight) > 1 or wants_step,
            by_node=request.by_node,
            partial=request.partial,
            changes=layout.changes,
            lanes=layout.lanes.devices,
            is_stream=layout.lanes.are_streams,
            copies=layout.lanes.copies,
            is_parallel=len(layout.lanes.devices) > 1 or request.parallelism.side_by_side,
            may_wait=layout.may_wait,
        )

    def _set_costs(self, units: list[Unit]) -> None:
        """What the units cost, as far as earlier runs have shown it."""
        costs = self._request.parallelism.costs
        for unit in units:
            if costs and all(op.name in costs or is_hoisted(op) for op in unit.ops):
                unit.cost = sum(costs.get(op.name, 0.0) for op in unit.ops)
            if len(unit.ops) == 1 and unit.op.type in PYTHON_FUNCTIONS:
                unit.cost = math.inf


def _port(unit: Unit, port: int) -> int:
    return DATA if unit.kind in (Kind.SEGMENT, Kind.LOOP) else port
