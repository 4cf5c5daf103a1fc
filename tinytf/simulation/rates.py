"""How fast devices and links are: assumed, from data sheets, or measured on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from tinytf.framework.device_spec import DeviceSpec
from tinytf.simulation.machine import Link


@dataclass(frozen=True, slots=True)
class Rates:
    """What one device gets done; an operation takes the longest of its parts, and the start.

    Attributes:
      dense: multiplications and additions a second in products of matrices and convolutions.
      functions: values of exp, tanh, random numbers and the like a second.
      memory: bytes read and written a second.
      start: seconds that every operation takes, whatever it does.
      source: where the figures are from.
    """

    dense: float
    functions: float
    memory: float
    start: float
    source: str

    def seconds(self, dense: float, functions: float, size: float) -> float:
        """The time of an operation with so much of each to do."""
        work = max(dense / self.dense, functions / self.functions, size / self.memory)
        return self.start + work


#: One core of the 2020s with numpy, in round figures; `measure_cpu` has those of this machine.
CPU = Rates(5e10, 1e9, 2e10, 3e-6, "assumed: one core, round figures")
#: The card of the white paper's time. Data sheet: 4.29 TFLOP/s (float32), 288 GB/s. A function is
#: counted as 16 operations; the time to start a kernel is the usual 10 us. A simulated GPU does
#: not run at this speed: the model only says what a real one would.
GPU = Rates(4.29e12, 4.29e12 / 16, 288e9, 1e-5, "assumed: data sheet of the NVIDIA Tesla K40")

#: Between CPU devices of one process nothing is copied. A Send, a Recv and two segments instead of
#: one are some 20 us of Python; another thread has to be woken.
HANDED_OVER = (1e-4, float("inf"), 1e-5)
#: PCI Express 3.0 x16: 15.75 GB/s by its specification, of which some 12 arrive.
PCI_EXPRESS = (1e-5, 12e9, 1e-5)
#: 10 gigabit Ethernet, and the time of a small remote call.
ETHERNET = (2e-4, 1.25e9, 1e-4)


def default_rates(device_type: str) -> Rates:
    """What is assumed of a device type: `CPU` or `GPU`."""
    return CPU if device_type == "CPU" else GPU


def beside_measurements(descriptions: Iterable[str]) -> dict[str, Rates]:
    """What to assume beside measured costs: a simulated GPU was measured at the CPU's speed.

    Args:
      descriptions: of all devices.
    """
    return {"GPU": CPU} if any("simulated" in text.lower() for text in descriptions) else {}


def default_links() -> Callable[[str, str], Link]:
    """What is assumed of the links between devices, by their full names.

    Devices of one task: handed over between CPUs, PCI Express from and to GPUs (each way of each
    card on its own). Tasks: Ethernet, where all that leaves a task shares one link.

    Example:
      >>> from tinytf.simulation.rates import default_links
      >>> task = "/job:localhost/replica:0/task:0"
      >>> default_links()(task + "/device:CPU:0", task + "/device:GPU:0")
      Link(latency=1e-05, bandwidth=12000000000.0, handling=1e-05, name='PCI Express')
    """
    leaving: dict[tuple[str | None, int | None, int | None], Link] = {}

    def link(source: str, destination: str) -> Link:
        a, b = DeviceSpec.from_string(source), DeviceSpec.from_string(destination)
        task = (a.job, a.replica, a.task)
        if task != (b.job, b.replica, b.task):
            return leaving.setdefault(task, Link(*ETHERNET, "Ethernet"))
        if a.device_type == b.device_type == "CPU":
            return Link(*HANDED_OVER, "memory")
        return Link(*PCI_EXPRESS, "PCI Express")

    return link


def measure_cpu(rounds: int = 5) -> Rates:
    """The rates of this machine's CPU with numpy, measured in some tens of milliseconds."""
    matrix = np.full((256, 256), 0.5, np.float32)
    vector = np.full(1 << 18, 0.5, np.float32)
    small = np.float32(1)

    def seconds(function: Callable[[], object]) -> float:
        best = float("inf")
        for _ in range(rounds):
            start = time.perf_counter()
            function()
            best = min(best, time.perf_counter() - start)
        return max(best, 1e-9)

    return Rates(
        dense=2 * 256**3 / seconds(lambda: matrix @ matrix),
        functions=vector.size / seconds(lambda: np.tanh(vector)),
        memory=3 * vector.nbytes / seconds(lambda: vector + vector),
        # Besides the call of numpy an operation has its share of the executor's work.
        start=2e-6 + seconds(lambda: small + small),
        source="measured on this machine",
    )
