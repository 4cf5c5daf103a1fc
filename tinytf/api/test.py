"""`tf.test`: test cases, checks of gradients, and whether there is a GPU."""

from __future__ import annotations

import re
from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING

from tinytf.api.names import explained as _explained
from tinytf.protos import config_pb2 as _config_pb2
from tinytf.python.client import device_lib as _device_lib

if _TYPE_CHECKING:
    from tinytf.testing.benchmark import Benchmark as Benchmark
    from tinytf.distributed.server.local_servers import create_local_cluster as create_local_cluster
    from tinytf.testing.jacobians import compute_gradient as compute_gradient
    from tinytf.testing.jacobians import compute_gradient_error as compute_gradient_error
    from tinytf.testing.proto_assertions import assert_equal_graph_def as assert_equal_graph_def
    from tinytf.testing.stubs import StubOutForTesting as StubOutForTesting
    from tinytf.testing.temporary import temporary_folder as get_temp_dir
    from tinytf.testing.test_case import TestCase as TestCase
    from tinytf.testing.test_case import main as main
    from unittest import mock as mock

__all__ = ["Benchmark", "StubOutForTesting", "TestCase", "assert_equal_graph_def"]
__all__ += ["benchmark_config", "compute_gradient", "compute_gradient_error"]
__all__ += ["create_local_cluster", "get_temp_dir", "gpu_device_name", "is_built_with_cuda"]
__all__ += ["is_built_with_gpu_support", "is_built_with_rocm", "is_built_with_xla"]
__all__ += ["is_gpu_available", "main", "mock", "test_src_dir_path"]


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


def is_built_with_gpu_support() -> bool:
    """The same as `is_built_with_cuda` (TensorFlow: `tf.test.is_built_with_gpu_support`).

    Example:
      >>> tf.test.is_built_with_gpu_support() == tf.test.is_built_with_cuda()
      True
    """
    return is_built_with_cuda()


def is_built_with_rocm() -> bool:
    """False: there is nothing for AMD's cards (TensorFlow: `tf.test.is_built_with_rocm`).

    Example:
      >>> tf.test.is_built_with_rocm()
      False
    """
    return False


def is_built_with_xla() -> bool:
    """False: there is no XLA (TensorFlow: `tf.test.is_built_with_xla`).

    Example:
      >>> tf.test.is_built_with_xla()
      False
    """
    return False


def benchmark_config() -> _config_pb2.ConfigProto:
    """A configuration for benchmarks, which keeps control edges as they are written.

    TensorFlow: `tf.test.benchmark_config`.

    Example:
      >>> sess = tf.Session(config=tf.test.benchmark_config())
    """
    config = _config_pb2.ConfigProto()
    off = _config_pb2.RewriterConfig.OFF
    config.graph_options.rewrite_options.dependency_optimization = off
    return config


def test_src_dir_path(relative_path: str) -> str:
    """A path below the folder of the sources of tests (TensorFlow: `tf.test.test_src_dir_path`).

    Args:
      relative_path: below "org_tensorflow/tensorflow" in the folder that the environment variable
        TEST_SRCDIR names.

    Raises:
      KeyError: if there is no such variable; Bazel, TensorFlow's own build, sets it.

    Example:
      >>> import os
      >>> os.environ["TEST_SRCDIR"] = "/build"
      >>> tf.test.test_src_dir_path("core/data.csv")
      '/build/org_tensorflow/tensorflow/core/data.csv'
      >>> del os.environ["TEST_SRCDIR"]
    """
    import os

    return os.path.join(os.environ["TEST_SRCDIR"], "org_tensorflow/tensorflow", relative_path)


__getattr__ = _explained(__name__, "test")
