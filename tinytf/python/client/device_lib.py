"""`from tinytf.python.client import device_lib`, as programs for TensorFlow write it."""

from tinytf.devices.messages import list_local_devices

__all__ = ["list_local_devices"]
