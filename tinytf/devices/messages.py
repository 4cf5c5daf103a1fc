"""Devices as messages (TensorFlow: `tensorflow.python.client.device_lib`)."""

from __future__ import annotations

import os
from typing import Any

from tinytf.devices.device import DeviceAttributes
from tinytf.devices.opening import open_devices
from tinytf.protos import config_pb2, device_attributes_pb2

__all__ = ["list_local_devices"]


def list_local_devices(session_config: Any = None) -> list[device_attributes_pb2.DeviceAttributes]:
    """The devices of this process, as a session would see them.

    No memory of a GPU is taken. (In TensorFlow, asking decides how the process takes memory.)

    Args:
      session_config: a `ConfigProto`.

    Returns:
      a list of `DeviceAttributes` messages: name, device_type, memory_limit, incarnation; of a GPU
      also physical_device_desc, which says when the GPU is simulated.

    Raises:
      InvalidArgumentError: for a configuration that names GPUs that are not there.

    Example:
      >>> from tinytf.python.client import device_lib
      >>> device_lib.list_local_devices()[0].name
      '/device:CPU:0'
    """
    machine = int.from_bytes(os.urandom(8), "little")
    devices = open_devices(session_config or config_pb2.ConfigProto(), "", machine)
    messages = [device_message(device.attributes) for device in devices]
    for message in messages:
        message.locality.SetInParent()
    return messages


def device_message(device: DeviceAttributes) -> device_attributes_pb2.DeviceAttributes:
    """A device as a message tells it."""
    return device_attributes_pb2.DeviceAttributes(
        name=device.name,
        device_type=device.device_type,
        memory_limit=device.memory_limit_bytes,
        incarnation=device.incarnation,
        physical_device_desc=device.description,
        xla_global_id=-1,
    )


def device_of(message: device_attributes_pb2.DeviceAttributes) -> DeviceAttributes:
    """The device that a message tells of."""
    return DeviceAttributes(
        message.name,
        message.device_type,
        message.memory_limit,
        message.incarnation,
        message.physical_device_desc,
    )
