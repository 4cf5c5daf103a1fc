"""What GPUs there are, how much of their memory is taken, and by which processes.

For `tinytf smi` and `%smi`: NVIDIA's program of nearly this name shows the same of real cards.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from tinytf.devices import asking, machine
from tinytf.devices.asking import readable
from tinytf.devices.simulated import MODEL, bus_id, own_accounts

_WIDTH = 76
_BAR = 20


@dataclass(frozen=True, slots=True)
class GpuProcess:
    """A process that has taken memory of a GPU: its number, name, and how many bytes."""

    pid: int
    name: str
    memory: int


@dataclass(frozen=True, slots=True)
class GpuStatus:
    """One GPU.

    Attributes:
      index: its number in the machine. name, bus_id: as in the description of the device.
      simulated: whether it only plays its part. memory_total, memory_taken: in bytes.
      processes: who has taken memory, as far as it can be told.
    """

    index: int
    name: str
    bus_id: str
    simulated: bool
    memory_total: int
    memory_taken: int
    processes: tuple[GpuProcess, ...] = ()


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """The GPUs of a machine: a simulated one, or this computer.

    Attributes:
      name: of a simulated machine; "" for this computer. title: the same in words.
      processes: all that use a simulated machine, also those that have taken nothing.
      note: what else there is to say.
    """

    name: str
    title: str
    simulated: bool
    gpus: tuple[GpuStatus, ...]
    processes: tuple[GpuProcess, ...] = ()
    note: str = ""


class Report:
    """GPUs and the processes on them, at one moment; it shows itself as a table.

    Attributes:
      machines: what was found; this computer with its real cards is the last of them, if any.
    """

    def __init__(self, machines: list[MachineStatus]):
        self.machines = machines

    def as_json(self) -> str:
        """The same for programs."""
        return json.dumps({"machines": [asdict(one) for one in self.machines]}, indent=2)

    def __repr__(self) -> str:
        if not self.machines:
            return (
                "There is no GPU here, and no program uses simulated ones.\n"
                "Simulate some: tinytf.devices.simulate_gpus(2), or in a shell "
                "TINYTF_SIMULATED_GPUS=2x4GiB"
            )
        return "\n\n".join("\n".join(_drawn(one)) for one in self.machines)


def gpus(name: str | None = None) -> Report:
    """Look at the GPUs.

    Args:
      name: a simulated machine; default: the one this process is in, or else all that programs of
        this user use now; and the real cards.

    Raises:
      ValueError: if no program uses the machine.

    Example:
      >>> asked = tinytf.devices.simulate_gpus(2)
      >>> len(tinytf.devices.report.gpus().machines[0].gpus)
      2
    """
    if name is not None:
        state = machine.look(name)
        if not state.processes and not state.damaged:
            used = ", ".join(repr(one.name) for one in machine.machines())
            raise ValueError(
                f"no program uses a simulated machine {name!r} now."
                f"{f' In use: {used}.' if used else ''}"
            )
        return Report([_status(state)])
    wish = asking.asked()
    if wish is None:
        return Report([*map(_status, machine.machines()), *_real()])
    state = machine.look(wish.machine)
    if not state.processes:  # asked for, and no session was opened yet
        state.count, state.memory = wish.count, wish.memory
    return Report([_status(state), *_real()])


def _status(state: machine.State) -> MachineStatus:
    found_gpus = list[GpuStatus]()
    for index in range(state.count):
        found = [
            GpuProcess(one.pid, one.name, one.held[index])
            for one in state.processes
            if one.held.get(index)
        ]
        taken = sum(one.memory for one in found)
        found_gpus.append(
            GpuStatus(index, MODEL, bus_id(index), True, state.memory, taken, tuple(found))
        )
    everyone = tuple(
        GpuProcess(one.pid, one.name, sum(one.held.values())) for one in state.processes
    )
    title = f"Simulated machine {state.name!r}"
    if state.name.startswith(asking.OWN):
        owner = state.name.removeprefix(asking.OWN).partition("-")[0]
        title = f"Simulated machine of process {owner} and its children"
    note = f"its file is damaged ({state.damaged})" if state.damaged else _own_use(state.name)
    return MachineStatus(state.name, title, True, tuple(found_gpus), everyone, note)


def _own_use(name: str) -> str:
    """What this process does with what it has taken; other processes do not tell."""
    parts = [
        f"GPU {gpu}: {readable(account.in_use)} of the {readable(account.reserved)} in use, at "
        f"most {readable(account.peak)}"
        for gpu, account in sorted(own_accounts(name).items())
    ]
    return f"This process: {'; '.join(parts)}" if parts else ""


def _real() -> list[MachineStatus]:
    """This computer's CUDA cards, if cupy finds some."""
    if find_spec("cupy") is None or find_spec("tinytf.devices.cuda") is None:
        return []
    cuda: Any = import_module("tinytf.devices.cuda")
    cards = tuple(
        GpuStatus(index, one.name, one.bus_id, False, one.memory_total, one.memory_taken)
        for index, one in enumerate(cuda.cards())
    )
    if not cards:
        return []
    note = "Which processes use a real card is shown by nvidia-smi"
    return [MachineStatus("", "This computer", False, cards, note=note)]


# ------------------------------------------------------------------------------------ the drawing


def _drawn(one: MachineStatus) -> list[str]:
    rule = f"+{'-' * (_WIDTH - 2)}+"
    lines = [
        rule,
        _row(one.title),
        rule,
        _row("GPU  Name              Bus             Memory taken"),
    ]
    for gpu in one.gpus:
        filled = round(_BAR * gpu.memory_taken / max(1, gpu.memory_total))
        bar = "#" * filled + "." * (_BAR - filled)
        amount = f"{_mebibytes(gpu.memory_taken)} / {_mebibytes(gpu.memory_total)}"
        lines.append(_row(f"{gpu.index:>3}  {gpu.name[:16]:<16}  {gpu.bus_id:<12}  {amount:>23}"))
        lines.append(_row(f"{'':>37}[{bar}]"))
    if one.simulated:
        lines += [rule, _row("GPU      PID  Process                                Memory taken")]
        lines += [_row(text) for text in _process_rows(one)]
    if one.note:
        lines += [rule, *(_row(text) for text in _folded(one.note))]
    return [*lines, rule]


def _process_rows(one: MachineStatus) -> list[str]:
    rows = [
        (str(gpu.index), process) for gpu in one.gpus for process in gpu.processes
    ]  # fmt: skip
    rows += [("-", process) for process in one.processes if not process.memory]
    texts = [
        f"{gpu:>3}  {process.pid:>7}  {process.name[:38]:<38}  {_mebibytes(process.memory):>10}"
        for gpu, process in rows
    ]
    return texts or ["     no program has opened a session on these GPUs"]


def _row(text: str) -> str:
    return f"| {text:<{_WIDTH - 4}} |"


def _folded(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, _WIDTH - 4)


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB"
