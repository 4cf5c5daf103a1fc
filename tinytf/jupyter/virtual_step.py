"""A step in virtual time: how long it would take on devices that this machine does not have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tinytf.devices.asking import readable
from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.operation import Operation
from tinytf.jupyter.picture import plural
from tinytf.jupyter.recording import graph_of
from tinytf.jupyter.timelines import Timeline
from tinytf.placement.cost_model import duration
from tinytf.protos.step_stats_pb2 import StepStats
from tinytf.runtime.pruning import prune
from tinytf.session.fetches import FetchPlan
from tinytf.simulation.amounts import size_of
from tinytf.simulation.costs import Costs, work_of
from tinytf.simulation.execution import Execution, simulate
from tinytf.simulation.machine import Link, Machine
from tinytf.simulation.rates import CPU, ETHERNET

#: When the step began: any time will do that is not 0.
_BEGAN = 10**18
_COMPUTES, _RECEIVES = 1, 2
REMARK = (
    "Virtual time: nothing was run. Devices compute 50 GFLOP/s each, one operation at a time; what "
    "leaves one shares its way out."
)


class Virtual(Timeline):
    """A step in virtual time, shown as a timeline.

    Attributes:
      seconds: how long it takes. busy: device -> the share of that time in which it computes.
      together: the share in which at least two devices compute.
      execution: all of it, see `tinytf.simulation.execution`.

    Example:
      >>> tinytf.jupyter.virtual(tf.zeros([100]) + 1.0).busy
      {'CPU:0': 1.0}
    """

    def __init__(self, execution: Execution, ops: Mapping[str, Operation], graph: Any):
        self.execution = execution
        self.seconds = execution.makespan
        self.together = _share_of_two(execution)
        self.busy = {_short(name): share for name, share in execution.busy().items()}
        super().__init__(_stats(execution, ops), graph, remark=REMARK)

    @property
    def headline(self) -> str:
        """How long, who computes how much of the time, and what travels."""
        busy = ", ".join(f"{name} {share:.0%}" for name, share in sorted(self.busy.items()))
        moved = [transfer.size for transfer in self.execution.transfers if transfer.size]
        travels = f"{plural(len(moved), 'tensor')} travel{'s' if len(moved) == 1 else ''}"
        size = (
            f", {readable(round(sum(moved)))} in all"
            if len(moved) > 1
            else f", {readable(round(moved[0]))}"
            if moved
            else ""
        )
        return (
            f"Simulated: {duration(self.seconds)}. Computing: {busy} of the time. {travels}{size}."
        )

    def __repr__(self) -> str:
        return self.headline


def virtual(
    fetches: Any,
    feed_dict: Any = None,
    bandwidth: float = ETHERNET[1],
    latency: float = ETHERNET[0],
) -> Virtual:
    """See `tinytf.jupyter.virtual`."""
    if not bandwidth > 0 or not latency >= 0:
        raise ValueError(
            f"virtual: a bandwidth of {bandwidth} bytes a second and a latency of {latency} "
            f"seconds are no link; bandwidth is above 0, latency 0 or more"
        )
    graph = graph_of(fetches)
    fed = frozenset(feed_dict or ())
    wanted = FetchPlan(graph, fetches)
    runs = prune([*(tensor.op for tensor in wanted.tensors), *wanted.targets], fed)
    # A constant is simply there, on whichever device needs it.
    ops = [op for op in runs if op.type != "Const"] or runs
    asked = list(dict.fromkeys(_full(op.device) for op in ops if op.device)) or [_full("")]
    place = {op.name: _full(op.device) if op.device else asked[0] for op in ops}
    ways: dict[str, Link] = {}

    def link(source: str, destination: str) -> Link:
        return ways.setdefault(source, Link(latency, bandwidth, name="network"))

    costs = Costs({"CPU": CPU, "GPU": CPU})
    work = work_of(ops, costs, {name: [device] for name, device in place.items()})
    execution = simulate(work, Machine(dict.fromkeys(asked), link), place)
    return Virtual(execution, {op.name: op for op in ops}, graph)


def _full(device: str) -> str:
    """A device's name with all its parts, as traces have it."""
    spec = DeviceSpec.from_string(device)
    spec.replica = spec.replica or 0
    spec.task = spec.task or 0
    spec.job = spec.job or "localhost"
    spec.device_type = spec.device_type or "CPU"
    spec.device_index = spec.device_index or 0
    return spec.to_string()


def _stats(execution: Execution, ops: Mapping[str, Operation]) -> StepStats:
    """The trace that a step would leave which took so long."""
    stats = StepStats()
    devices = {run.device: stats.dev_stats.add(device=run.device) for run in execution.runs}

    def add(device: str, thread: int, name: str, label: str, start: float, end: float) -> Any:
        devices[device].thread_names[thread] = "receives" if thread == _RECEIVES else "computes"
        node = devices[device].node_stats.add(node_name=name, timeline_label=label)
        node.thread_id = thread
        node.all_start_nanos = _BEGAN + round(start * 1e9)
        node.all_end_rel_nanos = round(end * 1e9) - round(start * 1e9)
        return node

    for run in execution.runs:
        op = ops[run.name]
        inputs = ", ".join(tensor.name.removesuffix(":0") for tensor in op.inputs)
        label = f"{op.name} = {op.type}({inputs})"
        node = add(run.device, _COMPUTES, op.name, label, run.start, run.end)
        for slot, tensor in enumerate(op.outputs):
            made = node.output.add(slot=slot).tensor_description.allocation_description
            made.requested_bytes = size_of(tensor)
    for number, moved in enumerate(execution.transfers):
        name = f"{moved.producer}/_{number}"
        label = f"[{round(moved.size)}B] edge_{number}_{moved.producer} from {moved.source} "
        node = add(
            moved.destination,
            _RECEIVES,
            name,
            label + f"to {moved.destination}",
            moved.start,
            moved.end,
        )
        node.output.add().tensor_description.allocation_description.requested_bytes = round(
            moved.size
        )
    return stats


def _share_of_two(execution: Execution) -> float:
    """The share of the time in which two devices or more compute."""
    changes = [(run.start, 1) for run in execution.runs] + [(run.end, -1) for run in execution.runs]
    running, before, total = 0, 0.0, 0.0
    for when, change in sorted(changes):
        total += when - before if running > 1 else 0.0
        running, before = running + change, when
    return total / (execution.makespan or 1.0)


def _short(device: str) -> str:
    """Of a task's CPU "worker:1"; else "GPU:0"."""
    spec = DeviceSpec.from_string(device)
    if spec.job != "localhost" and spec.device_type == "CPU":
        return f"{spec.job}:{spec.task}"
    return f"{spec.device_type}:{spec.device_index}"
