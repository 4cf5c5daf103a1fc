"""Which kernel computes a node on a type of device, and which of its values are in host memory."""

from __future__ import annotations

from tinytf.framework import function_library, registry
from tinytf.framework.kernel_binding import reference_inputs
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel


def kernel_for(op: Operation, device_type: str) -> Kernel | None:
    """The kernel of a node on a type of device, or None."""
    return function_library.find_kernel(op, device_type)


def host_inputs(op: Operation, device_type: str) -> list[bool]:
    """For each input, whether it is in host memory."""
    return [True] * len(reference_inputs(op))


def host_outputs(op: Operation, device_type: str) -> list[bool]:
    """For each output, whether it is in host memory."""
    return [True] * len(op.outputs)


def describe_kernels(op_type: str) -> str:
    """The kernels of an op type in TensorFlow's format."""
    return "".join(f"  device='{kind}'\n" for kind in registry.kernels_of(op_type))
