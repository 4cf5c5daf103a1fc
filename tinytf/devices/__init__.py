"""Devices: the CPU, CUDA cards, simulated GPUs; their memory.

device        what a device is, and the CPU
opening       the devices of a task
messages      devices as messages
visible       which GPUs a program sees
asking        asking for simulated GPUs
simulated     GPUs that are simulated
memory        one process's account on one of them, and memory_texts: what it says
machine       the machine that they are in, which processes share
processes     who else there is
report        what `tinytf smi` shows
peaks         how much memory was in use at most
"""

from typing import Any

from tinytf.devices.asking import SimulatedGpus
from tinytf.devices.opening import open_devices, prepare_children, simulate_gpus

__all__ = ["SimulatedGpus", "open_devices", "peak_memory", "prepare_children", "simulate_gpus"]


def __getattr__(name: str) -> Any:
    """What is imported when it is asked for: `report`, `peak_memory`. Other names get advice."""
    import importlib
    from difflib import get_close_matches

    if name == "report":
        return importlib.import_module("tinytf.devices.report")
    if name == "peak_memory":
        return importlib.import_module("tinytf.devices.peaks").peak_memory
    near = get_close_matches(name, [*__all__, "report"], n=1)
    advice = f". Did you mean tf.devices.{near[0]}?" if near else ""
    raise AttributeError(f"module 'tinytf.devices' has no attribute {name!r}{advice}")
