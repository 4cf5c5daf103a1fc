"""Simulated machines: which processes share them, and how much of their GPUs' memory each has.

A machine is a small JSON file in a folder of the user's. Every change is made under one lock for
all machines, and the file is replaced as a whole, so it is always complete. Processes are known by
number and start: whoever is gone, however that came about, holds nothing at the next look. Each
process knows itself what it has taken, so a file that was damaged is made anew and then filled
again by those who are alive.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from tinytf.devices import processes
from tinytf.devices.asking import OWN, SimulatedGpus, readable
from tinytf.devices.memory import Taken
from tinytf.devices.memory_texts import Holding
from tinytf.framework.errors import PermissionDeniedError
from tinytf.framework.files import lock_file, write_file

FOLDER_VARIABLE = "TINYTF_MACHINES"
_FORMAT = 1
#: The lock is held for about a millisecond; this long only if its holder has been stopped.
_LOCK_SECONDS = 20.0
_STALE_SECONDS = 7 * 24 * 3600


@dataclass(slots=True)
class Process:
    """A process that uses a machine.

    Attributes:
      pid, started: which one. name: what it is called in lists.
      held: by the number of a GPU, the bytes that it has taken.
    """

    pid: int
    started: str
    name: str
    held: dict[int, int] = field(default_factory=dict)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return processes.started(self.pid) == self.started


@dataclass(slots=True)
class State:
    """A machine as it is: its GPUs, and who uses them.

    Attributes:
      name: the machine's. count, memory: its GPUs, and the bytes of each.
      processes: those that are alive. damaged: what was wrong with its file, "" for nothing.
    """

    name: str
    count: int = 0
    memory: int = 0
    processes: list[Process] = field(default_factory=list)
    damaged: str = ""

    def free(self, gpu: int) -> int:
        """Bytes of a GPU that nobody has taken."""
        return max(0, self.memory - sum(one.held.get(gpu, 0) for one in self.processes))

    def holders(self, gpu: int, but: int = 0) -> tuple[Holding, ...]:
        """Who has taken memory of a GPU, the largest first; `but` this process."""
        found = [
            Holding(one.name, one.held[gpu], f"pid {one.pid}")
            for one in self.processes
            if one.held.get(gpu) and one.pid != but
        ]
        return tuple(sorted(found, key=lambda one: -one.size))


class Machine:
    """A simulated machine, as one process uses it. Thread-safe.

    Args:
      wish: the machine's name, and the GPUs it has.

    Raises:
      ValueError: if others use the machine, and it has other GPUs.
    """

    def __init__(self, wish: SimulatedGpus):
        self.wish = wish
        self._folder = folder()
        self._lock = threading.Lock()
        self._left = False  # this and _me are guarded by the lock
        self._me = _this_process()
        with _locked(self._folder):
            _sweep(self._folder, wish.machine)
            self._exchange()

    def take(self, gpu: int, sizes: Iterable[int]) -> Taken:
        """Take the first of these sizes that is free on a GPU; see `Card.take`."""
        with self._lock, _locked(self._folder):
            if self._me.pid != os.getpid():  # a child by fork: it has nothing of its own yet
                self._me = _this_process()
            state = self._exchange()
            failed, got = list[int](), 0
            for size in sizes:
                if size <= state.free(gpu):
                    got = size
                    break
                failed.append(size)
            if got:
                self._me.held[gpu] = self._me.held.get(gpu, 0) + got
                state = self._exchange()
            others = state.holders(gpu, but=self._me.pid)
            return Taken(got, tuple(failed), state.free(gpu), others)

    def leave(self) -> None:
        """Give everything back: the process ends, or goes to another machine."""
        if self._me.pid != os.getpid() or not self._folder.exists():
            return
        with self._lock:
            if self._left:
                return
            self._left = True
            with _locked(self._folder):
                state = _read(self._folder, self.wish.machine)
                self._others(state)
                _write(self._folder, state)

    def replaced(self) -> None:
        """This process uses the same machine in another way from now on."""
        with self._lock:
            self._left = True

    def _others(self, state: State) -> None:
        me = self._me
        state.processes = [
            one for one in state.processes if (one.pid, one.started) != (me.pid, me.started)
        ]

    def _exchange(self) -> State:
        """The machine's state, with what this process holds written into it."""
        if self._left:  # sessions of before it went: they have the GPUs to themselves
            alone = State(self.wish.machine, self.wish.count, self.wish.memory)
            alone.processes = [self._me]
            return alone
        state = _read(self._folder, self.wish.machine)
        if state.damaged:
            print(
                f"The state of the simulated machine {state.name!r} could not be read "
                f"({state.damaged}). It is written anew: its programs are seen again as soon as "
                f"they take more memory.",
                flush=True,
            )
        self._others(state)
        asked = (self.wish.count, self.wish.memory)
        if state.processes and asked != (state.count, state.memory):
            users = ", ".join(f"{one.name} (pid {one.pid})" for one in state.processes)
            plural = "s" * (state.count > 1)
            raise ValueError(
                f"The simulated machine {state.name!r} has {state.count} GPU{plural} of "
                f"{readable(state.memory)}, and is in use by {users}. Here {self.wish.count} of "
                f"{readable(self.wish.memory)} were asked for. Ask for the same, end the others, "
                f"or give another name."
            )
        state.count, state.memory = asked
        state.processes.append(self._me)
        _write(self._folder, state)
        return state


