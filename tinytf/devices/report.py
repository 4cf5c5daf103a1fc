"""What GPUs there are, how much of their memory is taken, and by which processes.

For `tinytf smi` and `%smi`: NVIDIA's program of nearly this name shows the same of real cards.
"""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass

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
    start = "This process: "
    return start + ("\n" + " " * len(start)).join(parts) if parts else ""


def _real() -> list[MachineStatus]:
    """This computer's CUDA cards, if the driver's own program is there and lists some."""
    cards = _ask_driver("gpu", "pci.bus_id,name,memory.total,memory.used")
    users = _ask_driver("compute-apps", "gpu_bus_id,pid,process_name,used_memory")
    found = []
    for index, (bus, name, total, used) in enumerate(cards):
        on_it = tuple(
            GpuProcess(int(pid), os.path.basename(program), _bytes(memory))
            for where, pid, program, memory in users
            if where == bus and pid.isdecimal()
        )
        found.append(GpuStatus(index, name, bus, False, _bytes(total), _bytes(used), on_it))
    return [MachineStatus("", "This computer", False, tuple(found))] if found else []


def _ask_driver(what: str, fields: str) -> list[list[str]]:
    """Rows of nvidia-smi, each with these fields; none where it is missing or fails."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return []
    import subprocess

    command = [program, f"--query-{what}={fields}", "--format=csv,noheader,nounits"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return []
    rows = [[field.strip() for field in line.split(",")] for line in asked.stdout.splitlines()]
    return [row for row in rows if len(row) == fields.count(",") + 1]


def _bytes(mebibytes: str) -> int:
    """A number of MiB in bytes; 0 for what the driver does not tell."""
    return int(mebibytes) << 20 if mebibytes.isdecimal() else 0


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
        lines.append(
            _row(f"{gpu.index:>3}  {gpu.name[:16]:<16}  {gpu.bus_id[-12:]:<12}  {amount:>23}")
        )
        lines.append(_row(f"{'':>37}[{bar}]"))
    if one.simulated or any(gpu.processes for gpu in one.gpus):
        lines += [rule, _row("GPU      PID  Process                                Memory taken")]
        lines += [_row(text) for text in _process_rows(one)]
    if one.note:
        lines += [rule, *(_row(text) for text in _folded(one.note))]
    return [*lines, rule]


def _process_rows(one: MachineStatus) -> list[str]:
    rows = [(str(gpu.index), process) for gpu in one.gpus for process in gpu.processes]
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

    return [row for line in text.splitlines() for row in textwrap.wrap(line, _WIDTH - 4)]


def _mebibytes(size: int) -> str:
    return f"{size / (1 << 20):.0f} MiB"
