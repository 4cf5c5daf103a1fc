"""`tf.config`: which devices there are. Sessions are configured by `tf.ConfigProto`."""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple, NoReturn

from tinytf.api.names import explained
from tinytf.python.client import device_lib as _device_lib

__all__ = ["PhysicalDevice", "experimental", "list_physical_devices"]


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
        for device in _device_lib.list_local_devices()
        if device_type in (None, device.device_type)
    ]


class _Experimental(SimpleNamespace):
    """`tf.config.experimental`: TensorFlow 1.14 and 1.15 have `list_physical_devices` only here."""

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__"):  # what Python looks for by itself
            raise AttributeError(name)
        _unknown(f"experimental.{name}")


_unknown = explained(__name__, "config")
experimental = _Experimental(list_physical_devices=list_physical_devices)

__getattr__ = _unknown
