"""What is said when the memory of a simulated GPU does not suffice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tinytf.devices.asking import readable
from tinytf.framework import dtypes

if TYPE_CHECKING:
    from tinytf.devices.memory import Taken

_LARGEST = 5
_REFUSALS = 3
#: TensorFlow's messages call these types by their names in C++.
_C_NAMES = {"float32": "float", "float64": "double", "float16": "half"}


@dataclass(frozen=True, slots=True)
class Holding:
    """Memory that somebody holds.

    Attributes:
      holder: a variable or operation; of other programs, what they are called.
      size: in bytes. what: the shape and type of a tensor; the number of a process.
    """

    holder: str
    size: int
    what: str


@dataclass(frozen=True, slots=True)
class Situation:
    """The account at the moment in which memory did not suffice; all sizes in bytes."""

    label: str
    total: int
    limit: int
    reserved: int
    in_use: int
    peak: int
    fraction: float
    holders: tuple[Holding, ...]
    others: tuple[Holding, ...]


def tensor(shape: tuple[int, ...], dtype: Any) -> str:
    """A tensor in the words of TensorFlow: "shape[10000,10000] and type float"."""
    try:
        name = dtypes.as_dtype(dtype).name
    except TypeError:
        name = str(dtype)
    return f"shape[{','.join(map(str, shape))}] and type {_C_NAMES.get(name, name)}"


def refused(label: str, total: int, taken: Taken, with_cures: bool = True) -> list[str]:
    """The lines of a program that does not get the memory it wants."""
    lines = [
        f"failed to allocate {_short(size)} ({size} bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: "
        f"out of memory"
        for size in taken.failed[:_REFUSALS]
    ]
    more = len(taken.failed) - _REFUSALS
    if more > 0:
        attempts = "attempt" if more == 1 else "attempts"
        lines.append(f"... and {more} more {attempts}, each for 90 % of the one before")
    outcome = f"goes on with {readable(taken.size)}" if taken.size else "gets nothing"
    others = _others(taken.others)
    lines.append(f"{label} has {readable(total)}. {others} This program {outcome}.")
    return [*lines, *_CURES] if with_cures else lines


_CURES = (
    "Three ways for programs to share GPUs, set in each of them before its first session:",
    '  a GPU of its own      os.environ["CUDA_VISIBLE_DEVICES"] = "1"',
    "  a part of the memory  tf.ConfigProto(gpu_options="
    "tf.GPUOptions(per_process_gpu_memory_fraction=0.4))",
    "  what it needs         tf.ConfigProto(gpu_options=tf.GPUOptions(allow_growth=True))",
    "A program keeps what it has taken until its process ends (a notebook: restart its kernel).",
)


def explained(size: int, now: Situation) -> str:
    """What follows TensorFlow's sentence: the numbers, who holds what, what to do."""
    lines = [
        f"{now.label}: {readable(size)} are wanted; {readable(now.in_use)} are in use, of "
        f"{readable(now.reserved)} that this program has taken, of {readable(now.limit)} that it "
        f"may take, of {readable(now.total)} in all."
    ]
    if now.holders:
        lines.append("What holds it, the largest first:")
        width = max(len(readable(one.size)) for one in now.holders[:_LARGEST])
        lines += [
            f"  {readable(one.size):>{width}}  {one.holder}  {one.what}"
            for one in now.holders[:_LARGEST]
        ]
        rest = now.holders[_LARGEST:]
        if rest:
            together = readable(sum(one.size for one in rest))
            lines.append(f"  and {len(rest)} more, {together} together")
    lines.append(_others(now.others))
    lines.append(f"What to do: {_advice(size, now)}.")
    return "\n".join(line for line in lines if line)


def _others(others: tuple[Holding, ...]) -> str:
    if not others:
        return ""
    listed = ", ".join(f"{one.holder} ({one.what}) {readable(one.size)}" for one in others[:8])
    return f"Other programs hold: {listed}."


def _advice(size: int, now: Situation) -> str:
    if size > now.total:
        return (
            "such a tensor fits on no GPU like this one: compute in smaller batches, or on the "
            'CPU, with tf.device("/cpu:0")'
        )
    could = now.in_use + size
    if now.fraction and could > now.limit and could <= now.total:
        return (
            f"per_process_gpu_memory_fraction is {now.fraction:g} in this process's first "
            f"session; a larger part would do (restart the kernel to change it)"
        )
    if now.others and could <= now.limit:
        return (
            "end the other program (restart its kernel), or have it take less: allow_growth, or "
            "per_process_gpu_memory_fraction; or use another GPU: CUDA_VISIBLE_DEVICES"
        )
    return (
        'compute in smaller batches, put large variables on the CPU, with tf.device("/cpu:0"), or '
        "fetch fewer tensors in one step"
    )


def _short(size: int) -> str:
    for unit, one in (("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10)):
        if size >= one:
            return f"{size / one:.2f}{unit}"
    return f"{size}B"
