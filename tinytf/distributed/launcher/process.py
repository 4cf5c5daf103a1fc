"""One task of a launch: the process that it is at the moment, and all that it has written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tinytf.distributed.cluster.task_names import TaskName
from tinytf.distributed.local_cluster.task import STOP_SECONDS, child_environment, start_process

#: How many lines of each task are kept.
KEPT_LINES = 10_000
#: How long the output of a process that has ended is waited for: a child of its may hold it open.
OUTPUT_SECONDS = 2.0

#: A new process asks the system to end it with its parent, and becomes the script's.
_TIED = (
    "import ctypes, os, sys; "
    "ctypes.CDLL(None).prctl(1, 9); "  # PR_SET_PDEATHSIG, SIGKILL
    "os.getppid() == int(sys.argv[1]) or sys.exit(); "  # it has ended already
    "os.execv(sys.argv[2], sys.argv[2:])"
)


@dataclass(frozen=True)
class LaunchedTask:
    """One task, as `Launch.status` shows it.

    Attributes:
      name: "worker:1". pid: of its process, also after its end; None before the first.
      address: "localhost:port"; "" for the client. state: in words.
      restarts: how often it was started again. code: its exit code, negative for a signal, None
        while it runs.
    """

    name: str
    pid: int | None
    address: str
    state: str
    restarts: int
    code: int | None


@dataclass(frozen=True)
class Script:
    """What is started: the interpreter, the file, its own arguments, where, and for which tasks.

    `flags`: whether flags say which task it is, or TF_CONFIG only.
    """

    python: str
    path: Path
    arguments: Sequence[str]
    folder: Path | None
    environment: Mapping[str, str]
    cluster: Mapping[str, Sequence[str]]
    flags: bool = True

    def command(self, name: TaskName) -> list[str]:
        """The command line of a task."""
        hosts = [f"--{job}_hosts={','.join(them)}" for job, them in self.cluster.items()]
        who = [f"--job_name={name.job}", f"--task_index={name.index}"]
        flags = [*hosts, *who] if self.flags else []
        command = [self.python, str(self.path.resolve()), *self.arguments, *flags]
        if sys.platform != "linux":
            return command
        return [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *command]

    def variables(self, name: TaskName) -> dict[str, str]:
        """The environment of a task."""
        own = self.python == sys.executable
        result = child_environment() if own else {**os.environ, "PYTHONUNBUFFERED": "1"}
        task = {"type": name.job, "index": name.index}
        result["TF_CONFIG"] = json.dumps({"cluster": self.cluster, "task": task})
        return {**result, **self.environment}


@dataclass
class Process:
    """A task and its process.

    Args:
      name: which task. address: where it serves. say: is given each line that it writes.
    """

    name: TaskName
    address: str
    say: Callable[[TaskName, str], None]
    restarts: int = 0
    #: When it was started again, for those in the last period.
    again: deque[float] = field(default_factory=deque)
    state: str = "not started"
    over: bool = False
    popen: subprocess.Popen[bytes] | None = None
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=KEPT_LINES))

    def start(self, script: Script) -> None:
        """Start it; `wait` returns when it has ended."""
        self.popen = start_process(
            script.command(self.name),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=script.folder,
            env=script.variables(self.name),
            start_new_session=True,  # a Ctrl-C is for the launcher, which ends all
        )
        self.state = "running"
        reader = threading.Thread(target=self._read, args=(self.popen,), daemon=True)
        reader.start()
        self._reader = reader

    def start_again(self, script: Script) -> None:
        """Likewise, for one that has ended."""
        self.restarts += 1
        self.lines.append(f"--- {self.name} started again ---")
        self.start(script)

    def last_lines(self, count: int) -> list[str]:
        """The end of what it has written since it was started for the last time."""
        result: list[str] = []
        for line in reversed(list(self.lines)):
            if line == f"--- {self.name} started again ---" or len(result) == count:
                break
            result.insert(0, line)
        return result

    def _read(self, popen: subprocess.Popen[bytes]) -> None:
        assert popen.stdout is not None
        with popen.stdout:
            for line in popen.stdout:
                text = line.decode(errors="replace").rstrip("\n")
                self.lines.append(text)
                self.say(self.name, text)

    def wait(self) -> int:
        """Wait until it has ended and said all; its exit code."""
        assert self.popen is not None
        code = self.popen.wait()
        self._reader.join(OUTPUT_SECONDS)
        return code

    def status(self) -> LaunchedTask:
        """The state now."""
        popen = self.popen
        pid, code = (popen.pid, popen.poll()) if popen else (None, None)
        return LaunchedTask(str(self.name), pid, self.address, self.state, self.restarts, code)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if there is one."""
        if self.popen is not None:
            self.popen.send_signal(number)

    def end(self) -> None:
        """Wait until it has ended, after it was asked to; make it end if it does not."""
        if self.popen is not None:
            try:
                self.popen.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.popen.kill()
                self.popen.wait()


def in_words(code: int) -> str:
    """How a process has ended."""
    if code < 0:
        return f"was ended by {signal.Signals(-code).name}"
    return f"ended with exit code {code}"
