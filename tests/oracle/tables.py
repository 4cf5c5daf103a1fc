"""TensorFlow 2.15.1's op schemas and kernels, from the committed dumps.

>>> [arg.name for arg in op_def("MatMul").input_arg]
['a', 'b']
>>> sorted(kernel_types("MatMul", "GPU")["T"])[:2]
['bfloat16', 'complex128']
"""

from __future__ import annotations

import gzip
from functools import cache
from typing import TYPE_CHECKING, Any

from tests.oracle.environment import DATA

if TYPE_CHECKING:
    from tinytf.protos import op_def_pb2

OP_DEFS = DATA / "op_defs.pb.gz"
KERNELS = DATA / "kernels.pb.gz"


@cache
def op_defs() -> dict[str, op_def_pb2.OpDef]:
    """All op schemas, by op type."""
    # Imported here, so that the scripts that write these files need no generated modules.
    from tinytf.protos import op_def_pb2

    listed = op_def_pb2.OpList.FromString(gzip.decompress(OP_DEFS.read_bytes()))
    return {op.name: op for op in listed.op}


def op_def(name: str) -> op_def_pb2.OpDef:
    """The schema of one op type; KeyError if TensorFlow has no such op."""
    try:
        return op_defs()[name]
    except KeyError:
        raise KeyError(
            f"TensorFlow 2.15.1 has no op {name!r}. For one of your own see docs/own_ops.md"
        ) from None


@cache
def _kernels() -> dict[str, list[op_def_pb2.KernelDef]]:
    from tinytf.protos import op_def_pb2

    listed = op_def_pb2.KernelList.FromString(gzip.decompress(KERNELS.read_bytes()))
    table: dict[str, list[op_def_pb2.KernelDef]] = {}
    for kernel in listed.kernel:
        table.setdefault(kernel.op, []).append(kernel)
    return table


def kernels(op_type: str, device_type: str | None = None) -> list[op_def_pb2.KernelDef]:
    """The GPU build's kernels of an op type, for "CPU", "GPU" or, with None, all registrations.

    A kernel registered for device type "DEFAULT" serves any device that has none of its own for
    the types in question, so those are listed too. Kernels with a label are left out for a device
    type: a node has to ask for one by its `_kernel` attribute.
    """
    registered = _kernels().get(op_type, [])
    if device_type is None:
        return registered
    unlabelled = [kernel for kernel in registered if not kernel.label]
    return [kernel for kernel in unlabelled if kernel.device_type in (device_type, "DEFAULT")]


def kernel_types(op_type: str, device_type: str) -> dict[str, set[str]]:
    """Per constrained attribute, the types (as dtype names) that some kernel accepts.

    An attribute that no kernel constrains is not in the answer; neither is one that is left free
    by any of the kernels. An op without a kernel for the device gives ValueError.
    """
    found = kernels(op_type, device_type)
    if not found:
        raise ValueError(f"TensorFlow has no {device_type} kernel for {op_type}.")
    table: dict[str, set[str]] = {}
    for kernel in found:
        for constraint in kernel.constraint:
            names = {dtype_name(value) for value in constraint.allowed_values.list.type}
            table.setdefault(constraint.name, set()).update(names)
    free = {
        name
        for name in table
        if any(name not in {c.name for c in kernel.constraint} for kernel in found)
    }
    return {name: types for name, types in table.items() if name not in free}


def host_args(op_type: str, device_type: str = "GPU") -> set[str]:
    """Arguments that every kernel of this device keeps in host memory.

    TensorFlow's GPU build computes some integer ops on the host by a kernel that keeps all its
    arguments there; such a kernel of one type does not make an argument a host argument.
    """
    found = kernels(op_type, device_type)
    return set.intersection(*(set(kernel.host_memory_arg) for kernel in found)) if found else set()


def dtype_name(value: int) -> str:
    """TensorFlow's name of a DataType number: "float32" for DT_FLOAT."""
    from tinytf.protos import tensor_pb2

    name: Any = tensor_pb2.DataType.Name(value).removeprefix("DT_").lower()
    return {"float": "float32", "double": "float64", "half": "float16"}.get(name, name)
