"""Which kernels TensorFlow 2.15.1's GPU build has for our op types: for the CPU and for a GPU.

The table is a text file, read the first time that something asks. Under each op type there is a
line for each run of kernels that differ only in the types they take:

    AddV2
     GPU T: float half double             one kernel each for T in [DT_FLOAT], T in [DT_HALF] ...
     DEFAULT host(x,y,z) T: int32         it keeps x, y and z in host memory
    GatherV2
     GPU host(axis) Tparams/Tindices: float/int32 float/int64
    AvgPoolGrad
     GPU'cudnn' host(orig_input_shape) T: float     a label: only nodes that ask for it take it

A kernel for DEFAULT serves every type of device that has none of its own for the node's types.
`scripts/oracle/kernel_table.py` writes the file. TensorFlow: core/framework/op_kernel.cc.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tinytf.framework import dtypes

FILE = Path(__file__).with_name("tensorflow_kernels.txt")

_LINE = re.compile(r" (\w+)(?:'(\w+)')?(?: host\(([\w,]*)\))?(?: ([\w/]+))?(?:: (.*))?")


@dataclass(frozen=True, slots=True)
class Entry:
    """One kernel of TensorFlow's.

    Attributes:
      device_type: "CPU", "GPU" or "DEFAULT". label: "" for a kernel that nodes take unasked.
      constraints: attribute -> the one value the kernel takes, a DType, or bytes for a string.
      host_args: the arguments that are in host memory.
    """

    device_type: str
    label: str
    constraints: Mapping[str, Any]
    host_args: frozenset[str]

    def accepts(self, attrs: Mapping[str, Any]) -> bool:
        """Whether a node with these attributes can take it; a list has to be of one type."""
        for name, allowed in self.constraints.items():
            value = attrs.get(name)
            if value != allowed and not (
                type(value) is tuple and all(item == allowed for item in value)
            ):
                return False
        return True

    def __str__(self) -> str:
        label = f"; label='{self.label}'" if self.label else ""
        return f"  device='{self.device_type}'{label}" + "".join(
            f"; {name} in [{_in_messages(value)}]" for name, value in self.constraints.items()
        )


def _in_messages(value: Any) -> str:
    return enum_name(value) if isinstance(value, dtypes.DType) else f'"{value.decode()}"'


def enum_name(dtype: dtypes.DType) -> str:
    """A type as TensorFlow's messages write it: "DT_FLOAT" for float32."""
    short = {"float32": "float", "float64": "double", "float16": "half"}
    return f"DT_{short.get(dtype.name, dtype.name).upper()}"


@cache
def _blocks() -> dict[str, list[str]]:
    """The lines of each op type."""
    blocks: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in FILE.read_text("ascii").splitlines():
        if line[0] == " ":
            lines.append(line)
        else:
            lines = blocks[line] = []
    return blocks


@cache
def entries(op_type: str) -> tuple[Entry, ...] | None:
    """TensorFlow's kernels of an op type, in the order of its messages; None if it has no such op.

    Example:
      >>> [str(entry) for entry in entries("MatMul")][0]
      "  device='CPU'; T in [DT_INT64]"
    """
    lines = _blocks().get(op_type)
    if lines is None:
        return None
    return tuple(entry for line in lines for entry in _parse(line))


def knows(op_type: str) -> bool:
    """Whether an op type is TensorFlow's."""
    return op_type in _blocks()


def _parse(line: str) -> Iterator[Entry]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise ValueError(f"{FILE.name} has a line that says nothing: {line!r}")
    device_type, label, host, names, values = match.groups()
    host_args = frozenset(host.split(",") if host else ())
    for value in values.split(" ") if values else [""]:
        parts = map(_constraint, value.split("/") if value else ())
        constraints = dict(zip(names.split("/") if names else (), parts, strict=True))
        yield Entry(device_type, label or "", constraints, host_args)


@cache
def _constraint(text: str) -> Any:
    long = {"float": "float32", "double": "float64", "half": "float16"}
    return text.encode() if text.isupper() else dtypes.as_dtype(long.get(text, text))


@cache
def _constrained(op_type: str) -> tuple[str, ...]:
    """The attributes that the kernels of an op type are chosen by."""
    return tuple(dict.fromkeys(n for entry in entries(op_type) or () for n in entry.constraints))


#: What was found, by op type, type of device and the values of the constrained attributes.
_found: dict[tuple[Any, ...], Entry | None] = {}


def find(op_type: str, device_type: str, attrs: Mapping[str, Any]) -> Entry | None:
    """The kernel TensorFlow would take for a node with these attributes, or None."""
    key = (op_type, device_type, *map(attrs.get, _constrained(op_type)))
    if key not in _found:
        unlabelled = [e for e in entries(op_type) or () if not e.label and e.accepts(attrs)]
        of_device = [e for e in unlabelled if e.device_type == device_type]
        default = [e for e in unlabelled if e.device_type == "DEFAULT"]
        _found[key] = next(iter(of_device + default), None)
    return _found[key]
