"""What a device is: a name, a memory, and a way to run kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel

#: TensorFlow's figure for a CPU: it bounds nothing.
CPU_MEMORY_LIMIT = 256 << 20


@dataclass(slots=True, frozen=True)
class DeviceAttributes:
    """One device a session can use, as `Session.list_devices` shows it.

    Attributes:
      name: the full name. device_type: "CPU" or "GPU". memory_limit_bytes: as it says.
      incarnation: changes when the device's process restarts.
      description: of a GPU, TensorFlow's physical description; "simulated" is said here.
    """

    name: str
    device_type: str
    memory_limit_bytes: int
    incarnation: int
    description: str = ""

    def __repr__(self) -> str:
        simulated = ", simulated" if "Simulated" in self.description else ""
        return (
            f"_DeviceAttributes({self.name}, {self.device_type}, {self.memory_limit_bytes}, "
            f"{self.incarnation}{simulated})"
        )


class Memory(Protocol):
    """What a device with a memory of its own counts. All sizes in bytes. Thread-safe."""

    @property
    def limit(self) -> int:
        """What this process may use at most."""

    @property
    def in_use(self) -> int:
        """What its arrays hold now."""

    @property
    def peak(self) -> int:
        """The most that they have held at one time."""

    def restart_peak(self) -> int:
        """From now on `peak` is counted from what is in use now; returns what it has been."""

    def restore_peak(self, earlier: int) -> None:
        """Let `peak` be no less than it was before `restart_peak`."""

    def hold(self, array: Any, holder: str, allocator_of: str) -> None:
        """Count an array until it is freed, exactly; an array that is counted already is not again.

        Args:
          array: on the device. A view counts as what it is a view of; single numbers do not count.
          holder: whose it is, for the list of the largest: the name of a variable or operation.
          allocator_of: the full name of the device, for messages.

        Raises:
          ResourceExhaustedError: if it does not fit; the largest holders are listed.
        """


class Device:
    """A device that runs kernels in this process.

    Attributes:
      attributes: its name, type, memory limit.
      simulated: whether it only plays its part, on the CPU.
      array_module: numpy, or cupy.
      memory: what counts its memory; None for a CPU.
      copy_streams: whether copies to and from it go on while it computes.
    """

    simulated = False
    copy_streams = False
    memory: Memory | None = None
    array_module: Any = np

    def __init__(self, attributes: DeviceAttributes):
        self.attributes = attributes

    @property
    def name(self) -> str:
        """The full name, "/job:localhost/replica:0/task:0/device:CPU:0" for example."""
        return self.attributes.name

    @property
    def device_type(self) -> str:
        """Its type, "CPU" or "GPU"."""
        return self.attributes.device_type

    def adapt(
        self, function: Callable[..., Any], op: Operation, kernel: Kernel
    ) -> Callable[..., Any]:
        """A bound kernel in the form in which this device runs it.

        A GPU counts its memory here, chooses its stream, and turns the errors of its library into
        TensorFlow's. `kernel.wants_step` says whether the step is the first argument.
        """
        return function

    def copy_in(self, value: Any, holder: str) -> Any:
        """A value from host memory, on the device; `holder` as for `Memory.hold`."""
        return value

    def copy_out(self, value: Any) -> Any:
        """A value of the device, in host memory: a numpy array or scalar."""
        return value

    def __repr__(self) -> str:
        return f"<{'simulated ' if self.simulated else ''}device {self.name}>"


class CpuDevice(Device):
    """The processor and its memory: values are numpy arrays, and are passed on as they are."""
