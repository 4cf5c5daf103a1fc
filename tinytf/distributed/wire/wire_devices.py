"""Devices in messages."""

from __future__ import annotations

from tinytf.devices.device import DeviceAttributes
from tinytf.protos import device_attributes_pb2


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
        message.name, message.device_type, message.memory_limit, message.incarnation,
        message.physical_device_desc,
    )  # fmt: skip
