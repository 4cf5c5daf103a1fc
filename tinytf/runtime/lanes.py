"""Lanes: one for each device of a step, on which units queue; lanes run side by side.

A GPU has a stream, on which its operations run in order, one at a time: its lane. Copies to and
from a simulated GPU have streams of their own, so they go on while it computes; each is a lane too.

A tensor should leave as soon as it is there. So nodes share a segment only if they are on the same
lane and serve the same Sends: what one device waits for is not held up by what another has left
to do. A Recv that waits until something has run (`late_receives`) counts as a Send here.

Can such segments wait for each other in a circle? If a leads to b, then a serves all that b
serves. If another path leads back, both serve the same, and share a segment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from tinytf.devices.device import Device
from tinytf.framework.function_library import called_function
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.runtime.partition import crosses, is_copy, leaves


class Lanes:
    """The lanes of a plan.

    Args:
      ops: of the step, producers first, with their devices assigned.
      devices: those used, by name, home first; None: everything runs at home.
      is_parallel: whether several threads may run the units of one lane.
      transfers: the kernels of Sends and Recvs.

    Attributes:
      devices: full names, those of streams for copies behind them; a lane is a place in this list.
      are_streams: which run one unit at a time, in order: GPUs.
      copies: the streams of Recvs that have one of their own: ".../device:GPU:0/stream:h2d" for
        copies from host memory, "d2h" to host memory, "d2d" from another GPU.
    """

    def __init__(
        self,
        ops: Sequence[Operation],
        devices: dict[str, Device] | None,
        is_parallel: bool,
        transfers: Mapping[Operation, Kernel],
    ):
        self._ops = ops
        self.devices = list(devices) if devices else [""]
        self.copies = _copies(ops, devices or {}, transfers)
        self.devices.extend(dict.fromkeys(self.copies.values()))
        self._number = {name: number for number, name in enumerate(self.devices)}
        self.are_streams = [":GPU:" in name for name in self.devices]
        self._several = len(self.devices) > 1
        self._is_parallel = is_parallel or self._several

    def of(self, op: Operation) -> int:
        """The lane of an operation."""
        return self._number[self.copies.get(op, op.device)] if self._several else 0

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


def _copies(
    ops: Sequence[Operation], devices: dict[str, Device], transfers: Mapping[Operation, Kernel]
) -> dict[Operation, str]:
    """The streams of the Recvs that have one of their own; TensorFlow has the same ones."""
    found = dict[Operation, str]()
    for op in ops if any(device.copy_streams for device in devices.values()) else ():
        if op not in transfers or not is_copy(transfers[op]):
            continue
        source, destination = (op.attrs[f"{end}_device"].decode() for end in ("send", "recv"))
        if source == destination:
            continue  # between a GPU and its host memory: single numbers, mostly
        if devices[destination].copy_streams:
            kind = "h2d" if devices[source].memory is None else "d2d"
            found[op] = f"{destination}/stream:{kind}"
        elif devices[source].copy_streams:
            found[op] = f"{source}/stream:d2h"
    return found
