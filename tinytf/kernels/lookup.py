"""Which kernel computes a node on a type of device, and which of its values are in host memory.

TensorFlow's own table (`table.py`) decides whether there is one: its kernels do not take all types
that the schemas allow, and the gaps are the same here, on CPUs and on GPUs. Kernels that the user
registered go first, with the types that they say. On a GPU, tinytf's kernels for the CPU compute.

>>> kernel_for(tf.Variable(3.0).op, "GPU") is None, kernel_for(tf.Variable(3).op, "GPU") is None
(False, True)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tinytf.devices.gpu_kernel import GpuKernel
from tinytf.framework import dtypes, function_library, registry
from tinytf.framework.op_def import ArgDef
from tinytf.framework.operation import Operation
from tinytf.framework.registry import Kernel
from tinytf.framework.tensor import Tensor
from tinytf.kernels import table
from tinytf.kernels.promises import HeldToPromises

#: Values of these types are in host memory on every device.
_ALWAYS_ON_HOST = (dtypes.string, dtypes.resource)
#: Calls have no kernels of their own that could say what they want where.
_CALLS = ("PartitionedCall", "StatefulPartitionedCall", "SymbolicGradient")


def kernel_for(op: Operation, device_type: str) -> Kernel | None:
    """The kernel of a node on a type of device ("CPU", "GPU"), or None if it has none there.

    Returns:
      for a GPU a `GpuKernel`, which also says what is in host memory.

    Example:
      >>> kernel_for(tf.constant([1, 2]).op, "GPU").host_outputs
      (True,)
    """
    kernel = function_library.find_kernel(op, device_type)
    if device_type == "CPU":
        if kernel is None or kernel.own:
            return None if kernel is None else _held_to_promises(kernel, op)
        known = table.knows(op.type) and table.find(op.type, "CPU", op.attrs) is None
        return None if known else kernel
    if kernel is not None:  # the user's, or the call of a function
        kernel = _held_to_promises(kernel, op)
        on_card = kernel.function if kernel.own else None
        return _on_gpu(kernel, op, on_card, kernel.host_args)
    entry = table.find(op.type, device_type, op.attrs)
    kernel = None if entry is None else _kernel_of_tinytf(op)
    if entry is None or kernel is None:
        return None
    from tinytf.kernels.on_card import function_on_card

    return _on_gpu(kernel, op, function_on_card(op, kernel), entry.host_args)


def _held_to_promises(kernel: Kernel, op: Operation) -> Kernel:
    return replace(kernel, function=HeldToPromises(kernel.function, op)) if kernel.own else kernel


def _kernel_of_tinytf(op: Operation) -> Kernel | None:
    """The kernel for the CPU, as it is without what the user registered."""
    kernel = function_library.find_kernel(op, "CPU")
    if kernel is None or not kernel.own:
        return kernel
    kernels = registry.kernels_of(op.type)["CPU"]
    return next((k for k in kernels if not k.own and k.accepts(op.attrs)), None)


def _on_gpu(
    kernel: Kernel, op: Operation, on_card: Callable[..., Any] | None, host_args: frozenset[str]
) -> GpuKernel:
    known = None if _is_call(op) else host_args
    same = kernel.op_type, "GPU", kernel.function, kernel.types, kernel.blocking
    inputs = tuple(_in_host_memory(op, known, op.op_def.inputs, op.inputs))
    outputs = tuple(_in_host_memory(op, known, op.op_def.outputs, op.outputs))
    return GpuKernel(*same, host_args, kernel.own, on_card, inputs, outputs)


def _is_call(op: Operation) -> bool:
    return op.type in _CALLS or op.type not in registry.op_defs


def host_inputs(op: Operation, device_type: str) -> list[bool]:
    """For each input of a node, whether its kernel on this type of device wants it in host memory.

    Example:
      >>> host_inputs(tf.reshape(tf.ones([4]), [2, 2]).op, "GPU")
      [False, True]
    """
    if device_type == "CPU":
        return [True] * len(op.inputs)
    return _in_host_memory(op, _host_args(op, device_type), op.op_def.inputs, op.inputs)


def host_outputs(op: Operation, device_type: str) -> list[bool]:
    """For each output of a node, whether its kernel on this type of device puts it in host memory.

    Example:
      >>> host_outputs(tf.shape(tf.placeholder(tf.float32)).op, "GPU")
      [True]
    """
    if device_type == "CPU":
        return [True] * len(op.outputs)
    return _in_host_memory(op, _host_args(op, device_type), op.op_def.outputs, op.outputs)


def _host_args(op: Operation, device_type: str) -> frozenset[str] | None:
    """The names of the arguments in host memory; None where there is no kernel to ask."""
    kernel = registry.find_kernel(op.type, device_type, op.attrs)
    if kernel is not None:
        return kernel.host_args
    entry = None if _is_call(op) else table.find(op.type, device_type, op.attrs)
    return None if entry is None else entry.host_args


def _in_host_memory(
    op: Operation,
    host_args: frozenset[str] | None,
    arguments: tuple[ArgDef, ...],
    tensors: Sequence[Tensor],
) -> list[bool]:
    types = [tensor.dtype.base_dtype for tensor in tensors]
    if host_args is None:
        # TensorFlow's rule where no kernel says: small integers are sizes and indices.
        return [dtype == dtypes.int32 or dtype in _ALWAYS_ON_HOST for dtype in types]
    return [
        name in host_args or dtype in _ALWAYS_ON_HOST
        for name, dtype in zip(_name_of_each(op, arguments), types, strict=True)
    ]


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
    lines = [str(entry) for entry in table.entries(op_type) or ()]
    for kernels in registry.kernels_of(op_type).values():
        # tinytf's own kernels are those of the table
        lines += [_describe(k) for k in kernels if k.own or not table.knows(op_type)]
    return "".join(f"{line}\n" for line in lines or ["  <no registered kernels>"])


def _describe(kernel: Kernel) -> str:
    line = f"  device='{kernel.device_type}'"
    for name, allowed in (kernel.types or {}).items():
        listed = sorted(allowed, key=lambda dtype: dtype.as_datatype_enum)
        line += f"; {name} in [{', '.join(map(table.enum_name, listed))}]"
    return line
