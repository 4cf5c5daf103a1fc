"""Activities: which node ran when, on which row, and who gave it what."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

#: Of a transfer: "[8B] edge_1_v from A to B"; a real TensorFlow's servers also say how fast.
ROUTE = re.compile(r"\[(?:\d+B)?\]?(?: \[[\d.]+Mb/s\])? ?(.*) from (\S+) to (\S+)\Z")


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
    def sends(self) -> list[tuple[str, str]]:
        """Of a Send: (edge, device that it goes to), one for each input that is known."""
        parts = [name.partition(" @") for name in self.inputs if self.op == "_Send"]
        return [(edge, target) for edge, found, target in parts if found]

    @property
    def arrival(self) -> tuple[str, str, str] | None:
        """Of what arrives from another device: (edge, sender, receiver)."""
        route = ROUTE.match(self.label) if self.op in ("_Recv", "RecvTensor") else None
        return None if route is None else (route[1], route[2], route[3])

    @property
    def size(self) -> int:
        """Bytes of all that it made."""
        return sum(made.size for made in self.made)


def is_gpu_trace(device: str) -> bool:
    """Whether a device is one that stands for a GPU's streams."""
    return "/stream:" in device or "/memcpy" in device
