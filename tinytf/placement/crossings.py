"""What crosses from device to device in a step: once for each tensor and destination.

The counting follows what the runtime does (`runtime/partition.py`): feeds come from the first CPU,
fetches go there, the host memory of a GPU is a place of its own, a control edge that crosses
carries no value, and what goes around a loop is copied before it comes to the loop's Merge.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

from tinytf.devices.asking import readable
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.tensor import Tensor
from tinytf.kernels.lookup import host_inputs, host_outputs

#: These have no value unless one is fed.
FEEDABLE = ("Placeholder", "PlaceholderV2")
_INTO_MERGE = ("Enter", "RefEnter", "NextIteration", "RefNextIteration")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a value is: a device by its full name, and whether it is in a GPU's host memory."""

    device: str
    on_host: bool = False


@dataclass(frozen=True, slots=True)
class Crossing:
    """One transfer.

    Attributes:
      maker: the operation that it comes from. tensor: None if only the news that it ran crosses.
      source, target: from where to where. users: the operations that take it there.
      is_fed, is_fetched: whether it comes from the caller, and goes to it.
    """

    maker: Operation
    tensor: Tensor | None
    source: Place
    target: Place
    users: tuple[Operation, ...]
    is_fed: bool = False
    is_fetched: bool = False

    @property
    def name(self) -> str:
        """What crosses, as TensorFlow writes it: "x:0", or "^x" for a control edge."""
        return f"^{self.maker.name}" if self.tensor is None else self.tensor.name

    @property
    def size(self) -> int | None:
        """Its bytes; None where they are not known before the step runs."""
        if self.tensor is None:
            return 0
        elements, each = self.tensor.shape.num_elements(), self.tensor.dtype.base_dtype.size
        return elements * each if elements is not None and each else None

    @property
    def amount(self) -> str:
        """Its size as text: "3.1 KiB"; "3.1 KiB × ?" where one dimension is open; "no value"."""
        if self.tensor is None:
            return "no value"
        sizes, each = self.tensor.shape.sizes, self.tensor.dtype.base_dtype.size
        if sizes is None or not each:
            return "size unknown"
        known = readable(each * math.prod(size for size in sizes if size is not None))
        return known + " × ?" * sizes.count(None)


class Places:
    """Where the values of a step are, and where they are wanted.

    Args:
      device_of: the full name of the device of an operation. home: the first CPU.
      fed: tensors whose values come from the caller.
    """

    def __init__(self, device_of: Callable[[Operation], str], home: str, fed: Collection[Tensor]):
        self._device_of, self.home, self.fed = device_of, home, frozenset(fed)

    def device_of(self, op: Operation) -> str:
        """Where an operation runs."""
        if op.type in _INTO_MERGE:
            merge = next((c for c in op.outputs[0].consumers() if c.type.endswith("Merge")), op)
            return self._device_of(merge)
        return self._device_of(op)

    def place_of(self, tensor: Tensor) -> Place:
        """Where a value is made."""
        if tensor in self.fed:
            return Place(self.home)
        device = self.device_of(tensor.op)
        kind = _type_of(device)
        return Place(device, kind != "CPU" and host_outputs(tensor.op, kind)[tensor.value_index])

    def inputs_of(self, op: Operation) -> list[tuple[Tensor, Place]]:
        """The inputs of an operation, and where it wants each."""
        device = self.device_of(op)
        kind = _type_of(device)
        wanted = zip(op.inputs, reference_inputs(op), host_inputs(op, kind), strict=True)
        return [
            (t, self.place_of(t) if by_reference else Place(device, on_host and kind != "CPU"))
            for t, by_reference, on_host in wanted
        ]

    def crossings(self, ops: Iterable[Operation], fetched: Iterable[Tensor] = ()) -> list[Crossing]:
        """What crosses in a step.

        Args:
          ops: what runs. fetched: tensors whose values go to the caller.
        """
        users: dict[tuple[Operation, Tensor | None, Place, Place], list[Operation]] = {}
        for op in ops:
            for tensor, wanted in self.inputs_of(op):
                users.setdefault((tensor.op, tensor, self.place_of(tensor), wanted), []).append(op)
            here = Place(self.device_of(op))
            for control in op.control_inputs:
                if control.type not in FEEDABLE or control.outputs[0] not in self.fed:
                    there = Place(self.device_of(control))
                    users.setdefault((control, None, there, here), []).append(op)
        fetches = [(t.op, t, self.place_of(t), Place(self.home)) for t in fetched]
        return [
            Crossing(*key, tuple(users.get(key, ())), key[1] in self.fed, key in fetches)
            for key in dict.fromkeys([*users, *fetches])
            if key[2] != key[3]
        ]


def _type_of(device: str) -> str:
    return device.rpartition("/device:")[2].partition(":")[0] or "CPU"
