"""The devices of a task: CPUs first, then the GPUs that the program sees."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tinytf.devices import asking
from tinytf.devices.asking import DEFAULT_MEMORY, SimulatedGpus
from tinytf.devices.device import CPU_MEMORY_LIMIT, CpuDevice, Device, DeviceAttributes
from tinytf.framework.errors import NotFoundError, UnimplementedError


def open_devices(config: Any, task: str, incarnation: int) -> list[Device]:
    """The devices of a task.

    Args:
      config: a `ConfigProto`; `device_count`, `gpu_options` and the environment variable
        CUDA_VISIBLE_DEVICES say which there are.
      task: its full name, "/job:localhost/replica:0/task:0". incarnation: as in DeviceAttributes.

    Returns:
      CPUs, then GPUs, each in the order of their numbers. GPUs are simulated ones if these were
      asked for, else CUDA cards, if there are any.

    Raises:
      InvalidArgumentError: for options that name what is not there. NotFoundError: for no CPU.
      UnimplementedError: for virtual devices. ValueError: for environment variables of nonsense.

    Example:
      >>> config = tf.ConfigProto(device_count={"CPU": 2})
      >>> devices = tinytf.devices.open_devices(config, "/job:localhost/replica:0/task:0", 1)
      >>> [device.name for device in devices if device.device_type == "CPU"][1]
      '/job:localhost/replica:0/task:0/device:CPU:1'
    """
    count = dict(config.device_count).get("CPU", 1)
    if count < 1:
        raise NotFoundError(
            f"No CPU devices are available in this process: device_count asks for "
            f"{count}. Every session needs one, which feeds and fetches go through: leave "
            f'device_count["CPU"] out, or ask for 1 or more.'
        )
    cpus: list[Device] = [
        CpuDevice(DeviceAttributes(f"{task}/device:CPU:{n}", "CPU", CPU_MEMORY_LIMIT, incarnation))
        for n in range(count)
    ]
    return cpus + _gpus(config, task, incarnation)


def _gpus(config: Any, task: str, incarnation: int) -> list[Device]:
    if dict(config.device_count).get("GPU", 1) <= 0:
        return []
    if config.gpu_options.experimental.virtual_devices:
        raise UnimplementedError(
            "gpu_options.experimental.virtual_devices: tinytf does not split one GPU into several. "
            "Simulate as many as the lesson wants, with the memory that each part should have: "
            "tinytf.devices.simulate_gpus(2, memory='2GiB')."
        )
    wish = asking.asked()
    if wish is not None:
        from tinytf.devices.simulated import open_simulated

        asking.export(wish)
        return list(open_simulated(wish, config, task, incarnation))
    if find_spec("cupy") is None or find_spec("tinytf.devices.cuda") is None:
        return []
    cuda: Any = import_module("tinytf.devices.cuda")
    return list(cuda.cuda_devices(config, task, incarnation))


def simulate_gpus(
    count: int, memory: int | str = DEFAULT_MEMORY, machine: str | None = None
) -> SimulatedGpus:
    """Simulate GPUs in this process, and in the processes that it starts.

    Sessions that are opened from now on have them as "/gpu:0" and so on, before any real card.
    They compute with numpy on the CPU, under a GPU's rules: a memory of their own with a limit,
    operations that have no kernel for GPUs, copies between them and the CPU. The environment
    variables TINYTF_SIMULATED_GPUS (2, or 2x4GiB) and TINYTF_SIMULATED_MACHINE do the same.

    Sessions that are open already keep the devices they have. Asking for the same again changes
    nothing. Asking for something else starts afresh: what this process held of the GPUs it had
    before is no longer counted there.

    Args:
      count: how many, 64 at most; 0: none from now on.
      memory: of each: "4GiB", "512MiB", or a number of bytes.
      machine: the name of the machine that they are in. Programs that name the same machine share
        its GPUs and compete for their memory. By default it is the one that this process is in
        already; at first, one that it shares with nobody but the processes that it starts.

    Returns:
      what was asked for; it says so when it is shown.

    Raises:
      ValueError: for more GPUs than sense, for a memory or a name of nonsense, and if the machine
        is in use by others with other GPUs.

    Example:
      >>> gpus = tinytf.devices.simulate_gpus(2, memory="1GiB")
      >>> with tf.Session() as two:
      ...     [device.name for device in two.list_devices()][-1]
      '/job:localhost/replica:0/task:0/device:GPU:1'
      >>> gpus = tinytf.devices.simulate_gpus(0)
    """
    wish = asking.check(count, memory, machine, "simulate_gpus")
    from tinytf.devices.simulated import use

    use(wish)
    asking.export(wish)
    return wish


def prepare_children() -> None:
    """Call it before starting a process that shall see the same simulated GPUs as this one.

    It is needed where the environment asks for simulated GPUs and does not name their machine.

    Raises:
      ValueError: for environment variables of nonsense.

    Example:
      >>> tinytf.devices.prepare_children()
    """
    wish = asking.asked()
    if wish is not None:
        asking.export(wish)
