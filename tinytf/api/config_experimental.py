"""`tf.config.experimental`: where TensorFlow 1.14 and 1.15 have `list_physical_devices`."""

from __future__ import annotations

from typing import NamedTuple

from tinytf.api.names import explained
from tinytf.devices.messages import list_local_devices as _list_local_devices

__all__ = ["PhysicalDevice", "list_physical_devices"]

__getattr__ = explained(__name__, "config.experimental")


class PhysicalDevice(NamedTuple):
    """A device of this computer, or a simulated one.

    Example:
      >>> tf.config.list_physical_devices("CPU")[0].device_type
      'CPU'
    """

    name: str
    device_type: str


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The devices that this process can use (TensorFlow: `tf.config.list_physical_devices`).

    Args:
      device_type: only those of this type, "CPU" or "GPU".

    Example:
      >>> gpus = tinytf.devices.simulate_gpus(2)
      >>> [device.name for device in tf.config.list_physical_devices("GPU")]
      ['/physical_device:GPU:0', '/physical_device:GPU:1']
      >>> gpus = tinytf.devices.simulate_gpus(0)
    """
    return [
        PhysicalDevice(device.name.replace("/device:", "/physical_device:"), device.device_type)
        for device in _list_local_devices()
        if device_type in (None, device.device_type)
    ]
