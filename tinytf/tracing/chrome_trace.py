"""Traced steps for Perfetto and chrome://tracing.

    Timeline(run_metadata.step_stats).generate_chrome_trace_format()

is JSON in the Trace Event Format: a process for each device, a row for each thread, a box for each
node, arrows where data flows between rows and from Sends to Recvs, and counters of the nodes that
are ready and of memory. Times are microseconds, to the nanosecond, since the month began (UTC):
counted from 1970 they would not be exact in the double precision that viewers compute with.
"""

from __future__ import annotations

import datetime
import json
from collections import defaultdict
from typing import Any, NamedTuple

from tinytf.runtime.step_stats import INTRA_OP
from tinytf.tracing.activities import Activity
from tinytf.tracing.counts import find_buffers, queue_depth
from tinytf.tracing.reading import read_steps, step_stats_of

__all__ = ["AllocationMaximum", "StepStatsAnalysis", "Timeline"]

_OP_TIMES = ("schedule", "gpu", "all")


class AllocationMaximum(NamedTuple):
    """The most memory that was in use of one allocator.

    Attributes:
      timestamp: when, in microseconds since 1970. num_bytes: how much.
      tensors: the names of those that were there.
    """

    timestamp: int
    num_bytes: int
    tensors: set[str]


class StepStatsAnalysis(NamedTuple):
    """What `Timeline.analyze_step_stats` returns.

    Attributes:
      chrome_trace: has `format_to_string(pretty=False)`.
      allocator_maximums: an `AllocationMaximum` for each allocator, by its name.
    """

    chrome_trace: ChromeTrace
    allocator_maximums: dict[str, AllocationMaximum]


class Timeline:
    """The timeline of a traced step, or of several; like `tensorflow.python.client.timeline`.

    Args:
      step_stats: a `StepStats` message, tinytf's or TensorFlow's; also a `RunMetadata`, or a list
        of either: steps in one picture.
      graph: not used, as in TensorFlow.

    Raises:
      TypeError: for anything else.

    Example:
      >>> metadata = tf.RunMetadata()
      >>> options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
      >>> with tf.Session() as sess:
      ...     _ = sess.run(tf.add(3, 5, name="sum"), options=options, run_metadata=metadata)
      >>> trace = Timeline(metadata.step_stats).generate_chrome_trace_format()
      >>> '"name": "sum"' in trace
      True
    """

    def __init__(self, step_stats: Any, graph: Any = None):
        self._stats = step_stats_of(step_stats)
        self._graph = graph

    def generate_chrome_trace_format(
        self, show_dataflow: bool = True, show_memory: bool = False, op_time: str = "schedule"
    ) -> str:
        """The timeline as JSON text; arguments as for `analyze_step_stats`."""
        analysis = self.analyze_step_stats(show_dataflow, show_memory, op_time)
        return analysis.chrome_trace.format_to_string(pretty=True)

    def analyze_step_stats(
        self, show_dataflow: bool = True, show_memory: bool = True, op_time: str = "schedule"
    ) -> StepStatsAnalysis:
        """The timeline, and how much memory was in use at most.

        Args:
          show_dataflow: whether to draw arrows from who makes a tensor to who takes it.
          show_memory: whether to count memory, and show when tensors were there.
          op_time: of an operation on a GPU, "schedule" shows when it was launched, "gpu" when its
            kernels ran, "all" both from beginning to end; matters with ".../stream:all" devices.

        Raises:
          ValueError: for another `op_time`.
        """
        if op_time not in _OP_TIMES:
            raise ValueError(f"op_time is one of {', '.join(_OP_TIMES)}. Got: {op_time!r}")
        steps = read_steps(self._stats)
        if op_time != "schedule":
            _stretch_over_kernels(steps.activities, op_time)
        first = min((a.start for a in steps.activities), default=0)
        trace = ChromeTrace(first)
        pids = trace.add_processes(steps.devices, steps.rows)
        for activity in steps.activities:
            trace.add_box(activity, pids[activity.device])
        if len(steps.marks) > 1:
            for number, time in enumerate(steps.marks, 1):
                trace.add_mark(f"step {number}", time)
        if show_dataflow:
            for activity in steps.activities:
                trace.add_arrows(activity, pids)
        for device in steps.devices:
            activities = [a for a in steps.activities if a.device == device]
            for time, depth in queue_depth(activities):
                trace.add_counter("Queue", "Ready nodes", pids[device], time, "waiting", depth)
        maximums = _show_memory(trace, steps.activities, pids) if show_memory else {}
        return StepStatsAnalysis(trace, maximums)


