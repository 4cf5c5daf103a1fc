"""`tf.config`: which devices there are. Sessions are configured by `tf.ConfigProto`."""

from tinytf.api import config_experimental as experimental
from tinytf.api.config_experimental import PhysicalDevice, list_physical_devices
from tinytf.api.names import explained as _explained

__all__ = ["PhysicalDevice", "experimental", "list_physical_devices"]

__getattr__ = _explained(__name__, "config")
