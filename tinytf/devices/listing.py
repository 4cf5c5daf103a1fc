"""The devices of this process as messages (TensorFlow: `tensorflow.python.client.device_lib`)."""

from __future__ import annotations

import os
from typing import Any

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
    devices = open_devices(
        session_config or config_pb2.ConfigProto(), "", int.from_bytes(os.urandom(8), "little")
    )
    return [
        device_attributes_pb2.DeviceAttributes(
            name=device.name,
            device_type=device.device_type,
            memory_limit=device.attributes.memory_limit_bytes,
            locality=device_attributes_pb2.DeviceLocality(),
            incarnation=device.attributes.incarnation,
            physical_device_desc=device.attributes.description,
            xla_global_id=-1,
        )
        for device in devices
    ]
