"""The outcome of placing: where every operation is, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Decision:
    """Where one operation is, and why.

    Attributes:
      op: its name. op_type: its type. device: the full name of the device chosen.
      requested: what `tf.device` asked for, canonical; "" for nothing.
      group: the names of all operations that must share its device, itself included.
      feasible: full names of the devices that could have been chosen, in order of preference.
      rule: one line: which rule chose among them.
    """

    op: str
    op_type: str
    device: str
    requested: str
    group: tuple[str, ...]
    feasible: tuple[str, ...]
    rule: str


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the operations of a graph are.

    Attributes:
      placer: "simple" or "cost model".
      devices: full names of the devices there were, in order of preference.
      decisions: by the name of the operation, in the graph's order.
      order: the names in the order in which they were placed, which is that of the log; () for
        the graph's order.
    """

    placer: str
    devices: tuple[str, ...]
    decisions: Mapping[str, Decision]
    order: tuple[str, ...] = ()

    def device_of(self, op: str) -> str:
        """The full name of the device of an operation, by its name."""
        if len(self.devices) == 1:
            return self.devices[0]
        return self.decisions[op].device
