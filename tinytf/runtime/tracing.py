"""Steps that are watched: for their times, which become TensorFlow's `StepStats`, or a deadline."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.runtime.partition import crosses

#: The name of one device; a request may leave parts open.
_FULL_NAME = re.compile(r"/job:[^/]+/replica:\d+/task:\d+/device:[^:/]+:\d+\Z")


@dataclass(frozen=True, slots=True)
class Event:
    """One node that ran: times in ns of `time.perf_counter_ns`; bytes that it moved, if it did."""

    name: str
    op: Operation
    start: int
    end: int
    thread: int
    moved: int | None = None
    scheduled: int | None = None


class Trace:
    """The times of the nodes of one step, in the order they ended.

    Attributes:
      events: those of all devices; the `device` of an event's operation says which, "" the first.
    """

    def __init__(self) -> None:
        self.events: list[Event] = []
        # To put the process's steady clock on the calendar.
        self._offset_ns = time.time_ns() - time.perf_counter_ns()

    def add(
        self,
        op: Operation,
        start: int,
        end: int,
        scope: str = "",
        results: Any = None,
        scheduled: int | None = None,
    ) -> None:
        """Record one node.

        Args:
          scope: in which calls of functions it is, "outer/inner/".
          results: what it gave, if that is at hand: a transfer counts its bytes.
          scheduled: when it became ready to run, if that is known: a time as `start` and `end` are.
        """
        moved = _bytes_of(results) if crosses(op) else None
        thread = threading.get_native_id()
        self.events.append(Event(scope + op.name, op, start, end, thread, moved, scheduled))

    def write_to(self, metadata: Any, home: str) -> None:
        """Add the events to a `RunMetadata`, by device; what has none assigned is at `home`."""
        stats: dict[str, Any] = {}
        for event in self.events:
            device = event.op.device if _FULL_NAME.match(event.op.device) else home
            if device not in stats:
                stats[device] = metadata.step_stats.dev_stats.add(device=device)
            node = stats[device].node_stats.add(
                node_name=event.name,
                all_start_micros=(event.start + self._offset_ns) // 1000,
                op_start_rel_micros=0,
                op_end_rel_micros=(event.end - event.start) // 1000,
                all_end_rel_micros=(event.end - event.start) // 1000,
                timeline_label=_label(event),
                scheduled_micros=(event.start + self._offset_ns) // 1000,
                thread_id=event.thread,
            )
            if event.moved is not None:
                output = node.output.add(slot=0).tensor_description
                output.allocation_description.requested_bytes = event.moved


def _label(event: Event) -> str:
    """What a timeline shows: TensorFlow's "name = Type(inputs)", and of a transfer its route."""
    op = event.op
    if event.moved is not None:
        edge, source, dest = (
            op.attrs[n].decode() for n in ("tensor_name", "send_device", "recv_device")
        )
        return f"[{event.moved}B] {edge} from {source} to {dest}"
    return f"{event.name} = {op.type}({', '.join(tensor.op.name for tensor in op.inputs)})"


def _bytes_of(results: Any) -> int:
    """How many bytes of tensors a transfer moved: none, for a control edge."""
    return sum(_size(value) for value in results or ())


def _size(value: Any) -> int:
    if isinstance(value, bytes):
        return len(value)
    if getattr(value, "dtype", None) == np.dtype(object):
        return sum(len(item) for item in value.flat if isinstance(item, bytes))
    return int(getattr(value, "nbytes", 0))


def record_function(ops: list[Operation]) -> Callable[[Any, int, int, int], None]:
    """What a watched segment calls after each of its nodes: for the trace and the deadline."""

    def record(step: Any, number: int, start: int, end: int) -> None:
        if step.trace is not None:
            step.trace.add(ops[number], start, end, step.scope_of(ops[number]))
        step.check(ops[number])

    return record