def _stretch_over_kernels(activities: list[Activity], op_time: str) -> None:
    """Let operations that launched kernels on a GPU last until these have ended."""
    kernels: dict[tuple[int, str], list[Activity]] = defaultdict(list)
    for activity in activities:
        if "/stream:all" in activity.device:
            kernels[activity.step, activity.name].append(activity)
    for activity in activities:
        found = kernels.get((activity.step, activity.name))
        if found and not activity.is_kernel:
            activity.end = max(activity.end, *(kernel.end for kernel in found))
            if op_time == "gpu":
                activity.start = min(kernel.start for kernel in found)


def _show_memory(
    trace: ChromeTrace, activities: list[Activity], pids: dict[str, int]
) -> dict[str, AllocationMaximum]:
    last_taken: dict[tuple[int, str], int] = {}
    for activity in activities:
        for name, source in activity.sources:
            key = id(source), name
            last_taken[key] = max(last_taken.get(key, 0), activity.end)
    for activity in activities:
        trace.add_tensors(activity, last_taken)
    changes: dict[str, list[tuple[int, int, list[str]]]] = defaultdict(list)
    for buffer in find_buffers(activities):
        if buffer.born == buffer.freed:
            continue  # a constant that nobody took
        changes[buffer.allocator].append((buffer.born, buffer.size, buffer.names))
        changes[buffer.allocator].append((buffer.freed, -buffer.size, buffer.names))
    maximums = {}
    for allocator, listed in changes.items():
        total, there = 0, dict[int, list[str]]()
        most = AllocationMaximum(0, 0, set())
        for time, size, names in sorted(listed, key=lambda change: (change[0], change[1])):
            total += size
            if size > 0:
                there[id(names)] = names
            else:
                there.pop(id(names), None)
            if total > most.num_bytes:
                tensors = {name for together in there.values() for name in together}
                most = AllocationMaximum(time // 1000, total, tensors)
            trace.add_counter("Memory", allocator, 0, time, allocator, total)
        maximums[allocator] = most
    return maximums


class ChromeTrace:
    """Collects events of the Trace Event Format.

    Args:
      first: a time of the trace, in ns since 1970: times are counted from the start of its month.
    """

    def __init__(self, first: int):
        day = datetime.datetime.fromtimestamp(first // 10**9, datetime.UTC)
        month = day.replace(day=1, hour=0, minute=0, second=0)
        self._base = int(month.timestamp()) * 10**9
        self._month = month.strftime("%Y-%m-%dT%H:%M:%SZ")
        self._metadata: list[dict[str, Any]] = []
        self._events: list[dict[str, Any]] = []
        self._flows = 0
        self._objects = 0
        self._tensors: dict[str, int] = {}

    def format_to_string(self, pretty: bool = False) -> str:
        """The trace as JSON.

        Args:
          pretty: whether to write it in lines, for people.
        """
        trace = {
            "traceEvents": self._metadata + self._events,
            "displayTimeUnit": "ns",
            "otherData": {"times_count_from": self._month},
        }
        if pretty:
            return json.dumps(trace, indent=4)
        return json.dumps(trace, separators=(",", ":"))

    # Rows -----------------------------------------------------------------------------------------

    def add_processes(self, devices: list[str], rows: dict[str, list[str]]) -> dict[str, int]:
        """Name the processes and their rows; the process of each device."""
        self._add_process(0, "Allocators")
        pids, pid = {}, 1
        for device in devices:
            pids[device] = pid
            self._add_process(pid, f"{device} Compute")
            for row, name in enumerate(rows[device]):
                self._name("thread_name", name, pid=pid, tid=row)
            pid += 1
            if not device.endswith(INTRA_OP):
                self._tensors[device] = pid
                self._add_process(pid, f"{device} Tensors")
                pid += 1
        return pids

    def _add_process(self, pid: int, name: str) -> None:
        self._name("process_name", name, pid=pid)

    def _name(self, what: str, name: str, **of: int) -> None:
        self._metadata.append({"name": what, "ph": "M", **of, "args": {"name": name}})

    def _time(self, time: int) -> float:
        return (time - self._base) / 1000

    def _add(self, ph: str, category: str, name: str, pid: int, tid: int, time: int) -> dict:
        event: dict[str, Any] = {"ph": ph, "cat": category, "name": name, "pid": pid, "tid": tid}
        event["ts"] = self._time(time)
        self._events.append(event)
        return event

    # Events ---------------------------------------------------------------------------------------

    def add_box(self, activity: Activity, pid: int) -> None:
        """A node that ran: a complete event."""
        args: dict[str, Any] = {"name": activity.name, "op": activity.op}
        args.update((f"input{n}", name) for n, name in enumerate(activity.inputs))
        if activity.iteration:
            args["iteration"] = activity.iteration
        if activity.run is not None:
            args["run"] = "{} of {}".format(*activity.run)
        if activity.shard is not None:
            args["shard"] = "{} of {}".format(*activity.shard)
        if activity.made:
            args["bytes"] = activity.size
        if activity.scheduled is not None:
            args["waited_us"] = (activity.start - activity.scheduled) / 1000
        event = self._add("X", "Op", activity.op, pid, activity.row, activity.start)
        event["dur"] = (activity.end - activity.start) / 1000
        event["args"] = args

    def add_mark(self, name: str, time: int) -> None:
        """A line through all rows."""
        self._add("i", "Step", name, 0, 0, time)["s"] = "g"

    def add_arrows(self, activity: Activity, pids: dict[str, int]) -> None:
        """Who made what it takes, unless that was on the same row; who sent it."""
        for name, source in activity.sources:
            elsewhere = (source.device, source.row) != (activity.device, activity.row)
            if elsewhere and source.start < source.end:  # constants were always there
                self._add_arrow("DataFlow", name, source, activity, pids)
        if activity.sent_by is not None:
            self._add_arrow("Transfer", activity.sent_by.name, activity.sent_by, activity, pids)

    def _add_arrow(
        self, category: str, name: str, source: Activity, target: Activity, pids: dict[str, int]
    ) -> None:
        # An arrow belongs to the box around its end: it must not begin when that is over.
        begin = max(source.start, source.end - 1)
        end = max(target.start, begin)
        start = self._add("s", category, name, pids[source.device], source.row, begin)
        stop = self._add("f", category, name, pids[target.device], target.row, end)
        start["id"] = stop["id"] = self._flows
        stop["bp"] = "e"
        self._flows += 1

    def add_counter(
        self, category: str, name: str, pid: int, time: int, series: str, value: int
    ) -> None:
        """A value from now on."""
        self._add("C", category, name, pid, 0, time)["args"] = {series: value}

    def add_tensors(self, activity: Activity, last_taken: dict[tuple[int, str], int]) -> None:
        """What a node made, as objects that live until the last that takes them has ended."""
        for made in activity.made:
            place = self._tensors[activity.device], activity.row
            text = str(made.description).replace('"', "")
            freed = max(activity.end, last_taken.get((id(activity), made.name), 0))
            for ph, time in (("N", activity.start), ("O", activity.end), ("D", freed)):
                event = self._add(ph, "Tensor", made.name, *place, time)
                event["id"] = self._objects
                if ph == "O":
                    event["args"] = {"snapshot": {"tensor_description": text}}
            self._objects += 1
