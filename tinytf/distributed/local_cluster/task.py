"""One task of a local cluster: its process, its pipes, its log; started again at the same address.

The pipes, all of them private to this program and the process:

stdin     nothing is ever said there; it ends when this program does, however that comes about, and
          the process with it
control   from here: which of its calls the process shall delay or lose (see `faults`)
report    from there: "serving", and that it obeyed
console   both ways: what `%%task` runs inside the process, and what that prints
"""

from __future__ import annotations

import contextlib
import functools
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from tinytf.distributed.cluster.task_names import TaskName
from tinytf.distributed.wire import faults

#: How long a process may take to end by itself before it is made to.
STOP_SECONDS = 5.0
#: How long a task may take to confirm what it was told.
OBEY_SECONDS = 10.0
#: How much of a task's output an error shows.
LOG_TAIL = 2000


@dataclass(frozen=True)
class TaskStatus:
    """One task, as `LocalCluster.status` shows it.

    Attributes:
      job, index: which task. pid: its process. address: "localhost:port".
      returncode: None while the process lives; negative: the signal that ended it.
      paused: whether it was stopped with SIGSTOP. started: when its process began (seconds since
        the epoch). restarts: how often it was started again.
      faults: what is wrong with its network on purpose, in words; empty: nothing.
    """

    job: str
    index: int
    pid: int
    address: str
    returncode: int | None
    paused: bool = False
    started: float = 0.0
    restarts: int = 0
    faults: str = ""

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.returncode is None

    @property
    def target(self) -> str:
        """What to pass to `tf.Session`."""
        return f"grpc://{self.address}"

    @property
    def state(self) -> str:
        """The state in words."""
        if self.returncode is not None:
            return _ended(self.returncode)
        words = "paused" if self.paused else "serving"
        if self.restarts:
            words += f", restarted at {_clock(self.started)}"
        return f"{words}; {self.faults}" if self.faults else words


def _clock(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))


def _ended(code: int) -> str:
    if code < 0:
        return f"ended by {signal.Signals(-code).name} (return code {code})"
    return f"ended with return code {code}"


