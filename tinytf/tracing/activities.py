"""What `StepStats` tell, taken apart: which node ran when, on which row, and who gave it what.

It takes the messages alone, without the graph, so those of a real TensorFlow will do as well. There
threads are not named and `scheduled` is on a clock of its own: rows are then found by what does not
overlap, and when a node became ready is not known.
"""

from __future__ import annotations

import bisect
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tinytf.tracing import clocks
from tinytf.tracing.clocks import EDGE, ROUTE, Clocks

#: Where a device's threads that share kernels are listed, after the device's name.
INTRA_OP = "/intra_op"
#: "name = Op(input, input)", and what this runtime adds behind it.
_LABEL = re.compile(r"(.*) = (.*)\((.*)\)")
_ITERATION = re.compile(r"\) in iteration ([\d.]+)")
_SHARD = re.compile(r" shard (\d+) of (\d+)\Z")
_HOUR = 3_600_000_000_000


@dataclass(slots=True, eq=False)
class Made:
    """One output of an activity.

    Attributes:
      name: "node" or "node:1". size: bytes. address: of its memory; 0 if unknown.
      description: TensorFlow's `TensorDescription` of it.
    """

    name: str
    size: int
    allocator: str
    address: int
    description: Any


@dataclass(slots=True, eq=False)
class Activity:
    """One run of one node, or of a part of one; times in ns since 1970.

    Attributes:
      name: of the node. op: its type; "unknown" if the label does not tell. label: as it was.
      device: a device, or a part of one: "/device:GPU:0/stream:all", "/device:CPU:0/intra_op".
      step: which of several steps. row: on its device, from 0.
      thread: the system's number of it; 0 if unknown.
      scheduled: when the node became ready; None if that is not known.
      iteration: of the loops around it, "3" or "3.0"; "" outside of loops or if unknown.
      shard: (which, of how many) for a part of a kernel.
      run: (which, of how many) if the node ran several times and the iteration is not known.
      inputs: names of tensors. sources: who made them, as far as that can be told.
      sent_by: for a tensor that arrives from another device, who sent it.
    """

    name: str
    op: str
    label: str
    device: str
    step: int
    thread: int
    start: int
    end: int
    scheduled: int | None = None
    iteration: str = ""
    shard: tuple[int, int] | None = None
    run: tuple[int, int] | None = None
    inputs: list[str] = field(default_factory=list)
    made: list[Made] = field(default_factory=list)
    sources: list[tuple[str, Activity]] = field(default_factory=list)
    sent_by: Activity | None = None
    row: int = 0

    @property
    def is_kernel(self) -> bool:
        """Whether it is what a GPU's own clock has seen of a node."""
        return is_gpu_trace(self.device)

    @property
    def size(self) -> int:
        """Bytes of all that it made."""
        return sum(made.size for made in self.made)


@dataclass(slots=True, eq=False)
class Steps:
    """The activities of one or more steps.

    Attributes:
      devices: as listed, each once. activities: of all, by start.
      rows: the names of each device's rows, in order.
      marks: when each step began. clocks: how the clocks of tasks were brought together.
    """

    devices: list[str]
    activities: list[Activity]
    rows: dict[str, list[str]]
    marks: list[int]
    clocks: Clocks = field(default_factory=Clocks)


def is_gpu_trace(device: str) -> bool:
    """Whether a device is one that stands for a GPU's streams."""
    return "/stream:" in device or "/memcpy" in device


def step_stats_of(steps: Any) -> list[Any]:
    """A list of `StepStats` messages, out of those or `RunMetadata`s, alone or in a list.

    Raises:
      TypeError: for anything else.
    """
    listed = steps if isinstance(steps, Iterable) else [steps]
    found = [getattr(step, "step_stats", step) for step in listed]
    for stats in found:
        if not hasattr(stats, "dev_stats"):
            raise TypeError(
                "A timeline is made from StepStats or RunMetadata, or a list of them. Got: "
                f"{type(stats).__name__}. For example: Timeline(run_metadata.step_stats)"
            )
    return found