class SharedCard:
    """One GPU of a machine, to this process; see `Card`."""

    def __init__(self, machine: Machine, gpu: int):
        self._machine, self._gpu = machine, gpu
        self.total = machine.wish.memory
        self.label = f"Simulated GPU {gpu}"
        if not machine.wish.is_own:
            self.label += f" of the machine {machine.wish.machine!r}"

    def free(self) -> int:
        """Bytes that no process has taken."""
        return self._machine.take(self._gpu, ()).free

    def take(self, sizes: Iterable[int]) -> Taken:
        """See `Card.take`."""
        return self._machine.take(self._gpu, sizes)


def look(name: str) -> State:
    """A machine as it is now, without using it; of one that nobody uses, `count` is 0.

    Example:
      >>> tinytf.devices.machine.look("nobody-uses-this").count
      0
    """
    with _locked(folder()) as inside:
        return _read(inside, name)


def machines() -> list[State]:
    """All machines of this user that processes use now, by name."""
    with _locked(folder()) as inside:
        _sweep(inside, "")
        ending = _file(inside, "").name
        names = sorted(path.name.removesuffix(ending) for path in inside.glob(f"*{ending}"))
        states = [_read(inside, name) for name in names]
    return [state for state in states if state.processes or state.damaged]


def folder() -> Path:
    """Where machines are kept: TINYTF_MACHINES, or a folder of the user's for such things."""
    given = os.environ.get(FOLDER_VARIABLE)
    if given:
        return Path(given)
    home = os.environ.get("XDG_STATE_HOME", "")
    # The standard for these folders: a relative path is not heeded.
    base = Path(home) if os.path.isabs(home) else Path.home() / ".local" / "state"
    return base / "tinytf" / "machines"


# ------------------------------------------------------------------------------------- the files


def _this_process() -> Process:
    return Process(os.getpid(), processes.started(os.getpid()), processes.name_of_this())


def _file(inside: Path, name: str) -> Path:
    return inside / f"{name}.{processes.computer()}.json"


@contextlib.contextmanager
def _locked(inside: Path) -> Iterator[Path]:
    """The folder, while no other process changes anything in it."""
    path = inside / "lock"
    try:
        inside.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise PermissionDeniedError(
            f"{inside}; {error.strerror}. Simulated GPUs are kept there, for the programs that "
            f"share them; set {FOLDER_VARIABLE} to a folder that you may write to."
        ) from error
    try:
        lock_file(descriptor, path, _LOCK_SECONDS)
        yield inside
    finally:
        os.close(descriptor)  # which unlocks


def _read(inside: Path, name: str) -> State:
    """A machine's state, without processes that are gone. The caller has the lock."""
    try:
        text = _file(inside, name).read_bytes()
    except FileNotFoundError:
        return State(name)
    try:
        state = _parse(name, json.loads(text))
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        return State(name, damaged=f"{type(error).__name__}: {error}")
    state.processes = [one for one in state.processes if one.alive]
    return state


def _parse(name: str, data: Any) -> State:
    if not isinstance(data, dict) or data.get("format") != _FORMAT:
        raise ValueError("not a state that this version of tinytf has written")
    state = State(name, _number(data["count"]), _number(data["memory"]))
    for one in data["processes"]:
        held = {int(gpu): _number(size) for gpu, size in one["held"].items()}
        state.processes.append(
            Process(_number(one["pid"]), str(one["started"]), str(one["name"])[:80], held)
        )
    return state


def _number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise ValueError(f"{value!r} is no number of anything")
    return value


def _write(inside: Path, state: State) -> None:
    """Write a machine's state; one that nobody uses any more has none."""
    path = _file(inside, state.name)
    if not state.processes:
        path.unlink(missing_ok=True)
        return
    content: Mapping[str, Any] = {
        "format": _FORMAT,
        "name": state.name,
        "count": state.count,
        "memory": state.memory,
        "processes": [asdict(one) for one in state.processes],
    }
    text = json.dumps(content, indent=1).encode()
    if not path.exists() or path.read_bytes() != text:  # looking alone costs no write
        write_file(path, text)


def _sweep(inside: Path, but: str) -> None:
    """Take away what dead processes have left behind. The caller has the lock."""
    ending = _file(inside, "").name
    for path in inside.iterdir():
        name = path.name.removesuffix(ending)
        if name == path.name:
            # Of another computer, or from before this one was started: only age tells.
            if path.name != "lock" and time.time() - path.stat().st_mtime > _STALE_SECONDS:
                path.unlink(missing_ok=True)
        elif name != but:
            state = _read(inside, name)
            if not state.processes and (state.damaged == "" or name.startswith(OWN)):
                path.unlink(missing_ok=True)