class Task:
    """A task and the process that it is at the moment.

    Args:
      name: which task. port: a socket that keeps its port for it (see `ports.reserve`).
    """

    def __init__(self, name: TaskName, port: Any):
        self.name = name
        self._kept_port = port
        self.address = f"localhost:{port.getsockname()[1]}"
        # Without a name: nothing is left on the disk, and it can be read after the end.
        self._log: BinaryIO = tempfile.TemporaryFile()
        self._last_log: str | None = None
        self.process: subprocess.Popen[bytes] | None = None
        #: Of the process as it is now, for `%%task`: where code is written, where replies come.
        #: They are closed when it ends: who reads in a thread of its own works on a duplicate.
        self.console_fds: tuple[int, int] | None = None
        self._pipes: list[Any] = []
        self._report: _Lines | None = None
        self._told = 0  # the number of the last table
        self._seconds: dict[str, float] = {}
        self.started, self.restarts, self._paused = 0.0, 0, False

    # ------------------------------------------------------------------------- begin

    def launch(
        self, cluster: Mapping[str, Any], seconds: Mapping[str, float], transport: str
    ) -> None:
        """Start the process; `wait_until_serving` says when it serves.

        Args:
          cluster: job -> addresses. seconds: the delays of its calls, as for `faults.update`.
          transport: as for `tf.train.Server`.
        """
        if self.process is not None:
            self.restarts += 1
            self._note("started again")
        pipes = _Pipes()
        try:
            task = ["--job", self.name.job, "--task", str(self.name.index)]
            how = ["--transport", transport, *pipes.as_options(), "--die-with-parent"]
            self.process = start_process(
                [*_COMMAND, *task, "--cluster", *_as_options(cluster), *how],
                stdin=subprocess.PIPE,
                stdout=self._log,
                stderr=subprocess.STDOUT,
                pass_fds=pipes.theirs,
                env=child_environment(),
                # A child in the kernel's own group would get its interrupts, and make a
                # notebook's shutdown slow.
                start_new_session=True,
            )
        except BaseException:
            pipes.close_ours()
            raise
        finally:
            pipes.close_theirs()
        self.started, self._paused = time.time(), False
        self._report, self._control = _Lines(pipes.report), pipes.control
        self.console_fds = (pipes.code, pipes.replies)
        self._pipes = [self.process.stdin, self._control, self._report]
        self.tell(seconds)

    def wait_until_serving(self, deadline: float) -> None:
        """Wait until the task answers calls; RuntimeError with its log's end if it does not."""
        if not self._confirmed(deadline) or self._next_line(deadline) != b"serving":
            too_late = time.monotonic() >= deadline
            self.let_go()
            self.end()
            reason = "does not serve" if too_late else self.status().state
            raise RuntimeError(
                f"Task /job:{self.name.job}/task:{self.name.index} did not start"
                f"{' in time' if too_late else ''}: it {reason}. The end of its log:\n"
                f"{self.log()[-LOG_TAIL:]}"
            )

    # ------------------------------------------------------------------------- while it runs

    def tell(self, seconds: Mapping[str, float]) -> None:
        """Tell the process which of its calls it shall delay; `wait_until_obeyed` waits for it.

        A paused task is told when it goes on, one that has ended when it is started again.
        """
        self._seconds = dict(seconds)
        if not self.alive or self.paused:
            return
        self._told += 1
        try:
            self._control.write(faults.as_line(self._told, seconds))
        except BrokenPipeError:
            return  # it has just ended

    def wait_until_obeyed(self) -> None:
        """Wait until the process has taken over what it was told; RuntimeError if it does not."""
        if not self.alive or self.paused or self._confirmed(time.monotonic() + OBEY_SECONDS):
            return
        if self.process is not None and self.process.poll() is None:  # it has not ended meanwhile
            raise RuntimeError(
                f"{self.name} does not answer on its control pipe. %cluster logs {self.name} may "
                f"say more; %cluster restart {self.name} starts it again."
            )

    def _confirmed(self, deadline: float) -> bool:
        while True:
            line = self._next_line(deadline)
            if line is None:
                return False
            # Older numbers, and "serving", are left if a wait was interrupted.
            if line == str(self._told).encode():
                return True

    def _next_line(self, deadline: float) -> bytes | None:
        assert self._report is not None
        return self._report.next(deadline)

    @property
    def alive(self) -> bool:
        """Whether there is a process."""
        return self.process is not None and self.process.poll() is None

    @property
    def paused(self) -> bool:
        """Whether the process was stopped with SIGSTOP, by whomever."""
        if not self.alive:
            return False
        try:
            stat = Path(f"/proc/{self.process.pid}/stat").read_text()  # type: ignore[union-attr]
        except OSError:
            return self._paused  # not Linux
        return stat.rpartition(")")[2].split()[0] == "T"

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if there is one."""
        if self.process is not None:
            self.process.send_signal(number)

    def pause(self) -> None:
        """SIGSTOP, and wait until it has come to a halt."""
        self.signal(signal.SIGSTOP)
        if self.alive:
            # Its end, if it ends instead, is left for Popen to collect.
            flags = os.WSTOPPED | os.WEXITED | os.WNOWAIT
            with contextlib.suppress(ChildProcessError):  # just collected, by another thread
                os.waitid(os.P_PID, self.process.pid, flags)  # type: ignore[union-attr]
        self._paused = True

    def resume(self) -> None:
        """SIGCONT, and what it was not told meanwhile."""
        self.signal(signal.SIGCONT)
        self._paused = False
        self.tell(self._seconds)
        self.wait_until_obeyed()

    def status(self, faults_in_words: str = "") -> TaskStatus:
        """The state now."""
        assert self.process is not None
        return TaskStatus(
            self.name.job,
            self.name.index,
            self.process.pid,
            self.address,
            self.process.poll(),
            self.paused,
            self.started,
            self.restarts,
            faults_in_words,
        )

    def log(self) -> str:
        """All that it wrote, also before it was started again."""
        if self._last_log is not None:
            return self._last_log
        size = os.fstat(self._log.fileno()).st_size
        return os.pread(self._log.fileno(), size, 0).decode(errors="replace")

    def _note(self, what: str) -> None:
        # Its output goes to the same place in the file, also that of the next process.
        os.write(
            self._log.fileno(), f"--- {self.name} {what} at {_clock(time.time())} ---\n".encode()
        )

    # ------------------------------------------------------------------------- end

    def kill(self) -> None:
        """SIGKILL; returns when the process has ended."""
        if self.process is not None:
            if self.alive:
                self._note("killed")
            self.process.kill()
            self.process.wait()
            self.let_go()

    def let_go(self) -> None:
        """Close the pipes: the process ends."""
        for pipe in self._pipes:
            try:
                pipe.close()
            except BrokenPipeError:
                continue  # it ended before it had read everything
        self._pipes = []
        for fd in self.console_fds or ():
            os.close(fd)
        self.console_fds = None
        if self.alive:
            self.signal(signal.SIGCONT)  # or it could not notice

    def end(self) -> None:
        """Wait until the process has ended, and make it end if it does not."""
        if self.process is None:
            return
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def close(self) -> None:
        """After the end: give back the port, and the log's file; the log can still be read."""
        self._kept_port.close()
        if self._last_log is None:
            self._last_log = self.log()
            self._log.close()


