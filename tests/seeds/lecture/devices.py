"""Which devices this machine has, as a TensorFlow of one's own says after it was installed."""

from tensorflow.python.client import device_lib

devices = device_lib.list_local_devices()
print([device.device_type for device in devices], devices[0].name.endswith("CPU:0"))
