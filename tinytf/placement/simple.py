"""Interim."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tinytf.framework.device_spec import DeviceSpec
from tinytf.framework.operation import Operation
from tinytf.placement.explicit import _overlay, check_requested_devices
from tinytf.placement.placement import Decision, Placement


def place(
    ops: Sequence[Operation], devices: Sequence[Any], *, task: str, allow_soft_placement: bool,
    kept: Mapping[str, str],
) -> Placement:  # fmt: skip
    """Interim."""
    names = [d.name for d in devices]
    check_requested_devices(ops, names, allow_soft_placement)
    decisions = {}
    for op in ops:
        wanted = DeviceSpec.from_string(op.device)
        fits = [n for n in names if _overlay(wanted, DeviceSpec.from_string(n)) == DeviceSpec.from_string(n)]
        decisions[op.name] = Decision(op.name, op.type, (fits or names)[0], op.device, (op.name,), tuple(fits or names), "interim")
    return Placement("simple", tuple(names), decisions)


def device_log_lines(placement: Placement) -> list[str]:
    """Interim."""
    return [f"{d.op}: ({d.op_type}): {d.device}" for d in placement.decisions.values()]
