"""Write tinytf/kernels/tensorflow_kernels.txt: TensorFlow's kernels of the op types that we have.

    .venv/bin/python scripts/oracle/kernel_table.py

It takes them from tests/oracle/data/kernels.pb.gz, which `dump_kernels.py` writes, and brings the
numbers in docs/gpu.md up to date; `scripts/check --fix` runs it, as needed whenever an op is added.
`tinytf/kernels/table.py` says how the file is read.
"""

from __future__ import annotations

import itertools
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import tinytf  # noqa: F401  (registers the op types)
from tests.conformance.registry import all_cases
from tests.oracle.environment import ROOT, write_atomically
from tests.oracle.tables import kernels
from tinytf.framework import registry
from tinytf.kernels import table as kernel_table
from tinytf.kernels.on_card import runs_on
from tinytf.kernels.table import FILE
from tinytf.protos import op_def_pb2, tensor_pb2

PAGE = ROOT / "docs" / "gpu.md"
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


def page(text: str) -> str:
    """docs/gpu.md with the numbers of today."""
    ways = [runs_on(name) for name in registry.op_defs if kernel_table.knows(name)]
    counts = {way: ways.count(way) for way in ("card", "card, rewritten", "host", "CPU only")}
    numbers = {rf'\| "{way}" \| %s \|': count for way, count in counts.items()}
    numbers[r"our %s op types"] = len(ways)
    numbers[r"%s op types have a kernel for GPUs"] = len(ways) - counts["CPU only"]
    numbers[r"GPUs, %s have none"] = counts["CPU only"]
    numbers[r"All %s conformance cases"] = len(all_cases())
    for phrase, number in numbers.items():
        before, after = phrase.split("%s")
        text = re.sub(f"({before})[\\d,]+({after})", rf"\g<1>{number:,}\g<2>", text)
    return text


if __name__ == "__main__":
    write_atomically(FILE, table().encode())
    write_atomically(PAGE, page(PAGE.read_text()).encode())
