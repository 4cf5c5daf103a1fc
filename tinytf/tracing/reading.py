"""Reading `StepStats`: activities with who gave them what, and on which row they are shown.

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

from tinytf.framework.rendezvous import tensor_of_edge
from tinytf.runtime.step_stats import INTRA_OP
from tinytf.tracing import clocks
from tinytf.tracing.activities import ROUTE, Activity, Made, is_gpu_trace
from tinytf.tracing.clocks import Clocks
from tinytf.tracing.rows import assign_rows

#: "name = Op(input, input)", and what this runtime adds behind it.
_LABEL = re.compile(r"(.*) = (.*)\((.*)\)")
_ITERATION = re.compile(r"\) in iteration ([\d.]+)")
_SHARD = re.compile(r" shard (\d+) of (\d+)\Z")
_HOUR = 3_600_000_000_000


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
    rows = {d: assign_rows(activities, d, {**names, **own_names[d]}) for d in devices}
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
    label, thread, end = node.timeline_label, node.thread_id, start + length
    found = Activity(name, op, label, device, step, thread, start, end, inputs=inputs)
    found.scheduled = node.scheduled_nanos or node.scheduled_micros * 1000
    if iteration := _ITERATION.search(node.timeline_label):
        found.iteration = iteration[1]
    if shard := _SHARD.search(node.timeline_label):
        found.shard = int(shard[1]), int(shard[2])
    found.made = [_made(name, output) for output in node.output]
    return found


def _made(node: str, output: Any) -> Made:
    name = f"{node}:{output.slot}" if output.slot else node
    description = output.tensor_description
    memory = description.allocation_description
    return Made(name, memory.requested_bytes, memory.allocator_name, memory.ptr, description)


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


# Who gave it what -------------------------------------------------------------------------------


def _connect(activities: list[Activity]) -> None:
    """Find who made what an activity took: in a loop, the last one before it."""
    made: dict[str, list[Activity]] = defaultdict(list)
    sent: dict[str, list[Activity]] = defaultdict(list)
    for activity in sorted(activities, key=lambda activity: activity.end):
        if activity.is_kernel or activity.device.endswith(INTRA_OP):
            continue
        for output in activity.made:
            made[output.name].append(activity)
        for edge, _ in activity.sends:
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
        if activity.arrival is not None and activity.sent_by is None:
            edge, sender, _ = activity.arrival
            plain = tensor_of_edge(edge).removesuffix(":0")
            makers = [source for source in made.get(plain, ()) if source.device == sender]
            activity.sent_by = _last_before(sent.get(edge, ()), activity)
            activity.sent_by = activity.sent_by or _last_before(makers, activity)


def _last_before(candidates: Sequence[Activity], activity: Activity) -> Activity | None:
    """The last that had ended when an activity began; clocks of microseconds round up."""
    at = bisect.bisect_right(candidates, activity.start + 999, key=lambda other: other.end)
    while at > 0 and candidates[at - 1] is activity:
        at -= 1
    return candidates[at - 1] if at > 0 else None
