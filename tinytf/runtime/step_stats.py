"""A trace as TensorFlow's `StepStats`: what a timeline, a cost model or TensorBoard reads.

What TensorFlow fills is filled as it does, with two differences on purpose: `scheduled` is on the
calendar's clock, as the other times are, and threads have their ids and names. What is known here
and has no field of its own stands behind the label, where TensorFlow's readers do not look:
"loop/add = AddV2(a, b) in iteration 3", "y = MatMul(x, w) shard 2 of 4".
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.kernels.lookup import host_outputs
from tinytf.runtime.layout import is_hoisted
from tinytf.runtime.partition import SEND, crosses, goes_between_tasks, leaves
from tinytf.runtime.tracing import Event, Output, Trace, outputs_of

#: The name of one device; a request may leave parts open.
_FULL_NAME = re.compile(r"/job:[^/]+/replica:\d+/task:\d+/device:[^:/]+:\d+\Z")
#: Where a device's threads that share kernels are listed, after the device's name.
INTRA_OP = "/intra_op"
_GPU = "/device:GPU:"
#: A stream is no thread: what is listed there stands in one row.
_STREAM = 1
_KEEPS_MEMORY = frozenset({"Const", "Variable", "VariableV2"})


def write(
    trace: Trace, stats: Any, home: str, ops: Iterable[Operation], copies: Mapping[Operation, str]
) -> None:
    """Write the events of a trace into a `StepStats`; see `Trace.write_to`."""
    writer = _Writer(trace, stats, home, copies)
    for device in sorted({writer.device_of(event.op) for event in trace.events}):
        writer.list_device(device)
    ran = {(event.scope, event.op) for event in trace.events}
    for scope, op in dict.fromkeys([*_read(trace.events), *(("", op) for op in ops)]):
        if is_hoisted(op) and (scope, op) not in ran:
            writer.write_constant(scope, op)
    for event in trace.events:
        writer.write(event)


def _read(events: Iterable[Event]) -> Iterable[tuple[str, Operation]]:
    """What the nodes that ran have read, with their scopes: constants among it did not run."""
    for scope, op in dict.fromkeys((event.scope, event.op) for event in events):
        yield from ((scope, tensor.op) for tensor in op.inputs)


class _Writer:
    def __init__(self, trace: Trace, stats: Any, home: str, copies: Mapping[Operation, str]):
        self._trace, self._stats, self._home, self._copies = trace, stats, home, copies
        self._devices: dict[str, Any] = {}
        self._alive = {thread.native_id: thread.name for thread in threading.enumerate()}
        self._begun = min([event.start for event in trace.events], default=trace.begun)
        #: what each operation gave last: when, and where in memory
        self._ended: dict[tuple[str, Operation], int] = {}
        self._addresses: dict[Operation, set[int]] = {}
        self._sources: dict[Operation, tuple[Operation, ...]] = {}
        self._produced = {event.op for event in trace.events}

    def device_of(self, op: Operation) -> str:
        """Where an operation ran."""
        return op.device if _FULL_NAME.match(op.device) else self._home

    def list_device(self, device: str) -> Any:
        """Its `DeviceStepStats`."""
        if device not in self._devices:
            self._devices[device] = self._stats.dev_stats.add(device=device)
        return self._devices[device]

    def write_constant(self, scope: str, op: Operation) -> None:
        """A constant that is simply there: no time passes."""
        begun = self._begun
        outputs = outputs_of(op, (op.attrs["value"],))
        self.write(Event(scope + op.name, op, begun, begun, 0, outputs, begun, scope=scope))

    def write(self, event: Event) -> None:
        """One node, and the pieces that it ran in."""
        device = self.device_of(event.op)
        node = self._at(device, event.thread).node_stats.add(
            node_name=event.name, timeline_label=_label(event), thread_id=event.thread
        )
        _set_times(node, self._trace.offset, self._scheduled(event), event.start, event.end)
        node.memory_stats.SetInParent()
        self._describe(node, event, device)
        self._ended[event.scope, event.op] = event.end
        for number, (thread, start, end) in enumerate(event.shards, 1):
            shard = self._at(device + INTRA_OP, thread).node_stats.add(
                node_name=event.name,
                thread_id=thread,
                timeline_label=f"{_label(event)} shard {number} of {len(event.shards)}",
            )
            _set_times(shard, self._trace.offset, event.start, start, end)
        self._write_on_stream(event)

    def _write_on_stream(self, event: Event) -> None:
        """What runs on a GPU is listed once more by its stream: TensorFlow's ".../stream:all"."""
        op = event.op
        if not event.thread or leaves(op) or not op.outputs:
            return  # neither constants nor Sends take any time there
        if _GPU not in op.device and op not in self._copies:
            return
        stream = self._copies.get(op, f"{op.device}/stream:compute")
        stats = self.list_device(stream)
        stats.thread_names[_STREAM] = stream.rpartition("/")[2]
        node = stats.node_stats.add(
            node_name=event.name,
            thread_id=_STREAM,
            timeline_label=f"{op.type} @@{event.name}:{op.type}#1",
        )
        _set_times(node, self._trace.offset, event.start, event.start, event.end)

    def _at(self, device: str, thread: int) -> Any:
        stats = self.list_device(device)
        if thread and thread not in stats.thread_names:
            name = self._trace.thread_names.get(thread) or self._alive.get(thread)
            stats.thread_names[thread] = name or f"intra-op thread {thread}"
        return stats

    # When it was ready ----------------------------------------------------------------------------

    def _scheduled(self, event: Event) -> int:
        """When the last of what it needs had ended; what needs nothing, at the beginning."""
        if event.scheduled is not None:
            return min(event.scheduled, event.start)
        found = self._begun
        for op in self._needed(event.op):
            time = self._ended.get((event.scope, op), 0)
            if found < time <= event.start:
                found = time
        return found

    def _needed(self, op: Operation) -> tuple[Operation, ...]:
        """The operations with events of their own that come right before this one.

        In a loop, what only passes on a value has no event: look through it.
        """
        if op not in self._sources:
            found: dict[Operation, None] = {}
            seen, waiting = {op}, [op]
            while waiting:
                current = waiting.pop()
                for source in [*(t.op for t in current.inputs), *current.control_inputs]:
                    if source in self._produced:
                        found[source] = None
                    elif source not in seen:
                        seen.add(source)
                        waiting.append(source)
            self._sources[op] = tuple(found)
        return self._sources[op]

    # What it gave ---------------------------------------------------------------------------------

    def _describe(self, node: Any, event: Event, device: str) -> None:
        op = event.op
        if op.op_def is SEND:
            return  # its value leaves the device; what arrives is the Recv's
        if crosses(op) and not op.outputs:  # a control edge: no bytes
            node.output.add(slot=0).tensor_description.allocation_description.SetInParent()
            return
        names = _allocators(op, device)
        given = {a for tensor in op.inputs for a in self._addresses.get(tensor.op, ())}
        fresh: dict[str, int] = {}
        for output in event.outputs:
            tensor, name = op.outputs[output.slot], names[output.slot]
            is_new = output.address not in given and op.type not in _KEEPS_MEMORY
            if is_new and output.size:
                fresh[name] = fresh.get(name, 0) + output.size
            description = node.output.add(slot=output.slot).tensor_description
            _fill(description, tensor, output, name)
            if is_new:
                description.allocation_description.allocated_bytes = output.size
        if op.type in _KEEPS_MEMORY:
            node.memory_stats.persistent_memory_size = sum(o.size for o in event.outputs)
        for name, size in fresh.items():
            node.memory.add(
                allocator_name=name, total_bytes=size, peak_bytes=size, live_bytes=size
            ).allocation_records.add(
                alloc_micros=(event.end + self._trace.offset) // 1000, alloc_bytes=size
            )
        self._addresses[op] = {output.address for output in event.outputs if output.address}


