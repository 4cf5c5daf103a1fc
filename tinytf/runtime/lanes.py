"""Lanes: one for each device of a step, on which units queue; lanes run side by side.

A tensor should leave as soon as it is there. So nodes share a segment only if they are on the same
lane and serve the same Sends: what one device waits for is not held up by what another has left
to do. A Recv that waits until something has run (`late_receives`) counts as a Send here.

Can such segments wait for each other in a circle? If a leads to b, then a serves all that b
serves. If another path leads back, both serve the same, and share a segment.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tinytf.devices.device import Device
from tinytf.framework.function_library import called_function
from tinytf.framework.operation import Operation
from tinytf.runtime.partition import crosses, leaves


class Lanes:
    """The lanes of a plan.

    Args:
      ops: of the step, producers first, with their devices assigned.
      devices: those used, by name, home first; None: everything runs at home.
      is_parallel: whether several threads may run the units of one lane.

    Attributes:
      devices: full names; a lane is a place in this list.
      are_streams: which run one unit at a time, in order: GPUs.
    """

    def __init__(
        self, ops: Sequence[Operation], devices: dict[str, Device] | None, is_parallel: bool
    ):
        self._ops = ops
        self.devices = list(devices) if devices else [""]
        self._number = {name: number for number, name in enumerate(self.devices)}
        self.are_streams = [":GPU:" in name for name in self.devices]
        self._several = len(self.devices) > 1
        self._is_parallel = is_parallel or self._several

    def of(self, op: Operation) -> int:
        """The lane of an operation."""
        return self._number[op.device] if self._several else 0

    def is_at_home(self, op: Operation) -> bool:
        """Whether it must run on the thread of the step: the bodies of functions do."""
        return self._is_parallel and (op.op_def.takes_functions or called_function(op) is not None)

    def kinds(self, is_barrier: Callable[[Operation], bool]) -> dict[Operation, object] | None:
        """For each operation what it has in common with others of its segment; None: no matter."""
        if not self._several:
            return None
        serves: dict[Operation, int] = {}
        sends = 0
        for op in reversed(self._ops):
            mask = serves.get(op, 0)
            if leaves(op):
                mask |= 1 << sends
                sends += 1
            elif crosses(op) and op.outputs and op._controls:
                for awaited in op._controls:
                    serves[awaited] = serves.get(awaited, 0) | 1 << sends
                sends += 1
            serves[op] = mask
            if mask and not is_barrier(op):
                for producer in (*(t.op for t in op._inputs), *op._controls):
                    serves[producer] = serves.get(producer, 0) | mask
        return {op: (self.of(op), serves[op]) for op in self._ops}
