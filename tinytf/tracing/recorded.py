"""A recorded step as a trace: what `tinytf.jupyter` has watched, for what reads `StepStats`."""

from __future__ import annotations

import re
from math import prod
from typing import Any

from tinytf.framework.dtypes import as_dtype
from tinytf.protos.step_stats_pb2 import StepStats
from tinytf.runtime.step_stats import INTRA_OP

#: When the step began: any time will do that is not 0.
_BEGAN = 10**18
#: What the name of a device begins with.
LOCAL = "/job:localhost/replica:0/task:0/device:"
#: "y:0 = float32 (4, 8) [[...", "w:0 = variable w:0 (float32 3.0)".
_VALUE = re.compile(r"\S+:(\d+) = (?:variable \S+ \()?(bool|string|[a-z]+\d+) (?:\(([\d, ]+)\))?")


def stats_of(recording: Any) -> StepStats:
    """The trace of a `tinytf.jupyter.recording.Recording`; times are those of the recording."""
    stats = StepStats()
    devices: dict[str, Any] = {}
    threads = ["MainThread", *recording.threads[1:], *recording.intra_op]

    def add(device: str, thread: str, name: str, label: str, *times: int) -> Any:
        if device not in devices:
            devices[device] = stats.dev_stats.add(device=LOCAL + device)
        number = 1 + threads.index(thread)
        devices[device].thread_names[number] = thread
        ready, start, end = times
        node = devices[device].node_stats.add(node_name=name, timeline_label=label)
        node.thread_id, node.scheduled_nanos = number, _BEGAN + ready
        node.all_start_nanos, node.all_end_rel_nanos = _BEGAN + start, end - start
        return node

    values = {event.run: event.values for event in recording.events if event.kind == "run"}
    for number, run in enumerate(recording.runs):
        if run.kind not in ("run", "fail"):
            continue
        name, device = recording.names[run.node], recording.lanes[run.lane].name
        thread = threads[run.thread]
        inputs = ", ".join(recording.names[recording.runs[source].node] for source in run.needs)
        label = f"{name} = {recording.types[run.node]}({inputs})"
        label += f" in iteration {run.iteration}" if run.iteration else ""
        node = add(device, thread, name, label, run.ready, run.taken, run.ended)
        for made in filter(None, map(_VALUE.match, values.get(number, ()))):
            kind, shape = (
                as_dtype(made[2]),
                [int(size) for size in re.findall(r"\d+", made[3] or "")],
            )
            tensor = node.output.add(slot=int(made[1])).tensor_description
            tensor.dtype = kind.as_datatype_enum
            for size in shape:
                tensor.shape.dim.add(size=size)
            tensor.allocation_description.requested_bytes = prod(shape) * kind.size
        for count, shard in enumerate(run.shards, 1):
            sharing = recording.intra_op[shard.lane] if shard.lane >= 0 else thread
            part = f"{label} shard {count} of {len(run.shards)}"
            add(device + INTRA_OP, sharing, name, part, shard.start, shard.start, shard.end)
    return stats
