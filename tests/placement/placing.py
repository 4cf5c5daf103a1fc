"""Placing graphs of tinytf on made-up devices, for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import tinytf as tf
from tests.placement.random_graphs import CPUS, allows_soft_placement, phases
from tests.placement.recordings import error_text
from tinytf.devices.device import DeviceAttributes
from tinytf.framework.operation import Operation
from tinytf.placement.placement import Placement
from tinytf.placement.simple import device_log_lines, place

TASK = "/job:localhost/replica:0/task:0"


def devices(cpus: int = 1, gpus: int = 0, task: str = TASK) -> list[DeviceAttributes]:
    """CPUs, then GPUs, of a task."""
    kinds = [("CPU", number) for number in range(cpus)] + [("GPU", n) for n in range(gpus)]
    return [DeviceAttributes(f"{task}/device:{kind}:{n}", kind, 1 << 28, 1) for kind, n in kinds]


def placed(
    listed: Sequence[DeviceAttributes], soft: bool = False, kept: dict[str, str] | None = None
) -> Placement:
    """The placement of the default graph."""
    ops = tf.get_default_graph().get_operations()
    return place(ops, listed, task=TASK, allow_soft_placement=soft, kept=kept or {})


def where(placement: Placement, op: Operation | Any) -> str:
    """The device of an operation, short: "GPU:0"."""
    return placement.device_of(op.op.name if hasattr(op, "op") else op.name).split("device:")[1]


def placements(seed: int) -> list[list[str]]:
    """What `scripts/oracle/record_placements.py` records of TensorFlow, of tinytf."""
    found: list[list[str]] = []
    kept: dict[str, str] = {}
    soft = allows_soft_placement(seed)
    with tf.Graph().as_default() as graph:
        for _ in phases(tf, seed):
            try:
                placement = placed(devices(CPUS), soft, kept)
            except tf.errors.OpError as error:
                found.append([error_text(error)])
                break
            found.append(device_log_lines(placement))
            for op in graph.get_operations():
                if op.op_def.is_stateful:
                    kept[op.name] = placement.device_of(op.name)
    return found