def read_steps(steps: Sequence[Any]) -> Steps:
    """Take `StepStats` messages apart."""
    names: dict[int, str] = {}
    own_names: dict[str, dict[int, str]] = {}  # streams all have a thread 1
    devices: dict[str, None] = {}
    by_step: list[list[Activity]] = []
    for number, stats in enumerate(steps):
        in_step: list[Activity] = []
        for device in stats.dev_stats:
            devices[device.device] = None
            names.update(device.thread_names)
            own_names.setdefault(device.device, {}).update(device.thread_names)
            in_step += [_activity(node, device.device, number) for node in device.node_stats]
        by_step.append(in_step)
    corrected = clocks.correct(by_step)
    activities: list[Activity] = []
    marks = []
    for in_step in by_step:
        in_step.sort(key=lambda activity: (activity.start, -activity.end))
        if in_step:
            marks.append(in_step[0].start)
            _forget_other_clocks(in_step)
            _count_runs(in_step)
            _connect(in_step)
        activities += in_step
    activities.sort(key=lambda activity: (activity.start, -activity.end))
    rows = {d: _assign_rows(activities, d, {**names, **own_names[d]}) for d in devices}
    return Steps(list(devices), activities, rows, marks, corrected)


def _activity(node: Any, device: str, step: int) -> Activity:
    """One `NodeExecStats`; old ones count in microseconds only."""
    start = node.all_start_nanos or node.all_start_micros * 1000
    length = node.all_end_rel_nanos or node.all_end_rel_micros * 1000
    name, op, inputs = node.node_name, "unknown", list[str]()
    match = _LABEL.match(node.timeline_label)
    if is_gpu_trace(device):
        name, op = _kernel_name(node.timeline_label, name)
    elif name == "RecvTensor":
        op = name
    elif match is not None:
        op = match[2]
        inputs = match[3].split(", ") if match[3] else []
    elif ROUTE.match(node.timeline_label):
        op = "_Recv"
    found = Activity(
        name, op, node.timeline_label, device, step, node.thread_id, start, start + length,
        node.scheduled_nanos or node.scheduled_micros * 1000, inputs=inputs,
    )  # fmt: skip
    if iteration := _ITERATION.search(node.timeline_label):
        found.iteration = iteration[1]
    if shard := _SHARD.search(node.timeline_label):
        found.shard = int(shard[1]), int(shard[2])
    for output in node.output:
        memory = output.tensor_description.allocation_description
        made = f"{name}:{output.slot}" if output.slot else name
        found.made.append(
            Made(made, memory.requested_bytes, memory.allocator_name, memory.ptr,
                 output.tensor_description)
        )  # fmt: skip
    return found


def _kernel_name(label: str, name: str) -> tuple[str, str]:
    """Of "kernel detail @@node:Op#id" node and type; else out of the name itself."""
    _, found, rest = label.partition("@@")
    if found and "#" in rest[1:]:
        name = rest.partition("#")[0]
    node, _, op = name.partition(":")
    return node, op.partition(":")[0] or "unknown"


def _forget_other_clocks(activities: list[Activity]) -> None:
    """TensorFlow's `scheduled` counts from when the machine was started: that tells nothing."""
    first = activities[0].start
    for activity in activities:
        scheduled = activity.scheduled or 0
        if not first - _HOUR <= scheduled <= activity.start or activity.is_kernel:
            activity.scheduled = None


def _count_runs(activities: list[Activity]) -> None:
    """Tell apart the runs of a node in a loop where its labels do not: TensorFlow's."""
    runs: dict[tuple[str, str], list[Activity]] = defaultdict(list)
    for activity in activities:
        if not activity.iteration and activity.shard is None and activity.name != "RecvTensor":
            runs[activity.device, activity.name].append(activity)
    for same in runs.values():
        if len(same) > 1:
            for number, activity in enumerate(same, 1):
                activity.run = number, len(same)


# ------------------------------------------------------------------------------- who gave it what


def _connect(activities: list[Activity]) -> None:
    """Find who made what an activity took: in a loop, the last one before it."""
    made: dict[str, list[Activity]] = defaultdict(list)
    sent: dict[str, list[Activity]] = defaultdict(list)
    for activity in sorted(activities, key=lambda activity: activity.end):
        if activity.is_kernel or activity.device.endswith(INTRA_OP):
            continue
        for output in activity.made:
            made[output.name].append(activity)
        if activity.op == "_Send":
            for name in activity.inputs:
                edge, found, _ = name.partition(" @")
                if found:
                    sent[edge].append(activity)
    for activity in activities:
        if activity.is_kernel or activity.shard is not None:
            continue
        for name in activity.inputs:
            # A name with "/_3" is a copy that came from another device.
            for candidate in (name, name.rpartition("/_")[0]):
                source = _last_before(made.get(candidate, ()), activity)
                if source is not None:
                    activity.sources.append((candidate, source))
                    break
        route = ROUTE.match(activity.label) if activity.op in ("_Recv", "RecvTensor") else None
        if route is not None and activity.sent_by is None:
            tensor = EDGE.match(route[1])
            plain = tensor[1].removesuffix(":0") if tensor else ""
            activity.sent_by = _last_before(sent.get(route[1], ()), activity) or _last_before(
                [source for source in made.get(plain, ()) if source.device == route[2]], activity
            )