class _Pipes:
    """Four pipes; the ends of this program (report, control, code, replies) and the task's."""

    def __init__(self) -> None:
        report, self._report = os.pipe()
        self._control, control = os.pipe()
        self._code, self.code = os.pipe()
        self.replies, self._replies = os.pipe()
        self.report = report
        self.control = os.fdopen(control, "wb", buffering=0)

    @property
    def theirs(self) -> tuple[int, ...]:
        return (self._report, self._control, self._code, self._replies)

    def as_options(self) -> list[str]:
        report, control, code, replies = map(str, self.theirs)
        return ["--pipes", report, control, "--console", code, replies]

    def close_theirs(self) -> None:
        for fd in self.theirs:
            os.close(fd)

    def close_ours(self) -> None:
        self.control.close()
        for fd in (self.report, self.code, self.replies):
            os.close(fd)


class _Lines:
    """The lines that come out of a pipe."""

    def __init__(self, fd: int):
        self._fd, self._rest = fd, b""
        self._lock = threading.Lock()

    def next(self, deadline: float) -> bytes | None:
        """The next line without its end; None at the end of the pipe, or after the deadline."""
        with self._lock, selectors.DefaultSelector() as selector:
            selector.register(self._fd, selectors.EVENT_READ)
            while b"\n" not in self._rest:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    return None
                data = os.read(self._fd, 4096)
                if not data:
                    return None
                self._rest += data
            line, _, self._rest = self._rest.partition(b"\n")
            return line

    def close(self) -> None:
        os.close(self._fd)


_COMMAND = (sys.executable, "-P", "-m", "tinytf", "serve")


def _as_options(cluster: Mapping[str, Any]) -> list[str]:
    return [f"{job}={','.join(addresses)}" for job, addresses in cluster.items()]


def start_process(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
    """A process whose end the system can tie to that of the thread that started it.

    That must be a thread that lives as long as this program does, whichever one calls.
    """

    def start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(*arguments, **options)

    in_main = threading.current_thread() is threading.main_thread()
    return start() if in_main else _launcher(os.getpid()).submit(start).result()


@functools.cache
def _launcher(pid: int) -> ThreadPoolExecutor:
    """A thread that ends with the program; a fork of it needs another one."""
    return ThreadPoolExecutor(1, f"tinytf-launcher-{pid}")


def child_environment() -> dict[str, str]:
    """So that the child finds this very tinytf, installed or not."""
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONUNBUFFERED": "1"}
