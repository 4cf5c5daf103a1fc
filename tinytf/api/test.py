"""`tf.test`: checks of gradients; whether there is a GPU. For tests there is Python's unittest."""

from __future__ import annotations

import re
from importlib.util import find_spec as _find_spec

from tinytf.api.names import explained
from tinytf.python.client import device_lib as _device_lib
from tinytf.testing.jacobians import compute_gradient, compute_gradient_error

__all__ = [
    "compute_gradient", "compute_gradient_error", "gpu_device_name", "is_built_with_cuda",
    "is_gpu_available",
]  # fmt: skip


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether a session has a GPU, be it a simulated one (TensorFlow: `tf.test.is_gpu_available`).

    Args:
      cuda_only: do not count simulated ones.
      min_cuda_compute_capability: (major, minor) that a GPU has to have at least.

    Example:
      >>> gpus = tinytf.devices.simulate_gpus(1)
      >>> tf.test.is_gpu_available(), tf.test.is_gpu_available(cuda_only=True)
      (True, False)
      >>> gpus = tinytf.devices.simulate_gpus(0)
    """
    for device in _device_lib.list_local_devices():
        if device.device_type != "GPU":
            continue
        description = device.physical_device_desc
        found = re.search(r"compute capability: (\d+)\.(\d+)", description)
        capability = (int(found[1]), int(found[2])) if found else (0, 0)
        if cuda_only and "Simulated" in description:
            continue
        if capability >= tuple(min_cuda_compute_capability or (0, 0)):
            return True
    return False


def gpu_device_name() -> str:
    """The name of the first GPU, "" if there is none (TensorFlow: `tf.test.gpu_device_name`).

    Example:
      >>> gpus = tinytf.devices.simulate_gpus(1)
      >>> tf.test.gpu_device_name()
      '/device:GPU:0'
      >>> gpus = tinytf.devices.simulate_gpus(0)
    """
    names = (d.name for d in _device_lib.list_local_devices() if d.device_type == "GPU")
    return next(names, "")


def is_built_with_cuda() -> bool:
    """Whether cupy is installed, by which CUDA cards are used (TensorFlow: of its own build).

    Example:
      >>> tf.test.is_built_with_cuda() in (True, False)
      True
    """
    return _find_spec("cupy") is not None


__getattr__ = explained(__name__, "test")
