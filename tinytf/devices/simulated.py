"""Simulated GPUs: numpy on the CPU, by a GPU's rules for memory.

Whatever a kernel returns is counted in the GPU's memory until it is freed. Numbers are computed
as on the CPU.
"""

from __future__ import annotations

import atexit
import math
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from tinytf.devices import visible
from tinytf.devices.asking import SimulatedGpus
from tinytf.devices.device import Device, DeviceAttributes
from tinytf.devices.gpu_kernel import GpuKernel
from tinytf.devices.machine import Machine, SharedCard
from tinytf.devices.memory import GpuMemory, Options
from tinytf.framework import dtypes
from tinytf.framework.errors import ResourceExhaustedError
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.pending import Pending
from tinytf.framework.registry import Kernel

MODEL = "Simulated GPU"
#: That of the GRID K520 in the book's printouts: no unified memory, no half-precision units.
COMPUTE_CAPABILITY = "3.0"


class SimulatedGpu(Device):
    """A GPU that is only simulated.

    Args:
      attributes: its name, type, memory limit.
      memory: this process's account on the GPU.
    """

    simulated = True
    copy_streams = True

    def __init__(self, attributes: DeviceAttributes, memory: GpuMemory):
        super().__init__(attributes)
        self.memory = self._memory = memory

    def copy_in(self, value: Any, holder: str) -> Any:
        """A copy of a value from host memory; it is counted, single numbers apart."""
        if not isinstance(value, np.ndarray) or not value.ndim or value.dtype.hasobject:
            self._memory.touch()
            return value
        copy = value.copy(order="C")
        copy.flags.writeable = value.flags.writeable
        self._memory.hold(copy, holder, self.name)
        return copy

    def copy_out(self, value: Any) -> Any:
        """A copy in host memory: whoever keeps it keeps nothing on the GPU."""
        if not isinstance(value, np.ndarray) or value.dtype.hasobject:
            return value
        return value.copy(order="C") if value.ndim else value[()]  # it may be a view of more

    def adapt(
        self, function: Callable[..., Any], op: Operation, kernel: Kernel
    ) -> Callable[..., Any]:
        """The kernel, with what it returns counted; see `Device.adapt`."""
        return adapted(function, op, kernel, self._memory, self.name)


def adapted(
    function: Callable[..., Any], op: Operation, kernel: Kernel, memory: GpuMemory, device: str
) -> Callable[..., Any]:
    """A bound kernel that counts its results, and what the variables it has changed hold."""
    hold, holder = memory.hold, op.name
    counted = _on_device(op, kernel)
    changed = _variables_among(op, kernel)
    # What is read from a variable, or stays in it, has its memory already.
    largest = None if changed else _largest_output(op, counted)
    is_single = counted == [True] and not changed

    def run(*arguments: Any, **out: Any) -> Any:
        try:
            result = function(*arguments, **out)
        except MemoryError as error:
            raise out_of_host_memory(op, device, error) from None
        if is_single and type(result) is np.ndarray:
            hold(result, holder, device)
            return result
        if isinstance(result, Pending):
            return _counted_later(result, count)
        memory.touch()
        count(result)
        for number in changed:
            count_one(arguments[number])
        return result

    def count(result: Any) -> None:
        if isinstance(result, list | tuple):
            for value, here in zip(result, counted, strict=False):
                if here:
                    count_one(value)
        elif counted == [True]:
            count_one(result)

    def count_one(value: Any) -> None:
        if isinstance(value, np.ndarray):
            hold(value, holder, device)
        elif (arrays_held := getattr(value, "arrays_held", None)) is not None:
            for name, array in arrays_held():
                if not memory.hold_for(array, name, device, id(value)):
                    give_its_own(value, name, array)

    def give_its_own(variable: Any, name: str, array: np.ndarray) -> None:
        """Two variables of one value, such as zeros, have it twice, as in TensorFlow."""
        copy = array.copy(order="C")
        try:
            memory.hold_for(copy, name, device, id(variable))
        except ResourceExhaustedError:
            variable.clear()  # what has no memory has no value
            raise
        variable.separate(array, copy)

    if largest is None or largest[2] <= memory.limit:
        return run

    def refuse(*arguments: Any, **out: Any) -> Any:
        raise memory.exhausted(*largest, device)

    return refuse


def _variables_among(op: Operation, kernel: Kernel) -> list[int]:
    """Which arguments are variables themselves, not their values: they own what they are given."""
    return [
        number + kernel.wants_step
        for number, (tensor, takes_reference) in enumerate(
            zip(op.inputs, reference_inputs(op), strict=True)
        )
        if takes_reference or tensor.dtype is dtypes.resource
    ]


def _counted_later(inner: Pending, count: Callable[[Any], None]) -> Pending:
    """A promise of the same result, which is counted when it is there."""

    def counted(result: Any) -> Any:
        count(result)
        return result

    return inner.then(counted)


def _on_device(op: Operation, kernel: Kernel) -> list[bool]:
    """For each output, whether it is in the GPU's memory; the others stay in the host's."""
    if isinstance(kernel, GpuKernel):
        return [not on_host for on_host in kernel.host_outputs]
    return [True] * len(op.outputs)