def _set_times(node: Any, offset: int, scheduled: int, start: int, end: int) -> None:
    node.scheduled_nanos, node.all_start_nanos = scheduled + offset, start + offset
    node.scheduled_micros = node.scheduled_nanos // 1000
    node.all_start_micros = node.all_start_nanos // 1000
    node.op_start_rel_nanos = node.op_start_rel_micros = 0
    node.op_end_rel_nanos = node.all_end_rel_nanos = end - start
    node.op_end_rel_micros = node.all_end_rel_micros = (end - start) // 1000


def _fill(description: Any, tensor: Tensor, output: Output, allocator: str) -> None:
    description.dtype = tensor.dtype.base_dtype.as_datatype_enum
    description.shape.SetInParent()
    for size in output.shape or ():
        description.shape.dim.add(size=size)
    memory = description.allocation_description
    memory.requested_bytes, memory.allocator_name = output.size, allocator
    memory.ptr = output.address


def _allocators(op: Operation, device: str) -> list[str]:
    """The memory where each output is, named as in TensorFlow."""
    kind, _, number = device.rpartition("/device:")[2].partition(":")
    if kind == "CPU":
        return ["cpu"] * len(op.outputs)
    on_host = host_outputs(op, kind)
    return [f"{kind.lower()}_host_bfc" if host else f"{kind}_{number}_bfc" for host in on_host]


def _label(event: Event) -> str:
    """What a timeline shows: TensorFlow's "name = Type(inputs)", and of a transfer its route."""
    op = event.op
    between_tasks = goes_between_tasks(op)
    if crosses(op) or (between_tasks and op.outputs):
        edge, source, dest = _route(op)
        moved = sum(output.size for output in event.outputs)
        return f"[{moved}B] {edge} from {source} to {dest}"
    inputs = [event.scope + _input_name(tensor) for tensor in op.inputs]
    if op.op_def is SEND or between_tasks:
        edge, _, dest = _route(op)
        inputs.append(f"{edge} @{dest}")
    label = f"{event.name} = {op.type}({', '.join(inputs)})"
    if event.iteration:
        label += f" in iteration {'.'.join(map(str, event.iteration))}"
    return label


def _route(op: Operation) -> tuple[str, str, str]:
    edge, source, dest = (
        op.attrs[name].decode() for name in ("tensor_name", "send_device", "recv_device")
    )
    return edge, source, dest


def _input_name(tensor: Tensor) -> str:
    slot = tensor.value_index
    return f"{tensor.op.name}:{slot}" if slot else tensor.op.name
