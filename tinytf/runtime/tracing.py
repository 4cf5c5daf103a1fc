"""Steps that are watched: for their times, which become TensorFlow's `StepStats`, or a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from tinytf.framework.operation import Operation


class Trace:
    """The times of the nodes of one step, in the order they ended.

    Attributes:
      events: (name, operation, start, end, thread), times in ns of `time.perf_counter_ns`.
    """

    def __init__(self) -> None:
        self.events: list[tuple[str, Operation, int, int, int]] = []
        # To put the process's steady clock on the calendar.
        self._offset_ns = time.time_ns() - time.perf_counter_ns()

    def add(self, op: Operation, start: int, end: int, scope: str = "") -> None:
        """Record one node; `scope` says in which calls of functions it is, "outer/inner/"."""
        self.events.append((scope + op.name, op, start, end, threading.get_native_id()))

    def write_to(self, metadata: Any, device: str) -> None:
        """Add the events to a `RunMetadata`, as the nodes of one device."""
        stats = metadata.step_stats.dev_stats.add(device=device)
        for name, op, start, end, thread in self.events:
            duration = (end - start) // 1000
            inputs = ", ".join(tensor.op.name for tensor in op.inputs)
            stats.node_stats.add(
                node_name=name,
                all_start_micros=(start + self._offset_ns) // 1000,
                op_start_rel_micros=0,
                op_end_rel_micros=duration,
                all_end_rel_micros=duration,
                timeline_label=f"{name} = {op.type}({inputs})",
                scheduled_micros=(start + self._offset_ns) // 1000,
                thread_id=thread,
            )


def record_function(ops: list[Operation]) -> Callable[[Any, int, int, int], None]:
    """What a watched segment calls after each of its nodes: for the trace and the deadline."""

    def record(step: Any, number: int, start: int, end: int) -> None:
        if step.trace is not None:
            step.trace.add(ops[number], start, end, step.scope)
        step.check(ops[number])

    return record
