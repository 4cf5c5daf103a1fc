"""Write tinytf/kernels/tensorflow_kernels.txt: TensorFlow's kernels of the op types that we have.

    .venv/bin/python scripts/oracle/kernel_table.py

It takes them from tests/oracle/data/kernels.pb.gz, which `dump_kernels.py` writes; run it again
whenever an op is added. `tinytf/kernels/table.py` says how the file is read.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tinytf  # noqa: F401  (registers the op types)
from tests.oracle.environment import write_atomically
from tests.oracle.tables import kernels
from tinytf.framework import registry
from tinytf.kernels.table import FILE
from tinytf.protos import op_def_pb2, tensor_pb2

#: TensorFlow replaces these before it places a graph; where they can be is where the other can.
REPLACED = {"AccumulateNV2": "AddN"}


def table() -> str:
    """The text of the file."""
    lines = []
    for op_type in sorted(registry.op_defs):
        lines.append(op_type)
        listed = kernels(REPLACED.get(op_type, op_type))
        # A GPU's iterators are for prefetching onto it. Those of the CPU go first, and are ours.
        # Where the GPU's go first (transforms), the CPU has its own all the same.
        first = max((kernel.priority for kernel in listed), default=0)
        listed = [k for k in listed if k.priority == first or k.device_type == "CPU"]
        for head, run in itertools.groupby(listed, _head):
            values = " ".join(filter(None, ("/".join(map(_value, k.constraint)) for k in run)))
            lines.append(f" {head}{': ' if values else ''}{values}")
    return "\n".join(lines) + "\n"


def _head(kernel: op_def_pb2.KernelDef) -> str:
    """What a line starts with: device, label, host-memory arguments, constrained attributes."""
    label = f"'{kernel.label}'" if kernel.label else ""
    host = f" host({','.join(kernel.host_memory_arg)})" if kernel.host_memory_arg else ""
    names = f" {'/'.join(c.name for c in kernel.constraint)}" if kernel.constraint else ""
    return f"{kernel.device_type}{label}{host}{names}"


def _value(constraint: op_def_pb2.KernelDef.AttrConstraint) -> str:
    (value,) = [*constraint.allowed_values.list.type, *constraint.allowed_values.list.s]
    if isinstance(value, bytes):
        return value.decode()
    name: str = tensor_pb2.DataType.Name(value)
    return name.removeprefix("DT_").lower()


if __name__ == "__main__":
    write_atomically(FILE, table().encode())
