"""Asking for simulated GPUs, by a call or by the environment.

Three environment variables carry what was asked for, so that the processes which this one starts
see the same machine:

    TINYTF_SIMULATED_GPUS     "2", or "2x4GiB" with the memory of each
    TINYTF_SIMULATED_MACHINE  the name of the machine they are in
    TINYTF_MACHINES           the folder in which machines are kept; see `machine`
"""

from __future__ import annotations

import itertools
import os
import re
from dataclasses import dataclass

from tinytf.devices import processes

GPUS_VARIABLE = "TINYTF_SIMULATED_GPUS"
MACHINE_VARIABLE = "TINYTF_SIMULATED_MACHINE"

DEFAULT_MEMORY = "4GiB"
MOST_GPUS = 64
LEAST_MEMORY, MOST_MEMORY = 1 << 20, 1 << 44
#: What begins like this is a machine of one process and its children, and ends with them.
OWN = "own-"

_UNITS = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_UNITS |= {f"{one}iB": size for one, size in _UNITS.items() if one in "KMGT" and one}
_UNITS |= {f"{one}B": 1000**power for power, one in enumerate("KMGT", start=1)}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([A-Za-z]*)\s*")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")


@dataclass(frozen=True, slots=True)
class SimulatedGpus:
    """The simulated GPUs of a machine, as they were asked for.

    Attributes:
      count: how many; 0 for none. memory: bytes of each. machine: the name of their machine.

    Example:
      >>> tinytf.devices.simulate_gpus(0).count
      0
    """

    count: int
    memory: int
    machine: str

    def __repr__(self) -> str:
        if not self.count:
            return "<no simulated GPUs: sessions opened from now on see what is really there>"
        shared = "of this process and its children" if self.is_own else f"{self.machine!r}"
        return (
            f"<{self.count} simulated GPU{'s' * (self.count > 1)} of {readable(self.memory)} in "
            f"the machine {shared}, for sessions opened from now on>"
        )

    @property
    def is_own(self) -> bool:
        """Whether nobody but one process and its children uses the machine."""
        return self.machine.startswith(OWN)


def check(count: object, memory: object, machine: object, source: str) -> SimulatedGpus:
    """What was asked for, if it makes sense.

    Args:
      count, memory, machine: as for `simulate_gpus`. source: who asked, for messages.

    Raises:
      ValueError: for numbers, sizes and names of nonsense.
    """
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= MOST_GPUS:
        raise ValueError(
            f"{source}: cannot simulate {count!r} GPUs. Ask for a whole number from 1 to "
            f"{MOST_GPUS}, or 0 for none."
        )
    size = in_bytes(memory, source)
    name = _machine_for(count, size) if machine is None else machine
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError(
            f"{source}: a simulated machine cannot be called {machine!r}. Its name has letters, "
            f'digits, "_", "-" and ".", at most 64, and begins with a letter or digit.'
        )
    return SimulatedGpus(count, size, name)


def _machine_for(count: int, memory: int) -> str:
    """The machine this process, or its parent, is in; else one of its own.

    One of its own cannot be changed, since children may use it: then it is a new one.
    """
    given = os.environ.get(MACHINE_VARIABLE, "")
    same = os.environ.get(GPUS_VARIABLE) == _exported(count, memory)
    return given if given and (same or not given.startswith(OWN)) else new_machine()


def in_bytes(size: object, source: str) -> int:
    """A size of memory such as "4GiB", "512 MiB", "1.5G" or a number of bytes.

    Raises:
      ValueError: if it is no size, or no sensible one for a GPU.
    """
    number, unit = 0.0, "?"
    if isinstance(size, int) and not isinstance(size, bool):
        number, unit = size, ""
    elif isinstance(size, str) and (match := _SIZE.fullmatch(size)):
        number, unit = float(match[1]), match[2]
    found = int(number * _UNITS[unit]) if unit in _UNITS else -1
    if not LEAST_MEMORY <= found <= MOST_MEMORY:
        raise ValueError(
            f'{source}: {size!r} is no memory for a simulated GPU. Write it like "4GiB" or '
            f'"512MiB", from {readable(LEAST_MEMORY)} to {readable(MOST_MEMORY)}.'
        )
    return found // 256 * 256


def readable(size: int) -> str:
    """A size for people: "4 GiB", "512 MiB", "3.7 GiB", "12 bytes"."""
    for unit, one in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if size >= one:
            text = f"{size / one:.1f}".removesuffix(".0")
            return f"{text} {unit}"
    return f"{size} bytes"


_own = itertools.count()


def new_machine() -> str:
    """A name for a machine that this process shares with nobody but its children."""
    number = next(_own)
    name = f"{OWN}{os.getpid()}-{processes.started(os.getpid())}"
    return f"{name}-{number}" if number else name


def asked() -> SimulatedGpus | None:
    """What the environment asks for, None if there is nothing; ValueError for nonsense."""
    text = os.environ.get(GPUS_VARIABLE, "").strip()
    if not text:
        return None
    count, by, memory = text.partition("x")
    number: object = int(count) if count.strip().isdecimal() else text
    machine = os.environ.get(MACHINE_VARIABLE) or None
    wish = check(number, memory if by else DEFAULT_MEMORY, machine, f"{GPUS_VARIABLE}={text}")
    return wish if wish.count else None


def export(wish: SimulatedGpus) -> None:
    """Write into the environment what this process, and those it starts, shall simulate."""
    if wish.count:
        os.environ[GPUS_VARIABLE] = _exported(wish.count, wish.memory)
        os.environ[MACHINE_VARIABLE] = wish.machine
    else:
        os.environ.pop(GPUS_VARIABLE, None)
        os.environ.pop(MACHINE_VARIABLE, None)


def _exported(count: int, memory: int) -> str:
    return f"{count}x{memory}"