def _largest_output(op: Operation, counted: list[bool]) -> tuple[tuple[int, ...], Any, int] | None:
    """Shape, type and size of the largest output, as far as the graph says; None for small ones.

    A tensor that cannot fit is refused before the computer tries to make room for it.
    """
    found = None
    for tensor, here in zip(op.outputs, counted, strict=True):
        shape = tensor.shape
        if not here or tensor.dtype.is_ref or not shape.is_fully_defined():
            continue
        if tensor.dtype.as_numpy_dtype is object:
            continue
        sizes = tuple(size or 0 for size in shape.as_list())
        size: int = tensor.dtype.size * math.prod(sizes)
        if size > max(_CHECKED_BEFORE, 0 if found is None else found[2]):
            found = (sizes, tensor.dtype.base_dtype, size)
    return found


#: Smaller tensors are made first and counted then.
_CHECKED_BEFORE = 1 << 20


def out_of_host_memory(op: Operation, device: str, error: MemoryError) -> ResourceExhaustedError:
    """What to say when the computer itself has no memory for what a simulated GPU would hold."""
    return ResourceExhaustedError(
        f"OOM when allocating the output of {op.name} on {device}: the GPU is simulated, and this "
        f"computer's own memory does not suffice ({error}). Use smaller tensors."
    )


# ------------------------------------------------------------------- the accounts of this process


class _Ours:
    """What this process uses: one machine at a time, and its accounts on the GPUs there."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.machine: Machine | None = None
        self.accounts: dict[int, GpuMemory] = {}


_ours = _Ours()


def use(wish: SimulatedGpus) -> Machine | None:
    """Use these GPUs from now on, and none that were used before; None if there are none.

    Raises:
      ValueError: if others use the machine, and it has other GPUs.
    """
    with _ours.lock:
        before = _ours.machine
        if before is not None and before.wish == wish:
            return before
        machine = Machine(wish) if wish.count else None
        if before is not None:
            if machine is not None and machine.wish.machine == before.wish.machine:
                before.replaced()
            else:
                before.leave()
        _ours.machine, _ours.accounts = machine, {}
        return machine


def own_accounts(name: str) -> dict[int, GpuMemory]:
    """The accounts of this process on the GPUs of a machine, by their numbers."""
    with _ours.lock:
        here = _ours.machine is not None and _ours.machine.wish.machine == name
        return dict(_ours.accounts) if here else {}


def _leave() -> None:
    if _ours.machine is not None:
        _ours.machine.leave()


def _forget() -> None:
    """In a child by fork: what the parent uses is the parent's."""
    global _ours
    _ours = _Ours()


atexit.register(_leave)
os.register_at_fork(after_in_child=_forget)


def open_simulated(
    wish: SimulatedGpus, config: Any, task: str, incarnation: int
) -> list[SimulatedGpu]:
    """The simulated GPUs that a session sees.

    Raises:
      InvalidArgumentError, InternalError: for options that make no sense.
    """
    shown = visible.by_environment(os.environ.get(visible.VARIABLE), wish.count)
    chosen = visible.by_options(config, len(shown))
    if not chosen:
        return []
    options = Options.of(config.gpu_options, os.environ.get("TF_FORCE_GPU_ALLOW_GROWTH"))
    machine = use(wish)
    if machine is None:
        return []
    devices = []
    for number, position in enumerate(chosen):
        gpu = shown[position]
        memory = _account(machine, gpu, options)
        attributes = DeviceAttributes(
            f"{task}/device:GPU:{number}",
            "GPU",
            memory.limit,
            incarnation,
            description(position, gpu),
        )
        devices.append(SimulatedGpu(attributes, memory))
    return devices


def description(position: int, gpu: int) -> str:
    """TensorFlow's line about a GPU; `position` is what the program counts, `gpu` the machine."""
    return (
        f"device: {position}, name: {MODEL}, pci bus id: {bus_id(gpu)}, compute capability: "
        f"{COMPUTE_CAPABILITY}"
    )


def bus_id(gpu: int) -> str:
    """Where a GPU of a machine would be plugged in."""
    return f"0000:{gpu + 3:02x}:00.0"


def _account(machine: Machine, gpu: int, options: Options) -> GpuMemory:
    with _ours.lock:
        found = _ours.accounts.get(gpu)
        if found is None:
            accounts = _ours.accounts

            def others() -> list[GpuMemory]:
                return [account for number, account in list(accounts.items()) if number != gpu]

            found = accounts[gpu] = GpuMemory(SharedCard(machine, gpu), options, others)
        if found.heeds(options) or options in found.refused:
            return found
        found.refused.add(options)
    print(
        f"Simulated GPU {gpu}: this process has taken memory already, {_text(found.options)}. "
        f"What this session asks for, {_text(options)}, is not heeded: the options of the first "
        f"session hold until the process ends.",
        flush=True,
    )
    return found


def _text(options: Options) -> str:
    part = f"{options.fraction:.0%} of the memory" if options.fraction else "all that is free"
    return f"{part}{' as it is needed' if options.growth else ''}"
