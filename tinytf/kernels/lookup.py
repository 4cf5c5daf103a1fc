"""Which kernel computes a node on a type of device, and which of its values are in host memory.

A CPU runs the kernels that are registered for it. A GPU runs

  * a kernel that was registered for GPUs (`card.kernel(device="GPU")`), if one takes the node;
  * else the CPU's, on the GPU's arrays, exactly where TensorFlow's GPU build has a kernel for the
    node's types, so the gaps are TensorFlow's: no int32 variables, no strings.

>>> kernel_for(tf.Variable(3.0).op, "GPU") is None, kernel_for(tf.Variable(3).op, "GPU") is None
(False, True)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tinytf.framework import dtypes, function_library, registry
from tinytf.framework.op_def import ArgDef
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.kernels import table

#: Values of these types are in host memory on every device.
_ALWAYS_ON_HOST = (dtypes.string, dtypes.resource)
#: Calls have no kernels of their own that could say what they want where.
_CALLS = ("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient")


def kernel_for(op: Operation, device_type: str) -> Kernel | None:
    """The kernel of a node on a type of device ("CPU", "GPU"), or None if it has none there.

    Example:
      >>> kernel_for(tf.constant([1, 2]).op, "GPU").host_args
      frozenset({'output'})
    """
    registered = function_library.find_kernel(op, device_type)
    if registered is not None or device_type == "CPU":
        return registered
    kernel = function_library.find_kernel(op, "CPU")
    entry = table.find(op.type, device_type, op.attrs)
    if kernel is None or entry is None:
        return None
    return replace(kernel, device_type=device_type, host_args=entry.host_args)


def host_inputs(op: Operation, device_type: str) -> list[bool]:
    """For each input of a node, whether its kernel on this type of device wants it in host memory.

    Example:
      >>> host_inputs(tf.reshape(tf.ones([4]), [2, 2]).op, "GPU")
      [False, True]
    """
    types = [tensor.dtype.base_dtype for tensor in op.inputs]
    return _in_host_memory(op, device_type, op.op_def.inputs, types)


def host_outputs(op: Operation, device_type: str) -> list[bool]:
    """For each output of a node, whether its kernel on this type of device puts it in host memory.

    Example:
      >>> host_outputs(tf.shape(tf.ones([4])).op, "GPU")
      [True]
    """
    types = [tensor.dtype.base_dtype for tensor in op.outputs]
    return _in_host_memory(op, device_type, op.op_def.outputs, types)


def _in_host_memory(
    op: Operation, device_type: str, arguments: tuple[ArgDef, ...], types: list[dtypes.DType]
) -> list[bool]:
    if device_type == "CPU":
        return [True] * len(types)
    host_args = _host_args(op, device_type)
    if host_args is None:
        # TensorFlow's rule where no kernel says: small integers are sizes and indices.
        return [dtype == dtypes.int32 or dtype in _ALWAYS_ON_HOST for dtype in types]
    names = _name_of_each(op, arguments)
    return [
        name in host_args or dtype in _ALWAYS_ON_HOST
        for name, dtype in zip(names, types, strict=True)
    ]


def _host_args(op: Operation, device_type: str) -> frozenset[str] | None:
    """The names of the arguments in host memory; None where there is no kernel to ask."""
    kernel = registry.find_kernel(op.type, device_type, op.attrs)
    if kernel is not None:
        return kernel.host_args
    if op.type in _CALLS:
        return None
    entry = table.find(op.type, device_type, op.attrs)
    return None if entry is None else entry.host_args


def _name_of_each(op: Operation, arguments: tuple[ArgDef, ...]) -> Iterator[str]:
    """For each value of a node, the name of the argument it belongs to."""
    for argument in arguments:
        count = 1
        if argument.number_attr is not None:
            count = op.attrs[argument.number_attr]
        elif argument.type_list_attr is not None:
            count = len(op.attrs[argument.type_list_attr])
        for _ in range(count):
            yield argument.name


def describe_kernels(op_type: str) -> str:
    """The kernels of an op type, a line each, as TensorFlow's messages list them.

    Example:
      >>> print(describe_kernels("StringJoin"), end="")
        device='CPU'
    """
    entries = table.entries(op_type)
    lines = [str(entry) for entry in entries or ()]
    for device_type, kernels in registry.kernels_of(op_type).items():
        if entries is None or device_type != "CPU":  # the table's CPU kernels are these
            lines += [_describe(kernel) for kernel in kernels]
    return "".join(f"{line}\n" for line in lines or ["  <no registered kernels>"])


def _describe(kernel: Kernel) -> str:
    line = f"  device='{kernel.device_type}'"
    for name, allowed in (kernel.types or {}).items():
        listed = sorted(allowed, key=lambda dtype: dtype.as_datatype_enum)
        line += f"; {name} in [{', '.join(map(table.enum_name, listed))}]"
    return line