def _last_before(candidates: Sequence[Activity], activity: Activity) -> Activity | None:
    """The last that had ended when an activity began; clocks of microseconds round up."""
    at = bisect.bisect_right(candidates, activity.start + 999, key=lambda other: other.end)
    while at > 0 and candidates[at - 1] is activity:
        at -= 1
    return candidates[at - 1] if at > 0 else None


# ------------------------------------------------------------------------------------------- rows


def _assign_rows(activities: list[Activity], device: str, names: dict[int, str]) -> list[str]:
    """Give each activity of a device its row; the names of the rows.

    On a row, boxes lie one after the other or one inside the other: a call and what it calls. What
    a thread does besides, such as waiting for a queue, gets a second row of it. Of threads that are
    not known the rows are only kept apart.
    """
    by_thread: dict[int, list[Activity]] = defaultdict(list)
    for activity in activities:
        if activity.device == device:
            by_thread[activity.thread if activity.thread in names else 0].append(activity)
    rows: list[str] = []
    for thread in sorted(by_thread):
        ends: list[list[int]] = []
        for activity in by_thread[thread]:
            activity.row = len(rows) + _find_row(ends, activity, may_nest=thread != 0)
        title = f"{names[thread]} ({thread})" if thread else "constants"
        if not thread and len(by_thread) == 1 and any(a.start < a.end for a in by_thread[0]):
            rows += [f"row {number}" for number in range(len(ends))]
        else:
            rows += [title, *(f"{title}, besides {n}" for n in range(1, len(ends)))]
    return rows


def _find_row(rows: list[list[int]], activity: Activity, may_nest: bool) -> int:
    """The first row where an activity fits; `rows` are the ends of the boxes that are open."""
    for number, ends in enumerate(rows):
        while ends and ends[-1] <= activity.start:
            ends.pop()
        if not ends or (may_nest and activity.end <= ends[-1]):
            ends.append(activity.end)
            return number
    rows.append([activity.end])
    return len(rows) - 1


# ----------------------------------------------------------------------------------------- counts


def queue_depth(activities: Iterable[Activity]) -> list[tuple[int, int]]:
    """How many nodes were ready and had not begun: (time, number), whenever it changes."""
    changes: dict[int, int] = defaultdict(int)
    for activity in activities:
        if activity.scheduled is not None and activity.scheduled < activity.start:
            changes[activity.scheduled] += 1
            changes[activity.start] -= 1
    depth, found = 0, []
    for time in sorted(changes):
        if changes[time]:
            depth += changes[time]
            found.append((time, depth))
    return found


@dataclass(slots=True, eq=False)
class Buffer:
    """Memory that one or more tensors are in: an Identity makes another name, not a copy.

    Attributes:
      names: of the tensors. born, freed: times in ns: when the first one was made, and when the
        last of those that take one had ended.
    """

    names: list[str]
    size: int
    allocator: str
    address: int
    born: int
    freed: int


def find_buffers(activities: Iterable[Activity]) -> list[Buffer]:
    """The memory that the outputs of a step are in, in the order in which it was taken."""
    found: list[Buffer] = []
    current: dict[tuple[int, str], Buffer] = {}
    for activity in sorted(activities, key=lambda activity: (activity.end, activity.start)):
        taken = [current.get((id(source), name)) for name, source in activity.sources]
        for buffer in taken:
            if buffer is not None:
                buffer.freed = max(buffer.freed, activity.end)
        by_address = {buffer.address: buffer for buffer in taken if buffer and buffer.address}
        for made in activity.made:
            buffer = by_address.get(made.address)
            if buffer is None:
                buffer = Buffer(
                    [], made.size, made.allocator, made.address, activity.start, activity.end
                )
                found.append(buffer)
            buffer.names.append(made.name)
            buffer.freed = max(buffer.freed, activity.end)
            current[id(activity), made.name] = buffer
    return found
